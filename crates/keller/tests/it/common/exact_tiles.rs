//! Compares tiles with the path engine a hair before their centres: which of its paths they have, and how much of its
//! power.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use glam::DMat3;
use keller::coverage::tiles::{Recall, TileCoverage, TileRay};
use keller::field::PathField;
use keller::paths::{Devices, Interaction, Limits, Path, PathFinder, Search};
use keller::scene::{Mesh, PlaneId};
use keller::units::power_to_db;
use keller::{Control, DVec3, Tx, World};

use super::place::both;
use super::{Random, add_polygon, add_prism, random_city, random_scene};

/// The path engine looks this far before a wall, metres.
const HAIR: f64 = 2e-4;

/// The gain of the path engine at one side of a tile, but for reflections by the tile's own wall, and the part of it
/// that the tile has too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side {
    /// The area of the tile, m².
    pub(crate) area: f64,
    /// Gain of the paths by number of interactions, the last of two or more: of all, and of those that the tile has.
    pub(crate) gain: [[f64; 2]; 3],
    /// The numbers of these paths.
    pub(crate) num_paths: [[usize; 2]; 3],
    /// The gain that the tile says.
    pub(crate) found: f64,
}

impl Side {
    /// The gain of the engine's paths that the tile lacks, dB; none where nothing arrives.
    pub(crate) fn missing_db(&self) -> Option<f64> {
        let [all, shared] = [0, 1].map(|k| self.gain.iter().map(|gain| gain[k]).sum::<f64>());
        (all > 0.0).then(|| power_to_db(all) - power_to_db(shared))
    }
}

/// The share of the engine's gain of a path that falls on a tile in this plane: nothing of reflections by the wall
/// itself, half the field of waves along it from an edge of its own.
fn share(place: &World, path: &Path, plane: PlaneId) -> f64 {
    let scene = place.scene();
    let last = path.vertices.last();
    let from = last.map_or(path.tx_position, |i| i.point);
    match last.map(|i| i.interaction) {
        Some(Interaction::Reflection(face)) if scene.plane_of(face) == plane => 0.0,
        _ if scene.plane(plane).distance(from).abs() > 2.0 * HAIR => 1.0,
        Some(Interaction::Diffraction(edge)) => {
            let edge = scene.edges()[edge.index()];
            let mut faces = edge.faces.into_iter().zip(edge.inwards());
            // A wave that goes on in the plane beyond the edge is on neither side of it.
            let runs_along = faces.any(|(face, inward)| {
                face.is_some_and(|face| scene.plane_of(face) == plane)
                    && inward.dot(path.rx_position - from) > 0.0
            });
            if runs_along { 0.25 } else { 0.0 }
        }
        _ => 0.0,
    }
}

/// Both sides of some tiles, and the part that the tiles report to lack.
pub(crate) fn sides(
    place: &World,
    tx: &Tx,
    limits: &Limits,
    coverage: &TileCoverage,
    search: Search,
    choose: impl Fn(usize) -> Vec<usize>,
) -> (Vec<Side>, Recall) {
    let (scene, control) = (place.scene(), Control::default());
    let survey = coverage.survey(tx, true, &control).unwrap();
    let tiles = coverage.environment().tiles.clone();
    let chosen = choose(tiles.len());
    let before = |number: &usize| {
        let tile = tiles.all()[*number];
        let normal = scene.face_normal(tile.face);
        [HAIR, -HAIR].map(|hair| tile.centre + hair * normal)
    };
    let points: Vec<DVec3> = chosen.iter().flat_map(before).collect();
    // Some lie at another wall, where no receiver has room.
    let points = Devices::unchecked(points);
    let finder = PathFinder::new(place, limits, search, &control).unwrap();
    let from = Devices::tx(scene, [tx.position]).unwrap();
    let from = finder.views_from(&from, 0, &control).unwrap();
    let paths = finder.paths(&from, &points, &control).unwrap();
    let objects = |path: &Path| -> Vec<Interaction> { path.interactions().collect() };
    let side = |k: usize| {
        let number = chosen[k / 2];
        let tile = tiles.all()[number];
        let first = survey.rays.partition_point(|ray| ray.path.rx < number);
        let of_tile = survey.rays[first..].iter();
        let of_tile = of_tile.take_while(|ray| ray.path.rx == number);
        let own: Vec<&TileRay> = of_tile.filter(|ray| ray.side == k % 2).collect();
        let mut side = Side {
            area: tile.area,
            gain: [[0.0; 2]; 3],
            num_paths: [[0; 2]; 3],
            found: survey.fields[number][k % 2].path_gain,
        };
        for path in paths.iter().filter(|path| path.rx == k) {
            let field = PathField::new(path, place);
            let gain =
                share(place, path, scene.plane_of(tile.face)) * field.gain(&tx.antenna, &both());
            if gain <= 0.0 {
                continue;
            }
            let order = path.vertices.len().min(2);
            let is_shared = own.iter().any(|ray| objects(&ray.path) == objects(path));
            for of in 0..=usize::from(is_shared) {
                side.gain[order][of] += gain;
                side.num_paths[order][of] += 1;
            }
        }
        side
    };
    ((0..points.len()).map(side).collect(), survey.recall)
}

/// Kinds of scenes that tiles are checked in.
pub(crate) const KINDS: [&str; 6] = ["city", "hills", "room", "sheets", "blocks", "turned"];

/// A scene of a kind, the box that devices may stand in before the scene was turned, and how it was.
pub(crate) fn scene_of_kind(kind: &str, seed: u64) -> (Mesh, [DVec3; 2], DMat3) {
    let ((mesh, bounds), angle) = match kind {
        "city" => (random_city(seed), 0.0),
        "hills" => (hills(seed), 0.0),
        "room" => (random_scene(5 * seed), 0.0),
        "sheets" => (random_scene(5 * seed + 4), 0.0),
        "blocks" => (random_scene(5 * seed + 1), 0.0),
        "turned" => (random_city(seed + 10), 0.7),
        _ => unreachable!("no kind {kind}"),
    };
    let turn = DMat3::from_axis_angle(DVec3::new(0.3, -0.5, 0.81).normalize(), angle);
    let mut mesh = mesh;
    for vertex in &mut mesh.vertices {
        *vertex = turn * *vertex;
    }
    (mesh, bounds, turn)
}

/// Houses at odd angles on hills of triangles with sides of 12 m.
fn hills(seed: u64) -> (Mesh, [DVec3; 2]) {
    const COUNT: u32 = 7;
    const SIZE: f64 = 12.0;
    let mut random = Random(seed ^ 0x411);
    let mut mesh = Mesh::default();
    let heights: Vec<f64> = (0..(COUNT + 1).pow(2))
        .map(|_| random.range(-1.5, 1.5))
        .collect();
    let at = |i: u32, j: u32| {
        let along = |k: u32| (f64::from(k) - 0.5 * f64::from(COUNT)) * SIZE;
        let height = heights[(i * (COUNT + 1) + j) as usize];
        DVec3::new(along(i), along(j), height)
    };
    for i in 0..COUNT {
        for j in 0..COUNT {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            add_polygon(&mut mesh, "ground", &[a, b, c]);
            add_polygon(&mut mesh, "ground", &[a, c, d]);
        }
    }
    for [x, y] in [[-20.0, -16.0], [14.0, 3.0], [-14.0, 20.0], [22.0, -22.0]] {
        let (sin, cos) = random.range(0.0, 1.5).sin_cos();
        let [a, b] = [random.range(4.0, 9.0), random.range(4.0, 9.0)];
        let corner = |u: f64, v: f64| [x + u * cos - v * sin, y + u * sin + v * cos];
        let footprint = [corner(-a, -b), corner(a, -b), corner(a, b), corner(-a, b)];
        let height = random.range(5.0, 14.0);
        add_prism(&mut mesh, "brick", &footprint, -3.0, height, false);
    }
    (
        mesh,
        [DVec3::new(-35., -35., 2.0), DVec3::new(35., 35., 18.)],
    )
}
