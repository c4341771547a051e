//! Graphics cards as a user meets them: the list of cards, the same bytes with each, and the message where there is
//! none.
//!
//! Runs that need a card use the one that `KELLER_TEST_GPU` names, else one that software imitates; without one they test nothing,
//! unless the variable is set.

use crate::common::Folder;
use serde_json::Value;

/// The name of the card to be tested.
fn card(folder: &Folder) -> Option<String> {
    let list = folder.keller(&["gpus", "--json"]);
    assert_eq!(list.code, Some(0), "{}", list.stderr);
    let list: Value = serde_json::from_str(&list.stdout).unwrap();
    let list = list.as_array().unwrap();
    let name = |card: &Value| card["name"].as_str().unwrap().to_owned();
    match std::env::var("KELLER_TEST_GPU") {
        Ok(wanted) => {
            let found = list.iter().map(name).find(|name| name.contains(&wanted));
            Some(found.unwrap_or_else(|| panic!("no card is called {wanted}: {list:?}")))
        }
        Err(_) => list
            .iter()
            .find(|card| card["kind"] == "software")
            .map(name),
    }
}

#[test]
fn a_card_writes_the_bytes_of_the_processor() {
    let folder = Folder::new("gpu_bytes");
    let Some(card) = card(&folder) else {
        eprintln!("no card: not tested");
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
        let (there, told) = write("there", &["--gpu", &card]);
        assert!(here == there, "{command}");
        let last = told.lines().last().unwrap();
        assert!(last.ends_with(&format!(" and {card}")), "{told}");
        assert!(!told_here.contains(&card), "{told_here}");
        // Software in place of a card is no card.
        let (auto, _) = write("auto", &["--gpu", "auto"]);
        assert!(here == auto, "{command}");
    }
}

#[test]
fn the_list_of_cards_is_a_table() {
    let folder = Folder::new("gpu_list");
    let Some(card) = card(&folder) else {
        eprintln!("no card: not tested");
        return;
    };
    let run = folder.keller(&["gpus"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let header = run.stdout.lines().next().unwrap();
    let columns: Vec<&str> = header.split_whitespace().collect();
    assert_eq!(
        columns,
        ["name", "kind", "interface", "driver", "triangles"]
    );
    assert!(run.stdout.contains(&card), "{}", run.stdout);
}

#[test]
fn a_card_that_is_not_there_ends_the_run_before_it_begins() {
    let folder = Folder::new("gpu_missing");
    let run = folder.keller(&["paths", "s.toml", "-o", "p.csv", "--gpu", "no such card"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("gpu: no graphics card is called `no such card`; there "),
        "{}",
        run.stderr
    );
    assert!(
        !folder.names().contains(&"p.csv".to_owned()),
        "{:?}",
        folder.names()
    );
}
