//! The segments of a tube's path on which its rays disagreed.
//!
//! Where all rays of a tube meet the same plane, the whole tube is known to reach it. Where they do not, only a part of the tube may have
//! come this way, and each cell of the region that it reaches needs rays of its own on that segment.

/// On which pieces of a tube, from one wall to the next, its rays did not agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct UncertainSegments(u64);

impl UncertainSegments {
    /// With the piece behind so many walls.
    pub(super) fn with(self, segment: usize) -> Self {
        Self(self.0 | 1 << segment.min(63))
    }

    pub(super) fn both(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn is_at(self, segment: usize) -> bool {
        self.0 >> segment.min(63) & 1 == 1
    }

    /// Whether no piece from this one on is doubtful.
    pub(super) fn is_none_from(self, segment: usize) -> bool {
        self.0 >> segment.min(63) == 0
    }

    pub(super) fn is_none(self) -> bool {
        self.0 == 0
    }
}
