//! What the literature does, to stand beside keller. Nothing else depends on this crate but `validation/`, which measures it.
//!
//! - [`Rays`], with their [`Order`] and [`Aim`]: coarse paths by rays from tile to tile, as Vaara 2022 follows them (chapter 4), where keller
//!   follows chains by fronts. [`keller::paths::TileFinder::with_rays`] and `with_margin` take them.
//! - [`Refiner`], with its [`Starts`]: coarse paths made exact by gradient descent (Vaara 2022, section 4.4), where keller solves images and
//!   edges. [`keller::paths::TileFinder::refine_by`] takes it.
//! - [`Ladder`], of a [`Splitting`] and an [`Owner`]: the steps by which Hu 2020 comes from launched rays to adaptively split tubes
//!   (chapters 4 and 5). [`keller::coverage::tubes::Tubes::with_ladder`] takes it.
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
pub mod vaara;

pub use keller::lab::{
    Aim, Hit, Ladder, Order, Owner, Rays, Refiner, Splitting, Starts, Streaming,
};
