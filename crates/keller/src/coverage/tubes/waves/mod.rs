//! Waves along tubes: from the Tx, through walls and around edges.

pub(super) mod route;
pub(super) mod several_edges;
pub(super) mod transport;
pub(super) mod tube_matrix;
pub(super) mod tx_field;
