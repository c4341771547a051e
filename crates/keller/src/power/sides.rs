//! The two sides of a tile, or of a part of one, and the effects of walls on the power that falls on them.

use glam::DVec3;

use crate::World;
use crate::em::{Surface, WallPower};
use crate::materials::Lobe;
use crate::scene::MaterialId;

/// A side. The front of tile `t` has the index `2 t`, its back `2 t + 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Side(usize);

impl Side {
    pub(crate) fn new(tile: usize, is_back: bool) -> Self {
        Self(2 * tile + usize::from(is_back))
    }

    /// The side of a tile that a ray along `direction` meets on a face with the unit `normal`. The tile's own normal is
    /// `of_tile`: a tile of terrain has several faces, which may look to different sides.
    pub(crate) fn met(tile: usize, of_tile: DVec3, normal: DVec3, direction: DVec3) -> Self {
        let is_turned = normal.dot(of_tile) < 0.0;
        Self::new(tile, (normal.dot(direction) > 0.0) != is_turned)
    }

    pub(crate) fn from_index(index: usize) -> Self {
        Self(index)
    }

    pub(crate) fn index(self) -> usize {
        self.0
    }

    /// The index, as tables of pairs keep it.
    ///
    /// # Panics
    /// If it does not fit in 32 bits.
    pub(crate) fn id(self) -> u32 {
        u32::try_from(self.0).expect("fewer than 2^32 sides")
    }

    pub(crate) fn tile(self) -> usize {
        self.0 / 2
    }

    pub(crate) fn is_back(self) -> bool {
        !self.0.is_multiple_of(2)
    }

    /// The other side of the same wall.
    pub(crate) fn opposite(self) -> Self {
        Self(self.0 ^ 1)
    }

    /// The unit vector that points away from the side of a tile with this normal.
    pub(crate) fn outwards(self, normal: DVec3) -> DVec3 {
        if self.is_back() { -normal } else { normal }
    }
}

/// The effects of walls on power, by material and side.
#[derive(Debug)]
pub(crate) struct WallPowers {
    /// The effects on power from the front and from the back.
    powers: Vec<[WallPower; 2]>,
    /// The lobes of those that scatter.
    lobes: Vec<Option<Lobe>>,
}

impl WallPowers {
    pub(crate) fn new(world: &World) -> Self {
        let materials = 0..world.scene().materials().len();
        let surfaces =
            materials.map(|number| world.surfaces().surface(MaterialId::from_index(number)));
        let lobe = |surface: &Surface| Some(surface.texture().scattering?.lobe);
        Self {
            lobes: surfaces.clone().map(lobe).collect(),
            powers: surfaces
                .map(|surface| [true, false].map(|front| WallPower::of(surface, front)))
                .collect(),
        }
    }

    /// Whether any wall scatters.
    pub(crate) fn any_scatters(&self) -> bool {
        self.lobes.iter().any(Option::is_some)
    }

    /// The shares of power that a wall of a material reflects, passes on and scatters.
    pub(crate) fn power(&self, material: MaterialId, is_back: bool) -> &WallPower {
        &self.powers[material.index()][usize::from(is_back)]
    }

    /// The lobe of a material; `None` if it does not scatter.
    pub(crate) fn lobe(&self, material: MaterialId) -> Option<Lobe> {
        self.lobes[material.index()]
    }
}
