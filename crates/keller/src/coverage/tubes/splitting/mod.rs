//! Splits tubes until the field of one ray represents each of them.

pub(super) mod adjacent_walls;
pub(super) mod boundary_cuts;
pub(super) mod cell_sizes;
pub(super) mod fineness;
pub(super) mod ladder;
pub(super) mod overlooked_faces;
pub(super) mod passing_by;
pub(super) mod ray_cache;
pub(super) mod ray_reach;
pub(super) mod split;
pub(super) mod tube_width;
