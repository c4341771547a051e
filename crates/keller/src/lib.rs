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
mod error;
pub mod field;
pub mod geometry;
pub mod materials;
pub mod paths;
pub mod scene;
pub mod tiles;
pub mod units;

pub use control::{Control, Stage};
pub use direction::{Direction, spherical_basis};
pub use error::Error;
pub use glam::DVec3;
pub use num_complex::Complex64;
pub use units::Frequency;
