//! Power that adds up without phases, on both sides of tiles: the parts that its engines have in common.
//!
//! * [`sides`]: the two sides of a tile, and what walls do to the power that falls on either.
//! * [`rays`]: rays cast among walls, and followed from wall to wall.
//! * [`reciprocity`]: factors that make an exchange reciprocal and lossless.
//!
//! The engines are the diffuse field ([`crate::diffuse`]), which solves for an equilibrium; the scattering between tiles
//! of [`crate::coverage::tiles`], one round after the other; and its sampled long paths.

pub(crate) mod rays;
pub(crate) mod reciprocity;
pub(crate) mod sides;
