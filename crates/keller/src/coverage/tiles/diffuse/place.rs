//! What scattering needs to know of tiles and their two sides.

use glam::DVec3;

pub(super) use super::super::side::Side;
use crate::World;
use crate::em::WallPower;
use crate::materials::Lobe;
use crate::paths::Environment;
use crate::scene::{MaterialId, PlaneId};

/// A tile.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) centre: DVec3,
    pub(super) normal: DVec3,
    pub(super) area: f64,
    pub(super) material: usize,
    pub(super) plane: PlaneId,
}

/// All tiles, and what their walls do.
#[derive(Debug)]
pub(super) struct Places {
    all: Vec<Place>,
    /// By material: the lobe of those that scatter.
    lobes: Vec<Option<Lobe>>,
    /// Power at walls, by material, from the front and from the back.
    powers: Vec<[WallPower; 2]>,
}

impl Places {
    pub(super) fn new(world: &World, environment: &Environment) -> Self {
        let (scene, surfaces) = (world.scene(), world.surfaces());
        let place = |tile: &crate::tiles::Tile| Place {
            centre: tile.centre,
            normal: scene.face_normal(tile.face),
            area: tile.area,
            material: scene.face(tile.face).material.index(),
            plane: scene.plane_of(tile.face),
        };
        let materials = || (0..scene.materials().len()).map(MaterialId::from_index);
        Self {
            all: environment.tiles.all().iter().map(place).collect(),
            lobes: materials()
                .map(|id| Some(surfaces.surface(id).texture().scattering?.lobe))
                .collect(),
            powers: materials()
                .map(|id| [true, false].map(|front| WallPower::of(surfaces.surface(id), front)))
                .collect(),
        }
    }

    /// Whether any wall scatters.
    pub(super) fn any_scatters(&self) -> bool {
        self.lobes.iter().any(Option::is_some)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn tile(&self, tile: usize) -> &Place {
        &self.all[tile]
    }

    /// The tile of a side.
    pub(super) fn of(&self, side: usize) -> &Place {
        &self.all[side / 2]
    }

    /// Unit normal that points away from a side.
    pub(super) fn normal(&self, side: Side) -> DVec3 {
        let normal = self.all[side.tile()].normal;
        if side.is_back() { -normal } else { normal }
    }

    /// The side of a tile that a ray along `direction` meets on a face with this normal.
    pub(super) fn side_met(&self, tile: usize, normal: DVec3, direction: DVec3) -> Side {
        Side::met(tile, self.all[tile].normal, normal, direction)
    }

    /// The lobe of a side; `None` if its wall does not scatter.
    pub(super) fn lobe(&self, side: usize) -> Option<Lobe> {
        self.lobes[self.of(side).material]
    }

    /// Whether a side scatters by Lambert's law, or not at all.
    pub(super) fn is_lambert(&self, side: usize) -> bool {
        matches!(self.lobe(side), None | Some(Lobe::Lambertian))
    }

    /// What a wall does to power that falls on its front or back.
    pub(super) fn power(&self, material: usize, is_back: bool) -> &WallPower {
        &self.powers[material][usize::from(is_back)]
    }
}
