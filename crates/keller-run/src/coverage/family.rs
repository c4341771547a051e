//! Coverages of a variant whose traces serve other variants of the scenario too.
//!
//! One trace follows what any Tx at its place can bring. So that a variant has the same numbers whether it is computed
//! alone or with the others, and variants differ by their Tx and by nothing else, it is always traced for all of them.

use std::sync::Arc;

use keller_io::coverage::rows_of;
use keller_io::sweep::Work;

use super::{CoverageBlock, CoverageRun};
use crate::sweep::family_of;
use crate::{Error, Job};

/// The run over the Tx of all variants that differ in their Tx alone.
#[derive(Debug)]
pub(super) struct FamilyRun {
    run: Box<CoverageRun>,
    /// Of each Tx of the variant, its number there.
    tx: Vec<usize>,
    /// The groups that have one of these, the next one last.
    groups: Vec<Vec<usize>>,
}

impl FamilyRun {
    /// The family of the variant in a job; `None` if it has no other member.
    pub(super) fn new(job: &Arc<Job>, region: usize) -> Result<Option<Self>, Error> {
        let Some((scenario, tx)) = family_of(&job.scenario, Work::Cells)? else {
            return Ok(None);
        };
        let run = Box::new(job.with_tx(scenario)?.coverage(region)?);
        let has_own = |group: &&Vec<usize>| group.iter().any(|index| tx.contains(index));
        let groups = run.groups.iter().filter(has_own).rev();
        Ok(Some(Self {
            groups: groups.cloned().collect(),
            run,
            tx,
        }))
    }

    /// Of all that the traces follow from.
    pub(super) fn digest(&self) -> [u8; 16] {
        self.run.digest()
    }
}

impl CoverageRun {
    /// Fills the cells of the next group of a variant's family; `None` if all are filled.
    pub(super) fn next_of_family(&mut self) -> Result<Option<CoverageBlock>, Error> {
        let cells = 0..self.region.num_cells();
        while let Some(mut family) = self.family.take() {
            let Some(group) = family.groups.pop() else {
                break;
            };
            let own = family.tx.iter().enumerate();
            let own = own.filter(|(_, index)| group.contains(index));
            let own: Vec<usize> = own.map(|(own, _)| own).collect();
            let rows = own
                .iter()
                .flat_map(|own| rows_of(*own, self.tx.len(), self.filler.figures));
            let rows: Vec<usize> = rows.collect();
            if self.gains.next(&rows, 1).is_some() {
                let values = family.run.unit(&group, cells.clone())?;
                self.put_unit(&group, &cells, &values, &family.tx)?;
                self.family = Some(family);
                return Ok(Some(CoverageBlock { tx: own, cells }));
            }
            self.family = Some(family);
        }
        self.group = self.groups.len();
        Ok(None)
    }
}
