//! Graphics cards as a user meets them: the list of devices, the same bytes with each, and what is told where there is none.
//!
//! Runs that need a device use the one that `KELLER_TEST_DEVICE` names, else one that software imitates; without one they test nothing,
//! unless the variable is set.

use crate::common::Folder;
use serde_json::Value;

/// The name of the device to be tested.
fn device(folder: &Folder) -> Option<String> {
    let list = folder.keller(&["devices", "--json"]);
    assert_eq!(list.code, Some(0), "{}", list.stderr);
    let list: Value = serde_json::from_str(&list.stdout).unwrap();
    let list = list.as_array().unwrap();
    let name = |device: &Value| device["name"].as_str().unwrap().to_owned();
    match std::env::var("KELLER_TEST_DEVICE") {
        Ok(wanted) => {
            let found = list.iter().map(name).find(|name| name.contains(&wanted));
            Some(found.unwrap_or_else(|| panic!("no device is called {wanted}: {list:?}")))
        }
        Err(_) => list
            .iter()
            .find(|device| device["kind"] == "software")
            .map(name),
    }
}

#[test]
fn a_device_writes_the_bytes_of_the_processor() {
    let folder = Folder::new("device_bytes");
    let Some(device) = device(&folder) else {
        eprintln!("no device: not tested");
        return;
    };
    let room = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/room/scenario.toml"
    );
    for (command, search, out) in [
        ("paths", Some("launch"), "csv"),
        ("channel", Some("launch"), "npz"),
        ("coverage", None, "npz"),
    ] {
        let write = |name: &str, more: &[&str]| {
            let file = format!("{name}.{out}");
            let mut words = vec![command, room, "-o", &file];
            words.extend(search.iter().flat_map(|search| ["--search", search]));
            words.extend(more);
            let run = folder.keller(&words);
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            (folder.read_bytes(&file), run.stderr)
        };
        let (here, told_here) = write("here", &[]);
        let (there, told) = write("there", &["--device", &device]);
        assert!(here == there, "{command}");
        let last = told.lines().last().unwrap();
        assert!(last.ends_with(&format!(" and {device}")), "{told}");
        assert!(!told_here.contains(&device), "{told_here}");
        // Software in place of a card is no card.
        let (auto, _) = write("auto", &["--device", "auto"]);
        assert!(here == auto, "{command}");
    }
}

#[test]
fn the_list_of_devices_is_a_table() {
    let folder = Folder::new("device_list");
    let Some(device) = device(&folder) else {
        eprintln!("no device: not tested");
        return;
    };
    let run = folder.keller(&["devices"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let header = run.stdout.lines().next().unwrap();
    let columns: Vec<&str> = header.split_whitespace().collect();
    assert_eq!(
        columns,
        ["name", "kind", "interface", "driver", "triangles"]
    );
    assert!(run.stdout.contains(&device), "{}", run.stdout);
}

#[test]
fn a_device_that_is_not_there_ends_the_run_before_it_begins() {
    let folder = Folder::new("device_missing");
    let run = folder.keller(&["paths", "s.toml", "-o", "p.csv", "--device", "no such card"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("device: no device is called `no such card`; there "),
        "{}",
        run.stderr
    );
    assert!(
        !folder.names().contains(&"p.csv".to_owned()),
        "{:?}",
        folder.names()
    );
}
