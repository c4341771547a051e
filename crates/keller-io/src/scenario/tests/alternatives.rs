//! Limits as alternatives: each table overrides some of the limits of `[paths]`.

use keller::paths::Limits;

use super::{Folder, SMALL};
use crate::scenario::PathSettings;

fn settings(folder: &Folder, paths: &str) -> PathSettings {
    folder
        .parse(&format!("{SMALL}\n[paths]\n{paths}\n"))
        .unwrap()
        .paths
}

fn limits([interactions, reflections, diffractions]: [usize; 3]) -> Limits {
    Limits {
        max_interactions: interactions,
        max_reflections: reflections,
        max_diffractions: diffractions,
        ..Limits::default()
    }
}

const TWO_OR_BENT: &str = "alternatives = [{ max_reflections = 2 }, \
    { max_reflections = 1, max_diffractions = 1, max_interactions = 2 }]";

#[test]
fn alternatives_override_what_paths_say() {
    let folder = Folder::new("alternatives");
    let plain = settings(&folder, "max_reflections = 4");
    assert_eq!(plain.all_limits(), [limits([4, 4, 0])]);
    assert_eq!(plain.only_limits(), Some(&limits([4, 4, 0])));

    let found = settings(&folder, TWO_OR_BENT);
    assert_eq!(found.all_limits(), [limits([2, 2, 0]), limits([2, 1, 1])]);
    assert_eq!(found.only_limits(), None);
    assert_eq!(found.largest(|limits| limits.max_diffractions), 1);
    let tables = "max_transmissions = 3\n[[paths.alternatives]]\nmax_reflections = 2\n\
                  [[paths.alternatives]]\nfree_edges = true\nmax_transmissions = 0";
    let found = settings(&folder, tables);
    let expected = [
        Limits {
            max_transmissions: 3,
            ..limits([2, 2, 0])
        },
        Limits {
            free_edges: true,
            ..limits([3, 3, 0])
        },
    ];
    assert_eq!(found.all_limits(), expected);
    assert!(found.says_free_edges);

    // A limit of [paths] holds for tables that do not set it.
    let inherited = "max_interactions = 3\nmax_diffractions = 1\n\
                     alternatives = [{ max_reflections = 0 }, { max_diffractions = 0 }]";
    let found = settings(&folder, inherited);
    assert_eq!(found.all_limits(), [limits([3, 0, 1]), limits([3, 3, 0])]);
    // One alternative contains all others.
    let nested = "alternatives = [{ max_reflections = 1 }, { max_reflections = 3 }]";
    let found = settings(&folder, nested);
    assert_eq!(found.only_limits(), Some(&limits([3, 3, 0])));
}

#[test]
fn bad_alternatives_are_one_error_with_line_and_key() {
    let folder = Folder::new("bad-alternatives");
    for (paths, message) in [
        (
            "alternatives = []",
            "s.toml:10: [paths] alternatives: found none; accepted: a list of one or more tables",
        ),
        (
            "alternatives = 3",
            "s.toml:10: [paths] alternatives: found 3; accepted: a list",
        ),
        (
            "alternatives = [2]",
            "s.toml:10: [paths] alternatives: found [2]; accepted: a list",
        ),
        (
            "alternatives = [{ max_reflections = 2 }, { max_reflection = 1 }]",
            "s.toml:10: [paths] alternatives 1 max_reflection: unknown key, did you mean `max_reflections`?",
        ),
        (
            "[[paths.alternatives]]\nmax_reflections = 2\n[[paths.alternatives]]\nmax_diffractions = -1",
            "s.toml:13: [paths] alternatives 1 max_diffractions: found -1; accepted: a whole number from 0 to 255",
        ),
        (
            "alternatives = [{ search = \"tiles\" }]",
            "s.toml:10: [paths] alternatives 0 search: unknown key",
        ),
        (
            "search = \"tiles\"\nalternatives = [\n{ max_reflections = 1 },\n{ max_transmissions = 1 }]",
            "s.toml:13: [paths] alternatives 1 max_transmissions: the search \"tiles\" passes no walls",
        ),
        (
            "alternatives = [{ max_scatterings = 3 }]",
            "s.toml:10: [paths] alternatives 0 max_scatterings: found 3; accepted: 0, 1 or 2 ([diffuse]",
        ),
    ] {
        let found = folder.message(&format!("{SMALL}[paths]\n{paths}\n"));
        assert!(
            found.starts_with(message),
            "expected: {message}\nfound: {found}"
        );
    }
}
