//! How finely an accuracy splits tubes.

/// How finely tubes are looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fineness {
    /// How wide tubes may be where they end if their rays agree, in parts of the region's smallest cell.
    pub(super) widest: f64,
    /// How wide if they do not.
    pub(super) finest: f64,
    /// Whether tubes go all ways at every border, all pieces of a path are looked at if one is doubtful, and fields are those of the cells' own centres.
    pub(super) is_thorough: bool,
    /// How wide patches of rough walls may be, in parts of the distance of what receives.
    pub(super) patch: f64,
    /// Patches that bring less than this part of what a cell has are seen whole or not at all.
    pub(super) whole_patch: f64,
}
