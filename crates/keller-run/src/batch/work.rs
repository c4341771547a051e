//! The work of a plan, which computes the units of a job.

use std::sync::Arc;

use keller_io::store::visibility::BLOCK;
use keller_io::store::{Kind, Unit};

use crate::surfaces::{Surfaces, surface_units};
use crate::visibility::VisibilityRows;
use crate::work::AnyWork;
use crate::{Error, Job, PathEnds, PathRunOptions};

/// Prepares the work of a kind, for units of a region.
pub(super) fn work_of(
    job: &Arc<Job>,
    kind: Kind,
    has_rays: bool,
    region: usize,
) -> Result<Box<dyn AnyWork>, Error> {
    let paths = |points| {
        let options = PathRunOptions {
            points,
            is_quiet: true,
            ..PathRunOptions::default()
        };
        job.paths(&options)
    };
    Ok(match kind {
        Kind::Cells => Box::new(job.coverage(region)?.work),
        Kind::Surfaces => Box::new(Surfaces::new(job, has_rays)?),
        Kind::Paths => Box::new(paths(PathEnds::Devices)?.work),
        Kind::Channels => Box::new(paths(PathEnds::Elements)?.work),
        Kind::Visibility => Box::new(VisibilityRows::new(job)?),
    })
}

/// The units of the job of a family, in the order of its results, about so many items each.
pub(super) fn units_of(
    job: &Arc<Job>,
    kind: Kind,
    family: usize,
    items: Option<usize>,
) -> Result<Vec<Unit>, Error> {
    let regions = match kind {
        Kind::Cells => job.regions()?.len(),
        _ => 1,
    };
    let mut units = Vec::new();
    for region in 0..regions {
        units.extend(match kind {
            // Their tiles and the visibility of these are not needed for that.
            Kind::Surfaces => surface_units(job),
            _ => {
                work_of(job, kind, false, region)?.units(Some(items.unwrap_or(default_items(kind))))
            }
        });
    }
    for unit in &mut units {
        unit.family = family;
    }
    Ok(units)
}

/// The approximate number of items of a unit if nothing is said.
fn default_items(kind: Kind) -> usize {
    match kind {
        Kind::Cells => 1 << 15,
        Kind::Paths | Kind::Channels => 1 << 12,
        Kind::Visibility => 4 * BLOCK,
        Kind::Surfaces => usize::MAX,
    }
}
