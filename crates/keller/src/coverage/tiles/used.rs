//! What a path has used of the limits.

/// Interactions, reflections, diffractions and passages through walls of a path so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Used {
    /// Reflections, diffractions and scatterings.
    pub(super) interactions: usize,
    pub(super) reflections: usize,
    pub(super) diffractions: usize,
    pub(super) transmissions: usize,
}
