//! `keller channel` as a user meets it.

use crate::common::{Folder, SCENARIO};

/// Rows of fields of a CSV file.
fn csv(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|l| l.split(',').collect()).collect()
}

#[test]
fn every_kind_of_output_has_one_row_a_link() {
    let folder = Folder::new("channel-outputs");
    let far = "[[rx]]\nposition = [4, 0, -3]\n[paths]";
    folder.write("s.toml", &SCENARIO.replace("[paths]", far));
    let table = folder.keller(&["channel", "s.toml"]);
    assert_eq!(table.code, Some(0), "{}", table.stderr);
    assert!(
        table
            .stderr
            .contains("\n2 paths (search exhaustive), 1 of 2 receivers reached;"),
        "{}",
        table.stderr
    );
    let words: Vec<Vec<&str>> = table
        .stdout
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    assert_eq!(words.len(), 3);
    // Free space over 8 m at 3.5 GHz is -61.4 dB; nothing reaches the second, below the ground.
    assert_eq!(words[1][..3], ["0", "0", "2"]);
    assert_eq!(
        words[2][..8],
        ["0", "1", "0", "-inf", "-inf", "-inf", "-", "-"]
    );
    for out in ["c.csv", "c.json", "c.parquet", "c.npz"] {
        let run = folder.keller(&["channel", "s.toml", "-o", out]);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(0), ""),
            "{}",
            run.stderr
        );
    }
    let text = folder.read("c.csv");
    let rows = csv(&text);
    let at = |row: usize, name: &str| {
        let column = rows[0].iter().position(|n| *n == name).unwrap();
        rows[row][column]
    };
    let number = |row, name| at(row, name).parse::<f64>().unwrap();
    assert!(
        (number(1, "received_power_dbm") - number(1, "gain_incoherent_db") - 30.0).abs() < 1e-9
    );
    let delay = number(1, "mean_delay_s");
    assert!(8.0 / 299_792_458.0 < delay && delay < 10.0 / 299_792_458.0);
    assert_eq!([at(2, "num_paths"), at(2, "k_factor_db")], ["0", ""]);
    assert_eq!([at(1, "line_of_sight"), at(2, "line_of_sight")], ["1", "0"]);
    // Tables have the indices if there are no names; the scene lies nowhere on the earth.
    assert_eq!([at(2, "tx_name"), at(2, "rx_name")], ["0", "1"]);
    assert_eq!([at(1, "rx_longitude"), at(1, "tx_latitude")], ["", ""]);
    assert_eq!(folder.npz("c.npz", "line_of_sight").2, [1, 0]);
    let (kind, shape, interactions) = folder.npz("c.npz", "interactions");
    assert_eq!((&*kind, &*shape), ("|u1", "2, 1, 2, 1,"));
    assert_eq!(interactions, [0, 1, 0, 0]);
    let json: serde_json::Value = serde_json::from_str(&folder.read("c.json")).unwrap();
    assert_eq!(json["links"].as_array().unwrap().len(), 2);
    assert_eq!(
        json["links"][1]["gain_coherent_db"],
        serde_json::Value::Null
    );
    assert_eq!(json["scenario"], folder.read("s.toml"));
    let printed = folder.keller(&["channel", "s.toml", "--json"]);
    let printed: serde_json::Value = serde_json::from_str(&printed.stdout).unwrap();
    assert_eq!(printed["links"], json["links"]);
}

#[test]
fn what_a_threshold_leaves_out_is_a_column() {
    let folder = Folder::new("channel-omitted");
    let names = ["s.toml", "strong.toml", "all.toml"];
    // The reflection is weaker than the direct path, which has -61.4 dB. No path is weaker than -300 dB.
    for (name, threshold) in names[1..].iter().zip([-61.5, -300.0]) {
        let threshold = format!("[paths]\npower_threshold_db = {threshold}");
        folder.write(name, &SCENARIO.replace("[paths]", &threshold));
    }
    let [all, strong, everything] = names.map(|name| {
        let run = folder.keller(&["channel", name, "--json"]);
        let table: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        table["links"][0].clone()
    });
    assert!(all.get("omitted_db").is_none(), "{all}");
    let power = |row: &serde_json::Value, key: &str| {
        10_f64.powf(row[key].as_f64().unwrap_or(f64::NEG_INFINITY) / 10.0)
    };
    let [wanted, kept] = [&all, &strong].map(|row| power(row, "gain_incoherent_db"));
    let omitted = power(&strong, "omitted_db");
    assert!(omitted > 0.0 && omitted < kept, "{strong}");
    assert!((kept + omitted - wanted).abs() < 1e-12 * wanted, "{strong}");
    assert_eq!(everything["omitted_db"], serde_json::Value::Null);
    assert_eq!(everything["gain_incoherent_db"], all["gain_incoherent_db"]);

    for out in ["c.csv", "c.parquet", "c.npz"] {
        let run = folder.keller(&["channel", "all.toml", "-o", out]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    let (kind, shape, bytes) = folder.npz("c.npz", "omitted_db");
    assert_eq!((&*kind, &*shape), ("<f8", "1, 1,"));
    assert_eq!(bytes, f64::NEG_INFINITY.to_le_bytes());
    let text = folder.read("c.csv");
    let rows = csv(&text);
    assert_eq!(rows[0].last(), Some(&"omitted_db"));
    assert_eq!(rows[1].last(), Some(&"-inf"));
    let text = folder.keller(&["channel", "strong.toml"]).stdout;
    let words: Vec<Vec<&str>> = text
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    assert!(words[0].ends_with(&["omitted", "dB"]), "{text}");
    let shown = format!("{:.1}", 10.0 * omitted.log10());
    assert_eq!(words[1].last(), Some(&&*shown), "{text}");
}

#[test]
fn motion_gives_doppler_shifts() {
    let folder = Folder::new("channel-doppler");
    let moving = SCENARIO.replace(
        "position = [4, 0, 3]",
        "position = [4, 0, 3]\nvelocity = [-10, 0, 0]",
    );
    folder.write(
        "s.toml",
        &moving.replace("[paths]", "[paths]\nmax_interactions = 0"),
    );
    folder.keller(&["channel", "s.toml", "-o", "c.csv"]);
    let text = folder.read("c.csv");
    let rows = csv(&text);
    let column = rows[0]
        .iter()
        .position(|n| *n == "mean_doppler_hz")
        .unwrap();
    // 10 m/s towards the Tx, over the wavelength.
    let expected = 10.0 * 3.5e9 / 299_792_458.0;
    let found: f64 = rows[1][column].parse().unwrap();
    assert!((found - expected).abs() < 1e-9, "{found}");
}

#[test]
fn pictures_are_drawn_on_request() {
    let folder = Folder::new("channel-pictures");
    let run = folder.keller(&[
        "channel",
        "s.toml",
        "--picture",
        "m.svg",
        "--profile",
        "p.svg",
        "--link",
        "0,0",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    folder.keller(&["paths", "s.toml", "--picture", "n.svg"]);
    assert_eq!(folder.read("m.svg"), folder.read("n.svg"));
    assert!(folder.read("p.svg").starts_with("<svg"));
    assert_eq!(
        folder.names(),
        ["m.svg", "n.svg", "p.svg", "s.toml", "square.obj"]
    );
}

#[test]
fn what_cannot_be_done_is_one_clear_message_and_leaves_nothing() {
    let folder = Folder::new("channel-bad");
    let full = SCENARIO.replace(
        "[paths]",
        "[channel]\nbandwidth_hz = 6.95e9\ndispersion = \"full\"\n[paths]",
    );
    let moving = SCENARIO.replace(
        "[paths]",
        "[[moving]]\nmaterial = \"car\"\nvelocity = [1, 0, 0]\n[paths]",
    );
    folder.write("full.toml", &full);
    folder.write("moving.toml", &moving);
    for (args, expected) in [
        (
            &["channel", "full.toml", "-o", "c.npz"][..],
            "full.toml:9: [channel] bandwidth_hz: the band exceeds the frequency range of a material: frequency 0.079296875 GHz is outside the range of material `concrete`: 1 to 100 or 110 to 330 GHz;",
        ),
        (
            &["channel", "moving.toml", "-o", "c.csv"],
            "moving.toml:8: [[moving]] material: found \"car\"; the scene has concrete",
        ),
        (
            &["channel", "s.toml", "-o", "c.txt"],
            "c.txt: no format for the extension .txt; accepted: a name that ends in .csv, .parquet, .json or .npz",
        ),
        (
            &["channel", "s.toml", "--profile", "p.gif"],
            "p.gif: pictures are SVG or PNG; accepted: a name that ends in .svg or .png",
        ),
        (
            &["channel", "s.toml", "--profile", "p.svg", "--link", "0,7"],
            "--link: there is no such link; accepted: 0,0 to 0,0",
        ),
    ] {
        let run = folder.keller(args);
        assert_eq!(run.code, Some(2), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{args:?}: {}", run.stderr);
    }
    assert_eq!(
        folder.names(),
        ["full.toml", "moving.toml", "s.toml", "square.obj"]
    );
}
