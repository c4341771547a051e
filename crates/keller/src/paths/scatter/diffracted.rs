//! Patches that one end or both reach by edges. Pairs of ways are tried, the strongest first.
//!
//! Every way to a coarse cell has a weight, an upper bound of its contribution there. The product of both ends' weights
//! bounds the strength of any patch of the cell. Cells and ways are therefore taken in falling order, and the first
//! that is too weak ends the search.

use std::cmp::Ordering;

use super::cells::PatchSquare;
use super::lists::ONE_PATCH;
use super::meeting::{FLOOR, Meeting};
use super::table::{Table, Weighed};

/// Ways from both ends to one cell.
struct Pairs<'a> {
    cell: PatchSquare,
    before: &'a [Weighed],
    after: &'a [Weighed],
    strongest: f64,
}

impl Meeting<'_> {
    /// Adds the patches reached by one edge or more: few edges and reflections first, then the strongest cells first.
    pub(super) fn meet_by_edges(&mut self) {
        let limits = self.job.limits;
        let tx = self.tx_table;
        let min_power = FLOOR * self.strongest;
        let rx = Table::new(self.job.scene, self.rx, |cell| {
            let heaviest = tx.heaviest(cell)?;
            Some(min_power / (heaviest * cell.side().powi(2)))
        });
        for edges in 1..=limits.diffractions_beside(&ONE_PATCH) {
            let max_reflections = limits.reflections_beside(&ONE_PATCH.plus(0, edges));
            for reflections in 0..=max_reflections.unwrap_or(0) {
                let mut all: Vec<Pairs> = Vec::new();
                for (&cell, after) in rx.cells.iter().zip(&rx.classes) {
                    for before in tx.classes(&cell) {
                        let fitting = after.iter().filter(|after| {
                            before.edges + after.edges == edges
                                && before.reflections + after.reflections == reflections
                        });
                        all.extend(fitting.map(|after| Pairs {
                            cell,
                            before: &before.ways,
                            after: &after.ways,
                            strongest: strength(&cell, before.ways[0], after.ways[0]),
                        }));
                    }
                }
                all.sort_by(|a, b| b.strongest.total_cmp(&a.strongest));
                for pairs in &all {
                    if !self.is_worth(pairs.strongest) {
                        break;
                    }
                    self.meet_in_cell(pairs, edges + reflections);
                }
            }
        }
    }

    fn meet_in_cell(&mut self, pairs: &Pairs, bounces: usize) {
        for &before in pairs.before {
            for &after in pairs.after {
                if !self.is_worth(strength(&pairs.cell, before, after)) {
                    break;
                }
                self.refine(pairs.cell, [before.way, after.way], bounces);
            }
        }
    }

    /// Whether a patch with this upper bound of its strength is kept.
    fn is_worth(&self, strength: f64) -> bool {
        let floor = FLOOR * self.strongest;
        strength.partial_cmp(&floor) != Some(Ordering::Less)
    }
}

/// Upper bound of the strength of a patch of a cell, as [`Meeting::refine`] measures it.
fn strength(cell: &PatchSquare, before: Weighed, after: Weighed) -> f64 {
    before.weight * after.weight * cell.side().powi(2)
}
