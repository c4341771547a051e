//! What must hold of diffracted fields, whatever the scene: exact solutions, continuity, reciprocity, limits.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;
#[path = "diffraction/continuity.rs"]
mod continuity;
#[path = "diffraction/exact_wedge.rs"]
mod exact_wedge;
#[path = "diffraction/grazing.rs"]
mod grazing;
#[path = "diffraction/knife_edges.rs"]
mod knife_edges;
#[path = "diffraction/reciprocity.rs"]
mod reciprocity;
#[path = "diffraction/sheets.rs"]
mod sheets;
#[path = "diffraction/thin_walls.rs"]
mod thin_walls;
#[path = "diffraction/world.rs"]
mod world;
