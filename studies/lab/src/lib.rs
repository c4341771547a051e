//! Methods of the literature, for comparison with keller. Nothing else depends on this crate but `validation/`, which
//! measures it.
//!
//! - [`tile_rays`]: coarse paths by rays from tile to tile, as Vaara 2022 follows them (chapter 4), where keller
//!   follows chains by fronts.
//! - [`refiners`]: coarse paths made exact by gradient descent (Vaara 2022, section 4.4), where keller solves images
//!   and edges.
//! - The steps by which Hu 2020 comes from launched rays to adaptively split tubes (chapters 4 and 5) are in the engine
//!   itself ([`keller::coverage::tubes::Ladder`]).
//! - [`vaara`]: the search of Vaara 2022 with buffers of fixed size, its removal of doubles, its threshold, and a
//!   corridor.
//! - [`irla`]: the rival of Hu 2020, section 3.2.2, with its simplifications one by one.
//! - [`launching`]: his GORL and TLARS as described. [`cubes`]: CORLA in kind.
//! - [`ray_classes`]: the shooting and bouncing of Key et al. 2020 with its removal of double counts in parallel.
//! - [`parflow`]: waves in a floor plan without any rays, which keller's paths are held against.

pub mod cubes;
pub mod irla;
pub mod launching;
pub mod parflow;
pub mod ray_classes;
pub mod refiners;
#[cfg(test)]
mod test_city;
pub mod tile_rays;
pub mod vaara;
