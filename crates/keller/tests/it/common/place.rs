//! A scene with its surfaces, and what tiles of it are asked from.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::f64::consts::PI;

use keller::antenna::{Antenna, Polarization};
use keller::coverage::points::Transmitter;
use keller::coverage::tiles::TileCoverage;
use keller::em::Surfaces;
use keller::materials::{Lobe, Material, Medium, Scattering, Texture, resolve};
use keller::paths::{Environment, Interaction, Limits, Path, Transparency};
use keller::scene::{Mesh, PlaneId, Scene};
use keller::tiles::Tiling;
use keller::units::SPEED_OF_LIGHT;
use keller::{Control, DVec3, Frequency};

use super::add_polygon;

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

/// A scene with its surfaces.
pub(crate) struct Place {
    pub(crate) scene: Scene,
    pub(crate) surfaces: Surfaces,
    pub(crate) transparency: Transparency,
}

impl Place {
    /// Of what the mesh says.
    pub(crate) fn new(mesh: &Mesh) -> Self {
        let definitions = mesh
            .materials
            .iter()
            .map(|m| (m.name.as_str(), m.definition.as_ref()));
        Self::of(mesh, &resolve(definitions, &[], Some("concrete")).unwrap())
    }

    /// Perfect conductors, which scatter all of what falls on them, or this share of its square root.
    pub(crate) fn conductor(mesh: &Mesh, coefficient: f64, lobe: Lobe) -> Self {
        let texture = Texture {
            scattering: Some(Scattering {
                coefficient,
                cross_polarization: 0.0,
                lobe,
            }),
            roughness: 0.0,
        };
        let wall = Material::HalfSpace(Medium::PerfectConductor).with_texture(texture);
        Self::of(mesh, &vec![wall; mesh.materials.len()])
    }

    pub(crate) fn of(mesh: &Mesh, materials: &[Material]) -> Self {
        let scene = Scene::new(mesh).unwrap();
        let surfaces = Surfaces::new(materials, Frequency::from_hz(HZ).unwrap()).unwrap();
        let transparency = Transparency::of(&scene, &surfaces);
        Self {
            scene,
            surfaces,
            transparency,
        }
    }

    pub(crate) fn coverage<'a>(&'a self, limits: &'a Limits, side: f64) -> TileCoverage<'a> {
        let control = Control::default();
        let environment = Environment::new(&self.scene, Tiling::of_side(side), &control).unwrap();
        let (scene, surfaces) = (&self.scene, &self.surfaces);
        TileCoverage::new(scene, surfaces, limits, &self.transparency, environment).unwrap()
    }
}

pub(crate) fn at(position: [f64; 3], antenna: Antenna) -> Transmitter {
    Transmitter {
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
pub(crate) fn is_along_own_wall(place: &Place, path: &Path, plane: PlaneId) -> bool {
    let last = path.interactions().rev().find_map(Interaction::edge);
    let edges = last.map(|edge| place.scene.edges()[edge.index()]);
    let faces = edges.into_iter().flat_map(|edge| edge.faces).flatten();
    faces
        .map(|face| place.scene.plane_of(face))
        .any(|of_face| of_face == plane)
}
