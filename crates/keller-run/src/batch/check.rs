//! Checks that a plan is that of a job: the plan that is read back from a store is compared with the scenario before it
//! is used.

use std::path::Path;
use std::sync::Arc;

use keller::tiles::Tiles;
use keller_io::reports::coverage::CHUNK;
use keller_io::store::{BatchStore, Digest, Kind, StoreError, Unit};

use super::work::units_of;
use crate::visibility::visibility_digest;
use crate::{Error, Job};

/// Fails if the units of a family are not those of this job.
pub(super) fn check(store: &BatchStore, family: usize, job: &Arc<Job>) -> Result<(), Error> {
    let plan = store.plan();
    if !plan.families[family].is_of(digest(job, plan.kind, plan.has_rays)?) {
        return Err(refused(store, other_state(&plan.scenario)));
    }
    let of_family = plan.units.iter().filter(|unit| unit.family == family);
    let is_its = match plan.kind {
        Kind::Cells => are_cells_of(job, of_family)?,
        kind => units_of(job, kind, family, plan.items)?
            .iter()
            .eq(of_family),
    };
    if is_its {
        return Ok(());
    }
    Err(StoreError::changed(store.name()).into())
}

/// Whether units fill each cell of each region from every Tx once, in order. Which Tx are filled together, the engine says.
fn are_cells_of<'u>(job: &Job, units: impl Iterator<Item = &'u Unit>) -> Result<bool, Error> {
    let mut units = units.peekable();
    for (number, region) in job.placed_regions()?.iter().enumerate() {
        let mut left: Vec<usize> = (0..job.scenario.tx.len()).collect();
        let num_cells = region.num_cells();
        while !left.is_empty() {
            let Some(tx) = units.peek().map(|unit| &unit.tx) else {
                return Ok(false);
            };
            // The Tx that comes first has the smallest number.
            let is_next = tx.first() == left.first() && tx.is_sorted_by(|a, b| a < b);
            if !is_next || !tx.iter().all(|tx| left.contains(tx)) {
                return Ok(false);
            }
            let mut end = 0;
            while end < num_cells {
                let is_its = |unit: &&Unit| unit.region == number && unit.tx == *tx;
                let Some(unit) = units.next_if(|unit| is_its(unit)) else {
                    return Ok(false);
                };
                let range = &unit.range;
                let is_whole = range.end == num_cells || range.end.is_multiple_of(CHUNK);
                if range.start != end || range.end <= end || range.end > num_cells || !is_whole {
                    return Ok(false);
                }
                end = range.end;
            }
            left.retain(|own| !tx.contains(own));
        }
    }
    Ok(units.next().is_none())
}

pub(super) fn other_state(scenario: &Path) -> String {
    format!(
        "this plan is of another state of {} or of its scene: take back the change, or plan again in another store",
        scenario.display()
    )
}

pub(super) fn refused(store: &BatchStore, problem: String) -> Error {
    Error::Store(StoreError::Refused {
        file: store.name().to_owned(),
        problem,
    })
}

/// The digest of all that the units of a job follow from.
pub(super) fn digest(job: &Job, kind: Kind, has_rays: bool) -> Result<[u8; 16], Error> {
    let mut more = Digest::new();
    more.add(&has_rays);
    match kind {
        Kind::Cells => more.add(&job.placed_regions()?),
        Kind::Surfaces => more.add(&job.scenario.tiles.tiling(job.world.scene())),
        Kind::Paths | Kind::Channels => {}
        Kind::Visibility => {
            let scene = job.world.scene();
            let tiles = Tiles::new(scene, job.scenario.tiles.tiling(scene))?;
            return Ok(visibility_digest(scene, &tiles));
        }
    }
    Ok(job.digest(&[&kind, &more.finish()]))
}
