//! Joins the quarters of a cell of directions again that came to the same wall.
//!
//! A tube is split for what it meets on one segment. On the next segment the reason may be gone, and four quarters need
//! four times the rays. Tubes come in the order of the quadtree, so a stack suffices: one pass, linear in the number of
//! tubes.

use super::bundle::Tube;
use super::clipped_cell::ClippedCell;
use super::direction_cells::DirectionCell;
use super::uncertain_segments::UncertainSegments;

/// Joins tubes that are pushed in the order of the quadtree.
#[derive(Debug)]
pub(in crate::coverage::tubes) struct QuarterMerger {
    tubes: Vec<MergedTube>,
}

/// A tube at the wall that it leaves, whole or joined.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct MergedTube {
    pub(in crate::coverage::tubes) tube: Tube,
    /// The distance of the wall from the source, metres.
    pub(in crate::coverage::tubes) distance: f64,
}

impl QuarterMerger {
    pub(in crate::coverage::tubes) fn with_capacity(capacity: usize) -> Self {
        Self {
            tubes: Vec::with_capacity(capacity),
        }
    }

    /// Adds the next tube. Quarters that are complete are joined, as long as `is_narrow` accepts the result.
    pub(in crate::coverage::tubes) fn push(
        &mut self,
        next: &MergedTube,
        is_narrow: impl Fn(&MergedTube) -> bool,
    ) {
        self.close(Some(next.tube.directions.cell), is_narrow);
        self.tubes.push(*next);
    }

    /// Joins the quarters of all cells that are complete: `next` does not lie in them.
    fn close(&mut self, next: Option<DirectionCell>, is_narrow: impl Fn(&MergedTube) -> bool) {
        while let Some((from, whole)) = self.whole(next) {
            if !is_narrow(&whole) {
                break;
            }
            self.tubes.truncate(from);
            self.tubes.push(whole);
        }
    }

    /// The tube whose quarters are the last on the stack, and where these begin there.
    fn whole(&self, next: Option<DirectionCell>) -> Option<(usize, MergedTube)> {
        let last = self.tubes.last()?.tube;
        let cell = last.directions.cell.parent()?;
        if next.is_some_and(|next| next.is_within(cell)) {
            return None;
        }
        let is_quarter = |a: &&MergedTube| a.tube.directions.cell.parent() == Some(cell);
        let num = self.tubes.iter().rev().take_while(is_quarter).count();
        let from = self.tubes.len() - num;
        let quarters = &self.tubes[from..];
        let is_clear = last.uncertain.is_none();
        if quarters
            .iter()
            .any(|q| q.tube.uncertain.is_none() != is_clear)
        {
            return None;
        }
        let pieces: Vec<ClippedCell> = quarters.iter().map(|q| q.tube.directions).collect();
        let tube = Tube {
            directions: ClippedCell::whole(&pieces)?,
            uncertain: quarters
                .iter()
                .fold(UncertainSegments::default(), |uncertain, q| {
                    uncertain.union(q.tube.uncertain)
                }),
            path_gain: quarters[0].tube.path_gain,
            wave: None,
        };
        let distance = quarters.iter().map(|q| q.distance).fold(0.0, f64::max);
        Some((from, MergedTube { tube, distance }))
    }

    pub(in crate::coverage::tubes) fn into_tubes(
        mut self,
        is_narrow: impl Fn(&MergedTube) -> bool,
    ) -> Vec<Tube> {
        self.close(None, is_narrow);
        let tubes = self.tubes.into_iter();
        tubes.map(|merged| merged.tube).collect()
    }
}
