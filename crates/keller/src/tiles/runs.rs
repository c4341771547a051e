//! Points in an order in which neighbours in space stand together.

use glam::DVec3;

/// Fewer points are ordered by one thread.
const PARALLEL: usize = 1 << 13;

/// Orders the numbers of points so that each run of `run` times a power of two, counted from the first, has neighbours in space.
pub(super) fn neighbours_first(points: &[DVec3], order: &mut [usize], run: usize) {
    if order.len() <= run {
        return;
    }
    let all = order.iter().map(|k| points[*k]);
    let low = all.clone().fold(DVec3::INFINITY, DVec3::min);
    let size = all.fold(DVec3::NEG_INFINITY, DVec3::max) - low;
    let axis = (0..3).max_by(|a, b| size[*a].total_cmp(&size[*b]));
    let axis = axis.unwrap_or(0);
    // The first part is the larger one, and consists of whole runs.
    let first = run * order.len().div_ceil(2 * run).next_power_of_two();
    order.select_nth_unstable_by(first, |a, b| {
        let [x, y] = [a, b].map(|k| points[*k][axis]);
        x.total_cmp(&y).then(a.cmp(b))
    });
    let is_long = order.len() > PARALLEL;
    let (first, rest) = order.split_at_mut(first);
    if is_long {
        rayon::join(
            || neighbours_first(points, first, run),
            || neighbours_first(points, rest, run),
        );
    } else {
        neighbours_first(points, first, run);
        neighbours_first(points, rest, run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of a power of four are squares on a square grid in any order.
    #[test]
    fn runs_of_a_grid_are_squares() {
        let side = 32;
        let at = |k: usize| {
            let k = k * 389 % (side * side);
            DVec3::new((k % side) as f64, (k / side) as f64, 0.0)
        };
        let points: Vec<DVec3> = (0..side * side).map(at).collect();
        let mut order: Vec<usize> = (0..points.len()).collect();
        neighbours_first(&points, &mut order, 16);
        for run in [16, 64, 256] {
            for (n, run) in order.chunks(run).enumerate() {
                let all = run.iter().map(|k| points[*k]);
                let low = all.clone().fold(DVec3::INFINITY, DVec3::min);
                let high = all.fold(DVec3::NEG_INFINITY, DVec3::max);
                let side = (run.len() as f64).sqrt() - 1.0;
                assert_eq!(high - low, DVec3::new(side, side, 0.0), "run {n}");
            }
        }
        // With a number of points that is no multiple, only the last run is short, and none is torn.
        let mut order: Vec<usize> = (0..1000).collect();
        neighbours_first(&points, &mut order, 16);
        for run in order.chunks(16) {
            let all = run.iter().map(|k| points[*k]);
            let low = all.clone().fold(DVec3::INFINITY, DVec3::min);
            let size = all.fold(DVec3::NEG_INFINITY, DVec3::max) - low;
            assert!(size.max_element() < 12.0, "{size}");
        }
    }
}
