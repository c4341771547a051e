//! Geometry that knows nothing of radio: tolerances, planes, and the ray-intersection index.

pub mod bvh;
pub mod tolerance;
