//! keller predicts how radio waves travel through real places.
//!
//! The crate takes values and gives values: it reads no files, opens no network and knows no clock.
//! `ARCHITECTURE.md` has the entry points, `docs/src/theory/` the formulas.

pub mod antenna;
pub mod channel;
pub mod clutter;
mod control;
pub mod coverage;
mod direction;
pub mod em;
mod end;
mod error;
pub mod field;
pub mod geometry;
pub mod materials;
pub mod paths;
pub mod scene;
pub mod tiles;
mod tx;
pub mod units;
mod world;

pub use control::{Control, Stage};
pub use direction::{Direction, spherical_basis};
pub use end::End;
pub use error::Error;
pub use glam;
pub use glam::DVec3;
pub use num_complex::Complex64;
pub use tx::Tx;
pub use units::Frequency;
pub use world::World;
