//! Tiles that look into closed buildings or under terrain see what rays say, also where the surfaces are not quite
//! closed, touch, overlap, or are inside out.

use std::sync::Arc;

use glam::DMat3;
use keller::scene::{Mesh, Scene};
use keller::tiles::{Tiles, Tiling, Visibility, VisibilityRows, row_ids};
use keller::{Control, DVec3};

use crate::common::exact_tiles::{KINDS, scene_of_kind};
use crate::common::{Random, add_box, add_polygon, add_prism, inside_out, shuffled};
use crate::tiles::rows_by_rays;

fn check(name: &str, mesh: &Mesh, side: f64) {
    let scene = Arc::new(Scene::new(mesh).unwrap());
    let tiles = Tiles::new(&scene, Tiling::of_side(side)).unwrap();
    let rows = Visibility::new(&scene, &tiles, &Control::default()).unwrap();
    for (tile, expected) in rows_by_rays(&scene, &tiles).into_iter().enumerate() {
        let found: Vec<u32> = row_ids(rows.row(tile)).flatten().collect();
        assert_eq!(found, expected, "{name}: tile {tile} of {}", tiles.len());
    }
}

/// Houses in rows on terrain of triangles. Some touch, some overlap, some stand inside others, some lack a floor, a
/// roof or a wall, some hang over the terrain, and some are inside out.
fn village(seed: u64) -> Mesh {
    let mut random = Random(seed ^ 0x51de);
    let mut mesh = Mesh::default();
    let mut heights = Vec::new();
    heights.resize_with(9 * 9, || random.range(-2.0, 4.0));
    let at = |i: usize, j: usize| {
        let [x, y] = [i, j].map(|k| 10.0 * k as f64 - 40.0);
        DVec3::new(x, y, heights[9 * i + j])
    };
    for i in 0..8 {
        for j in 0..8 {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            add_polygon(&mut mesh, "ground", &[a, b, c]);
            add_polygon(&mut mesh, "ground", &[a, c, d]);
        }
    }
    for row in 0..4 {
        let (mut x, y) = (-34.0, 18.0 * f64::from(row) - 30.0);
        while x < 28.0 {
            let size = [random.range(4.0, 9.0), random.range(5.0, 9.0)];
            let low = random.range(-3.0, 2.0);
            let high = low + random.range(4.0, 9.0);
            let footprint = [
                [x, y],
                [x + size[0], y],
                [x + size[0], y + size[1]],
                [x, y + size[1]],
            ];
            let mut house = Mesh::default();
            add_prism(
                &mut house,
                "brick",
                &footprint,
                low,
                high,
                random.below(2) == 0,
            );
            match random.below(6) {
                0 => house = inside_out(&house),
                // A missing triangle.
                1 => {
                    let missing = random.below(house.triangles.len());
                    house.triangles.remove(missing);
                }
                // A room inside.
                2 => {
                    let inside = |share: f64| {
                        let [x, y] = [x + share * size[0], y + share * size[1]];
                        DVec3::new(x, y, low + share * (high - low))
                    };
                    add_box(&mut house, "brick", inside(0.3), inside(0.7));
                }
                _ => {}
            }
            let base = u32::try_from(mesh.vertices.len()).unwrap();
            let material = mesh.material_index("brick");
            mesh.vertices.extend(house.vertices);
            mesh.triangles
                .extend(house.triangles.into_iter().map(|mut t| {
                    t.vertices = t.vertices.map(|v| base + v);
                    t.material = material;
                    t
                }));
            // The next house touches, nearly touches, overlaps, or stands apart.
            x += size[0] + [0.0, 0.0, 1e-3, 0.02, -1.5, 3.0][random.below(6)];
        }
    }
    mesh
}

#[test]
fn villages_of_all_sorts_of_houses_are_seen_as_rays_say() {
    for (seed, side) in (0..6).zip([2.5, 4.0, 7.0].into_iter().cycle()) {
        let mesh = village(seed);
        check(&format!("village {seed}"), &mesh, side);
        check(&format!("shuffled {seed}"), &shuffled(&mesh, seed), 5.0);
    }
}

#[test]
fn turned_and_far_villages_are_seen_as_rays_say() {
    for seed in 0..3 {
        // A tilted floor is not level, and far from the origin rays are less exact.
        let turn = DMat3::from_axis_angle(DVec3::new(0.3, -0.5, 0.81).normalize(), 0.4);
        let mut mesh = village(10 + seed);
        for vertex in &mut mesh.vertices {
            *vertex = turn * *vertex;
        }
        check(&format!("turned {seed}"), &mesh, 4.0);
        let mut mesh = village(20 + seed);
        for vertex in &mut mesh.vertices {
            *vertex += DVec3::new(4e5, 5e6, 300.0);
        }
        add_box(
            &mut mesh,
            "mast",
            DVec3::new(402_000.0, 5e6, 0.0),
            DVec3::new(402_001.0, 5_000_001.0, 9.0),
        );
        check(&format!("far {seed}"), &mesh, 4.0);
    }
}

#[test]
fn scenes_of_all_kinds_are_seen_as_rays_say() {
    for kind in KINDS {
        for seed in 0..3 {
            let (mesh, _, _) = scene_of_kind(kind, seed);
            check(&format!("{kind} {seed}"), &mesh, 3.0);
        }
    }
}
