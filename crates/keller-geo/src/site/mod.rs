//! Step 0 of a ray's life: files of buildings and terrain become one scene in one local frame.
//!
//! [`assemble`] reads as the list of its stages: choose the frame (`frame.rs`), bring every place into it, mend outlines, find the
//! ground (`ground.rs`), stand the buildings on it.
//!
//! Walls reach below the lowest ground under their building, through the triangles of the ground: so nothing gapes where they meet,
//! whatever the slope.

mod error;
mod frame;
mod ground;

use std::ops::Range;
use std::path::PathBuf;

use glam::DVec2;
use keller::clutter::Volume;
use keller::scene::Mesh;

pub use error::SiteError;
pub use ground::GroundKind;

use crate::crs::Georeference;
use crate::place::insides::{self, InsideOptions};
use crate::place::repair::{self, RepairOptions};
use crate::place::{Building, Place, Shape, clutter, mesh};
use crate::terrain::{Raster, TerrainOptions};
use frame::Located;

/// The data from which a scene is made.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Buildings, each with the file that they come from.
    pub places: Vec<(PathBuf, Place)>,
    /// Heights of the ground; where several have one, the first counts.
    pub rasters: Vec<Raster>,
}

/// The options for making a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteOptions {
    /// The corners between which buildings and ground are taken: longitude and latitude in degrees, or metres if no
    /// file says where it lies.
    pub bounds: Option<[DVec2; 2]>,
    /// The distance by which the ground reaches beyond the buildings, metres.
    pub margin: f64,
    /// A flat ground at this elevation instead of that of the files, metres.
    pub ground: Option<f64>,
    /// The options for triangles that follow rasters.
    pub terrain: TerrainOptions,
    /// The options for mending outlines.
    pub repair: RepairOptions,
    /// The options for turning buildings into triangles; prisms on a flat ground need no foundation.
    pub mesh: mesh::MeshOptions,
    /// Makes insides of buildings alone, in place of hulls, ground and vegetation.
    pub insides: Option<InsideOptions>,
}

impl Default for SiteOptions {
    /// The ground reaches 100 m beyond the buildings.
    fn default() -> Self {
        Self {
            bounds: None,
            margin: 100.0,
            ground: None,
            terrain: TerrainOptions::default(),
            repair: RepairOptions::default(),
            mesh: mesh::MeshOptions::default(),
            insides: None,
        }
    }
}

/// A scene made from files.
#[derive(Debug, Clone, Default)]
pub struct Site {
    /// All triangles: x east, y north, z up, metres.
    pub mesh: Mesh,
    /// The buildings and then the ground, by name, with their triangles.
    pub parts: Vec<(String, Range<usize>)>,
    /// The position of the coordinates on earth, if the files state it.
    pub georeference: Option<Georeference>,
    /// Vegetation, by name.
    pub volumes: Vec<(String, Volume)>,
    /// The number of parts that are buildings.
    pub num_buildings: usize,
    /// The kind of the ground; insides have none.
    pub ground: Option<GroundKind>,
    /// Messages on features that were left out, mended or assumed.
    pub warnings: Vec<String>,
}

/// The name of the ground among the parts.
pub const GROUND: &str = "ground";

/// One scene from all sources.
///
/// The frame is the first place's own system where that is in true metres, else the UTM zone around it; its origin lies
/// in the centre, at the height of the files' zero. Where no file names a system, the frame is that of the files
/// themselves.
///
/// The ground comes from rasters; without one it goes through the feet of the buildings, if files state their
/// elevations and these differ; else it is a plane.
///
/// # Errors
/// [`SiteError`]
///
/// # Example
/// ```
/// use keller_geo::place::{self, ReadOptions};
/// use keller_geo::site::{SiteOptions, Sources, assemble};
///
/// let text = br#"{"type": "Feature", "properties": {"height": 12}, "geometry": {"type": "Polygon",
///     "coordinates": [[[11.5750, 48.1370], [11.5752, 48.1370], [11.5752, 48.1371], [11.5750, 48.1370]]]}}"#;
/// let file = std::path::PathBuf::from("house.geojson");
/// let house = place::parse(text, &file, &ReadOptions::default(), &|_| unreachable!())?;
/// let sources = Sources { places: vec![(file, house)], rasters: Vec::new() };
/// let site = assemble(sources, &SiteOptions::default())?;
/// assert_eq!(site.num_buildings, 1);
/// assert_eq!(site.georeference.expect("GeoJSON is in degrees").crs, "EPSG:32632");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn assemble(sources: Sources, options: &SiteOptions) -> Result<Site, SiteError> {
    let mut warnings = Vec::new();
    let has_places = !sources.places.is_empty();
    let Located {
        frame,
        is_placed,
        mut place,
        rasters,
        bounds,
    } = frame::locate(sources, options.bounds, &mut warnings)?;
    repair::repair(&mut place, &options.repair);
    warnings.extend(place.warnings.drain(..).map(|warning| warning.to_string()));

    let buildings = place.bounds();
    let region = bounds
        .or(buildings)
        .map(|[low, high]| [low - options.margin, high + options.margin]);
    let ground = ground::find(&place, &rasters, &frame, region, options, &mut warnings)?;
    drop(rasters);

    let is_prism = |building: &Building| matches!(building.shape, Shape::Prism(_));
    let foundation = if ground.is_flat() && place.buildings.iter().all(is_prism) {
        0.0
    } else {
        options.mesh.foundation
    };
    let mesh_options = mesh::MeshOptions {
        foundation,
        ..options.mesh.clone()
    };
    let height = |at: DVec2| ground.height(at);
    let built = match &options.insides {
        Some(options) => insides::build(&place.buildings, &height, options),
        None => mesh::build(&place.buildings, &height, &mesh_options),
    };
    warnings.extend(built.warnings);
    if options.insides.is_some() {
        // They stand in a scene that has ground and vegetation.
        place.clutter.clear();
    }
    if built.buildings.is_empty() && has_places && place.clutter.is_empty() {
        let first = warnings.into_iter().next().unwrap_or_default();
        return Err(SiteError::NoBuildings(first));
    }
    let clutter = clutter::build(&place.clutter, ground.under_clutter());
    warnings.extend(clutter.warnings);
    let mut site = Site {
        volumes: clutter.volumes,
        georeference: is_placed.then(|| frame.georeference()),
        num_buildings: built.buildings.len(),
        parts: built
            .buildings
            .into_iter()
            .map(|building| (building.id, building.triangles))
            .collect(),
        mesh: built.mesh,
        ground: options.insides.is_none().then(|| ground.kind()),
        warnings,
    };
    let start = site.mesh.triangles.len();
    if options.insides.is_none()
        && let Some(mesh) = ground.mesh(region)
    {
        site.mesh.append(&mesh);
    }
    if site.mesh.triangles.len() > start {
        let triangles = start..site.mesh.triangles.len();
        site.parts.push((GROUND.to_owned(), triangles));
    }
    if site.mesh.triangles.is_empty() {
        return Err(SiteError::Nothing);
    }
    Ok(site)
}

#[cfg(test)]
mod tests;
