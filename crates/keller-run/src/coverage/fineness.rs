//! Where tubes are split finely: around the cells of fine regions, and not in the whole city.

use glam::DVec3;
use keller::coverage::Region;
use keller::coverage::tubes::{FineBox, Tubes};
use keller_io::scenario::CellSettings;

use crate::{Error, Job};

/// The tubes, as fine as every region of the run wants them around its cells, and elsewhere as `settings` say: without a
/// word, as the coarsest region of the run.
pub(super) fn refined(
    job: &Job,
    tubes: Tubes,
    settings: &CellSettings,
    own: &Region,
) -> Result<Tubes, Error> {
    let mut regions = Vec::new();
    for other in job.regions()? {
        let region = if other == settings {
            own.clone()
        } else {
            job.region(other)?
        };
        regions.push(region);
    }
    let size = |region: &Region| region.resolution.min_element();
    let coarsest = regions.iter().map(size).fold(0.0, f64::max);
    let outside = settings.surroundings_resolution.unwrap_or(coarsest);
    let [low, high] = job.world.scene().bounds();
    let fine = |region: &Region| {
        let [min, max] = region.bounds();
        let margin = outside;
        FineBox {
            min: DVec3::new(min.x - margin, min.y - margin, low.z),
            max: DVec3::new(max.x + margin, max.y + margin, high.z),
            cell_size: size(region),
        }
    };
    let boxes = regions.iter().filter(|region| size(region) < outside);
    Ok(tubes.refined_in(outside, boxes.map(fine).collect()))
}
