//! `[[opening]]`: values are read as they are written.

use keller::scene::openings::Openings;

use super::{Folder, SMALL};

const WINDOWS: &str = "[[opening]]\nwalls = \"facade\"\nmaterial = \"glass\"\nwidth = 1.2\nheight = 1.4\nspacing = 3\n";

#[test]
fn every_key_is_read_and_absent_ones_have_the_documented_defaults() {
    let folder = Folder::new("opening");
    let read = |text: &str| {
        let mut scenario = folder.parse(&format!("{SMALL}{text}")).unwrap();
        assert_eq!(scenario.scene.openings.len(), 1);
        scenario.scene.openings.remove(0)
    };
    let plain = read(WINDOWS);
    assert_eq!(plain.walls, ["facade"]);
    assert!(plain.buildings.is_empty());
    assert_eq!(plain.material.as_deref(), Some("glass"));
    let sizes = Openings {
        width: 1.2,
        height: 1.4,
        sill: 0.0,
        spacing: 3.0,
        storey: None,
        margin: 0.3,
    };
    assert_eq!(plain.openings, sizes);
    assert_eq!((plain.line, plain.index), (9, 0));
    let all = read(
        "[[opening]]\nwalls = [\"facade\", \"brick\"]\nbuildings = [\"office\"]\nopen = true\nwidth = 1\nheight = 2.1\n\
         sill = 0.1\nspacing = 6\nstorey = 3.2\nmargin = 0.5\n",
    );
    assert_eq!(all.walls, ["facade", "brick"]);
    assert_eq!(all.buildings, ["office"]);
    assert_eq!(all.material, None);
    let sizes = Openings {
        width: 1.0,
        height: 2.1,
        sill: 0.1,
        spacing: 6.0,
        storey: Some(3.2),
        margin: 0.5,
    };
    assert_eq!(all.openings, sizes);
    assert_ne!(all.digest(), plain.digest());
    assert!(folder.parse(SMALL).unwrap().scene.openings.is_empty());
}

#[test]
fn bad_openings_are_named_with_file_line_and_key() {
    let folder = Folder::new("bad-opening");
    for (from, to, expected) in [
        (
            "walls = \"facade\"\n",
            "",
            "s.toml:9: [[opening]] 0 walls: missing; accepted: the name of a material of walls",
        ),
        (
            "\"facade\"",
            "[]",
            "s.toml:10: [[opening]] 0 walls: found an empty list; accepted: the name",
        ),
        (
            "\"facade\"",
            "3",
            "s.toml:10: [[opening]] 0 walls: found 3; accepted: the name",
        ),
        (
            "material = \"glass\"\n",
            "",
            "s.toml:9: [[opening]] 0 material: missing; accepted: the name of a material",
        ),
        (
            "spacing",
            "open = true\nspacing",
            "s.toml:14: [[opening]] 0 open: cannot stand beside `material`",
        ),
        (
            "width = 1.2",
            "width = 0",
            "s.toml:12: [[opening]] 0 width: found 0; accepted: a number of at least 0.01",
        ),
        (
            "height = 1.4\n",
            "",
            "s.toml:9: [[opening]] 0 height: missing; accepted: a number of at least 0.01",
        ),
        (
            "spacing = 3",
            "spacing = 1.2",
            "s.toml:14: [[opening]] 0 spacing: found 1.2, and openings are 1.2 m wide; accepted:",
        ),
        (
            "spacing = 3",
            "spacing = 3\nstorey = 1.4",
            "s.toml:15: [[opening]] 0 storey: found 1.4, and openings are 1.4 m high;",
        ),
        (
            "spacing = 3",
            "spacing = 3\nsill = -1",
            "s.toml:15: [[opening]] 0 sill: found -1; accepted: a number of at least 0",
        ),
        (
            "spacing = 3",
            "spacing = 3\nmargins = 1",
            "s.toml:15: [[opening]] 0 margins: unknown key, did you mean `margin`?",
        ),
    ] {
        assert!(WINDOWS.contains(from), "{from}");
        let text = format!("{SMALL}{}", WINDOWS.replacen(from, to, 1));
        let found = folder.message(&text);
        assert!(found.starts_with(expected), "{found}");
    }
}
