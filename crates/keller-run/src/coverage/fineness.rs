//! Selects where tubes are split finely: around the cells of fine regions, and not in the whole city.

use keller::DVec3;
use keller::coverage::Region;
use keller::coverage::tubes::{FineBox, Tubes};
use keller_io::scenario::CellSettings;

use super::place;
use crate::{Error, Job};

/// The tubes, as fine as every region of the run wants them around its cells, and elsewhere as `settings` say: without a
/// word, as the coarsest region of the run.
pub(super) fn refined(job: &Job, tubes: Tubes, settings: &CellSettings) -> Result<Tubes, Error> {
    let mut regions = Vec::new();
    for region in job.regions()? {
        regions.push((region, place::region(job, region)?));
    }
    let size = |region: &Region| region.resolution.min_element();
    let coarsest = regions.iter().map(|(_, region)| size(region));
    let outside = settings
        .surroundings_resolution
        .unwrap_or(coarsest.fold(0.0, f64::max));
    let mut boxes = Vec::new();
    for (settings, region) in regions {
        if size(&region) < outside {
            let [low, high] = heights(job, settings)?;
            let [min, max] = region.bounds();
            boxes.push(FineBox {
                min: (min - outside).extend(low),
                max: (max + outside).extend(high),
                cell_size: size(&region),
            });
        }
    }
    Ok(tubes.refined_in(outside, boxes))
}

/// The lowest and the highest of the surroundings of the cells of a region, metres.
fn heights(job: &Job, settings: &CellSettings) -> Result<[f64; 2], Error> {
    let Some(name) = &settings.building else {
        return Ok(job.world.scene().bounds().map(|corner: DVec3| corner.z));
    };
    let building = place::building(job, name).map_err(Error::Input)?;
    let lift = building.placement.origin.z;
    Ok(building.bounds.map(|corner| corner.z + lift))
}
