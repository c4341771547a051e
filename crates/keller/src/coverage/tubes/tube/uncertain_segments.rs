//! The segments of a path on which the rays of its tube disagreed.
//!
//! Where all rays of a tube meet the same plane, the whole tube reaches it. Where they disagree, only a part of the
//! tube may have come this way. Each cell of the region that the tube reaches afterwards then needs a ray of its own on
//! that segment.

/// A set of segments, numbered from the Tx; the last bit stands for segment 63 and all after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::coverage::tubes) struct UncertainSegments(u64);

impl UncertainSegments {
    /// Adds a segment.
    pub(in crate::coverage::tubes) fn with(self, segment: usize) -> Self {
        Self(self.0 | 1 << segment.min(63))
    }

    /// The segments of both sets.
    pub(in crate::coverage::tubes) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a segment is uncertain.
    pub(in crate::coverage::tubes) fn contains(self, segment: usize) -> bool {
        self.0 >> segment.min(63) & 1 == 1
    }

    /// Whether this segment and all after it are certain.
    pub(in crate::coverage::tubes) fn is_none_from(self, segment: usize) -> bool {
        self.0 >> segment.min(63) == 0
    }

    /// Whether all segments are certain.
    pub(in crate::coverage::tubes) fn is_none(self) -> bool {
        self.0 == 0
    }
}
