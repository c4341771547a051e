use std::collections::BTreeMap;

use glam::DVec3;
use keller::clutter::Clutter as Volumes;

use super::*;

fn polygon(corners: &[(f64, f64)]) -> Vec<DVec2> {
    corners.iter().copied().map(DVec2::from).collect()
}

fn wood(outline: Vec<Polygon>, height: f64) -> Clutter {
    Clutter {
        id: "7".to_owned(),
        found_at: "way 7".to_owned(),
        outline,
        height,
        attenuation_db_per_m: 0.5,
        max_attenuation_db: None,
    }
}

fn square(low: f64, high: f64) -> Vec<DVec2> {
    polygon(&[(low, low), (high, low), (high, high), (low, high)])
}

fn length(volume: &Volume, a: DVec3, b: DVec3) -> f64 {
    let mut lengths = BTreeMap::new();
    Volumes::new(vec![volume.clone()]).add_lengths(a, b, &mut lengths);
    lengths.get(&0).copied().unwrap_or_default()
}

/// A slope of 1 in 4 towards the east, in many triangles, 100 m wide.
fn slope() -> Terrain {
    let n = 10_u32;
    let at = |k: u32| f64::from(k % (n + 1)) * 10.0;
    let vertices: Vec<DVec3> = (0..(n + 1) * (n + 1))
        .map(|k| DVec3::new(at(k), f64::from(k / (n + 1)) * 10.0, 0.25 * at(k)))
        .collect();
    let triangles = (0..n * n).flat_map(|k| {
        let a = k / n * (n + 1) + k % n;
        [[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]]
    });
    Terrain::new(&vertices, triangles.collect())
}

#[test]
fn clearings_are_left_open() {
    let mut hole = square(20.0, 30.0);
    hole.reverse();
    let outline = vec![Polygon {
        outer: square(0.0, 50.0),
        holes: vec![hole],
    }];
    let terrain = slope();
    for ground in [Ground::Level(0.0), Ground::Terrain(&terrain)] {
        let built = build(&[wood(outline.clone(), 40.0)], ground);
        assert!(built.warnings.is_empty(), "{:?}", built.warnings);
        let volume = &built.volumes[0].1;
        for (y, expected) in [(10.7, 50.0), (25.3, 40.0)] {
            let (a, b) = (DVec3::new(-9.0, y, 15.0), DVec3::new(99.0, y, 15.0));
            let found = length(volume, a, b);
            // Corners within the weld distance of a cut count as on it.
            assert!((found - expected).abs() < 1e-3, "{found} not {expected}");
        }
    }
}

#[test]
fn trees_rise_with_the_terrain() {
    let terrain = slope();
    // The outline is not convex, and none of its sides is one of the terrain's.
    let corners = [(11., 13.), (77., 21.), (68., 71.), (43., 37.), (15., 63.)];
    let outline = vec![Polygon {
        outer: polygon(&corners),
        holes: Vec::new(),
    }];
    let built = build(&[wood(outline, 8.0)], Ground::Terrain(&terrain));
    assert!(built.warnings.is_empty(), "{:?}", built.warnings);
    let (id, volume) = &built.volumes[0];
    assert_eq!(id, "7");
    for (x, y) in [(20.3, 20.9), (60.1, 30.7), (66.2, 60.4), (40.0, 30.0)] {
        let (up, down) = (DVec3::new(x, y, 500.0), DVec3::new(x, y, 0.25 * x));
        let found = length(volume, up, down);
        assert!((found - 8.0).abs() < 1e-3, "{found} above ({x}, {y})");
    }
    let outside = DVec2::new(43.0, 50.0);
    assert_eq!(
        length(volume, outside.extend(99.0), outside.extend(-99.0)),
        0.0
    );
    // The line runs along the slope, half way up the trees.
    let at = |x: f64| DVec3::new(x, 22.0, 0.25 * x + 4.0);
    let found = length(volume, at(0.0), at(100.0));
    let (west, east) = (11.0 + 4.0 * 9.0 / 50.0, 77.0 - 9.0 / 50.0);
    let expected = (east - west) * (1.0_f64 + 0.25 * 0.25).sqrt();
    assert!((found - expected).abs() < 1e-3, "{found} not {expected}");
}

#[test]
fn vegetation_outside_the_terrain_is_named() {
    let terrain = slope();
    let at = |low: f64| {
        let outer = square(low, low + 20.0);
        wood(
            vec![Polygon {
                outer,
                holes: Vec::new(),
            }],
            5.0,
        )
    };
    let built = build(&[at(90.0), at(300.0)], Ground::Terrain(&terrain));
    assert_eq!(built.volumes.len(), 1);
    assert!(
        built.warnings[0].starts_with("way 7: a part of it lies where"),
        "{:?}",
        built.warnings
    );
    assert!(
        built.warnings[1].contains("the vegetation is left out"),
        "{:?}",
        built.warnings
    );
}

fn read(pairs: &[(&str, &str)]) -> (bool, Clutter, Vec<String>) {
    let attributes = Attributes(pairs.iter().map(|&(k, v)| (k.into(), v.into())).collect());
    let (options, mut notes) = (ReadOptions::default(), Notes::without_file());
    let id = "7".to_owned();
    let clutter = attributes.clutter(id, "way 7", Vec::new(), &options, &mut notes);
    (attributes.are_clutter(&options), clutter, notes.sentences())
}

#[test]
fn attributes_distinguish_trees_from_houses() {
    for pairs in [
        [("natural", "wood")],
        [("landuse", "forest")],
        [("vegetation", "Forest")],
        [("attenuation_db_per_m", "0.2")],
    ] {
        assert!(read(&pairs).0, "{pairs:?}");
    }
    for pairs in [
        &[("landuse", "residential")][..],
        &[("natural", "wood"), ("building", "hut")],
        &[("material", "wood")],
        &[],
    ] {
        assert!(!read(pairs).0, "{pairs:?}");
    }
}

#[test]
fn what_is_said_of_trees_counts_and_what_is_assumed_is_warned_of() {
    let (_, said, warnings) = read(&[
        ("height", "40 ft"),
        ("attenuation_db_per_m", "0.2"),
        ("max_attenuation_db", "25"),
    ]);
    assert!((said.height - 12.192).abs() < 1e-12);
    assert_eq!(said.attenuation_db_per_m, 0.2);
    assert_eq!(said.max_attenuation_db, Some(25.0));
    assert!(warnings.is_empty(), "{warnings:?}");

    let (_, assumed, warnings) = read(&[("max_attenuation_db", "much")]);
    let options = ReadOptions::default();
    assert_eq!(assumed.height, options.clutter_height);
    assert_eq!(
        assumed.attenuation_db_per_m,
        options.clutter_attenuation_db_per_m
    );
    assert_eq!(assumed.max_attenuation_db, None);
    for (warning, part) in warnings.iter().zip(["height", "`much`", "attenuation"]) {
        assert!(warning.contains(part), "{warnings:?}");
    }
    assert_eq!(warnings.len(), 3, "{warnings:?}");
}
