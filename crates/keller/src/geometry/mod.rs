//! Geometry that knows nothing of radio: tolerances, planes, and the ray-intersection index.

pub mod bvh;
pub(crate) mod few;
mod plane;
pub(crate) mod polygon;
pub mod tolerance;
pub(crate) mod union_find;

pub use plane::Plane;
