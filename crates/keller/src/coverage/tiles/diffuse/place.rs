//! The data of tiles and their two sides that scattering needs.

use glam::DVec3;

use crate::World;
use crate::em::WallPower;
use crate::materials::Lobe;
use crate::paths::Environment;
use crate::power::sides::{Side, WallPowers};
use crate::scene::{MaterialId, PlaneId};

/// A tile.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) centre: DVec3,
    pub(super) normal: DVec3,
    pub(super) area: f64,
    pub(super) material: MaterialId,
    pub(super) plane: PlaneId,
}

/// All tiles, and the effects of their walls on power.
#[derive(Debug)]
pub(super) struct Places {
    all: Vec<Place>,
    walls: WallPowers,
}

impl Places {
    pub(super) fn new(world: &World, environment: &Environment) -> Self {
        let scene = world.scene();
        let place = |tile: &crate::tiles::Tile| Place {
            centre: tile.centre,
            normal: scene.face_normal(tile.face),
            area: tile.area,
            material: scene.face(tile.face).material,
            plane: scene.plane_of(tile.face),
        };
        Self {
            all: environment.tiles.all().iter().map(place).collect(),
            walls: WallPowers::new(world),
        }
    }

    /// Whether any wall scatters.
    pub(super) fn any_scatters(&self) -> bool {
        self.walls.any_scatters()
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
        side.outwards(self.all[side.tile()].normal)
    }

    /// The side of a tile that a ray along `direction` meets on a face with this normal.
    pub(super) fn side_met(&self, tile: usize, normal: DVec3, direction: DVec3) -> Side {
        Side::met(tile, self.all[tile].normal, normal, direction)
    }

    /// The lobe of a side; `None` if its wall does not scatter.
    pub(super) fn lobe(&self, side: usize) -> Option<Lobe> {
        self.walls.lobe(self.of(side).material)
    }

    /// Whether a side scatters by Lambert's law, or not at all.
    pub(super) fn is_lambert(&self, side: usize) -> bool {
        matches!(self.lobe(side), None | Some(Lobe::Lambertian))
    }

    /// The effects of a wall on power that falls on its front or back.
    pub(super) fn power(&self, material: MaterialId, is_back: bool) -> &WallPower {
        self.walls.power(material, is_back)
    }
}
