//! How finely an accuracy splits tubes.

/// Widths and switches that an accuracy stands for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fineness {
    /// The largest width of a tube where it ends if its rays agree, in parts of the smallest side of a cell of the
    /// region.
    pub(super) widest: f64,
    /// The same if its rays disagree and it is strong.
    pub(super) finest: f64,
    /// Whether tubes follow all walls at every border, all segments of a path are traced if one is uncertain, and
    /// fields are those at the centres of cells instead of those of the centre rays of tubes.
    pub(super) is_thorough: bool,
    /// The largest width of a patch of a rough wall, in parts of its distance from the cell that receives.
    pub(super) patch: f64,
    /// Patches that bring a cell less than this part of its gain are visible as a whole or not at all.
    pub(super) whole_patch: f64,
}
