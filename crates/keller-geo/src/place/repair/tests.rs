use super::*;
use crate::place::tests::{building, ring, square};

fn mended(outline: Vec<Polygon>) -> (Vec<Polygon>, Vec<String>) {
    let mut notes = Notes::without_file();
    let polygons = mend(outline, "feature 1", &mut notes);
    (polygons, notes.sentences())
}

fn polygon(corners: &[(f64, f64)]) -> Polygon {
    Polygon {
        outer: ring(corners),
        holes: Vec::new(),
    }
}

#[test]
fn good_outlines_keep_their_corners() {
    let courtyard = Polygon {
        outer: square(0.1, 0.2, 9.3),
        holes: vec![square(3.0, 3.0, 3.0).into_iter().rev().collect()],
    };
    let (polygons, warnings) = mended(vec![courtyard.clone()]);
    assert_eq!(polygons, [courtyard]);
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn repeated_and_straight_corners_and_spikes_go() {
    let (polygons, warnings) = mended(vec![polygon(&[
        (0.0, 0.0),
        (0.0, 0.0),
        (5.0, 0.0),
        (10.0, 0.0),
        (15.0, 0.0),
        (10.0, 0.0),
        (10.0, 10.0),
        (10.0, 10.0 + 1e-5),
        (0.0, 10.0),
        (0.0, 5.0),
        (0.0, 0.0),
    ])]);
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(polygons.len(), 1);
    assert_eq!(polygons[0].outer.len(), 4, "{polygons:?}");
    assert!((polygons[0].area() - 100.0).abs() < 1e-3, "{polygons:?}");
}

#[test]
fn clockwise_outlines_are_turned() {
    let clockwise: Vec<DVec2> = square(0.0, 0.0, 4.0).into_iter().rev().collect();
    let (polygons, _) = mended(vec![Polygon {
        outer: clockwise,
        holes: vec![square(1.0, 1.0, 1.0)],
    }]);
    assert_eq!(rings::area(&polygons[0].outer), 16.0);
    assert_eq!(rings::area(&polygons[0].holes[0]), -1.0);
}

#[test]
fn bow_ties_and_figures_of_eight_become_two_parts() {
    let bow_tie = [(0.0, 0.0), (4.0, 4.0), (4.0, 0.0), (0.0, 4.0)];
    let eight = [
        (0.0, 0.0),
        (2.0, 2.0),
        (4.0, 0.0),
        (4.0, 4.0),
        (2.0, 2.0),
        (0.0, 4.0),
    ];
    for corners in [&bow_tie[..], &eight[..]] {
        let (polygons, warnings) = mended(vec![polygon(corners)]);
        assert_eq!(polygons.len(), 2, "{polygons:?}");
        for polygon in &polygons {
            assert!((polygon.area() - 4.0).abs() < 1e-9, "{polygon:?}");
        }
        assert!(
            warnings[0].contains("crosses or touches itself"),
            "{warnings:?}"
        );
    }
}

#[test]
fn parts_that_touch_or_overlap_become_one() {
    let part = |x| Polygon {
        outer: square(x, 0.0, 4.0),
        holes: Vec::new(),
    };
    for (at, area) in [(4.0, 32.0), (2.0, 24.0), (0.0, 16.0)] {
        let (polygons, _) = mended(vec![part(0.0), part(at)]);
        assert_eq!(polygons.len(), 1, "{polygons:?}");
        assert!((polygons[0].area() - area).abs() < 1e-9, "{polygons:?}");
        assert_eq!(polygons[0].outer.len(), 4);
    }
}

#[test]
fn holes_across_the_outline_are_cut_out() {
    let (polygons, _) = mended(vec![Polygon {
        outer: square(0.0, 0.0, 4.0),
        holes: vec![square(2.0, 1.0, 3.0)],
    }]);
    assert_eq!(polygons.len(), 1);
    assert!((polygons[0].area() - 10.0).abs() < 1e-9, "{polygons:?}");
}

#[test]
fn outlines_without_area_are_left_out_by_name() {
    let line = building("7", ring(&[(0.0, 0.0), (5.0, 0.0), (9.0, 0.0)]), 9.0);
    let mut place = Place {
        buildings: vec![line, building("8", square(0.0, 0.0, 5.0), 9.0)],
        ..Place::default()
    };
    repair(&mut place, &RepairOptions::default());
    assert_eq!(place.buildings.len(), 1);
    let wanted = ["building 7: its outline has no area; it is left out"];
    assert_eq!(place.warnings, wanted);
}

#[test]
fn coordinates_beyond_a_scene_are_named() {
    let ring = |at: f64| square(at, -at, at.abs().max(1.0));
    let far = [1e8, -1e12, 1e300, f64::MAX, f64::INFINITY, f64::NAN];
    let mut buildings: Vec<_> = far.map(|at| building("far", ring(at), 9.0)).into();
    buildings.push(building("near", square(9e6, -9e6, 5.0), 9.0));
    buildings.push(building("none", Vec::new(), 9.0));
    let mut place = Place {
        buildings,
        ..Place::default()
    };
    repair(&mut place, &RepairOptions::default());
    assert_eq!(place.buildings.len(), 1);
    assert!(
        place.warnings[0]
            .to_string()
            .starts_with("building far and "),
        "{:?}",
        place.warnings
    );
}
