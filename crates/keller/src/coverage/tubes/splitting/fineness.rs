//! The fineness with which an accuracy splits tubes.

/// Widths and switches that an accuracy stands for.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct Fineness {
    /// The largest width at which a tube ends if its rays agree, in parts of the smallest side of a cell of the region.
    pub(in crate::coverage::tubes) widest: f64,
    /// The largest width of a strong tube whose rays disagree, in the same parts.
    pub(in crate::coverage::tubes) finest: f64,
    /// Whether tubes follow all walls at every border, all segments of a path are traced if one is uncertain, and
    /// fields are computed at the centres of cells instead of along the centre rays of tubes.
    pub(in crate::coverage::tubes) is_thorough: bool,
    /// The largest width of a patch of a rough wall, in parts of its distance from the receiving cell.
    pub(in crate::coverage::tubes) patch: f64,
    /// A patch that contributes less than this part of a cell's gain is visible as a whole or not at all.
    pub(in crate::coverage::tubes) whole_patch: f64,
}
