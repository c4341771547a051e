//! The cell of a triangle that lies farthest from it.

use super::Heights;
use super::delaunay::Node;

/// The number of cells of a row that are compared at once.
const LANES: usize = 8;

/// The largest vertical distance of a cell in the triangle (its sides included) from the triangle's plane, and that cell.
pub(super) fn worst_cell(heights: Heights<'_>, corners: [Node; 3]) -> (f64, Node) {
    let [a, b, c] = corners;
    let z = corners.map(|node| f64::from(heights.values[index(heights, node)]));
    let (u, v) = (
        [f64::from(b.x - a.x), f64::from(b.y - a.y)],
        [f64::from(c.x - a.x), f64::from(c.y - a.y)],
    );
    let area = u[0] * v[1] - u[1] * v[0];
    let (rise_u, rise_v) = (z[1] - z[0], z[2] - z[0]);
    let slope_x = (rise_u * v[1] - rise_v * u[1]) / area;
    let slope_y = (rise_v * u[0] - rise_u * v[0]) / area;

    let (low, high) = (a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y));
    let (mut error, mut worst) = (0.0, a);
    for y in low..=high {
        let (left, right) = span(corners, y);
        if left > right {
            continue;
        }
        let start = index(heights, Node { x: left, y });
        let row = &heights.values[start..=start + (right - left).cast_unsigned() as usize];
        let plane = z[0] + slope_x * f64::from(left - a.x) + slope_y * f64::from(y - a.y);
        let distance =
            |i: usize, height: f32| (f64::from(height) - (plane + slope_x * i as f64)).abs();
        if row_maximum(row, distance) > error {
            for (i, &height) in row.iter().enumerate() {
                let here = distance(i, height);
                if here > error {
                    error = here;
                    worst = Node {
                        x: left + i32::try_from(i).expect("columns fit"),
                        y,
                    };
                }
            }
        }
    }
    (error, worst)
}

fn index(heights: Heights<'_>, node: Node) -> usize {
    node.y.cast_unsigned() as usize * heights.columns + node.x.cast_unsigned() as usize
}

/// The largest distance of a row.
#[inline]
fn row_maximum(row: &[f32], distance: impl Fn(usize, f32) -> f64) -> f64 {
    let mut lanes = [0.0_f64; LANES];
    let (chunks, rest) = row.as_chunks::<LANES>();
    for (n, chunk) in chunks.iter().enumerate() {
        for lane in 0..LANES {
            let here = distance(n * LANES + lane, chunk[lane]);
            lanes[lane] = if here > lanes[lane] {
                here
            } else {
                lanes[lane]
            };
        }
    }
    let done = chunks.len() * LANES;
    let rest = rest
        .iter()
        .enumerate()
        .map(|(i, &height)| distance(done + i, height));
    lanes.into_iter().chain(rest).fold(0.0, f64::max)
}

/// First and last column of row `y` in a counter-clockwise triangle, its sides included.
fn span(corners: [Node; 3], y: i32) -> (i32, i32) {
    let (mut left, mut right) = (i32::MIN, i32::MAX);
    for k in 0..3 {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        let (dx, dy) = (i64::from(b.x - a.x), i64::from(b.y - a.y));
        let across = dx * i64::from(y - a.y);
        // Both fit: within the columns of the triangle, or beyond them by no more than its slant.
        let clamp = |x: i64| {
            i32::try_from(x.clamp(i64::from(i32::MIN), i64::from(i32::MAX))).expect("clamped")
        };
        if dy > 0 {
            right = right.min(clamp(i64::from(a.x) + across.div_euclid(dy)));
        } else if dy < 0 {
            left = left.max(clamp(i64::from(a.x) - across.div_euclid(-dy)));
        }
    }
    (left, right)
}
