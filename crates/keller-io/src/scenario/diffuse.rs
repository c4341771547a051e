//! `[diffuse]`: the power that walls scatter, or reflect more often than paths do.

use keller::diffuse::DiffuseOptions;
use keller::scene::Scene;
use keller::tiles::Tiling;

use super::document::Section;
use super::error::ScenarioError;

/// The settings of `[diffuse]`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DiffuseSettings {
    /// Wanted length of a tile's side, metres; absent: that of [`Tiling::of_scene`].
    pub side: Option<f64>,
    /// Rays from a tile-side, from a Tx and from a place; absent: those of [`DiffuseOptions`].
    pub rays: [Option<u32>; 3],
}

impl DiffuseSettings {
    /// The resolution of the diffuse field of a scene.
    pub fn options(&self, scene: &Scene) -> DiffuseOptions {
        let tiling = self
            .side
            .map_or_else(|| Tiling::of_scene(scene), Tiling::of_side);
        let defaults = DiffuseOptions::of_tiling(tiling);
        let [tile, tx, rx] = self.rays;
        DiffuseOptions {
            tile_rays: tile.unwrap_or(defaults.tile_rays),
            tx_rays: tx.unwrap_or(defaults.tx_rays),
            rx_rays: rx.unwrap_or(defaults.rx_rays),
            ..defaults
        }
    }
}

/// Reads `[diffuse]`, unless it is switched off.
pub(super) fn read(top: &Section<'_>) -> Result<Option<DiffuseSettings>, ScenarioError> {
    let Some(section) = top.section("diffuse")? else {
        return Ok(None);
    };
    let rays = |key: &str| -> Result<Option<u32>, ScenarioError> {
        let count = section.whole(key)?;
        Ok(count.and_then(|count| u32::try_from(count).ok()))
    };
    let settings = DiffuseSettings {
        side: section.number("side")?,
        rays: [rays("tile_rays")?, rays("tx_rays")?, rays("rx_rays")?],
    };
    let is_on = section.flag("enabled")?.unwrap_or(true);
    Ok(Some(settings).filter(|_| is_on))
}
