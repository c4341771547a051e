//! The side of a tile on which a path arrives, and its field there.
//!
//! A wave that runs along the tile's wall from an edge of that wall is incident and reflected wave in one. Half of it
//! counts as incident on the wall.
//!
//! Theory page: `surfaces`.

use glam::DVec3;

use crate::World;
use crate::antenna::Antenna;
use crate::field::{FlatFacets, PathField, transport};
use crate::paths::{AlongWall, InteractionCounts, Path};
use crate::tiles::Tile;

/// The wave that arrives on one side of a tile by one path.
#[derive(Debug, Clone, Copy)]
pub(super) struct TileWave {
    /// 0 for the front, 1 for the back.
    pub(super) side: usize,
    /// The incident field.
    pub(super) field: PathField,
    /// Path gain to an isotropic receiver of both polarisations, linear.
    pub(super) gain: f64,
    /// Whether it is the line of sight.
    pub(super) is_direct: bool,
    /// The numbers of interactions of the path, which count against the limits.
    pub(super) used: InteractionCounts,
    /// Whether the wave runs along the wall, so that no power passes through the tile's area.
    pub(super) is_along: bool,
}

/// The wave that a path brings to a tile.
pub(super) fn arrival(
    world: &World,
    [tx, rx]: [&Antenna; 2],
    tile: &Tile,
    path: &Path,
) -> TileWave {
    let (scene, walls) = (world.scene(), FlatFacets(world));
    let (before, field, is_along) = match AlongWall::of(scene, path, scene.plane_of(tile.face)) {
        None => {
            let last = path.vertices.last();
            let from = last.map_or(path.tx_position, |i| i.point);
            (from - tile.centre, transport(path, &walls), false)
        }
        Some(along) => {
            let mut field = transport(&flat(path, &along), &walls);
            field.coefficient = field.coefficient.map(|row| row.map(|a| 0.5 * a));
            (along.outwards, field, true)
        }
    };
    TileWave {
        side: usize::from(scene.face_normal(tile.face).dot(before) < 0.0),
        gain: field.gain(tx, rx),
        field,
        is_direct: path.is_line_of_sight(),
        used: InteractionCounts::of_path(path),
        is_along,
    }
}

/// Tilt of a ray, radians, that marks the side of a sheet on which it runs. It is much smaller than the angle up to
/// which the field treats a ray as lying in the face, and much larger than rounding.
const TILT: f64 = 5e-10;

/// The same path, with its part after the last edge exactly in the face. Faces are flat only to a fraction of a
/// millimetre.
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
