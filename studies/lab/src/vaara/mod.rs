//! The coarse search of Vaara 2022 (chapter 4) with buffers of fixed size, the removal of doubles, and a corridor for
//! the indoor experiment.
//!
//! **Algorithm.** Rays from tile to tile ([`crate::tile_rays`]) put coarse paths into a buffer ([`buffers`]). A full
//! buffer is handed on: its doubles are removed ([`removal`]), the rest is made exact and validated, and it is empty
//! again. With two buffers one fills while the other is emptied (Vaara 2022, section 4.3.2). Whatever the size of the
//! buffer, its number, the order of rays and the threads: the same paths are found, and none is lost.
//!
//! **Memory:** the buffers, the rays that are followed at once, and the known paths: different coarse paths, without
//! which no double can be found, and the valid paths, which are the result.

pub mod buffers;
pub mod corridor;
pub mod removal;
#[cfg(test)]
mod tests;
pub mod threshold;

use keller::paths::{CoarseReport, Path, TileFinder};
use keller::{Control, DVec3, Error};

use buffers::{Buffering, Traffic, pass};
use removal::{Known, Removal};

use crate::tile_rays::{Hit, Streaming, coarse_paths, stream};

/// Options of a search that keeps its coarse paths in buffers until they are made exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// The way in which coarse paths are handed on.
    pub streaming: Streaming,
    /// The buffer between the search and its receiver.
    pub buffering: Buffering,
    /// The way in which doubles are found.
    pub removal: Removal,
}

/// The results of a search with buffers.
#[derive(Debug)]
pub struct Outcome {
    /// Different coarse paths, in order.
    pub hits: Vec<Hit>,
    /// The valid paths that follow from them, by receiver and length.
    pub paths: Vec<Path>,
    /// The report on the coarse paths.
    pub report: CoarseReport,
    /// The traffic through the buffer.
    pub traffic: Traffic,
}

/// Searches, and makes the paths of each full buffer exact. One thread of its own empties the buffers.
///
/// # Errors
/// [`Error::Cancelled`].
///
/// # Panics
/// If the system refuses a thread.
pub fn search(
    finder: &TileFinder,
    tx: DVec3,
    rx: &[DVec3],
    settings: &Settings,
    control: &Control,
) -> Result<Outcome, Error> {
    // Threads of the search wait for the emptying one, which must therefore not wait for them.
    let own = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("the system gives a thread");
    let mut paths = Vec::new();
    let mut report = CoarseReport::default();
    let mut refined = Ok(());
    let (hits, traffic) = coarse(finder, tx, rx, settings, control, |new| {
        if refined.is_err() {
            return;
        }
        let coarse = coarse_paths(new.to_vec());
        match own.install(|| finder.refine(tx, rx, &coarse, control)) {
            Ok((valid, of_batch)) => {
                paths.extend(valid);
                report.num_coarse += of_batch.num_coarse;
                report.num_converged += of_batch.num_converged;
                report.num_valid += of_batch.num_valid;
            }
            Err(error) => refined = Err(error),
        }
    })?;
    refined?;
    report.num_chains = coarse_paths(hits.clone()).chains().len();
    paths.sort_by(|a, b| {
        let by_length = a.rx.cmp(&b.rx).then(a.length.total_cmp(&b.length));
        by_length.then_with(|| a.interactions().cmp(b.interactions()))
    });
    Ok(Outcome {
        hits,
        paths,
        report,
        traffic,
    })
}

/// The different coarse paths in order, and the traffic through the buffers. Each path is given to `each_new` once,
/// with the other new ones of its buffer, on the emptying thread.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn coarse(
    finder: &TileFinder,
    tx: DVec3,
    rx: &[DVec3],
    settings: &Settings,
    control: &Control,
    mut each_new: impl FnMut(&[Hit]) + Send,
) -> Result<(Vec<Hit>, Traffic), Error> {
    let mut known = Known::new(settings.removal);
    let mut searched = Ok(());
    let traffic = pass(
        settings.buffering,
        rx.len(),
        Hit::rx,
        |deliver| searched = stream(finder, tx, rx, &settings.streaming, deliver, control),
        |batch| {
            known.keep_new(batch);
            if !batch.is_empty() {
                each_new(batch);
            }
        },
    );
    searched?;
    Ok((known.into_sorted(), traffic))
}
