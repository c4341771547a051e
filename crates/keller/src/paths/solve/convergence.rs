//! When Newton's method has found the points on edges where a path is shortest. Both solvers, for any number of edges
//! and for two, use the same numbers.

/// More steps than a solution ever took. Where the shortest path goes through a point that two edges share, there is no
/// solution.
pub(super) const MAX_STEPS: usize = 200;

/// The angles on both sides of an edge are equal if their cosines differ by no more than this: some units of rounding.
pub(super) const EQUAL_COSINES: f64 = 1e-14;

/// Where cosines differ by less than this a full step is right, though the length is too flat to show it.
pub(super) const NEAR: f64 = 1e-5;

/// Where cosines differ by less than this the next step is the last: Newton's method doubles the digits.
pub(super) const LAST_STEP: f64 = 1e-7;

/// A step must shorten the path by this part of what its slope promises.
pub(super) const DECREASE: f64 = 0.1;

/// A leg shorter than this share of the path makes its direction rounding: edges that touch.
pub(super) const SHORTEST_LEG: f64 = 1e-12;
