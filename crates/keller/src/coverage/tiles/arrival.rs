//! On which side of a tile a path arrives, and with which field.
//!
//! What runs along the tile's wall from an edge of that wall is incident and reflected wave in one: half of it falls on the wall.
//!
//! Theory page: `surfaces`.

use glam::DVec3;

use crate::antenna::Antenna;
use crate::em::Surfaces;
use crate::field::{PathField, transport};
use crate::paths::{AlongWall, Path};
use crate::scene::Scene;
use crate::tiles::Tile;

/// What falls on one side of a tile by one path.
#[derive(Debug, Clone, Copy)]
pub(super) struct TileWave {
    /// 0 in front, 1 behind.
    pub(super) side: usize,
    /// What falls on it.
    pub(super) field: PathField,
    /// Path gain to an isotropic receiver of both polarisations, linear.
    pub(super) gain: f64,
    /// Whether nothing was in its way.
    pub(super) is_direct: bool,
    /// Without the walls that it passes.
    pub(super) num_interactions: usize,
    /// Whether it runs along the wall, so that no power passes through the tile's area.
    pub(super) is_along: bool,
}

/// What a path brings to a tile.
pub(super) fn arrival(
    scene: &Scene,
    surfaces: &Surfaces,
    [tx, rx]: [&Antenna; 2],
    tile: &Tile,
    path: &Path,
) -> TileWave {
    let (before, field, is_along) = match AlongWall::of(scene, path, scene.plane_of(tile.face)) {
        None => {
            let last = path.vertices.last();
            let from = last.map_or(path.tx_position, |i| i.point);
            (from - tile.centre, transport(path, scene, surfaces), false)
        }
        Some(along) => {
            let mut field = transport(&flat(path, &along), scene, surfaces);
            field.coefficient = field.coefficient.map(|row| row.map(|a| 0.5 * a));
            (along.outwards, field, true)
        }
    };
    TileWave {
        side: usize::from(scene.face_normal(tile.face).dot(before) < 0.0),
        gain: field.gain(tx, rx),
        field,
        is_direct: path.is_line_of_sight(),
        num_interactions: path.vertices.iter().filter(|v| v.turns()).count(),
        is_along,
    }
}

/// Says on which side of a sheet a ray runs, radians: far less than what the field takes for a ray in the face itself, far more than rounding.
const TILT: f64 = 5e-10;

/// The same path, behind its last edge in the face exactly: faces are flat to a fraction of a millimetre.
fn flat(path: &Path, along: &AlongWall) -> Path {
    let mut path = path.clone();
    let outwards = along.outwards;
    let edge = path.vertices[along.diffraction].point;
    let lay = |point: &mut DVec3| {
        let from_edge = *point - edge;
        *point += (TILT * from_edge.length() - from_edge.dot(outwards)) * outwards;
    };
    for vertex in &mut path.vertices[along.diffraction + 1..] {
        lay(&mut vertex.point);
    }
    lay(&mut path.rx_position);
    path
}
