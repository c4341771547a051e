//! Terrain with fewer facets: its error at random points, its outline, and the buildings on it.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use glam::DVec2;
use keller::scene::{FaceId, Mesh, MeshTriangle, Scene, SimplifiedTerrain};
use keller::{Control, DVec3};

use crate::common::turning::{turned_in_all_ways, with_turned};
use crate::common::{Random, add_box, add_polygon, shuffled};

/// Points of the grid from one side to the other.
const COUNT: u32 = 40;
/// They are so far apart, metres.
const STEP: f64 = 3.0;

fn simplified(mesh: &Mesh, max_error: f64) -> (Scene, SimplifiedTerrain) {
    let scene = Scene::new(mesh).unwrap();
    let control = Control::default();
    scene.with_simplified_terrain(max_error, &control).unwrap()
}

/// A grid of `COUNT` by `COUNT` squares of two triangles each, turned by `turn` radians. `material` and `height` depend
/// on the place in the grid; squares of no material are holes.
fn grid(
    turn: f64,
    material: impl Fn(f64, f64) -> Option<&'static str>,
    height: impl Fn(f64, f64) -> f64,
) -> Mesh {
    let mut mesh = Mesh::default();
    let at = |i: u32, j: u32| {
        let (u, v) = (STEP * f64::from(i), STEP * f64::from(j));
        let p = DVec2::from_angle(turn).rotate(DVec2::new(u, v)) + DVec2::new(3.1, -7.3);
        p.extend(height(u, v))
    };
    for i in 0..=COUNT {
        mesh.vertices.extend((0..=COUNT).map(|j| at(i, j)));
    }
    let number = |i: u32, j: u32| i * (COUNT + 1) + j;
    for i in 0..COUNT {
        for j in 0..COUNT {
            let Some(name) = material(STEP * f64::from(i), STEP * f64::from(j)) else {
                continue;
            };
            let material = mesh.material_index(name);
            let [a, b, c, d] = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
            let [a, b, c, d] = [a, b, c, d].map(|(i, j)| number(i, j));
            // Diagonals both ways.
            let pair = if (i + j) % 3 == 0 {
                [[a, b, d], [b, c, d]]
            } else {
                [[a, b, c], [a, c, d]]
            };
            mesh.triangles
                .extend(pair.map(|vertices| MeshTriangle { vertices, material }));
        }
    }
    mesh
}

/// A surface with detail at every scale: a sum of waves with random directions.
fn hills(seed: u64) -> impl Fn(f64, f64) -> f64 {
    let mut random = Random(seed);
    let waves: Vec<(DVec2, f64, f64)> = (0..40)
        .map(|k| {
            let length = 80.0 * 0.9_f64.powi(k);
            let angle = random.range(0.0, TAU);
            let along = DVec2::from_angle(angle) * TAU / length;
            (along, random.range(0.0, TAU), 0.01 * length)
        })
        .collect();
    move |u, v| {
        let all = waves.iter();
        all.map(|(along, phase, size)| size * (along.dot(DVec2::new(u, v)) + phase).sin())
            .sum()
    }
}

/// Scenes whose terrain is not flat, and the material at the border.
fn hilly() -> Vec<Mesh> {
    let parts = |u: f64, v: f64| {
        Some(if u + 0.3 * v < 60.0 {
            "grass"
        } else {
            "asphalt"
        })
    };
    let with_hole = move |u: f64, v: f64| {
        let is_hole = (40.0..70.0).contains(&u) && (50.0..60.0).contains(&v);
        parts(u, v).filter(|_| !is_hole)
    };
    vec![
        grid(0.0, |_, _| Some("ground"), hills(1)),
        grid(0.7, with_hole, hills(2)),
    ]
}

/// The heights and materials of a scene over or under a point of the plan, by the numbers of its triangles.
fn heights(scene: &Scene, triangles: &[usize], at: DVec2) -> Vec<(f64, usize)> {
    let over = triangles.iter().filter_map(|t| {
        let [a, b, c] = scene.corners(*t);
        let area = |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - a);
        let [p, q, r] = [a, b, c].map(DVec3::truncate);
        let whole = area(p, q, r);
        let shares = [area(at, q, r), area(p, at, r), area(p, q, at)].map(|part| part / whole);
        let is_over = shares.iter().all(|share| *share >= 0.0);
        let height = shares[0] * a.z + shares[1] * b.z + shares[2] * c.z;
        let material = scene.face(scene.triangle_faces()[*t]).material;
        is_over.then_some((height, material.index()))
    });
    let mut over: Vec<(f64, usize)> = over.collect();
    over.sort_by(|a, b| a.partial_cmp(b).unwrap());
    over
}

fn all_triangles(scene: &Scene) -> Vec<usize> {
    (0..scene.triangles().len()).collect()
}

/// The largest vertical distance at points of the plan; each has the same materials before and after.
fn error(before: &Scene, after: &Scene, num_points: usize) -> f64 {
    let [low, high] = before.bounds();
    let mut random = Random(9);
    let (old, new) = (all_triangles(before), all_triangles(after));
    let errors = (0..num_points).map(|_| {
        let at = DVec2::new(random.range(low.x, high.x), random.range(low.y, high.y));
        let [one, other] = [heights(before, &old, at), heights(after, &new, at)];
        assert_eq!(one.len(), other.len(), "{at}: {one:?} {other:?}");
        let pairs = one.into_iter().zip(other).map(|(one, other)| {
            assert_eq!(one.1, other.1, "{at}: materials");
            (one.0 - other.0).abs()
        });
        pairs.fold(0.0, f64::max)
    });
    errors.fold(0.0, f64::max)
}

/// The pieces of the borders of each material, with their directions: sides that only one of its triangles has.
fn borders(scene: &Scene) -> BTreeMap<(usize, [[u64; 3]; 2]), usize> {
    let mut sides = BTreeMap::new();
    for t in 0..scene.triangles().len() {
        let corners = scene.corners(t);
        let material = scene.face(scene.triangle_faces()[t]).material.index();
        for k in 0..3 {
            let mut ends = [corners[k], corners[(k + 1) % 3]].map(|p| p.to_array());
            ends.sort_by(|a, b| a.partial_cmp(b).unwrap());
            *sides
                .entry((material, ends.map(|end| end.map(f64::to_bits))))
                .or_insert(0) += 1;
        }
    }
    sides.retain(|_, count| *count == 1);
    sides
}

#[test]
fn flat_terrain_becomes_two_triangles_of_each_material() {
    let parts = |u: f64, _: f64| Some(if u < 51.0 { "grass" } else { "asphalt" });
    for (turn, slope) in [(0.0, 0.0), (0.0, 0.125), (0.37, 0.0), (0.37, 0.1)] {
        let mesh = grid(turn, parts, |u, v| slope * (u - 0.5 * v));
        let (scene, told) = simplified(&mesh, 0.0);
        let num_before = 2 * (COUNT * COUNT) as usize;
        assert_eq!(told.num_before, num_before, "{turn} {slope}");
        assert_eq!((told.num_after, told.num_left), (4, 0), "{turn} {slope}");
        assert_eq!(scene.triangles().len(), 4);
        assert_eq!(scene.faces().len(), 2);
    }
}

#[test]
fn the_error_holds_everywhere_and_more_of_it_needs_fewer_facets() {
    for mesh in hilly() {
        let before = Scene::new(&mesh).unwrap();
        let mut last = usize::MAX;
        for max_error in [0.05, 0.3, 1.0, 4.0] {
            let (after, told) = simplified(&mesh, max_error);
            assert!(told.num_after < last, "{max_error}: {told:?}");
            assert_eq!(told.num_left, 0);
            last = told.num_after;
            let found = error(&before, &after, 2000);
            assert!(found <= max_error, "{found} is more than {max_error}");
            assert_eq!(borders(&before), borders(&after), "{max_error}");
        }
        // The outline and little else.
        assert!(last < mesh.triangles.len() / 5, "{last}");
    }
}

#[test]
fn without_an_error_only_what_is_flat_changes() {
    // A ramp between two levels, and a hill in one corner.
    let height = |u: f64, v: f64| {
        let ramp = (u - 30.0).clamp(0.0, 30.0) / 5.0;
        let hill = (20.0 - (u - 100.0).hypot(v - 100.0)).max(0.0) / 4.0;
        ramp + hill
    };
    let mesh = grid(0.2, |_, _| Some("ground"), height);
    let (after, told) = simplified(&mesh, 0.0);
    let before = Scene::new(&mesh).unwrap();
    assert!(error(&before, &after, 3000) < 1e-5);
    let is_hill = |p: &DVec3| {
        let p = DVec2::from_angle(-0.2).rotate(p.truncate() - DVec2::new(3.1, -7.3));
        p.distance(DVec2::splat(100.0)) < 17.0
    };
    let num = |scene: &Scene| scene.vertices().iter().filter(|p| is_hill(p)).count();
    assert_eq!(num(&before), num(&after), "the hill stays");
    assert!(4 * told.num_after < told.num_before, "{told:?}");
    // Hills everywhere stay, but for a few triangles that happen to be one plane.
    let mesh = grid(0.0, |_, _| Some("ground"), hills(5));
    let (after, told) = simplified(&mesh, 0.0);
    assert!(told.num_after + 10 > told.num_before, "{told:?}");
    assert!(error(&Scene::new(&mesh).unwrap(), &after, 2000) < 1e-3);
}

#[test]
fn neither_the_order_nor_the_winding_of_triangles_matters() {
    let mesh = &hilly()[1];
    let (plain, told) = simplified(mesh, 0.5);
    let corners = |scene: &Scene| {
        let all = (0..scene.triangles().len()).map(|t| {
            let mut corners = scene.corners(t).map(|p| p.to_array().map(f64::to_bits));
            corners.sort_unstable();
            corners
        });
        let mut all: Vec<_> = all.collect();
        all.sort_unstable();
        all
    };
    for seed in 0..3 {
        let (other, same) = simplified(&shuffled(mesh, seed), 0.5);
        assert_eq!(plain.triangles(), other.triangles());
        assert_eq!(plain.vertices(), other.vertices());
        assert_eq!(told, same);
        for turned in turned_in_all_ways(mesh, seed) {
            let (other, same) = simplified(&turned, 0.5);
            assert_eq!(corners(&plain), corners(&other));
            assert_eq!(told, same);
        }
    }
    // Fronts look where most of them look.
    let mut number = 0;
    let downwards = with_turned(mesh, |_| {
        number += 1;
        number % 10 != 0
    });
    let (scene, _) = simplified(&downwards, 0.5);
    for face in (0..scene.faces().len()).map(FaceId::from_index) {
        assert!(scene.face_normal(face).z < 0.0);
    }
}

#[test]
fn a_house_stays_where_it_stands() {
    let mut mesh = hilly().swap_remove(0);
    let plain = mesh.clone();
    // One house goes through the terrain, the other stands on its vertices.
    add_box(
        &mut mesh,
        "wall",
        DVec3::new(20.5, 20.2, -10.0),
        DVec3::new(33.7, 31.1, 15.0),
    );
    let feet: Vec<DVec3> = (0..3)
        .flat_map(|k| [(20 + k, 20), (20 + k, 22)])
        .map(|(i, j)| plain.vertices[i * (COUNT as usize + 1) + j])
        .collect();
    let top = feet.iter().map(|p| p.z).fold(f64::MIN, f64::max) + 6.0;
    for [a, b] in [[0, 2], [2, 4], [4, 5], [5, 3], [3, 1], [1, 0]] {
        let [a, b] = [feet[a], feet[b]];
        add_polygon(&mut mesh, "wall", &[a, b, b.with_z(top), a.with_z(top)]);
    }
    let roof = [0, 4, 5, 1].map(|k| feet[k].with_z(top));
    add_polygon(&mut mesh, "roof", &roof);
    let (after, told) = simplified(&mesh, 2.0);
    assert!(10 * told.num_after < 7 * told.num_before, "{told:?}");
    let before = Scene::new(&mesh).unwrap();
    let of_houses = |scene: &Scene| -> Vec<[[u64; 3]; 3]> {
        let all = (0..scene.triangles().len()).filter(|t| {
            let material = scene.face(scene.triangle_faces()[*t]).material;
            scene.materials()[material.index()] != "ground"
        });
        let mut all: Vec<_> = all
            .map(|t| scene.corners(t).map(|p| p.to_array().map(f64::to_bits)))
            .collect();
        all.sort_unstable();
        all
    };
    assert_eq!(of_houses(&before), of_houses(&after));
    // Its feet are corners of terrain, and sides between them too.
    let ground: Vec<usize> = all_triangles(&after)
        .into_iter()
        .filter(|t| {
            let material = after.face(after.triangle_faces()[*t]).material;
            after.materials()[material.index()] == "ground"
        })
        .collect();
    for [a, b] in [[0, 2], [2, 4], [5, 3], [3, 1]] {
        let has = |t: &&usize| {
            let corners = after.corners(**t);
            corners.contains(&feet[a]) && corners.contains(&feet[b])
        };
        assert_eq!(ground.iter().filter(has).count(), 2, "{a} {b}");
    }
}

#[test]
fn terrain_over_terrain_is_left_as_it_is() {
    let mut mesh = grid(0.0, |_, _| Some("ground"), |u, v| 0.05 * u + 0.02 * v);
    // A ramp that leaves the terrain at two of its vertices and ends over it.
    let foot = [(10, 10), (10, 12)].map(|(i, j)| mesh.vertices[i * (COUNT as usize + 1) + j]);
    let end = [foot[1], foot[0]].map(|p| p + DVec3::new(12.0, 0.0, 0.6 + 1e-3));
    add_polygon(&mut mesh, "ground", &[foot[0], foot[1], end[0], end[1]]);
    let before = Scene::new(&mesh).unwrap();
    let (after, told) = simplified(&mesh, 0.1);
    assert_eq!(told.num_before + told.num_left, mesh.triangles.len());
    // It lies within 2 cm of the terrain at its foot only, so it is terrain, or a bridge.
    assert!(told.num_after < 100, "{told:?}");
    assert!(error(&before, &after, 2000) <= 0.1);
}

#[test]
fn a_step_in_terrain_keeps_both_heights() {
    // The step is not drawn: vertices lie over each other.
    let mut mesh = grid(0.0, |u, _| (u < 60.0).then_some("ground"), |_, _| 0.0);
    let upper = grid(0.0, |u, _| (u >= 60.0).then_some("ground"), |_, _| 2.0);
    mesh.append(&upper);
    // They are one ground only if something joins them.
    let before = Scene::new(&mesh).unwrap();
    let (after, told) = simplified(&mesh, 5.0);
    assert!(4 * told.num_after < told.num_before, "{told:?}");
    assert!(told.num_left > 0, "{told:?}");
    assert!(error(&before, &after, 2000) < 1e-9);
}

#[test]
fn scenes_without_terrain_stay() {
    let mut mesh = Mesh::default();
    add_box(&mut mesh, "wall", DVec3::ZERO, DVec3::new(5.0, 4.0, 3.0));
    let before = Scene::new(&mesh).unwrap();
    let (after, told) = simplified(&mesh, 1.0);
    assert_eq!(told.num_before, told.num_after);
    assert_eq!(before.triangles(), after.triangles());
}
