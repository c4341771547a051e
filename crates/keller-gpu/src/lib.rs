//! Graphics cards for keller.
//!
//! An index over a scene's triangles ([`keller::geometry::bvh::Bvh`]) answers batches of rays: what does each hit first,
//! is each free, which of many points see each other. [`Gpu::index`] copies it to a card, and from then on the card answers what is
//! large enough.
//! No other part of keller knows about it.
//!
//! | module | job |
//! |---|---|
//! | `adapter` | what a card is, and which is meant |
//! | `cards` | all that needs drivers' interfaces |
//! | `absent` | in its place where the program is built without the feature `cards` (27 crates on Linux) |
//!
//! **Same answers.** The card computes with single precision what the processor computes, each operation rounded once
//! (`index.wgsl` says how), so that its answers have the same bits. Before an index is used, thousands of rays at its
//! vertices and edges are compared; a card that differs in one bit is refused.
//!
//! **If a card fails** while it works, one warning says so, and the processor computes everything from then on.

mod adapter;
mod error;

#[cfg(not(feature = "cards"))]
mod absent;
#[cfg(feature = "cards")]
mod cards;

#[cfg(not(feature = "cards"))]
pub use absent::{Gpu, GpuIndex, adapters};
pub use adapter::{Adapter, Choice, Kind};
#[cfg(feature = "cards")]
pub use cards::{Gpu, GpuIndex, Tuning, adapters, for_tests};
pub use error::Error;

/// Whether this program was built with cards.
pub const HAS_CARDS: bool = cfg!(feature = "cards");
