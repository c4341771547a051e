//! Ways and relations of a map that may become buildings, parts of buildings or clutter.

use crate::place::attributes::Attributes;

/// The kind of thing that a way or relation draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Building,
    Part,
    Clutter,
}

/// A way or relation that is of use.
pub(super) struct Candidate {
    pub(super) found_at: String,
    pub(super) kind: Kind,
    pub(super) tags: Attributes,
    /// The ways around it, as lists of nodes; those of a relation also around its courtyards.
    pub(super) lines: Vec<Vec<i64>>,
    /// The ways around courtyards of any of several outlines.
    pub(super) courtyards: Vec<Vec<i64>>,
    /// Whether ways of it are not in the file.
    pub(super) is_incomplete: bool,
}

impl Candidate {
    pub(super) fn new(
        found_at: String,
        kind: Kind,
        tags: Attributes,
        lines: Vec<Vec<i64>>,
    ) -> Self {
        Self {
            found_at,
            kind,
            tags,
            lines,
            courtyards: Vec::new(),
            is_incomplete: false,
        }
    }
}
