//! Places the cells of a region in the scene, or in a building of it.

use keller::coverage::{Levels, Region};
use keller::{DVec2, DVec3};
use keller_io::scenario::{CellSettings, HeightAbove};
use keller_io::store::scene_cache::PlacedBuilding;

use crate::{Error, Job};

/// The cells that `settings` ask for.
pub(super) fn region(job: &Job, settings: &CellSettings) -> Result<Region, Error> {
    let scenario = &job.scenario;
    let told = |problem: String| {
        let (file, line) = (scenario.file.display(), settings.line);
        Error::Input(format!("{file}:{line}: [coverage]{problem}"))
    };
    let region = match &settings.building {
        None => {
            let scene = job.world.scene();
            let georeference = job.georeference.as_ref();
            let bounds = scenario.coverage_bounds(settings, scene, georeference)?;
            settings.region(scene, snapped(job, settings, bounds))
        }
        Some(name) => {
            let building = building(job, name).map_err(|problem| told(format!(" {problem}")))?;
            inside(job, settings, building).map_err(|problem| told(format!(" {problem}")))?
        }
    };
    region.map_err(|error| told(format!(": {error}")))
}

/// The corners of a region moved outwards to whole cells of the coordinate reference system, so that the maps of several
/// scenes and runs line up. Regions that are turned stay, and those of scenes that do not say where they lie.
fn snapped(job: &Job, settings: &CellSettings, [low, high]: [DVec3; 2]) -> [DVec3; 2] {
    /// Corners so near to whole cells are there already, cells.
    const SAME: f64 = 1e-6;
    let Some(frame) = job.frame.as_ref().filter(|_| settings.rotation == 0.0) else {
        return [low, high];
    };
    let (size, origin) = (settings.resolution.truncate(), frame.origin().truncate());
    let cells = |corner: DVec3| (corner.truncate() + origin) / size;
    let corner = |cells: DVec2, z: f64| (cells * size - origin).extend(z);
    [
        corner((cells(low) + SAME).floor(), low.z),
        corner((cells(high) - SAME).ceil(), high.z),
    ]
}

/// The building called `name`, or a message if there is none.
pub(super) fn building<'a>(job: &'a Job, name: &str) -> Result<&'a PlacedBuilding, String> {
    let found = job.buildings.iter().find(|building| building.name == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = job.buildings.iter().map(|b| b.name.as_str()).collect();
        let accepted = if names.is_empty() {
            "none, for there is no [[building]]".to_owned()
        } else {
            names.join(", ")
        };
        format!("building: there is no building \"{name}\"; accepted: {accepted}")
    })
}

/// The cells of a region in a building; an error says which key cannot be.
fn inside(
    job: &Job,
    settings: &CellSettings,
    building: &PlacedBuilding,
) -> Result<Result<Region, keller::Error>, String> {
    let placement = &building.placement;
    let [low, high] = building.bounds;
    // Planes have corners without a height.
    let (min, max) = (settings.min.unwrap_or(low), settings.max.unwrap_or(high));
    let lift = placement.origin.z;
    let region = match &settings.heights {
        None => {
            let up = DVec3::Z * lift;
            Region::volume(min + up, max + up, settings.resolution)
        }
        Some(heights) => {
            let levels = match settings.height_above(job.world.scene()) {
                HeightAbove::Sea => Levels::AboveSea(heights.clone()),
                HeightAbove::Ground => Levels::AboveGround(heights.clone()),
                HeightAbove::Floors => Levels::AboveSea(over_floors(building, heights)?),
            };
            let [min, max] = [min, max].map(DVec3::truncate);
            Region::planes(min, max, settings.resolution.truncate(), levels)
        }
    };
    let corner = placement.to_scene(min).truncate();
    let placed = |region: Region| Region {
        min: corner,
        ..region
    };
    // Without a rotation, the axes stay those of the scene to the last bit.
    let turned = |region: Region| match placement.rotation {
        0.0 => region,
        rotation => region.turned(rotation),
    };
    Ok(region.map(placed).map(turned))
}

/// Each height over each floor that lies below the top of the building, rising.
fn over_floors(building: &PlacedBuilding, heights: &[f64]) -> Result<Vec<f64>, String> {
    let [_, high] = building.bounds;
    let over = |floor: &f64| {
        let floor = *floor;
        heights.iter().map(move |height| floor + height)
    };
    let mut levels: Vec<f64> = building.floors.iter().flat_map(over).collect();
    levels.retain(|level| *level < high.z);
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    if levels.is_empty() {
        let name = &building.name;
        return Err(if building.floors.is_empty() {
            format!(
                "height_above: no floors were found in the building \"{name}\", see `keller scene`; accepted: sea or ground"
            )
        } else {
            format!(
                "heights: none of them lies below the top of the building \"{name}\" over any of its floors"
            )
        });
    }
    let lift = building.placement.origin.z;
    Ok(levels.into_iter().map(|level| level + lift).collect())
}
