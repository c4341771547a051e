//! The bundles that leave walls and edges, and which of them the limits allow.

pub(super) mod diffraction;
pub(super) mod edge_visibility;
pub(super) mod interaction_budget;
pub(super) mod wall_interaction;
