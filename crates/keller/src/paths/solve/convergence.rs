//! The conditions on which Newton's method has found the points on edges where a path is shortest. The solver for any
//! number of edges and the one for two edges use the same constants.

/// Largest number of steps, more than any solution ever took. Where the shortest path goes through a point that two
/// edges share, there is no solution.
pub(super) const MAX_STEPS: usize = 200;

/// The angles on both sides of an edge are equal if their cosines differ by at most this: some units of rounding.
pub(super) const EQUAL_COSINES: f64 = 1e-14;

/// The difference of the cosines below which a full step is right, although the length is too flat to show it.
pub(super) const NEAR: f64 = 1e-5;

/// The difference of the cosines below which the next step is the last, because Newton's method doubles the number of
/// digits.
pub(super) const LAST_STEP: f64 = 1e-7;

/// A step must shorten the path by at least this part of the decrease that the slope predicts.
pub(super) const DECREASE: f64 = 0.1;

/// The direction of a leg shorter than this share of the path is mere rounding: the edges touch.
pub(super) const SHORTEST_LEG: f64 = 1e-12;
