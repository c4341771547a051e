//! Diffuse scattering: the parts of rough walls that tubes illuminate scatter to all visible cells of the region.
//!
//! The footprints of all tubes of a sequence on a wall are gathered in squares about as wide as a cell of the region
//! (`footprint`, `illumination`). Squares are joined to larger patches for cells far away (`patch`,
//! `illuminated_wall`). A patch sends to the cells for which it is small enough while the patch that it is a part of is
//! not (`spread`), so each cell receives every square once.
//!
//! A square holds power and the centre of this power, so joining squares neither makes nor loses any. Rays from up to
//! five samples of a patch show how much of it a cell sees (`samples`, `patch_visibility`).
//!
//! **Cost:** one ray for each patch and cell; five and more where the patch contributes much of the cell's gain.
//!
//! **Leaves out** any interaction after the scattering, squares that contribute less than `footprint::FLOOR` of the
//! minimum gain to the nearest cell, and all but the strongest squares of a Tx.

mod footprint;
mod illuminated_wall;
mod illumination;
mod patch;
mod patch_visibility;
mod samples;
mod spread;

pub(super) use illumination::Illuminations;
pub(super) use spread::spread;
