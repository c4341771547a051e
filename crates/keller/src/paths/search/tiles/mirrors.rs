//! Chains of several reflections to tiles, without pairs of tiles: none of them is lost.
//!
//! The exact beam tree of the [complete](crate::paths::search::complete) search has all sequences of planes that the
//! transmitter may see, and the visible part of the last plane of each. Through this part the last image sees the
//! centres of tiles; single walls hide some of them, as for chains of one reflection. Where waves pass walls, a beam has
//! no such ends, and pairs of tiles are followed instead.

use std::sync::OnceLock;

use glam::DVec3;
use rayon::prelude::*;

use super::front::Keep;
use super::{CoarseChain, TileSearch};
use crate::paths::search::complete::{Complete, Reach};
use crate::paths::{Limits, Step};
use crate::{Control, Error, World};

/// The search for sequences of reflecting planes, made when it is first asked for.
#[derive(Debug)]
pub(super) struct Mirrors {
    world: World,
    limits: Limits,
    complete: OnceLock<Complete>,
}

impl Mirrors {
    pub(super) fn new(world: &World, limits: &Limits) -> Self {
        let limits = Limits {
            max_diffractions: 0,
            max_scatterings: 0,
            ..*limits
        };
        Self {
            world: world.clone(),
            limits,
            complete: OnceLock::new(),
        }
    }

    /// Whether it finds all chains of several reflections.
    pub(super) fn are_all(&self) -> bool {
        self.limits.max_transmissions == 0
    }
}

impl TileSearch {
    /// The chains of at least two reflections that may lead to the centres of tiles, in the order of their steps. Of
    /// chains to which no edge can be added, only the tiles that `keep` leaves are returned.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn reflections_to_tiles(
        &self,
        tx: DVec3,
        keep: &Keep,
        control: &Control,
    ) -> Result<Vec<CoarseChain>, Error> {
        let mirrors = &self.mirrors;
        let reflections = mirrors.limits.reflections();
        if reflections < 2 {
            return Ok(Vec::new());
        }
        let complete = mirrors
            .complete
            .get_or_init(|| Complete::new(&mirrors.world, &mirrors.limits));
        let reach = Reach {
            reflections,
            edges: None,
            among: None,
            wants_parts: true,
        };
        let views = complete.views(tx, reach, control)?;
        let nodes = &views.tree.nodes;
        let chain = |node: usize| {
            let (of, part) = (&nodes[node], views.parts[node]);
            if of.depth < 2 || control.is_cancelled() {
                return None;
            }
            let image = nodes[of.parent as usize].image;
            let opening = self.visibility.mirror(image, of.plane, part)?;
            let mut rx = self.visibility.reached_by(&opening, |_, _| true);
            let planes = views.tree.sequence(node).into_iter();
            let steps: Vec<Step> = planes.map(Step::Reflection).collect();
            if !self.may_bend(steps.len(), 0) {
                keep(&steps, &mut rx);
            }
            (!rx.is_empty()).then_some(CoarseChain { steps, rx })
        };
        let all = (0..nodes.len()).into_par_iter().with_min_len(16);
        let mut chains: Vec<CoarseChain> = all.filter_map(chain).collect();
        control.check()?;
        chains.par_sort_unstable_by(|a, b| a.steps.cmp(&b.steps));
        Ok(chains)
    }

    /// Whether an edge may be added to a chain of so many steps and edges.
    pub(super) fn may_bend(&self, num_steps: usize, num_edges: usize) -> bool {
        num_steps < self.limits.max_interactions && num_edges < self.limits.max_diffractions
    }
}
