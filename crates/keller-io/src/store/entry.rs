//! The entries of a store's listing.

/// A file in a folder of a store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) num_bytes: u64,
}
