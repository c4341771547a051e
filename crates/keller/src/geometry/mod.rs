//! Geometry that knows nothing of radio: tolerances, planes, and the ray-intersection index.

// The module is public for keller's own crates and studies; it may change at any time.
#[doc(hidden)]
pub mod bvh;
mod plane;
pub(crate) mod polygon;
pub(crate) mod sampling;
// The module is public for keller's own crates and studies; it may change at any time.
#[doc(hidden)]
pub mod tolerance;
pub(crate) mod union_find;

pub use plane::Plane;
