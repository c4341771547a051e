//! Diffuse scattering: what tubes light of rough walls sends on to all cells in free sight of it.

mod footprint;
mod illumination;
mod lit_wall;
mod patch;
mod patch_visibility;
mod samples;
mod spread;

pub(super) use illumination::Illuminations;
pub(super) use spread::spread;
