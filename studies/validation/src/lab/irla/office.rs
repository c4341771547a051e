//! A made-up office floor of the size that Hu 2020 measured in section 3.2.3: 49.9 m by 34.2 m by 3 m.
//!
//! The plan of the document is a picture; this one has its materials and its size, not its rooms. A corridor runs along the
//! middle, with rooms on both sides and a second row of rooms behind them.

use anyhow::{Result, ensure};
use glam::DVec2;
use keller::antenna::Antenna;
use keller::coverage::{Levels, Region};
use keller::materials::{ItuMaterial, Material, Materials, Medium};
use keller::scene::openings::{Openings, cut};
use keller::scene::{Mesh, Scene};
use keller::{Control, DVec3, Frequency, Tx, World};

use crate::tubes::Place;

/// Length, width and height, metres.
const SIDES: [f64; 3] = [49.9, 34.2, 3.0];

/// Walls along the length, metres from the southern wall: two rows of rooms, the corridor, two rows of rooms.
const LENGTHWISE: [f64; 4] = [7.9, 16.0, 18.2, 26.4];

/// The approximate width of a room, metres.
const ROOM: f64 = 5.6;

/// The frequency as in the document, GHz; and the height of the receivers, metres.
const GHZ: f64 = 3.4;
const RX_HEIGHT: f64 = 1.5;

/// The position in the corridor under the ceiling; the document does not say where its Tx is.
const TX: DVec3 = DVec3::new(17.3, 17.13, 2.61);

/// The cells reach so far beyond the walls, metres, and walls lie on no border of a cell.
const BEYOND: DVec2 = DVec2::new(0.437, 0.461);

/// Doors in all walls between rooms.
const DOORS: Openings = Openings {
    width: 0.9,
    height: 2.1,
    sill: 0.0,
    spacing: 5.6,
    storey: None,
    margin: 0.3,
};

/// Windows in the outer walls.
const WINDOWS: Openings = Openings {
    width: 1.8,
    height: 1.4,
    sill: 0.9,
    spacing: 3.2,
    storey: None,
    margin: 0.3,
};

/// The floor with cells of a size, metres.
pub(super) fn place(resolution: f64) -> Result<Place> {
    let mut mesh = shell();
    for (walls, openings, pane) in [("inner_wall", &DOORS, "door"), ("facade", &WINDOWS, "pane")] {
        let is_wall = mesh.triangles.iter().map(|triangle| {
            let material = &mesh.materials[triangle.material as usize];
            material.name == walls
        });
        let is_wall: Vec<bool> = is_wall.collect();
        let done = cut(&mesh, &is_wall, openings, Some(pane), &Control::default())?;
        ensure!(done.openings > 0, "no {pane} fits");
        mesh = done.mesh;
    }
    let world = World::new(Scene::new(&mesh)?, &materials(), Frequency::from_ghz(GHZ)?)?;
    let [length, width, _] = SIDES;
    let region = Region::planes(
        -BEYOND,
        DVec2::new(length, width) + BEYOND,
        DVec2::splat(resolution),
        Levels::AboveSea(vec![RX_HEIGHT]),
    )?;
    Ok(Place {
        name: "office floor",
        world,
        tx: Tx {
            position: TX,
            antenna: Antenna::default(),
        },
        region,
    })
}

/// The floor without doors and windows. Walls that meet share their corners, for no opening lies across a corner.
fn shell() -> Mesh {
    let [length, width, height] = SIDES;
    let rooms = (length / ROOM).round();
    let [a, b, c, d] = LENGTHWISE;
    // Rooms of neighbouring rows are not in line.
    let rows = [(0.0, a, 0.0), (a, b, 0.41), (c, d, 0.23), (d, width, -0.37)];
    let across = |shift: f64| {
        let walls =
            std::iter::successors(Some(1.0), |k| Some(k + 1.0)).take_while(move |k| *k < rooms);
        walls.map(move |k| k * length / rooms + shift)
    };
    let mut mesh = Mesh::default();
    let mut wall = |name: &str, corners: &[[f64; 2]]| {
        for ends in corners.windows(2) {
            let [a, b] = [ends[0], ends[1]].map(|[x, y]| DVec3::new(x, y, 0.0));
            mesh.add_polygon(name, &[a, b, b.with_z(height), a.with_z(height)]);
        }
    };
    let levels = [&[0.0], &LENGTHWISE[..], &[width]].concat();
    for y in &levels {
        let of_rows = rows.iter().filter(|(from, to, _)| from == y || to == y);
        let mut along: Vec<f64> = of_rows.flat_map(|(_, _, shift)| across(*shift)).collect();
        along.extend([0.0, length]);
        along.sort_by(f64::total_cmp);
        let is_outer = *y == 0.0 || *y == width;
        let corners: Vec<[f64; 2]> = along.into_iter().map(|x| [x, *y]).collect();
        wall(if is_outer { "facade" } else { "inner_wall" }, &corners);
    }
    for x in [0.0, length] {
        let corners: Vec<[f64; 2]> = levels.iter().map(|y| [x, *y]).collect();
        wall("facade", &corners);
    }
    for (from, to, shift) in rows {
        for x in across(shift) {
            wall("inner_wall", &[[x, from], [x, to]]);
        }
    }
    let corners = [[0.0, 0.0], [length, 0.0], [length, width], [0.0, width]];
    for (name, z) in [("floor", 0.0), ("ceiling", height)] {
        mesh.add_polygon(name, &corners.map(|[x, y]| DVec3::new(x, y, z)));
    }
    mesh
}

/// Concrete outside, brick between rooms, doors of wood and windows of glass, as the document says; thicknesses are chosen.
fn materials() -> Materials {
    let slab = |material, thickness| Material::slab(Medium::Itu(material), thickness);
    let concrete = slab(ItuMaterial::Concrete, 0.2);
    Materials::from([
        ("facade", concrete.clone()),
        ("floor", concrete.clone()),
        ("ceiling", concrete),
        ("inner_wall", slab(ItuMaterial::Brick, 0.12)),
        ("door", slab(ItuMaterial::Wood, 0.04)),
        ("pane", slab(ItuMaterial::Glass, 0.006)),
    ])
}
