//! The tables of a scene that a trace uses again and again: edges, seams, neighbours, small faces and walls.

pub(super) mod edge_lists;
pub(super) mod edge_spans;
pub(super) mod face_neighbours;
pub(super) mod overlaps;
pub(super) mod seams;
pub(super) mod small_faces;
pub(super) mod wall;
