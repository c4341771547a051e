//! Tags of roofs.

use super::*;

#[test]
fn a_gabled_house_has_its_eaves_under_its_height() {
    let mut map = Map::default();
    let tags = [
        ("building", "yes"),
        ("height", "9"),
        ("roof:shape", "gabled"),
        ("roof:height", "3"),
    ];
    map.block([0.0, 0.0, 20.0, 10.0], &tags);
    let (mesh, warnings) = map.built();
    for (y, wanted) in [(0.001, 6.0), (2.5, 7.5), (4.999, 9.0), (7.5, 7.5)] {
        let found = heights(&mesh, 3.0, y)[0];
        assert!((found - wanted).abs() < 1e-3, "{y}: {found}");
    }
    assert_volume(&mesh, 200.0 * 7.5);
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn storeys_end_at_the_eaves() {
    let cases: [(&[(&str, &str)], f64); 5] = [
        (&[("building:levels", "2"), ("roof:levels", "1")], 9.0),
        (&[("building:levels", "2"), ("roof:height", "4")], 10.0),
        (&[("building:levels", "2"), ("roof:angle", "45")], 11.0),
        (&[("building:levels", "2")], 6.0 + 5.0 / 3_f64.sqrt()),
        (&[("building:levels", "0"), ("roof:levels", "2")], 6.0),
    ];
    for (more, top) in cases {
        let mut map = Map::default();
        let tags = [&[("building", "yes"), ("roof:shape", "gabled")][..], more].concat();
        map.block([0.0, 0.0, 20.0, 10.0], &tags);
        let (mesh, _) = map.built();
        let found = mesh.vertices.iter().map(|v| v.z).fold(0.0, f64::max);
        assert!((found - top).abs() < 1e-6, "{more:?}: {found}");
    }
}

#[test]
fn unusable_tags_of_roofs_are_named_and_nothing_panics() {
    let cases: [&[(&str, &str)]; 12] = [
        &[("roof:shape", "sawtooth")],
        &[("roof:shape", "onion")],
        &[("roof:shape", "gabled"), ("roof:height", "-3")],
        &[("roof:shape", "gabled"), ("roof:height", "1e300")],
        &[("roof:shape", "gabled"), ("roof:levels", "1e308")],
        &[("roof:shape", "hipped"), ("roof:angle", "90")],
        &[("roof:shape", "skillion"), ("roof:height", "2")],
        &[
            ("roof:shape", "gabled"),
            ("roof:height", "2"),
            ("roof:direction", "up"),
        ],
        &[("roof:shape", "gabled"), ("roof:height", "40")],
        &[
            ("height", "tall"),
            ("building:levels", "1e308"),
            ("roof:shape", "gabled"),
            ("roof:height", "2"),
        ],
        &[
            ("roof:shape", "gabled"),
            ("height", "-9"),
            ("min_height", "-4"),
        ],
        &[
            ("building", "roof"),
            ("height", "0.1"),
            ("roof:shape", "dome"),
        ],
    ];
    for more in cases {
        let mut map = Map::default();
        let tags = [more, &[("building", "yes"), ("height", "9")]].concat();
        map.block([0.0, 0.0, 20.0, 10.0], &tags);
        let (mesh, warnings) = map.built();
        assert!(!warnings.is_empty(), "{more:?}");
        assert!(mesh.vertices.iter().all(|v| v.is_finite()), "{more:?}");
    }
}
