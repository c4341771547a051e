//! The store of a sweep: a plan, the prepared scene, and what workers on any machine have finished.
//!
//! A sweep cuts the work of a run into *units*. Each unit is one file, which appears under its name whole or not at all.
//! Its folder has the hash of the plan as a name, so units of another plan are never taken for these. Nothing here
//! depends on clocks, locks or the order of workers. Two workers that compute the same unit write the same bytes.
//!
//! ```text
//! STORE/plan.json              what is computed, and its units
//! STORE/scene-HASH.keller      the prepared scene
//! STORE/units-HASH/000017.unit  the result of unit 17
//! ```

#[cfg(feature = "object-storage")]
mod bucket;
mod entry;
mod error;
mod folder;
mod place;
mod plan;
mod result;
mod store;

pub use error::SweepError;
pub use place::LocalFile;
pub use plan::{Family, Plan, Unit, Work};
pub use result::UnitResult;
pub use store::{Finished, SweepStore};
