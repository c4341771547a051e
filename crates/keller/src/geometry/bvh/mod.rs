//! The ray-intersection index.
