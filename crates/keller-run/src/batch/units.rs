//! The units of a batch that are those of a run.

use std::path::Path;
use std::sync::Arc;

use keller_io::store::{BatchStore, Kind};

use super::check::{check, other_state, refused};
use super::jobs;
use crate::observer::Tell;
use crate::work::{BatchUnits, Run, Work};
use crate::{Error, Job};

impl<W: Work> Run<W> {
    /// Takes units from the store of a batch in the folder `place`. Units that it lacks are computed and added to it.
    ///
    /// # Errors
    /// [`Error::Store`] for a store that cannot be used, also because it is of another scenario.
    ///
    /// # Panics
    /// If it [keeps units in a file](Self::keep_in) already: that comes afterwards.
    pub fn take_from(self, place: &Path) -> Result<Self, Error> {
        let (units, together) = units_of_job(place, self.job(), self.kind(), self.has_rays())?;
        self.with_units(units, together)
    }
}

/// The job of several variants that are computed together, and of each Tx of one of them its number there.
type Together = (Arc<Job>, Vec<usize>);

/// The units in the folder `place`, if its plan has the units of this job and kind; and the job that they are of, if
/// that is another.
fn units_of_job(
    place: &Path,
    job: &Arc<Job>,
    kind: Kind,
    has_rays: bool,
) -> Result<(BatchUnits, Option<Together>), Error> {
    let store = BatchStore::open(place)?;
    let (plan, scenario) = (store.plan(), &job.scenario);
    if plan.kind != kind {
        let problem = format!(
            "this plan is for `keller {}`, not for `keller {}`; accepted: the command that it was made for",
            plan.kind.command(),
            kind.command()
        );
        return Err(refused(&store, problem));
    }
    if has_rays && !plan.has_rays {
        let problem = "this plan keeps no rays: plan again with --rays";
        return Err(refused(&store, problem.to_owned()));
    }
    let Some(family) = plan.family_of(scenario.variant) else {
        return Err(refused(&store, other_state(&scenario.file)));
    };
    let variants = &plan.families[family].variants;
    let together = if variants.len() > 1 {
        let all = jobs::family(&scenario.file, variants)?;
        let tx = jobs::tx_of(scenario, &all);
        let tx = tx.ok_or_else(|| refused(&store, other_state(&scenario.file)))?;
        Some((job.with_tx(all)?, tx))
    } else {
        None
    };
    let of = together.as_ref().map_or(job, |(job, _)| job);
    check(&store, family, of)?;
    let units = BatchUnits::new(store, family);
    tell_missing(&units, job)?;
    Ok((units, together))
}

/// Says how many units a run has to compute itself.
fn tell_missing(units: &BatchUnits, job: &Job) -> Result<(), Error> {
    let are_there = units.are_there()?;
    let num_missing = are_there.iter().filter(|is_there| !**is_there).count();
    if num_missing > 0 {
        job.observer.note(format!(
            "{}: {num_missing} of {} units are missing and are computed here",
            units.name().display(),
            are_there.len()
        ));
    }
    Ok(())
}
