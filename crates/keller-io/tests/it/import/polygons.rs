//! Polygons are cut into triangles, tested through OBJ.

use std::fmt::Write;

use glam::DVec3;
use keller_io::formats::Imported;

use super::{Files, area, vector_area, warnings};

fn polygon(points: &[[f64; 3]]) -> Imported {
    let mut text = String::new();
    for [x, y, z] in points {
        writeln!(text, "v {x} {y} {z}").unwrap();
    }
    text += "f";
    for corner in 1..=points.len() {
        write!(text, " {corner}").unwrap();
    }
    // A file has to have a triangle.
    text += "\nv 9 9 9\nf -1 -1 -1\n";
    Files::new().import("polygon.obj", text)
}

#[test]
fn obj_objects_and_groups_have_their_names() {
    let files = Files::new();
    let obj = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\no house\ng walls\nusemtl brick\nf 1 2 3 4\n\
               g roof of it\nf 1 3 4\nf 2 3 4\ng\nf 1 2 4\n";
    let path = files.write("town.obj", obj);
    // Parts without a name are named after the file when files are put together.
    let together = keller_io::formats::import_many(&[path.clone(), path]).unwrap();
    let objects = together.objects.into_iter().map(|o| (o.name, o.triangles));
    let one = |first: usize| {
        let parts = [
            ("town", 0..1),
            ("walls", 1..3),
            ("roof of it", 3..5),
            ("town", 5..6),
        ];
        parts.map(|(name, range)| (name.to_owned(), first + range.start..first + range.end))
    };
    assert_eq!(objects.collect::<Vec<_>>(), [one(0), one(6)].concat());
}

#[test]
fn a_concave_polygon_keeps_its_area_and_its_side() {
    let arrow = [[0.0, 0.0], [4.0, 1.0], [0.0, 2.0], [1.0, 1.0]];
    let bracket = [
        [0.0, 0.0],
        [3.0, 0.0],
        [3.0, 3.0],
        [2.0, 3.0],
        [2.0, 1.0],
        [1.0, 1.0],
        [1.0, 3.0],
        [0.0, 3.0],
    ];
    for (outline, expected) in [(&arrow[..], 3.0), (&bracket[..], 7.0)] {
        // The polygon lies on each of the planes, and is seen from both sides.
        for axis in 0..3 {
            for reversed in [false, true] {
                let mut points: Vec<[f64; 3]> = outline
                    .iter()
                    .map(|&[u, v]| {
                        let mut point = [5.0; 3];
                        point[(axis + 1) % 3] = u;
                        point[(axis + 2) % 3] = v;
                        point
                    })
                    .collect();
                if reversed {
                    points.reverse();
                }
                let imported = polygon(&points);
                let mut normal = DVec3::ZERO;
                normal[axis] = if reversed { -expected } else { expected };
                assert!(
                    vector_area(&imported.mesh).abs_diff_eq(normal, 1e-12),
                    "axis {axis}"
                );
                assert!(
                    (area(&imported.mesh) - expected).abs() < 1e-12,
                    "triangles overlap"
                );
                assert_eq!(imported.warnings, []);
            }
        }
    }
}

#[test]
fn corners_on_a_straight_side_are_kept() {
    // The long side has corners at which a neighbour may end.
    let points = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [5.0, 0.0, 0.0],
        [5.0, 5.0, 0.0],
        [5.0, 6.0, 0.0],
        [0.0, 6.0, 0.0],
        [0.0, 1.0, 0.0],
    ];
    let imported = polygon(&points);
    let used: Vec<u32> = imported
        .mesh
        .triangles
        .iter()
        .flat_map(|t| t.vertices)
        .collect();
    for corner in 0..8 {
        assert!(used.contains(&corner), "corner {corner} is lost");
    }
    assert!((area(&imported.mesh) - 30.0).abs() < 1e-12);
    assert_eq!(imported.warnings, []);
}

#[test]
fn a_random_star_is_cut_exactly() {
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..200 {
        let count = random.usize(4..40);
        let turn = random.f64();
        // A star round the origin, tilted by a shear, never crosses itself.
        let points: Vec<[f64; 3]> = (0..count)
            .map(|corner| {
                let angle = (corner as f64 + turn) / count as f64 * std::f64::consts::TAU;
                let radius = 1.0 + 9.0 * random.f64();
                let (x, y) = (radius * angle.cos(), radius * angle.sin());
                [x, y, 0.3 * x - 0.7 * y + 100.0]
            })
            .collect();
        let imported = polygon(&points);
        assert_eq!(imported.warnings, [], "{points:?}");
        let sum = vector_area(&imported.mesh);
        assert!(
            (area(&imported.mesh) - sum.length()).abs() < 1e-9 * sum.length(),
            "overlap"
        );
        assert!(sum.z > 0.0, "turned round");
    }
}

#[test]
fn odd_polygons_are_told() {
    let flat = polygon(&[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]]);
    assert!(
        warnings(&flat)[0].contains("polygons without area, left out: 1 (first: line 5)"),
        "{:?}",
        warnings(&flat)
    );
    let bent = polygon(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.5], [0.0, 1.0, 0.0]]);
    assert!(
        warnings(&bent)[0].contains("not flat"),
        "{:?}",
        warnings(&bent)
    );
    assert_eq!(bent.mesh.triangles.len(), 3);
    let bow = polygon(&[[0.0; 3], [3.0, 3.0, 0.0], [3.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
    assert!(
        warnings(&bow)[0].contains("crosses itself"),
        "{:?}",
        warnings(&bow)
    );
    let pair = Files::new().import(
        "pair.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\nf 1 2\nf 1 2 3\n",
    );
    assert!(
        warnings(&pair)[0].contains("polygons without area, left out: 2"),
        "{:?}",
        warnings(&pair)
    );
}

#[test]
fn a_steep_quadrangle_that_is_not_flat_loses_nothing() {
    // Its projection on the plane that its normal is nearest to crosses itself.
    let saddle = polygon(&[
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 6.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 3.0],
    ]);
    // The saddle has two halves; the third triangle gives the file a surface.
    assert_eq!(saddle.mesh.triangles.len(), 3);
    assert_eq!(vector_area(&saddle.mesh).z, 1.0);
    assert!(
        warnings(&saddle)[0].contains("not flat"),
        "{:?}",
        warnings(&saddle)
    );
    assert_eq!(saddle.warnings.len(), 1);
}

#[test]
fn a_quadrangle_keeps_a_corner_on_its_side() {
    for turn in 0..4 {
        let mut points = [[0.0; 3], [2.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 3.0, 0.0]];
        points.rotate_left(turn);
        let imported = polygon(&points);
        assert_eq!(imported.mesh.triangles.len(), 3, "turned by {turn}");
        assert!((area(&imported.mesh) - 6.0).abs() < 1e-12);
        assert_eq!(imported.warnings, []);
    }
}

/// Ear clipping may take the corners' number squared, so a file must not ask for millions of them.
#[test]
fn polygons_of_more_corners_than_any_wall_has_are_refused() {
    use std::fmt::Write as _;

    let mut obj = String::new();
    for i in 0..300_000 {
        let angle = f64::from(i) * 0.37;
        writeln!(obj, "v {} {} 0", angle.cos() * f64::from(i), angle.sin()).unwrap();
    }
    obj.push('f');
    for i in 1..=300_000 {
        write!(obj, " {i}").unwrap();
    }
    let error = keller_io::formats::import::obj::parse(obj.as_bytes(), "a.obj".as_ref(), &|_| {
        unreachable!("it names no file")
    });
    let error = error.unwrap_err().to_string();
    assert_eq!(
        error,
        "`a.obj`, line 300001: a polygon of 300000 corners is not supported; accepted: at most 20000 corners; cut it into smaller ones"
    );
}
