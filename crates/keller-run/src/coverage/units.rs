//! The parts of a coverage that workers of a sweep fill, each by itself.

use std::ops::Range;
use std::path::Path;

use keller::coverage::Region;
use keller_io::coverage::{Part, rows_of};
use keller_io::sweep::{UnitResult, Work};

use super::gains::Gains;
use super::{CoverageRun, place};
use crate::observer::Tell;
use crate::{Error, Job, Sweep};

/// Cells of a unit where engines fill any cells of a Tx by themselves.
const UNIT_CELLS: usize = 1 << 15;

impl Job {
    /// The cells of all regions, where they stand in the scene.
    pub(crate) fn placed_regions(&self) -> Result<Vec<Region>, Error> {
        let regions = self.regions()?.iter();
        regions.map(|region| place::region(self, region)).collect()
    }
}

impl CoverageRun {
    /// Takes all cells from the store of a sweep in the folder `place`. What it lacks is computed and added to it.
    ///
    /// # Errors
    /// [`Error::Sweep`] for a store that cannot be used; the errors of [`Self::next_block`].
    pub fn fill_from_sweep(&mut self, place: &Path) -> Result<(), Error> {
        let (mut sweep, tx_in_units) = Sweep::of_job(place, &self.job, Work::Cells, false)?;
        for (number, unit) in sweep.units_of_job() {
            if unit.region != self.number {
                continue;
            }
            self.job.observer.check()?;
            let mut values = sweep.take(number)?;
            if !self.is_unit(&unit.tx, &unit.range, &values) {
                values = sweep.run(number)?;
            }
            let UnitResult::Cells(values) = &values else {
                unreachable!("units are of the kind that was asked for")
            };
            self.put_unit(&unit.tx, &unit.range, values, &tx_in_units)?;
        }
        self.family = None;
        self.group = self.groups.len();
        Ok(())
    }

    /// Groups of Tx that are filled together, each with ranges of cells of about `most` cells, in the order of the rows.
    pub(crate) fn units(&self, most: Option<usize>) -> Vec<(Vec<usize>, Range<usize>)> {
        let num_cells = self.region.num_cells();
        // Other engines trace all of the region for any of its cells.
        let at_once = if self.filler.fills_any_cells() {
            most.unwrap_or(UNIT_CELLS)
        } else {
            num_cells
        };
        let at_once = at_once.div_ceil(Part::CHUNK).max(1) * Part::CHUNK;
        let ranges = (0..num_cells).step_by(at_once);
        let ranges = ranges.map(|first| first..num_cells.min(first + at_once));
        let ranges: Vec<Range<usize>> = ranges.collect();
        let of_group = |tx: &Vec<usize>| {
            let tx = tx.clone();
            let ranges = ranges.clone().into_iter();
            ranges.map(move |cells| (tx.clone(), cells))
        };
        self.groups.iter().flat_map(of_group).collect()
    }

    /// Whether the engine fills these cells from these Tx together.
    pub(crate) fn has_unit(&self, tx: &[usize], cells: &Range<usize>) -> bool {
        let num_cells = self.region.num_cells();
        self.filler.groups(&self.tx).iter().any(|group| group == tx)
            && cells.end <= num_cells
            && (self.filler.fills_any_cells() || *cells == (0..num_cells))
    }

    /// The values of some cells for each row of a group of Tx.
    pub(crate) fn unit(
        &mut self,
        tx: &[usize],
        cells: Range<usize>,
    ) -> Result<Vec<Vec<f64>>, Error> {
        self.gains = Gains::held(self.num_rows(), cells);
        self.groups = vec![tx.to_vec()];
        self.group = 0;
        while self.next_block()?.is_some() {}
        let none = Gains::held(0, 0..0);
        let mut rows = std::mem::replace(&mut self.gains, none).into_rows();
        let wanted = self.rows_of(tx).into_iter();
        Ok(wanted.map(|row| std::mem::take(&mut rows[row])).collect())
    }

    /// Takes over the rows that [`Self::unit`] found. `tx_in_units` has the number of each own Tx there. Units must come in
    /// the order of [`Self::units`].
    pub(super) fn put_unit(
        &mut self,
        tx: &[usize],
        cells: &Range<usize>,
        values: &[Vec<f64>],
        tx_in_units: &[usize],
    ) -> Result<(), Error> {
        // Each Tx of the unit has as many rows, one Tx after the other.
        let rows = values.chunks(self.rows_of(&[0]).len());
        for (in_unit, rows) in tx.iter().zip(rows) {
            let own = tx_in_units.iter().enumerate();
            for (own, _) in own.filter(|(_, of)| *of == in_unit) {
                for (row, values) in self.rows_of(&[own]).into_iter().zip(rows) {
                    self.gains.put(row, cells.clone(), values)?;
                }
            }
        }
        Ok(())
    }

    /// Whether these are the values of so many Tx and cells.
    fn is_unit(&self, tx: &[usize], cells: &Range<usize>, values: &UnitResult) -> bool {
        let UnitResult::Cells(rows) = values else {
            return false;
        };
        rows.len() == tx.len() * self.rows_of(&[0]).len()
            && rows.iter().all(|row| row.len() == cells.len())
    }

    pub(super) fn rows_of(&self, tx: &[usize]) -> Vec<usize> {
        let rows = |index: &usize| rows_of(*index, self.tx.len(), self.filler.figures);
        tx.iter().flat_map(rows).collect()
    }
}
