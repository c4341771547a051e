//! Convex polygons in a plane.

use glam::DVec2;

/// Cuts a convex polygon to an axis-parallel box.
pub(crate) fn clip(polygon: &mut Vec<DVec2>, low: DVec2, high: DVec2) {
    type Depth = fn(DVec2, DVec2, DVec2) -> f64;
    let sides: [Depth; 4] = [
        |p, low, _| p.x - low.x,
        |p, _, high| high.x - p.x,
        |p, low, _| p.y - low.y,
        |p, _, high| high.y - p.y,
    ];
    let mut out = Vec::with_capacity(polygon.len() + 4);
    for depth in sides {
        out.clear();
        for (k, &b) in polygon.iter().enumerate() {
            let a = polygon[(k + polygon.len() - 1) % polygon.len()];
            let (da, db) = (depth(a, low, high), depth(b, low, high));
            if (da < 0.0) != (db < 0.0) {
                out.push(a + (b - a) * (da / (da - db)));
            }
            if db >= 0.0 {
                out.push(b);
            }
        }
        std::mem::swap(polygon, &mut out);
    }
}

/// Area and centre of gravity of a convex polygon, however it turns.
pub(crate) fn area_and_centre(polygon: &[DVec2]) -> (f64, DVec2) {
    let Some((&first, rest)) = polygon.split_first() else {
        return (0.0, DVec2::ZERO);
    };
    let (mut twice, mut moment) = (0.0, DVec2::ZERO);
    for side in rest.windows(2) {
        let cross = (side[0] - first).perp_dot(side[1] - first);
        twice += cross;
        moment += cross * (first + side[0] + side[1]) / 3.0;
    }
    if twice == 0.0 {
        return (0.0, first);
    }
    (0.5 * twice.abs(), moment / twice)
}
