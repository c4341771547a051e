//! Options of the diffuse field: how finely it is computed.

use crate::Error;
use crate::scene::Scene;
use crate::tiles::Tiling;

/// Options of the diffuse field: how finely it is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct DiffuseOptions {
    /// The cut of faces into tiles. Tiles on which walls stand are cut further.
    pub tiling: Tiling,
    /// Rays from each side of a tile of mean size, at least 16. Larger tiles send more.
    pub tile_rays: u32,
    /// Rays from each Tx, at least 16.
    pub tx_rays: u32,
    /// Rays from each Rx, at least 16.
    pub rx_rays: u32,
}

impl DiffuseOptions {
    /// Options for about 3 000 tiles with 256 rays from each side, 16 384 rays from a Tx and 2 048 from an Rx.
    pub fn of_scene(scene: &Scene) -> Self {
        Self::of_tiling(Tiling::of_scene(scene))
    }

    /// The same with other tiles.
    pub fn of_tiling(tiling: Tiling) -> Self {
        Self {
            tiling,
            tile_rays: 256,
            tx_rays: 1 << 14,
            rx_rays: 1 << 11,
        }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let all = [
            ("a tile", self.tile_rays),
            ("a Tx", self.tx_rays),
            ("an Rx", self.rx_rays),
        ];
        for (what, rays) in all {
            if !(MIN_RAYS..=MAX_RAYS).contains(&rays) {
                return Err(Error::Diffuse(format!(
                    "{rays} rays from {what} are not accepted; it must be {MIN_RAYS} to {MAX_RAYS}"
                )));
            }
        }
        Ok(())
    }
}

const MIN_RAYS: u32 = 16;

/// The largest number of rays from each place, near which rounding limits their sum.
const MAX_RAYS: u32 = 1 << 26;
