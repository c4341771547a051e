//! The cells of the region, and which of them a tube reaches.

pub(super) mod border_validation;
pub(super) mod cell_candidate;
pub(super) mod contribution;
pub(super) mod deposit;
pub(super) mod pierced_cells;
pub(super) mod region_grid;
pub(super) mod verification;
