//! The results of a trace: sums for every cell, or recordings for replay.

pub(super) mod accumulator;
pub(super) mod path_accumulator;
pub(super) mod recorded_routes;
pub(super) mod recorded_tubes;
pub(super) mod recording;
pub(super) mod route_recording;
pub(super) mod sink;
pub(super) mod tube_batch;
