//! Woods in scenarios and scene files as a user meets them.

use crate::common::{Folder, SCENARIO};
use keller::clutter::Volume;
use keller::scene::Mesh;
use keller::units::amplitude_to_db;
use keller_io::reports::export::{Beside, glb};

/// A wood around the centre of the square: 2 m of the direct path and 2.5 m of the reflected one are in it.
const WOOD: &str = "[[clutter]]\npolygon = [[-1, -5], [1, -5], [1, 5], [-1, 5]]\nheight = 4\n";

/// The loss of the direct and the reflected path at half a decibel a metre.
const LOSSES: [f64; 2] = [1.0, 1.25];

/// The same with a largest attenuation of 3 dB.
fn limited_losses() -> [f64; 2] {
    LOSSES.map(|loss| 3.0 * (1.0 - (-loss / 3.0).exp()))
}

/// Values of a column by its name.
fn column(csv: &str, name: &str) -> Vec<f64> {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let at = lines.next().unwrap().iter().position(|n| *n == name);
    lines
        .map(|fields| fields[at.unwrap()].parse().unwrap())
        .collect()
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-6
}

#[test]
fn a_wood_between_tx_and_rx_takes_what_p_833_says() {
    let folder = Folder::new("clutter-wood");
    let table = |scenario: &str| {
        folder.write("w.toml", scenario);
        let run = folder.keller(&["paths", "w.toml", "-o", "w.csv", "--picture", "w.svg"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        folder.read("w.csv")
    };
    let bare = table(SCENARIO);
    assert!(!folder.read("w.svg").contains("#b9d8ae"));
    let direct =
        amplitude_to_db(keller::units::SPEED_OF_LIGHT / 3.5e9 / (32.0 * std::f64::consts::PI));
    assert!(near(column(&bare, "gain_db")[0], direct));
    assert_eq!(column(&bare, "clutter_loss_db"), [0.0, 0.0]);
    for (max, losses) in [("", LOSSES), ("max_attenuation_db = 3\n", limited_losses())] {
        let wooded = table(&format!(
            "{SCENARIO}{WOOD}attenuation_db_per_m = 0.5\n{max}"
        ));
        for same in ["delay_s", "zod", "aoa"] {
            assert_eq!(column(&wooded, same), column(&bare, same));
        }
        let (found, gains) = (
            column(&wooded, "clutter_loss_db"),
            column(&wooded, "gain_db"),
        );
        for (path, loss) in losses.into_iter().enumerate() {
            assert!(near(found[path], loss), "{found:?}");
            assert!(near(gains[path], column(&bare, "gain_db")[path] - loss));
        }
        assert!(
            folder.read("w.svg").contains("#b9d8ae"),
            "the wood is drawn"
        );
    }
}

#[test]
fn thresholds_channels_and_coverages_see_the_loss() {
    let folder = Folder::new("clutter-all");
    let wood = format!("{WOOD}attenuation_db_per_m = 0.5\n");
    let gain = |name: &str, text: &str, command: &str, column_name: &str| {
        folder.write("w.toml", text);
        let run = folder.keller(&[command, "w.toml", "-o", name]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        column(&folder.read(name), column_name)
    };
    // The direct path alone.
    let line_of_sight = format!("{SCENARIO}max_interactions = 0\n");
    let cells = "[coverage]\nmin = [3, -1]\nmax = [5, 1]\nresolution = 2\nheights = [3]\n";
    for (command, name, column_name, more) in [
        ("channel", "c.csv", "gain_incoherent_db", ""),
        ("coverage", "c.csv", "path_gain_db", cells),
    ] {
        let bare = gain(
            name,
            &format!("{line_of_sight}{more}"),
            command,
            column_name,
        );
        let wooded = gain(
            name,
            &format!("{line_of_sight}{more}{wood}"),
            command,
            column_name,
        );
        assert_eq!(bare.len(), 1);
        assert!(
            near(bare[0] - wooded[0], LOSSES[0]),
            "{command}: {bare:?} {wooded:?}"
        );
    }
    // Half a decibel below the direct path without the wood.
    let strong = format!("{line_of_sight}power_threshold_db = -61.9\n");
    assert_eq!(gain("p.csv", &strong, "paths", "gain_db").len(), 1);
    assert!(gain("p.csv", &format!("{strong}{wood}"), "paths", "gain_db").is_empty());
}

#[test]
fn a_wood_in_a_scene_file_is_as_good_as_one_in_the_scenario() {
    let folder = Folder::new("clutter-glb");
    let outline = [[-1.0, -5.0], [1.0, -5.0], [1.0, 5.0], [-1.0, 5.0]];
    let wood = Volume::prism(&outline, [0.0, 4.0], 0.5, Some(3.0)).unwrap();
    let beside = Beside {
        clutter: &[("wood".to_owned(), wood)],
        ..Beside::default()
    };
    let bytes = glb(&Mesh::default(), &[], &beside);
    folder.write_bytes("wood.glb", &bytes);
    let files = "files = [\"square.obj\", \"wood.glb\"]";
    folder.write("w.toml", &SCENARIO.replace("file = \"square.obj\"", files));
    let run = folder.keller(&["paths", "w.toml", "-o", "w.csv"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let found = column(&folder.read("w.csv"), "clutter_loss_db");
    for (found, expected) in found.into_iter().zip(limited_losses()) {
        assert!(near(found, expected), "{found} not {expected}");
    }
}

#[test]
fn a_wood_that_is_none_is_named() {
    let folder = Folder::new("clutter-bad");
    for (text, expected) in [
        (
            "attenuation_db_per_m = -1\n",
            "w.toml:13: [[clutter]] 0 attenuation_db_per_m: found -1",
        ),
        ("", "w.toml:10: [[clutter]] 0 attenuation_db_per_m: missing"),
    ] {
        folder.write("w.toml", &format!("{SCENARIO}{WOOD}{text}"));
        let run = folder.keller(&["paths", "w.toml"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
}
