//! Tiles of terrain and of ground with buildings, checked against areas, other cuts of the same place, and turned faces.

use std::f64::consts::PI;
use std::sync::Arc;

use glam::DVec2;
use keller::DVec3;
use keller::scene::{FaceId, Mesh, Scene};
use keller::tiles::{Segments, Tiles, Tiling};

use crate::common::turning::turned_in_all_ways;
use crate::common::{Random, add_polygon, add_prism, shuffled, split_in_four};

/// The corners of the terrain's facets are so far apart, metres.
const STEP: f64 = 30.0;
/// Cells of corners along both sides.
const COUNT: u32 = 6;
/// The terrain is turned by this angle, radians.
const TURN: f64 = 0.37;

/// A point by its coordinates along the terrain's sides.
fn at(u: f64, v: f64, z: f64) -> DVec3 {
    let turned = DVec2::from_angle(TURN).rotate(DVec2::new(u, v));
    DVec3::new(3.0 + turned.x, -7.0 + turned.y, z)
}

/// Terrain of 72 facets with slopes of up to some 10 degrees, and the normal of the facet under each lower triangle.
fn terrain(mesh: &mut Mesh, seed: u64) -> Vec<DVec3> {
    let mut random = Random(seed);
    let heights: Vec<f64> = (0..(COUNT + 1).pow(2))
        .map(|_| random.range(-3.0, 3.0))
        .collect();
    let corner = |i: u32, j: u32| {
        let height = heights[(i * (COUNT + 1) + j) as usize];
        at(STEP * f64::from(i), STEP * f64::from(j), height)
    };
    let mut normals = Vec::new();
    for i in 0..COUNT {
        for j in 0..COUNT {
            let [a, b, c, d] = [
                corner(i, j),
                corner(i + 1, j),
                corner(i + 1, j + 1),
                corner(i, j + 1),
            ];
            normals.push((b - a).cross(c - a).normalize());
            add_polygon(mesh, "ground", &[a, b, c]);
            add_polygon(mesh, "ground", &[a, c, d]);
        }
    }
    normals
}

/// A rectangle of these sides, turned against the terrain, around a point inside the lower facet of a cell.
fn footprint(i: u32, j: u32, [a, b]: [f64; 2]) -> [[f64; 2]; 4] {
    let centre = DVec2::new(STEP * (f64::from(i) + 0.7), STEP * (f64::from(j) + 0.32));
    let turned = |u: f64, v: f64| centre + DVec2::from_angle(0.6).rotate(DVec2::new(u, v));
    [(-a, -b), (a, -b), (a, b), (-a, b)].map(|(u, v)| {
        let p = turned(0.5 * u, 0.5 * v);
        let p = at(p.x, p.y, 0.0);
        [p.x, p.y]
    })
}

/// The area of a facet over its plan.
fn stretch(normals: &[DVec3], i: u32, j: u32) -> f64 {
    1.0 / normals[(i * COUNT + j) as usize].z
}

/// Terrain with two bodies that stand in it, a floorless hull that floats over it, a bridge, and a roof on pillars. The
/// second value is the area that buildings cover.
fn place(seed: u64) -> (Mesh, f64) {
    let mut mesh = Mesh::default();
    let normals = terrain(&mut mesh, seed);
    let mut covered = 0.0;
    for (i, j) in [(1, 1), (4, 2)] {
        let sides = [9.0, 5.0];
        add_prism(&mut mesh, "wall", &footprint(i, j, sides), -6.0, 12.0, true);
        covered += sides[0] * sides[1] * stretch(&normals, i, j);
    }
    // A hull without a floor, whose feet reach into the ground on one side only.
    let outline = footprint(2, 4, [7.0, 6.0]).map(DVec2::from);
    let foot = {
        let scene = Scene::new(&mesh).unwrap();
        let heights = outline.map(|p| scene.ground(p).unwrap());
        0.5 * (heights.into_iter().fold(f64::INFINITY, f64::min)
            + heights.into_iter().fold(f64::NEG_INFINITY, f64::max))
    };
    for k in 0..4 {
        let [a, b] = [outline[k], outline[(k + 1) % 4]];
        let wall = [
            a.extend(foot),
            b.extend(foot),
            b.extend(11.0),
            a.extend(11.0),
        ];
        add_polygon(&mut mesh, "wall", &wall);
    }
    add_polygon(&mut mesh, "roof", &outline.map(|p| p.extend(11.0)));
    covered += 42.0 * stretch(&normals, 2, 4);
    // A bridge and a roof on pillars cover nothing.
    add_prism(
        &mut mesh,
        "bridge",
        &footprint(3, 0, [20.0, 6.0]),
        7.0,
        8.0,
        true,
    );
    for corner in footprint(4, 4, [8.0, 8.0]) {
        let around = |u: f64, v: f64| [corner[0] + u, corner[1] + v];
        let pillar = [
            around(-0.2, -0.2),
            around(0.2, -0.2),
            around(0.2, 0.2),
            around(-0.2, 0.2),
        ];
        add_prism(&mut mesh, "pillar", &pillar, -6.0, 9.0, true);
    }
    covered += 4.0 * 0.16 * stretch(&normals, 4, 4);
    let sheet = footprint(4, 4, [8.0, 8.0]).map(|p| DVec2::from(p).extend(9.0));
    add_polygon(&mut mesh, "sheet", &sheet);
    (mesh, covered)
}

fn tiles(scene: &Scene, side: f64) -> Tiles {
    Tiles::new(scene, Tiling::of_side(side)).unwrap()
}

/// The tiles of terrain, by their numbers.
fn of_terrain(scene: &Scene, tiles: &Tiles) -> Vec<usize> {
    let is_terrain = |tile: &usize| scene.terrain_of(tiles.all()[*tile].face).is_some();
    (0..tiles.len()).filter(is_terrain).collect()
}

#[test]
fn terrain_is_covered_once_and_not_under_buildings() {
    for seed in 0..4 {
        let (mesh, covered) = place(seed);
        let scene = Scene::new(&mesh).unwrap();
        let faces = (0..scene.faces().len()).map(FaceId::from_index);
        let all: f64 = faces
            .filter(|face| scene.terrain_of(*face).is_some())
            .map(|face| scene.face(face).area)
            .sum();
        for side in [6.0, 10.0, 25.0] {
            let tiles = tiles(&scene, side);
            let mine = of_terrain(&scene, &tiles);
            let area: f64 = mine.iter().map(|tile| tiles.all()[*tile].area).sum();
            // Pieces of less than a thousandth of a cell are dropped.
            let wanted = all - covered;
            assert!(
                (area - wanted).abs() < 1e-4 * wanted,
                "{seed}, {side} m: {area} of {wanted}"
            );
            let num_cells = (STEP * f64::from(COUNT) / side).round().powi(2);
            assert!(mine.len() as f64 <= num_cells, "{seed}: {}", mine.len());
            for tile in mine {
                let of = &tiles.all()[tile];
                let is_on = scene.any_face_near(of.centre, 1e-6, |face| face == of.face);
                assert!(
                    is_on && !scene.is_under_building(of.centre),
                    "{seed}: {of:?}"
                );
                assert_eq!(tiles.at(of.face, of.centre), Some(tile));
                assert!(tiles.parts(tile).iter().any(|part| part.face == of.face));
                let pieces = tiles.pieces(&scene, tile);
                let fan = |(_, p): &(FaceId, Vec<DVec3>)| -> f64 {
                    let sides = p[1..].windows(2);
                    let cross = sides.map(|s| (s[0] - p[0]).cross(s[1] - p[0]));
                    0.5 * cross.sum::<DVec3>().length()
                };
                let area: f64 = pieces.iter().map(fan).sum();
                assert!((area - of.area).abs() < 1e-9 * (1.0 + area), "{seed}");
            }
        }
    }
}

#[test]
fn terrain_tiles_depend_neither_on_triangles_nor_on_fronts() {
    for seed in 0..2 {
        let (mesh, _) = place(seed);
        let scene = Scene::new(&mesh).unwrap();
        let plain = tiles(&scene, 7.0);
        let mut others = vec![split_in_four(&mesh), shuffled(&mesh, seed)];
        others.extend(turned_in_all_ways(&mesh, seed));
        for other in others {
            let other = tiles(&Scene::new(&other).unwrap(), 7.0);
            assert_eq!(plain.len(), other.len(), "{seed}");
            for (a, b) in plain.all().iter().zip(other.all()) {
                assert!(a.centre.distance(b.centre) < 1e-6, "{seed}: {a:?} {b:?}");
                assert!((a.area - b.area).abs() < 1e-6, "{seed}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn each_facet_of_terrain_is_a_part_of_its_tiles() {
    let (mesh, _) = place(1);
    let scene = Arc::new(Scene::new(&mesh).unwrap());
    let tiles = tiles(&scene, 10.0);
    for face in (0..scene.faces().len()).map(FaceId::from_index) {
        if scene.terrain_of(face).is_some() {
            assert!(tiles.of_face(face).len() > 0, "{face:?}");
            for tile in tiles.of_face(face) {
                assert!(tiles.parts(tile).iter().any(|part| part.face == face));
            }
        }
    }
    // Edges between facets border on tiles on both sides.
    let segments = Segments::new(&scene, &tiles, |_| true);
    for segment in segments.all() {
        let edge = &scene.edges()[segment.edge.index()];
        let faces = edge.faces.iter().flatten();
        if faces.clone().count() == 2 && faces.clone().all(|f| scene.terrain_of(*f).is_some()) {
            assert!(segment.parents.iter().any(Option::is_some), "{segment:?}");
        }
    }
}

#[test]
fn a_building_without_a_floor_in_which_something_stands_keeps_the_ground() {
    let hut = |has_chair: bool| {
        let mut mesh = Mesh::default();
        let ground = [(-80., -80.), (80., -80.), (80., 80.), (-80., 80.)];
        add_polygon(
            &mut mesh,
            "ground",
            &ground.map(|(x, y)| DVec3::new(x, y, 0.0)),
        );
        let corners = [(-5., -4.), (5., -4.), (5., 4.), (-5., 4.)].map(|(x, y)| DVec2::new(x, y));
        for k in 0..4 {
            let [a, b] = [corners[k], corners[(k + 1) % 4]];
            let wall = [a.extend(0.0), b.extend(0.0), b.extend(3.0), a.extend(3.0)];
            add_polygon(&mut mesh, "wall", &wall);
        }
        add_polygon(&mut mesh, "roof", &corners.map(|p| p.extend(3.0)));
        if has_chair {
            let chair = [[1.0, 1.0], [1.5, 1.0], [1.5, 1.5], [1.0, 1.5]];
            add_prism(&mut mesh, "chair", &chair, 0.3, 0.9, true);
        }
        Scene::new(&mesh).unwrap()
    };
    let inside = DVec3::new(-2.0, -1.0, 0.0);
    assert!(hut(false).is_under_building(inside));
    assert!(!hut(true).is_under_building(inside));
    let ground = |under_buildings: bool| {
        let tiling = Tiling {
            under_buildings,
            ..Tiling::of_side(4.0)
        };
        let scene = hut(false);
        let tiles = Tiles::new(&scene, tiling).unwrap();
        let on_ground = tiles.all().iter().filter(|tile| tile.centre.z == 0.0);
        on_ground.map(|tile| tile.area).sum::<f64>()
    };
    assert!((ground(true) - 25_600.0).abs() < 1e-6);
    assert!((ground(false) - 25_520.0).abs() < 1e-6);
}

#[test]
fn gentle_bends_of_terrain_are_no_wedges_if_asked() {
    let (mesh, _) = place(2);
    let scene = Scene::new(&mesh).unwrap();
    let is_terrain = |scene: &Scene, e: usize| {
        let mut faces = scene.edges()[e].faces.iter();
        faces.all(|face| face.is_some_and(|face| scene.terrain_of(face).is_some()))
    };
    let bends = |scene: &Scene| -> Vec<f64> {
        let all = (0..scene.edges().len()).filter(|e| is_terrain(scene, *e));
        all.map(|e| scene.edges()[e].exterior_angle - PI).collect()
    };
    let all = bends(&scene);
    let limit = 8.0_f64.to_radians();
    let fewer = scene.clone().without_terrain_wedges_below(limit);
    let wanted = all.iter().filter(|bend| **bend >= limit).count();
    assert!(
        wanted > 5 && wanted + 5 < all.len(),
        "{wanted} of {}",
        all.len()
    );
    assert_eq!(bends(&fewer).len(), wanted);
    assert_eq!(
        fewer.edges().len() - wanted,
        scene.edges().len() - all.len(),
        "edges of buildings stay"
    );
    let none = scene.clone().without_terrain_wedges_below(0.0);
    assert_eq!(none.edges(), scene.edges());
}
