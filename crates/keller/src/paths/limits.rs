//! How deep paths may go.

use super::sequence::Step;

/// How deep paths may go and of what they may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits {
    /// Whether the direct path (and the path straight through walls) is wanted.
    pub line_of_sight: bool,
    /// Reflections, diffractions and scatterings together.
    pub max_interactions: usize,
    /// Reflections alone.
    pub max_reflections: usize,
    /// Walls that a whole path may pass straight through, counted apart from the interactions.
    pub max_transmissions: usize,
    /// Diffractions alone.
    pub max_diffractions: usize,
    /// Diffuse scatterings alone.
    pub max_scatterings: usize,
    /// Interactions and transmissions together, as peers count their depth; `usize::MAX` for no such limit.
    pub max_depth: usize,
    /// Whether waves diffract at the borders of open sheets too, not only at wedges.
    pub free_edges: bool,
    /// Whether reflecting planes may come between two edges, and more than two edges follow each other. In a city those
    /// are tens of millions of sequences, nearly all of them weak.
    pub edge_chains: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            line_of_sight: true,
            max_interactions: 3,
            max_reflections: 3,
            max_transmissions: 0,
            max_diffractions: 0,
            max_scatterings: 0,
            max_depth: usize::MAX,
            free_edges: false,
            edge_chains: true,
        }
    }
}

impl Limits {
    /// Reflections that a path may really have.
    pub fn reflections(&self) -> usize {
        self.max_reflections
            .min(self.max_interactions)
            .min(self.max_depth)
    }

    /// Interactions that a path may really have.
    pub(crate) fn interactions(&self) -> usize {
        self.max_interactions.min(self.max_depth)
    }

    /// Whether a path may be by these steps, scatterings aside.
    pub(super) fn allow(&self, steps: &[Step]) -> bool {
        let is_edge = |step: &Step| matches!(step, Step::Diffraction(_));
        let edges = steps.iter().filter(|step| is_edge(step)).count();
        let first = steps.iter().position(is_edge);
        let last = steps.iter().rposition(is_edge);
        let is_chain = edges > 2 || first.zip(last).is_some_and(|(a, b)| b - a >= edges);
        steps.len() <= self.interactions()
            && steps.len() - edges <= self.max_reflections
            && edges <= self.max_diffractions
            && (!is_chain || self.edge_chains)
            && steps.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// Reflections that a path with a diffraction may have; `None` where waves do not diffract.
    pub(crate) fn reflections_beside_diffraction(&self) -> Option<usize> {
        let interactions = self.interactions();
        (self.max_diffractions > 0 && interactions > 0)
            .then(|| self.max_reflections.min(interactions - 1))
    }

    /// Walls that a path of so many interactions may pass.
    pub fn transmissions_beside(&self, interactions: usize) -> usize {
        self.max_transmissions
            .min(self.max_depth.saturating_sub(interactions))
    }
}
