//! Geometry that knows nothing of radio: tolerances, planes, and the ray-intersection index.

pub mod bvh;
mod plane;
pub(crate) mod polygon;
pub(crate) mod sampling;
pub mod tolerance;
pub(crate) mod union_find;

pub use plane::Plane;
