//! Stores of finished units.
//!
//! All work is cut into *units*. A run keeps its finished units in a [`UnitStore`]: in memory, or in a file, from which
//! it resumes after a stop. Workers on any machine share a [`BatchStore`], a folder or a bucket in which each unit is
//! one file, which appears under its name whole or not at all:
//!
//! ```text
//! STORE/plan.json              the work, and its units
//! STORE/scene-HASH.keller      the prepared scene
//! STORE/units-HASH/000017.unit  unit 17
//! ```
//!
//! The name of that folder has the hash of the plan, so units of another plan are never taken for these. Nothing here
//! depends on clocks or the order of workers. All of these files, [scene caches](scene_cache) among them, and those of
//! [found paths](paths::PathFile) and of [visibility], have one form, that of `records.rs`.

mod batch_store;
#[cfg(feature = "object-storage")]
mod bucket;
mod digest;
mod entry;
mod error;
mod folder;
pub mod paths;
mod place;
mod plan;
pub(crate) mod records;
pub mod scene_cache;
mod unit;
mod unit_store;
pub mod visibility;

pub use batch_store::{BatchStore, Finished};
pub use digest::Digest;
pub use error::StoreError;
pub use place::LocalFile;
pub use plan::{Family, Kind, Plan};
pub use unit::{Part, Unit, push_all};
pub use unit_store::UnitStore;
pub(crate) use unit_store::{Beside, Unreadable};

#[cfg(test)]
mod tests;
