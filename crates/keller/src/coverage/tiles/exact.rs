//! Decides which paths to tiles are found one by one, and which are sampled by rays ([`super::sampled`]).
//!
//! Paths without a diffraction are all found. Of the others, those of few interactions are. A path of several
//! diffractions is more expensive to find, so each diffraction but the first counts as one interaction more.

use crate::paths::{InteractionCounts, InteractionKind, Limits, Path};

/// The paths with a diffraction that are found one by one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exact {
    limits: Limits,
    /// The largest number of their interactions; `None` if all are found.
    most: Option<usize>,
}

impl Exact {
    pub(super) fn new(limits: &Limits, most: Option<usize>) -> Self {
        let mut exact = Self {
            limits: *limits,
            most,
        };
        if !exact.leaves_some() {
            exact.most = None;
        }
        exact
    }

    /// Whether the limits allow paths that are sampled.
    pub(super) fn leaves_some(&self) -> bool {
        let edges = self.num_edges();
        let together = self.limits.max_reflections.saturating_add(edges);
        let longest = InteractionCounts {
            interactions: self.limits.interactions().min(together),
            diffractions: edges,
            ..InteractionCounts::NONE
        };
        !self.holds(&longest)
    }

    /// Whether paths that have used so much are found one by one.
    pub(super) fn holds(&self, used: &InteractionCounts) -> bool {
        used.diffractions == 0
            || self
                .most
                .is_none_or(|most| used.interactions + used.diffractions <= most + 1)
    }

    /// The number of further reflections with which paths that have used so much are sampled ones.
    pub(super) fn missing(&self, used: &InteractionCounts) -> usize {
        let most = self.most.unwrap_or(usize::MAX - 1);
        (most + 2).saturating_sub(used.interactions + used.diffractions)
    }

    /// The limits of the searches that find these paths together. If there are several, the n-th is asked for paths with
    /// n diffractions alone, from 0 on ([`Self::is_of`]).
    pub(super) fn searches(&self) -> Vec<Limits> {
        let Some(most) = self.most else {
            return vec![self.limits];
        };
        let with = |num_edges: usize| {
            let interactions = match num_edges {
                0 => self.limits.max_interactions,
                _ => (most + 1).saturating_sub(num_edges),
            };
            let interactions = interactions.min(self.limits.max_interactions);
            (num_edges <= interactions).then(|| Limits {
                line_of_sight: num_edges == 0 && self.limits.line_of_sight,
                max_interactions: interactions,
                max_reflections: self.limits.max_reflections.min(interactions - num_edges),
                max_diffractions: num_edges,
                ..self.limits
            })
        };
        (0..=self.limits.max_diffractions).map_while(with).collect()
    }

    /// Whether a path is among those that a search of [`Self::searches`] is asked for.
    pub(super) fn is_of(&self, search: usize, path: &Path) -> bool {
        let is_edge = |kind| kind == InteractionKind::Diffraction;
        self.most.is_none() || path.interactions().filter(|i| is_edge(i.kind())).count() == search
    }

    /// The limits of all paths.
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The interactions of a wave behind a further edge; `None` if the limits do not allow it.
    pub(super) fn bent(&self, used: &InteractionCounts) -> Option<InteractionCounts> {
        self.limits.after(used, InteractionKind::Diffraction)
    }

    /// The largest number of diffractions of a path.
    pub(super) fn num_edges(&self) -> usize {
        self.limits.diffractions_beside(&InteractionCounts::NONE)
    }
}
