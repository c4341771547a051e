//! Graphics cards for keller.
//!
//! An index over a scene's triangles ([`keller::geometry::bvh::Bvh`]) answers batches of rays: what does each hit first,
//! is each free, which of many points see each other. [`Gpu::index`] copies it to a card, and from then on the card answers what is
//! large enough.
//! No other part of keller knows about it.
//!
//! | module | job |
//! |---|---|
//! | `adapter` | what devices there are, and which is meant |
//! | `gpu` | opens devices |
//! | `opened` | an open device, and what happens when it fails |
//! | `tree` | the lists of an index on the device, and kernels that read them |
//! | `copy` | the copy of an index, and what became of it |
//! | `index` | answers batches of rays |
//! | `batch` | buffers of one batch on its way |
//! | `sights` | says which of many points see each other |
//! | `index.wgsl` | one ray through the tree |
//! | `rays.wgsl` | a batch of rays |
//! | `sights.wgsl` | what a viewpoint sees of a block of points |
//!
//! **Same answers.** The device computes with single precision what the processor computes, each operation rounded once
//! (`index.wgsl` says how), so that its answers have the same bits. Before an index is used, thousands of rays at its
//! vertices and edges are compared; a device that differs in one bit is refused.
//!
//! **If a device fails** while it works, one warning says so, and the processor computes everything from then on.

mod adapter;
mod batch;
mod copy;
mod error;
mod gpu;
mod index;
mod opened;
mod sights;
mod tree;

#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use adapter::for_tests;
pub use adapter::{Adapter, Choice, Kind, adapters};
pub use error::Error;
pub use gpu::Gpu;
pub use index::{GpuIndex, Tuning};
