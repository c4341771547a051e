//! Shooting and bouncing rays with reception spheres, and the removal of double counts by classes of rays.
//!
//! A ray stands for a cone. Cones overlap, so a receiver in the overlap of two counts the same wave twice. Key et al. 2020
//! launch rays from the points of a subdivided icosahedron or octahedron ([`Directions`]), where the neighbours of every
//! ray are known. They divide the rays into classes in which no two rays are neighbours ([`Scheme`]). Then all rays of a
//! class may look at once whether a neighbour met the same receiver ([`Removal`]).
//!
//! keller identifies a path by its sequence of planes and needs none of this.
//!
//! **Source.** C. Key, B. A. Troksa, S. Kasdorf, B. M. Notaros, "Non-Self-Adjacent Ray Classes for Parallelizable Shooting
//! Bouncing Ray Tracing Double Count Removal", 2020.

mod classes;
mod directions;
mod hits;
pub mod image_space;
mod removal;
mod shoot;

pub use classes::{Scheme, conflicts};
pub use directions::{Directions, Solid};
pub use hits::{Hit, HitLists};
pub use removal::Removal;
pub use shoot::{Shot, image_key};

#[cfg(test)]
mod tests;
