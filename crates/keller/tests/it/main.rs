//! What the library computes, checked from outside, in one program: each file is one subject.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod alternatives;
mod arrays;
mod channel_links;
mod channel_motion;
mod channel_response;
mod clutter;
mod common;
mod complete;
mod coverage;
mod diffraction_cases;
mod diffraction_physics;
mod diffraction_search;
mod element_tracing;
mod energy;
mod field_cases;
mod field_physics;
mod finite;
mod laws;
mod orientation;
mod rooftop_rows;
mod rooftops;
mod scattering_diffraction;
mod scattering_physics;
mod scattering_quadrature;
mod scattering_search;
mod scene;
mod scene_control;
mod search;
mod serde;
mod slab_transmission;
mod ties;
mod tiles;
mod tiles_along_walls;
mod tiles_coverage;
mod tiles_first_order;
mod tiles_refine;
mod tiles_search;
mod tiles_threshold;
mod tubes;
mod tubes_multipath;
mod tubes_replay;
mod tubes_scattering;
mod tubes_terrain;
