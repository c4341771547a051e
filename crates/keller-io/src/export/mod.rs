//! Meshes as files that other programs open.

mod glb;

pub use glb::{Beside, Drawing, glb};
