//! Finds paths from what both ends see.

use glam::DVec3;

use super::Path;
use super::connect::connect;
use super::diffract::diffract;
use super::job::{Job, Transmitter};
use super::search::Searcher;
use super::variations::search_variations;
use crate::Error;

/// The paths without scattering, from the transmitter's views.
pub(super) fn by_views(
    job: &Job,
    searcher: &Searcher,
    tx: &Transmitter,
    rx: &[DVec3],
) -> Result<Vec<Path>, Error> {
    let mut paths = connect(job, tx, (&tx.views.tree, 0), rx)?;
    if job.limits.max_diffractions > 0 {
        paths.extend(diffract(job, searcher, tx, rx)?);
    }
    if let Some(reach) = searcher.reach_of_variations() {
        paths.sort_by_key(|path| path.rx);
        paths.extend(search_variations(job, tx, rx, &paths, reach, |_| true)?);
    }
    Ok(paths)
}
