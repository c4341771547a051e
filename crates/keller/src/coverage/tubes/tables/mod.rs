//! What a trace asks of the scene again and again: its edges, seams, neighbours, small faces and walls.

pub(super) mod edge_lists;
pub(super) mod edge_spans;
pub(super) mod face_neighbours;
pub(super) mod overlaps;
pub(super) mod seams;
pub(super) mod small_faces;
pub(super) mod wall;
