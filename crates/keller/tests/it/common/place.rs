//! Worlds of one frequency, and the coverages of their tiles.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::f64::consts::PI;

use keller::antenna::{Antenna, Polarization};
use keller::coverage::tiles::TileCoverage;
use keller::materials::{Lobe, Material, Medium, Scattering, Texture};
use keller::paths::{Environment, Interaction, Limits, Path};
use keller::scene::{Mesh, PlaneId, Scene};
use keller::tiles::Tiling;
use keller::units::SPEED_OF_LIGHT;
use keller::{Control, DVec3, Tx, World};

use super::{add_polygon, by_name, world};

pub(crate) const HZ: f64 = 2e9;

pub(crate) fn wavelength() -> f64 {
    SPEED_OF_LIGHT / HZ
}

/// Gain over so many metres of nothing.
pub(crate) fn free_space(distance: f64) -> f64 {
    (wavelength() / (4.0 * PI * distance)).powi(2)
}

pub(crate) fn both() -> Antenna {
    Antenna {
        polarization: Polarization::VH,
        ..Antenna::default()
    }
}

/// A world with materials by their names in the mesh, and concrete where the name says nothing.
pub(crate) fn named(mesh: &Mesh) -> World {
    by_name(mesh, None, HZ)
}

/// Perfect conductors, which scatter all of the incident power, or this share of its square root.
pub(crate) fn conductor(mesh: &Mesh, coefficient: f64, lobe: Lobe) -> World {
    let texture = Texture {
        scattering: Some(Scattering {
            coefficient,
            cross_polarization: 0.0,
            lobe,
        }),
        roughness: 0.0,
    };
    let wall = Material::HalfSpace(Medium::PerfectConductor).with_texture(texture);
    of(mesh, &vec![wall; mesh.materials.len()])
}

/// A world with these materials in the order of the mesh.
pub(crate) fn of(mesh: &Mesh, materials: &[Material]) -> World {
    world(Scene::new(mesh).unwrap(), materials, HZ)
}

/// The field on tiles of `side` metres.
pub(crate) fn coverage(world: &World, limits: &Limits, side: f64) -> TileCoverage {
    let (tiling, control) = (Tiling::of_side(side), Control::default());
    let environment = Environment::new(world.shared_scene(), tiling, &control).unwrap();
    TileCoverage::new(world, limits, environment).unwrap()
}

pub(crate) fn at(position: [f64; 3], antenna: Antenna) -> Tx {
    Tx {
        position: position.into(),
        antenna,
    }
}

pub(crate) fn corners(all: &[[f64; 3]]) -> Vec<DVec3> {
    all.iter().copied().map(DVec3::from).collect()
}

/// 20 m along x and 12 m high at y = 0.
pub(crate) fn add_wall(mesh: &mut Mesh, y: f64) {
    let wall = [[0., y, 0.], [20., y, 0.], [20., y, 12.], [0., y, 12.]];
    add_polygon(mesh, "wall", &corners(&wall));
}

/// Whether a path's last edge bounds a face in this plane.
pub(crate) fn is_along_own_wall(place: &World, path: &Path, plane: PlaneId) -> bool {
    let last = path.interactions().rev().find_map(Interaction::edge);
    let edges = last.map(|edge| place.scene().edges()[edge.index()]);
    let faces = edges.into_iter().flat_map(|edge| edge.faces).flatten();
    faces
        .map(|face| place.scene().plane_of(face))
        .any(|of_face| of_face == plane)
}
