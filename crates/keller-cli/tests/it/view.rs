//! Pages of scenes and results.

use std::io::Read;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

use crate::common::{Folder, Run, street};

const SCENARIO: &str = r#"frequency_hz = 3.5e9
[scene]
file = "street.obj"
[[tx]]
name = "mast"
position = [12, 0, 5]
[[rx]]
grid = { min = [0, -3], max = [140, 3], spacing = 6, height = 1.5 }
[paths]
max_interactions = 1
max_reflections = 1
max_diffractions = 1
[tiles]
side = 6
"#;

const CELLS: &str = "[coverage]\nengine = \"points\"\nmin = [0, -40]\nmax = [150, 40]\nresolution = 4\nheights = [1.5, 9]\n";

/// A folder with a scenario and results of it.
pub(crate) fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("street.obj", &street());
    folder.write("t.toml", SCENARIO);
    folder.write("cells.toml", &format!("{SCENARIO}{CELLS}"));
    folder.write(
        "tiles.toml",
        &format!("{SCENARIO}[coverage]\nengine = \"surfaces\"\n"),
    );
    folder
}

/// Runs a line of bash in which `$KELLER` is the program.
fn shell(folder: &Folder, line: &str) -> Run {
    folder.shell(&line.replace("$KELLER", env!("CARGO_BIN_EXE_keller")))
}

/// Standard output of such a line, which must succeed.
pub(crate) fn must(folder: &Folder, line: &str) -> String {
    folder.must(&format!(
        "set -e; {}",
        line.replace("$KELLER", env!("CARGO_BIN_EXE_keller"))
    ))
}

/// The manifest of the contents of a page.
pub(crate) fn manifest(page: &str) -> Value {
    let (_, rest) = page
        .split_once("<script type=\"application/json\" id=\"view\">")
        .unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn a_page_holds_every_kind_of_result() {
    let folder = folder("view-all");
    must(
        &folder,
        "$KELLER paths t.toml -o a.csv; $KELLER paths t.toml -o b.parquet; $KELLER paths t.toml -o c.paths",
    );
    must(
        &folder,
        "$KELLER channel t.toml -o links.json; $KELLER channel t.toml -o arrays.npz",
    );
    must(
        &folder,
        "$KELLER coverage cells.toml -o cells.npz; $KELLER coverage cells.toml -o cells.zarr",
    );
    must(&folder, "$KELLER coverage tiles.toml -o tiles.npz");
    let shown = must(
        &folder,
        "$KELLER view t.toml a.csv links.json b.parquet c.paths arrays.npz cells.npz cells.zarr tiles.npz -o all.html",
    );
    assert_eq!(shown, "all.html\n");
    let page = folder.read("all.html");
    let view = manifest(&page);
    assert_eq!(
        view["title"],
        "t.toml, a.csv, links.json, b.parquet, c.paths, arrays.npz, cells.npz, cells.zarr, tiles.npz"
    );
    // Each file of paths has a snapshot, and all formats say the same.
    let snapshots = view["snapshots"].as_array().unwrap();
    assert_eq!(snapshots.len(), 4);
    let counts: Vec<&Value> = snapshots.iter().map(|one| &one["paths"]["count"]).collect();
    let rows = folder.read("a.csv").lines().count() - 1;
    assert_eq!(counts, [rows; 4]);
    assert_eq!(
        snapshots[0]["paths"]["types"],
        serde_json::json!(["LOS", "D", "R"])
    );
    assert_eq!(
        snapshots[0]["links"]["columns"][0]["key"],
        "received_power_dbm"
    );
    assert_eq!(snapshots[1]["tx"][0]["name"], "mast");
    let maps = view["maps"].as_array().unwrap();
    assert_eq!(maps.len(), 2);
    for map in maps {
        assert_eq!(map["heights"], serde_json::json!([1.5, 9.0]));
        assert_eq!((&map["nx"], &map["ny"]), (&38.into(), &20.into()));
        assert_eq!(map["layers"][0]["key"], "path_gain_db");
        assert_eq!(map["layers"][0]["slices"].as_array().unwrap().len(), 2);
    }
    assert!(view["surfaces"][0]["count"].as_u64().unwrap() > 100);
    // Whatever is named is there, and unpacks to the size that is said.
    let parts: Vec<Vec<u8>> = view["parts"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .map(|(number, size)| {
            let part = part(&page, number);
            assert_eq!(part.len() as u64, size.as_u64().unwrap(), "part {number}");
            part
        })
        .collect();
    for name in ["gain_db", "delay_s", "length_m", "angles", "points"] {
        let of = |snapshot: &Value| {
            let number = snapshot["paths"][name]["part"].as_u64().unwrap();
            let words = parts[usize::try_from(number).unwrap()].as_chunks::<4>().0;
            let numbers = words.iter().map(|word| f32::from_le_bytes(*word));
            numbers.collect::<Vec<f32>>()
        };
        let expected = of(&snapshots[0]);
        assert!(expected.len() >= rows, "{name}");
        for snapshot in &snapshots[1..] {
            for (found, expected) in of(snapshot).iter().zip(&expected) {
                let is_near = (found - expected).abs() <= 1e-5 * expected.abs().max(1e-6);
                assert!(is_near, "{name}: {found} is not {expected}");
            }
        }
    }
}

#[test]
fn tables_that_pandas_has_written_again_are_shown() {
    let folder = folder("view-pandas");
    must(
        &folder,
        "$KELLER paths t.toml -o a.parquet; $KELLER channel t.toml -o links.csv",
    );
    let python = crate::common::python();
    if !folder.has_reader("tables", &format!("{python} -c 'import pandas, pyarrow'")) {
        return;
    }
    // Columns that may be empty, whole numbers of 64 bits, and a number that is missing.
    folder.write(
        "again.py",
        "import pandas\n\
         paths = pandas.read_parquet('a.parquet')\n\
         paths['tx'] = paths['tx'].astype('Int64')\n\
         paths.to_parquet('again.parquet')\n\
         links = pandas.read_csv('links.csv')\n\
         links.loc[0, 'delay_spread_s'] = None\n\
         links.to_parquet('links.parquet')\n",
    );
    folder.must(&format!("{python} again.py"));
    must(
        &folder,
        "$KELLER view t.toml a.parquet again.parquet links.parquet -o pandas.html",
    );
    let page = folder.read("pandas.html");
    let view = manifest(&page);
    let part_of = |snapshot: usize, name: &str| {
        let array = &view["snapshots"][snapshot]["paths"][name];
        part(
            &page,
            usize::try_from(array["part"].as_u64().unwrap()).unwrap(),
        )
    };
    for name in ["tx", "gain_db", "type", "starts", "points", "objects"] {
        assert_eq!(part_of(0, name), part_of(1, name), "{name}");
    }
    assert!(
        view["snapshots"][1]["links"]["columns"]
            .as_array()
            .unwrap()
            .len()
            > 10
    );
}

/// A part of a page, unpacked.
fn part(page: &str, number: usize) -> Vec<u8> {
    let start = format!("<script type=\"text/plain\" id=\"part-{number}\">");
    let (_, rest) = page.split_once(&start).unwrap();
    let packed = rest.split_once("</script>").unwrap().0;
    unpacked(&BASE64_STANDARD.decode(packed).unwrap())
}

pub(crate) fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut reader = flate2::read::GzDecoder::new(packed);
    reader.read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn scene_files_and_several_scenarios_are_shown() {
    let folder = folder("view-scenes");
    must(&folder, "$KELLER coverage cells.toml -o cells.npz");
    must(&folder, "$KELLER view street.obj cells.npz -o scene.html");
    let view = manifest(&folder.read("scene.html"));
    assert_eq!(view["scene"]["source"], "street.obj");
    assert_eq!(view["snapshots"][0]["tx"], serde_json::json!([]));
    assert_eq!(view["maps"].as_array().unwrap().len(), 1);
    // A device that moves.
    let later = SCENARIO.replace("[12, 0, 5]", "[30, 0, 5]");
    folder.write("later.toml", &later);
    must(
        &folder,
        "$KELLER paths t.toml -o t.csv; $KELLER paths later.toml -o later.csv",
    );
    must(
        &folder,
        "$KELLER view t.toml t.csv later.toml later.csv -o moving.html",
    );
    let view = manifest(&folder.read("moving.html"));
    let snapshots = view["snapshots"].as_array().unwrap();
    let at: Vec<&Value> = snapshots.iter().map(|one| &one["tx"][0]["at"][0]).collect();
    assert_eq!(at, [12.0, 30.0]);
    let labels: Vec<&Value> = snapshots.iter().map(|one| &one["label"]).collect();
    assert_eq!(labels, ["t.toml", "later.toml"]);
}

#[test]
fn what_cannot_be_shown_is_refused_in_one_line() {
    let folder = folder("view-errors");
    must(
        &folder,
        "$KELLER paths t.toml -o t.csv; $KELLER coverage tiles.toml -o tiles.npz; $KELLER coverage cells.toml -o cells.csv",
    );
    folder.write(
        "fewer.toml",
        &SCENARIO.replace("spacing = 6", "spacing = 60"),
    );
    must(&folder, "$KELLER channel fewer.toml -o fewer.npz");
    must(
        &folder,
        "head -n 5 t.csv > cut.csv; echo '0,0,LOS' >> cut.csv",
    );
    must(
        &folder,
        "sed 's/^0,0,/0,99,/' t.csv > other.csv; head -c 900 tiles.npz > cut.npz",
    );
    folder.write("finer.toml", &SCENARIO.replace("side = 6", "side = 5"));
    folder.write("text.html", "");
    for (arguments, said) in [
        (
            "t.csv",
            "accepted: the scenario (.toml) or scene file first",
        ),
        (
            "street.obj t.csv",
            "t.csv: it does not say where its devices are; accepted: the scenario (.toml)",
        ),
        ("t.csv t.toml", "t.csv: accepted: the scenario t.toml first"),
        (
            "t.toml street.obj",
            "street.obj: the scenario names its scene",
        ),
        ("t.toml other.csv", "other.csv: it has paths of Rx 99"),
        (
            "t.toml cut.csv",
            "cut.csv: line 6 has 3 values for 27 columns",
        ),
        ("finer.toml tiles.npz", "tiles.npz: its "),
        (
            "t.toml cells.csv",
            "of a coverage, keller shows the arrays (-o coverage.npz)",
        ),
        (
            "t.toml fewer.npz",
            "fewer.npz: it is of 1 Tx and 3 Rx, and the scenario has 1 and ",
        ),
        ("t.toml cut.npz", "cut.npz: this is no NPZ archive"),
        ("t.toml missing.csv", "missing.csv: "),
        (
            "t.toml text.html",
            "text.html: no table has such an extension",
        ),
    ] {
        let run = shell(&folder, &format!("$KELLER view {arguments} -o x.html"));
        assert_eq!(run.code, Some(2), "{arguments}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{arguments}: {}", run.stderr);
        assert_eq!(run.stderr.trim_end().lines().count(), 1, "{}", run.stderr);
    }
    let run = shell(&folder, "$KELLER view t.toml -o x.txt");
    assert!(
        run.stderr.contains("a name that ends in .html"),
        "{}",
        run.stderr
    );
    let run = shell(&folder, "$KELLER view t.toml -o t.toml");
    assert_eq!(run.code, Some(2));
    assert!(!folder.names().iter().any(|name| name.starts_with("x.")));
}
