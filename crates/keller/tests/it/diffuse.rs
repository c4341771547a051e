//! The diffuse field against the formulas of reverberation, the balance of coupled rooms, and the laws of energy and
//! reciprocity.

mod laws;
mod rooms;

use crate::common::{add_box, add_polygon, world};
use keller::antenna::Antenna;
use keller::diffuse::{DiffuseField, DiffuseOptions, DiffuseTx};
use keller::materials::{Material, Medium};
use keller::paths::Limits;
use keller::scene::{Mesh, Scene};
use keller::tiles::Tiling;
use keller::{Control, DVec3, Tx, World};

const HZ: f64 = 2.4e9;

/// Rays of the Tx are diffuse from their first wall on.
fn no_paths() -> Limits {
    Limits {
        max_interactions: 0,
        max_reflections: 0,
        ..Limits::default()
    }
}

fn medium(relative_permittivity: f64, conductivity: f64) -> Medium {
    Medium::Constant {
        relative_permittivity,
        conductivity,
    }
}

fn field(world: &World, side: f64) -> DiffuseField {
    let options = DiffuseOptions::of_tiling(Tiling::of_side(side));
    DiffuseField::new(world, &options, &Control::default()).unwrap()
}

fn of_tx(field: &DiffuseField, position: DVec3, limits: &Limits) -> DiffuseTx {
    let tx = Tx {
        position,
        antenna: Antenna::default(),
    };
    field.of_tx(&tx, limits, &Control::default()).unwrap()
}

fn box_mesh(size: DVec3) -> Mesh {
    let mut mesh = Mesh::default();
    add_box(&mut mesh, "wall", DVec3::ZERO, size);
    mesh
}

/// Two boxes of 4 m x 3 m x 3 m that share a wall of another material.
fn two_rooms(wall: &Material, between: &Material) -> World {
    let mut mesh = Mesh::default();
    let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    for (a, b) in [(0.0, 4.0), (4.0, 8.0)] {
        for z in [0.0, 3.0] {
            add_polygon(
                &mut mesh,
                "wall",
                &[at(a, 0., z), at(b, 0., z), at(b, 3., z), at(a, 3., z)],
            );
        }
        for y in [0.0, 3.0] {
            add_polygon(
                &mut mesh,
                "wall",
                &[at(a, y, 0.), at(b, y, 0.), at(b, y, 3.), at(a, y, 3.)],
            );
        }
    }
    for (x, name) in [(0.0, "wall"), (4.0, "between"), (8.0, "wall")] {
        add_polygon(
            &mut mesh,
            name,
            &[at(x, 0., 0.), at(x, 3., 0.), at(x, 3., 3.), at(x, 0., 3.)],
        );
    }
    world(
        Scene::new(&mesh).unwrap(),
        &[wall.clone(), between.clone()],
        HZ,
    )
}
