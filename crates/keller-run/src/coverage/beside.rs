//! Adds the diffuse field and the background to the gains of cells.
//!
//! The visible sides of a cell serve all Tx. So the diffuse field of all Tx in a cell is computed when the first Tx is
//! filled there, and held for the others where half of the memory suffices; else it is computed again for each.

use std::ops::Range;

use keller::antenna::{Antenna, Polarization};
use keller::calibration::Background;
use keller::coverage::{Engine, Region};
use keller::diffuse::ScatteredPaths;
use keller::parallel;
use keller::paths::has_room;
use keller::{Control, DVec3};

use crate::diffuse::DiffuseOfTx;
use crate::observer::Tell;
use crate::{Error, Job};

/// Cells whose views are taken before their gains are put away.
const CELLS_AT_ONCE: usize = 1 << 12;

/// The diffuse and background power in cells.
#[derive(Debug)]
pub(super) struct CellsBeside {
    diffuse: Option<DiffuseOfTx>,
    background: Option<Background>,
    /// The gains of the diffuse field of every Tx in every cell that is known, NaN where it is not.
    held: Vec<Vec<f64>>,
    is_first: bool,
}

/// Receives both polarisations from all sides, as the paths to cells do.
fn receiver() -> Antenna {
    Antenna {
        polarization: Polarization::VH,
        ..Antenna::default()
    }
}

impl CellsBeside {
    /// Whether a job has a `[diffuse]` or a `[background]`.
    pub(super) fn is_asked_for(job: &Job) -> bool {
        job.scenario.diffuse.is_some() || job.scenario.background.is_some()
    }

    /// The diffuse and background power of a job, as far as an engine does not find it; `None` without `[diffuse]` and
    /// `[background]`.
    pub(super) fn new(job: &Job, engine: Engine) -> Result<Option<Self>, Error> {
        let scattered = match engine {
            Engine::Points => ScatteredPaths::ToDevices,
            _ => ScatteredPaths::ToCells,
        };
        let diffuse = job.diffuse_of_tx(scattered, 0)?;
        let background = job.scenario.background;
        let is_any = diffuse.is_some() || background.is_some();
        Ok(is_any.then_some(Self {
            diffuse,
            background,
            held: Vec::new(),
            is_first: true,
        }))
    }

    /// Decides once whether gains are held for `num_groups` of Tx that are filled one after the other.
    pub(super) fn prepare(&mut self, num_groups: usize, num_cells: usize, job: &Job) {
        let Some(diffuse) = &self.diffuse else {
            return;
        };
        if !std::mem::take(&mut self.is_first) || num_groups < 2 {
            return;
        }
        let num_tx = diffuse.of_tx.len();
        let bytes = 8 * num_tx as u64 * num_cells as u64;
        if bytes <= job.observer.memory_left() / 2 {
            self.held = vec![vec![f64::NAN; num_cells]; num_tx];
        } else {
            job.observer.note(format!(
                "{}: [diffuse]: the diffuse field of {num_tx} Tx in {num_cells} cells does not fit in memory; it is computed for one Tx after the other, which takes longer",
                job.scenario.file.display()
            ));
        }
    }

    /// The gains of some Tx in some cells, linear; zero where no receiver can be.
    ///
    /// # Errors
    /// [`keller::Error::Cancelled`]
    pub(super) fn gains(
        &mut self,
        tx: &[usize],
        cells: Range<usize>,
        (region, ground): (&Region, &[f64]),
        job: &Job,
        control: &Control<'_>,
    ) -> Result<Vec<Vec<f64>>, keller::Error> {
        let mut gains = vec![vec![0.0; cells.len()]; tx.len()];
        for first in cells.clone().step_by(CELLS_AT_ONCE) {
            control.check()?;
            let done = (first - cells.start) as f64 / cells.len() as f64;
            control.report(keller::Stage::Diffuse, done);
            let some = first..cells.end.min(first + CELLS_AT_ONCE);
            let of_cells: Vec<Vec<f64>> = parallel::try_map(some.len(), |n| {
                control.check()?;
                let cell = first + n;
                let at = region.centre(region.cell(cell), ground);
                let at = at.filter(|at| has_room(job.world.scene(), *at));
                Ok::<_, keller::Error>(self.at(at, cell, tx, job))
            })?;
            for (cell, of_cell) in some.zip(of_cells) {
                // The gains of the diffuse field of all Tx come first, if they are held.
                let (diffuse, own) = of_cell.split_at(of_cell.len() - tx.len());
                for (held, gain) in self.held.iter_mut().zip(diffuse) {
                    held[cell] = *gain;
                }
                for (gains, gain) in gains.iter_mut().zip(own) {
                    gains[cell - cells.start] = *gain;
                }
            }
        }
        Ok(gains)
    }

    /// The gains of `tx` in a cell, with the diffuse field of all Tx before them if it is new and to be held.
    fn at(&self, at: Option<DVec3>, cell: usize, tx: &[usize], job: &Job) -> Vec<f64> {
        let Some(at) = at else {
            return vec![0.0; tx.len()];
        };
        let of_background = |tx: &usize| {
            let distance = job.positions.tx[*tx].distance(at);
            self.background
                .map_or(0.0, |background| background.gain(distance))
        };
        let Some(diffuse) = &self.diffuse else {
            return tx.iter().map(of_background).collect();
        };
        let is_held = !self.held.is_empty();
        if is_held && !self.held[0][cell].is_nan() {
            let gain = |tx: &usize| self.held[*tx][cell] + of_background(tx);
            return tx.iter().map(gain).collect();
        }
        let view = diffuse.field.view(at, &receiver());
        let gain = |tx: &usize| diffuse.of_tx[*tx].gain_of(&view);
        if is_held {
            let all: Vec<f64> = (0..diffuse.of_tx.len()).map(|tx| gain(&tx)).collect();
            let own: Vec<f64> = tx.iter().map(|tx| all[*tx] + of_background(tx)).collect();
            return [all, own].concat();
        }
        tx.iter().map(|tx| gain(tx) + of_background(tx)).collect()
    }
}
