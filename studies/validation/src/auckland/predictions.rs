//! Predictions of the survey, by the same code as `keller compare`.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use keller::comparison::{OffsetKind, Offsets, Pair, Statistics};
use keller_io::scenario::{Measurements, Scenario};
use keller_run::{Average, Job, Machine, PathEnds, PathRunOptions, Predictions, prepare_scene};

use super::set_up::{Files, SetUp};
use super::survey::{Survey, Tx};

/// The predictions for the survey.
pub(super) struct Predicted {
    /// Every link of the survey; groups are its Tx.
    pub(super) pairs: Vec<Pair>,
    pub(super) num_paths: usize,
}

impl Predicted {
    /// Writes the files of a set-up into a folder, and compares.
    ///
    /// # Errors
    /// The errors of the files and of the run.
    pub(super) fn of(set_up: &SetUp, survey: &Survey, folder: &Path) -> Result<Self> {
        let files = set_up.write(survey, &|_| true, folder)?;
        let (job, measurements) = open(&files)?;
        let (pairs, num_paths) = predict(&job, &measurements)?;
        Ok(Self { pairs, num_paths })
    }

    /// The spread of the errors.
    pub(super) fn spread(&self, survey: &Survey) -> Spread {
        Spread::of(&self.pairs, survey)
    }
}

/// Every measurement with its prediction, and the number of paths.
///
/// # Errors
/// The errors of the run.
pub(super) fn predict(job: &Arc<Job>, measurements: &Measurements) -> Result<(Vec<Pair>, usize)> {
    let mut predictions = Predictions::new(job, Average::Incoherent)?;
    let traced = Arc::clone(predictions.traced().context("paths predict")?);
    let blocks = traced.paths(&PathRunOptions {
        points: PathEnds::Elements,
        ..PathRunOptions::default()
    })?;
    let mut num_paths = 0;
    for block in blocks {
        let block = block?;
        num_paths += block.paths.len();
        predictions.add(&block);
    }
    Ok((predictions.pairs(measurements), num_paths))
}

/// The job whose receivers are the measured places, and the measurements.
///
/// # Errors
/// For files that say something wrong.
pub(super) fn open(files: &Files) -> Result<(Arc<Job>, Measurements)> {
    let mut scenario = Scenario::load_without_rx(&files.scenario)?;
    let measurements = Measurements::load(std::slice::from_ref(&files.measured), &scenario)?;
    scenario.receivers = measurements.receivers.clone();
    let prepared = prepare_scene(&scenario.scene, &(), &|_| Ok(()))?;
    let job = Job::new(scenario, prepared, &Machine::default(), Arc::new(()))?;
    Ok((job, measurements))
}

/// Standard deviations of errors, dB.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spread {
    /// The deviation over all links, with an offset for each Tx.
    pub(super) all: f64,
    /// The deviation over the links from indoors, with an offset for each Tx.
    pub(super) indoors: f64,
    /// The deviation over the links from indoors, with one offset for all of them: floors are not hidden in it.
    pub(super) indoors_one: f64,
    /// The deviation over the links from outdoors, with an offset for each Tx.
    pub(super) outdoors: f64,
    /// Number of links that nothing reaches.
    pub(super) num_unreached: usize,
}

impl Spread {
    /// The spread of some pairs whose groups are the Tx of the survey.
    pub(super) fn of(pairs: &[Pair], survey: &Survey) -> Self {
        let of = |is_wanted: &dyn Fn(&Tx) -> bool, kind: OffsetKind| {
            let chosen = pairs
                .iter()
                .filter(|pair| is_wanted(&survey.tx[pair.group]));
            let chosen: Vec<Pair> = chosen.copied().collect();
            let statistics = Statistics::of(&chosen, &Offsets::fit(&chosen, kind));
            statistics.map_or(f64::NAN, |statistics| statistics.rmse)
        };
        Self {
            all: of(&|_| true, OffsetKind::PerGroup),
            indoors: of(&Tx::is_indoors, OffsetKind::PerGroup),
            indoors_one: of(&Tx::is_indoors, OffsetKind::One),
            outdoors: of(&|tx| !tx.is_indoors(), OffsetKind::PerGroup),
            num_unreached: pairs
                .iter()
                .filter(|pair| !pair.predicted_db.is_finite())
                .count(),
        }
    }
}
