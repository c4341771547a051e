//! Tubes: bundles of directions, the points from which they seem to come, and the data along them.

pub(super) mod bundle;
pub(super) mod clipped_cell;
pub(super) mod direction_cells;
pub(super) mod edge_image;
pub(super) mod gain_by_distance;
pub(super) mod leaf;
pub(super) mod quarter_merge;
pub(super) mod segment_rays;
pub(super) mod tube_ray;
pub(super) mod tx_image;
pub(super) mod uncertain_segments;
pub(super) mod unfolding;
pub(super) mod virtual_source;
