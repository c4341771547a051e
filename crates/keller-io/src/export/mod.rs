//! Meshes as files that other programs open.

mod glb;

pub use glb::{Drawing, Object, glb, glb_with_drawings};
