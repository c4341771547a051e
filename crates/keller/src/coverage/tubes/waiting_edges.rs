//! Parts of edges that wait until all launches are done.
//!
//! Tubes leave the Tx launch by launch, so that only those of one cell of directions are in memory. An edge that is seen
//! across the border of such a cell has parts in more than one launch. They belong together: the tubes that leave the edge
//! start from whole cells of it. So these parts wait here, sequence by sequence, until all are known.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::context::Context;
use super::interactions::edge_visibility::{self, EdgePart};
use super::tables::wall::Wall;
use super::tube::bundle::{Bundle, TubeInteraction};
use super::tube::direction_cells::DirectionCell;
use super::tube::virtual_source::VirtualSource;
use crate::field::FaceInteraction;

/// A bundle without its tubes, and parts of edges that it may see.
type Waiting = (Bundle, Vec<EdgePart>);

/// Parts of edges by the walls of the bundles that come to them.
#[derive(Debug, Default)]
pub(super) struct WaitingEdges(Mutex<BTreeMap<Vec<(Wall, FaceInteraction)>, Waiting>>);

impl WaitingEdges {
    /// Keeps those parts of edges that tubes of other cells of directions may see too; returns the others.
    pub(super) fn keep(
        &self,
        ctx: &Context<'_>,
        bundle: &Bundle,
        cell: DirectionCell,
        parts: Vec<EdgePart>,
    ) -> Vec<EdgePart> {
        let VirtualSource::Point(image) = &bundle.source else {
            return parts;
        };
        let is_own = |part: &EdgePart| edge_visibility::is_inside(ctx, image, part, cell);
        let (own, shared): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_own);
        if !shared.is_empty() {
            // Another launch may come to another face of the same wall first.
            let walls = bundle.interactions.iter().filter_map(|step| match *step {
                TubeInteraction::Wall { kind, face } => Some((Wall::of(ctx.scene, face), kind)),
                TubeInteraction::Edge(_) => None,
            });
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let waiting = all.entry(walls.collect());
            let (_, parts) = waiting.or_insert_with(|| (bundle.without_tubes(), Vec::new()));
            parts.extend(shared);
        }
        own
    }

    /// All bundles whose edges wait, with the parts of these.
    pub(super) fn take(&self) -> Vec<Waiting> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *all).into_values().collect()
    }
}
