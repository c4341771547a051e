//! Calibration of the losses of beams, to measurements or to a [reference](super::reference).
//!
//! Paths to the measured cells are recorded once, without their losses. Then every choice of losses costs microseconds.

use std::sync::Arc;

use keller::calibration::{
    BendLosses, Calibrated, LossKind, Observation, Parameter, Settings, calibrate,
};
use keller::coverage::beams::{Beams, Recording, Through};
use keller::units::power_to_db;
use keller_io::reports::calibration::CalibrationSummary;
use keller_io::reports::comparison::Compared;
use keller_io::scenario::{CalibrateSettings, CalibratedScenario, Measurements};

use super::changes::rounded_offsets;
use super::folds::{self, LeftOut, values_of};
use super::{CalibrationOptions, CalibrationResult, Folds};
use crate::compare::{CellGain, suspicion};
use crate::observer::Tell;
use crate::{Error, Job, Predictions, RunStage};

/// A scenario of beams whose paths are recorded, ready to be calibrated.
#[derive(Debug)]
pub struct LossCalibration {
    job: Arc<Job>,
    measurements: Measurements,
    /// The paths to the measured cells of each region from each Tx.
    recordings: Vec<Recording>,
    /// The observation of each measurement.
    observations: Vec<Observation>,
    /// The distance from the measured place to the centre of its cell, metres, of each measurement.
    distances: Vec<f64>,
    kinds: Vec<LossKind>,
    num_without: usize,
    settings: Settings,
    folds: Option<Folds>,
}

/// A region of beams, and where its cells are asked for.
struct Asked {
    beams: Beams,
    /// The numbers of the cells of each Tx, ascending.
    cells: Vec<Vec<usize>>,
}

impl LossCalibration {
    /// Records the paths of a job whose receivers are the places of the measurements. Measurements count in their cells;
    /// those outside of all cells that maps fill are left out.
    ///
    /// # Errors
    /// [`Error::Input`] for a scenario without `engine = "beams"`, measurements that nothing can be learned from, and losses that
    /// no path has; the errors of [`Job::coverage`].
    pub fn new(
        job: &Arc<Job>,
        mut measurements: Measurements,
        options: &CalibrationOptions,
    ) -> Result<Self, Error> {
        let beams = job.beams_of_regions()?;
        let is_filled: Vec<Vec<usize>> = beams.iter().map(Beams::filled_cells).collect();
        let num_before = measurements.rows.len();
        // The region and cell of each measurement that has one.
        let mut cells: Vec<(usize, usize, f64)> = Vec::new();
        measurements.rows.retain(|row| {
            let at = job.positions.rx[row.rx];
            let mut found = beams.iter().zip(&is_filled).enumerate();
            let found = found.find_map(|(region, (beams, filled))| {
                let cell = beams.region().nearest(at, beams.ground())?;
                filled.binary_search(&cell).ok()?;
                let centre = beams.region().cell(cell);
                let centre = beams.region().centre(centre, beams.ground())?;
                Some((region, cell, centre.distance(at)))
            });
            cells.extend(found);
            found.is_some()
        });
        let num_without = num_before - measurements.rows.len();
        if measurements.rows.iter().all(|row| row.is_limit) {
            return Err(Error::Input(format!(
                "nothing can be learned: of {num_before} measurements, {num_without} lie outside the cells of [coverage] or in buildings, and {} \
                 below the receiver's noise; cells at the height of the measurements are needed around them",
                measurements.rows.len()
            )));
        }
        let mut asked: Vec<Asked> = beams
            .into_iter()
            .map(|beams| Asked {
                beams,
                cells: vec![Vec::new(); job.tx.len()],
            })
            .collect();
        for (row, (region, cell, _)) in measurements.rows.iter().zip(&cells) {
            asked[*region].cells[row.tx].push(*cell);
        }
        let recordings = record(job, &mut asked)?;
        let mut starts = vec![0];
        for recording in &recordings {
            starts.push(starts[starts.len() - 1] + recording.num_cells());
        }
        let both = measurements.rows.iter().zip(&cells);
        let observations = both.map(|(row, (region, cell, _))| {
            let of_tx = &asked[*region].cells[row.tx];
            let number = of_tx.partition_point(|known| known < cell);
            Observation {
                prediction: starts[region * job.tx.len() + row.tx] + number,
                measured_db: row.gain_db,
                is_limit: row.is_limit,
                group: row.tx,
                deviation_db: row.uncertainty_db.unwrap_or(0.0),
            }
        });
        let settings = job.scenario.calibrate.clone().unwrap_or_default();
        let mut calibration = Self {
            job: Arc::clone(job),
            observations: observations.collect(),
            distances: cells.iter().map(|(.., distance)| *distance).collect(),
            kinds: kinds(job, &settings, &recordings)?,
            recordings,
            measurements,
            num_without,
            settings: Settings {
                optimiser: options.optimiser,
                offsets: settings.offset,
                error_db: settings.error_db,
            },
            folds: options.folds,
        };
        calibration.leave_out_unreached()?;
        Ok(calibration)
    }

    /// Leaves out measurements where nothing arrives.
    fn leave_out_unreached(&mut self) -> Result<(), Error> {
        let mut is_reached = Vec::new();
        for recording in &self.recordings {
            let cells = 0..recording.num_cells();
            is_reached.extend(cells.map(|cell| !recording.paths_to(cell).is_empty()));
        }
        let kept: Vec<bool> = self
            .observations
            .iter()
            .map(|observation| observation.is_limit || is_reached[observation.prediction])
            .collect();
        let mut each = kept.iter().copied().cycle();
        let mut is_kept = || each.next() == Some(true);
        self.observations.retain(|_| is_kept());
        self.measurements.rows.retain(|_| is_kept());
        self.distances.retain(|_| is_kept());
        self.num_without += kept.iter().filter(|kept| !**kept).count();
        if self.observations.iter().all(|o| o.is_limit) {
            return Err(Error::Input(format!(
                "nothing can be learned: no path arrives at the measured places; more `corners`, or `through_walls` or `rooftops`, reach more \
                 ({} measurements)",
                kept.len()
            )));
        }
        Ok(())
    }

    /// Number of paths to the measured cells.
    pub fn num_paths(&self) -> usize {
        let of = |recording: &Recording| recording.paths().len();
        self.recordings.iter().map(of).sum()
    }

    /// Number of measurements that a fit can use.
    pub fn num_observations(&self) -> usize {
        self.observations.len()
    }

    /// Number of measurements that are left out: outside the cells that maps fill, or where no path arrives.
    pub fn num_without(&self) -> usize {
        self.num_without
    }

    /// Searches for the losses. A search that is stopped gives the best so far, without folds.
    ///
    /// # Errors
    /// [`Error::Input`] for measurements that nothing can be learned from.
    pub fn run(&self) -> Result<CalibrationResult, Error> {
        let (job, settings) = (&self.job, &self.settings);
        let model = BendLosses::new(&self.recordings, &self.kinds, job.scenario.beams.losses);
        let parameters = model.parameters();
        let observations = &self.observations;
        let in_scenario = |error| match error {
            keller::Error::Cancelled => Error::Stopped,
            error => Error::in_scenario(&job.scenario, &error),
        };
        let found = job
            .observer
            .watch(|control| calibrate(&model, &parameters, observations, settings, control));
        let mut calibrated = found.map_err(in_scenario)?;
        if let Some(suspicion) = suspicion(self.mean_error(&calibrated)) {
            job.observer.warn(suspicion);
        }
        let values = values_of(&calibrated);
        let folds = match self.folds {
            Some(by) if !calibrated.is_stopped => {
                let rows = &self.measurements.rows;
                let sets: Vec<usize> = rows.iter().map(|row| row.set).collect();
                let left_out = LeftOut::new(by, rows.iter().map(|row| (row.tx, row.rx)), &sets);
                let near = parameters.iter().zip(&values);
                let near: Vec<Parameter> = near
                    .map(|(parameter, value)| Parameter {
                        start: *value,
                        ..parameter.clone()
                    })
                    .collect();
                let judged = left_out.judge(job, &model, &near, observations, *settings);
                let judged = judged.map(|(errors, _)| errors).map_err(in_scenario);
                folds::told(judged, job, &mut calibrated)?
            }
            _ => None,
        };
        let losses = model.losses(&values);
        let mut scenario = job.scenario.clone();
        scenario.beams.losses = losses;
        Ok(CalibrationResult {
            changes: CalibratedScenario {
                losses: Some((losses, self.kinds.clone())),
                offsets_db: rounded_offsets(&calibrated.offsets, job.tx.len()),
                ..CalibratedScenario::default()
            },
            job: job.with_world(scenario, job.world.clone()),
            summary: CalibrationSummary {
                calibrated,
                parameters,
                tx: job.tx.iter().map(|tx| tx.name.to_string()).collect(),
                optimiser: settings.optimiser,
                folds,
                num_paths: self.num_paths(),
                num_observations: self.num_observations(),
                num_unreached: self.num_without,
            },
        })
    }

    /// The measurements with the predictions by the losses of a job: that of [`Self::new`] or of a
    /// [result](CalibrationResult::job).
    pub fn compare(&self, job: &Arc<Job>) -> Compared {
        let losses = &job.scenario.beams.losses;
        let mut gains = Vec::new();
        for recording in &self.recordings {
            let cells = 0..recording.num_cells();
            gains.extend(cells.map(|cell| power_to_db(recording.gain(cell, losses))));
        }
        let rows = self.measurements.rows.iter();
        let each = rows.zip(&self.observations).zip(&self.distances);
        let cells = each.map(|((row, observation), distance)| CellGain {
            tx: row.tx,
            rx: row.rx,
            gain_db: gains[observation.prediction],
            distance: *distance,
        });
        let mut compared =
            Predictions::of_cells(job, cells).compare(&self.measurements, self.settings.offsets);
        if let Some(cells) = &mut compared.cells {
            cells.num_without = self.num_without;
        }
        compared
    }

    /// The mean error without offsets, dB.
    fn mean_error(&self, judged: &Calibrated) -> f64 {
        let known = self.observations.iter().filter(|o| !o.is_limit);
        let errors = known.map(|o| judged.predictions[o.prediction] - o.measured_db);
        let errors: Vec<f64> = errors.filter(|error| error.is_finite()).collect();
        errors.iter().sum::<f64>() / errors.len().max(1) as f64
    }
}

/// The paths to all cells that are asked for, whose numbers are ordered here: of each region, of each Tx.
fn record(job: &Arc<Job>, asked: &mut [Asked]) -> Result<Vec<Recording>, Error> {
    let tx = job.transmitters()?;
    let mut recordings = Vec::with_capacity(asked.len() * tx.len());
    let total = (asked.len() * tx.len()) as f64;
    for Asked { beams, cells } in asked {
        for (tx, cells) in tx.iter().zip(cells) {
            cells.sort_unstable();
            cells.dedup();
            job.observer
                .report(RunStage::Coverage, recordings.len() as f64 / total);
            let record = job.observer.watch_as(
                |_, _| (RunStage::Coverage, recordings.len() as f64 / total),
                |control| beams.record(tx, cells, control),
            );
            recordings.push(record.map_err(|error| match error {
                keller::Error::Cancelled => Error::Stopped,
                error => Error::in_scenario(&job.scenario, &error),
            })?);
        }
    }
    Ok(recordings)
}

/// The kinds of losses that may change. Those that are asked for must have a part in the paths.
fn kinds(
    job: &Job,
    settings: &CalibrateSettings,
    recordings: &[Recording],
) -> Result<Vec<LossKind>, Error> {
    let has = |kind: LossKind| {
        let mut paths = recordings.iter().flat_map(Recording::paths);
        paths.any(|path| match path.through {
            Through::Air => false,
            Through::Walls(_) => kind == LossKind::Wall,
            Through::Corners(_) => kind == LossKind::StreetBend,
            Through::Roofs(_) => kind == LossKind::RoofBend,
        })
    };
    let known = LossKind::NAMES.map(|(_, kind)| kind);
    let Some(asked) = &settings.losses else {
        return Ok(known.into_iter().filter(|kind| has(*kind)).collect());
    };
    if let Some(idle) = asked.iter().find(|kind| !has(**kind)) {
        return Err(Error::Input(format!(
            "{}: [calibrate] losses: no path to a measured cell has {}; accepted: losses of `corners`, `through_walls` and `rooftops` \
             that the scenario has and measured places out of sight",
            job.scenario.file.display(),
            idle.name()
        )));
    }
    Ok(asked.clone())
}
