//! Cards, by the interfaces of their drivers.
//!
//! | module | job |
//! |---|---|
//! | `found` | finds the cards of this machine |
//! | `gpu` | opens cards |
//! | `opened` | an open card, and what happens when it fails |
//! | `tree` | the lists of an index on the card, and kernels that read them |
//! | `copy` | the copy of an index, and what became of it |
//! | `index` | answers batches of rays |
//! | `batch` | buffers of one batch on its way |
//! | `sights` | says which of many points see each other |
//! | `index.wgsl` | one ray through the tree |
//! | `rays.wgsl` | a batch of rays |
//! | `sights.wgsl` | what a viewpoint sees of a block of points |

mod batch;
mod copy;
mod found;
mod gpu;
mod index;
mod opened;
mod sights;
mod tree;

#[cfg(test)]
mod tests;

pub use found::adapters;
#[doc(hidden)]
pub use found::for_tests;
pub use gpu::Gpu;
pub use index::{GpuIndex, Tuning};
