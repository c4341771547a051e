//! Meshes as files that other programs open.

mod glb;
mod scene;

pub use glb::{Beside, Drawing, Legend, glb};
pub use scene::scene_glb;
