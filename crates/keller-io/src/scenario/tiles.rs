//! `[tiles]`: the way in which surfaces are cut into tiles.

use std::path::{Path, PathBuf};

use glam::DVec2;
use keller::scene::Scene;
use keller::tiles::{Finer, Tiling};

use super::document::Section;
use super::error::ScenarioError;

/// The settings of `[tiles]`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TileSettings {
    /// Wanted length of a tile's side, metres; absent: that of [`Tiling::of_scene`].
    pub side: Option<f64>,
    /// The wanted length on the ground, metres; absent: the same as elsewhere.
    pub ground_side: Option<f64>,
    /// The area below which faces have no tiles, square metres.
    pub min_face_area: f64,
    /// Whether terrain is cut by one grid; absent: it is.
    pub terrain_grid: Option<bool>,
    /// Whether ground under buildings has tiles; absent: it has none.
    pub under_buildings: Option<bool>,
    /// Whether coverages of surfaces search paths with diffractions from every tile, as from a receiver of the complete
    /// search; absent: they do not.
    pub search_from_tiles: Option<bool>,
    /// The largest number of interactions of a path with a diffraction that is found by itself; rays sample the others.
    /// Absent: all are found.
    pub sample_beyond: Option<usize>,
    /// The places with smaller tiles.
    pub finer: Vec<Finer>,
    /// A file of `keller visibility` with the visibility between tiles, found from the folder of the scenario; absent:
    /// the visibility is computed.
    pub visibility: Option<PathBuf>,
}

impl TileSettings {
    /// The tiling of a scene.
    pub fn tiling(&self, scene: &Scene) -> Tiling {
        let side = self.side.unwrap_or_else(|| Tiling::of_scene(scene).side);
        Tiling {
            side,
            ground_side: self.ground_side,
            min_face_area: self.min_face_area,
            terrain_grid: self.terrain_grid.unwrap_or(true),
            under_buildings: self.under_buildings.unwrap_or(false),
            finer: self.finer.clone(),
        }
    }
}

/// Reads `[tiles]`, or its defaults.
pub(super) fn read(top: &Section<'_>, folder: &Path) -> Result<TileSettings, ScenarioError> {
    let Some(section) = top.section("tiles")? else {
        return Ok(TileSettings::default());
    };
    Ok(TileSettings {
        side: section.number("side")?,
        ground_side: section.number("ground_side")?,
        min_face_area: section.number("min_face_area")?.unwrap_or_default(),
        terrain_grid: section.flag("terrain_grid")?,
        under_buildings: section.flag("under_buildings")?,
        search_from_tiles: section.flag("search_from_tiles")?,
        sample_beyond: section.whole("sample_beyond")?,
        finer: section
            .sections("refine")?
            .iter()
            .map(finer)
            .collect::<Result<_, _>>()?,
        visibility: section.text("visibility")?.map(|name| folder.join(name)),
    })
}

/// An entry of `refine`.
fn finer(section: &Section<'_>) -> Result<Finer, ScenarioError> {
    let centre = section.numbers("centre")?;
    let (at, z) = match centre.as_deref() {
        None => return Err(section.missing("centre")),
        Some([x, y]) => (DVec2::new(*x, *y), None),
        Some([x, y, z]) => (DVec2::new(*x, *y), Some(*z)),
        Some(_) => return Err(section.unexpected("centre")),
    };
    let length = |key: &str| {
        let found = section.number(key)?;
        found.ok_or_else(|| section.missing(key))
    };
    Ok(Finer {
        at,
        z,
        radius: length("radius")?,
        side: length("side")?,
    })
}
