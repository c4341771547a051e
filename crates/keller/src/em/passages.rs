//! The number of walls that waves may pass straight through, which edges have to know of the limits of a search.

/// The largest number of walls that a whole path may pass straight through.
///
/// The field behind an edge is continuous if it makes up for the part that its walls do not let through. If the walls
/// of an edge are more than a path may pass, nothing comes through them, and the edge diffracts as one of opaque walls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passages {
    /// Largest number of walls that a path may pass.
    pub max_transmissions: usize,
    /// Largest number of interactions and transmissions together.
    pub max_depth: usize,
}

impl Default for Passages {
    /// Every wall may be passed.
    fn default() -> Self {
        Self {
            max_transmissions: usize::MAX,
            max_depth: usize::MAX,
        }
    }
}

impl Passages {
    /// Largest number of walls that a path with this number of interactions may pass.
    pub fn beside(&self, interactions: usize) -> usize {
        self.max_transmissions
            .min(self.max_depth.saturating_sub(interactions))
    }

    /// Whether a path of `counts` may pass `walls` more walls in place of one of its diffractions.
    pub(crate) fn allow(&self, walls: usize, counts: PathCounts) -> bool {
        let others = counts.interactions.saturating_sub(1);
        counts.transmissions.saturating_add(walls) <= self.beside(others)
    }
}

/// The interactions of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PathCounts {
    /// Its reflections, diffractions and scatterings.
    pub(crate) interactions: usize,
    /// The walls that it passes.
    pub(crate) transmissions: usize,
}

impl PathCounts {
    /// A single diffraction.
    pub(crate) const ONE_EDGE: Self = Self {
        interactions: 1,
        transmissions: 0,
    };
}
