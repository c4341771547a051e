//! The taut string from the transmitter over a profile: the upper hull, built from one end.

use glam::DVec2;

use super::plan::Corner;

/// Corners that the string touches or passes over by less than this count as edges, metres: roofs of one height are in the way.
const TOUCHING: f64 = 1e-6;

/// Nearer than this two corners are one, metres: houses that touch have an edge each.
pub(super) const SAME_CORNER: f64 = 1e-3;

/// The corners of a profile, by their distance, that a string from the height `start` at distance zero touches on its way to any point
/// beyond all of them, as indices into `profile`. To each such point it touches the first few of them, see [`touched`].
pub(super) fn pull(start: f64, profile: &[Corner], string: &mut Vec<usize>) {
    string.clear();
    for (i, corner) in profile.iter().enumerate() {
        if corner.distance < SAME_CORNER {
            continue;
        }
        let end = [corner.distance, corner.height];
        while let Some((&last, before)) = string.split_last() {
            let last = profile[last];
            let is_same = corner.distance - last.distance < SAME_CORNER;
            if is_same && corner.height <= last.height {
                break;
            }
            if !is_same && is_touched(end_of(start, profile, before), last, end) {
                break;
            }
            string.pop();
        }
        let is_new = string
            .last()
            .is_none_or(|&last| corner.distance - profile[last].distance >= SAME_CORNER);
        if is_new {
            string.push(i);
        }
    }
}

/// How many of the corners of a string, all nearer than `end` (distance and height), it touches on its way there.
pub(super) fn touched(start: f64, profile: &[Corner], string: &[usize], end: [f64; 2]) -> usize {
    let mut kept = string.len();
    while kept > 0
        && !is_touched(
            end_of(start, profile, &string[..kept - 1]),
            profile[string[kept - 1]],
            end,
        )
    {
        kept -= 1;
    }
    kept
}

/// Distance and height of the last corner of a string, or of its start.
fn end_of(start: f64, profile: &[Corner], string: &[usize]) -> [f64; 2] {
    string.last().map_or([0.0, start], |&last| {
        [profile[last].distance, profile[last].height]
    })
}

/// Whether a corner is in the way from `a` to `b`, both distance and height.
fn is_touched(a: [f64; 2], corner: Corner, b: [f64; 2]) -> bool {
    clearance(a, corner, b) < TOUCHING
}

/// Whether the line from `a` to `b`, both distance and height, passes over all corners between them.
pub(super) fn is_free(a: DVec2, b: DVec2, profile: &[Corner]) -> bool {
    let first = profile.partition_point(|corner| corner.distance < a.x + SAME_CORNER);
    let behind = profile[first..].iter();
    let mut between = behind.take_while(|corner| corner.distance < b.x - SAME_CORNER);
    let [a, b] = [a.to_array(), b.to_array()];
    between.all(|corner| !is_touched(a, *corner, b))
}

/// How far above a corner the line from `a` to `b`, both distance and height, passes, metres.
fn clearance(a: [f64; 2], corner: Corner, b: [f64; 2]) -> f64 {
    let share = (corner.distance - a[0]) / (b[0] - a[0]);
    a[1] + share * (b[1] - a[1]) - corner.height
}

/// The parameter of Fresnel's integral of an edge under the line from `a` to `b`, all distance and height: 0 where it touches the line,
/// negative below.
///
/// # Source
/// ITU-R P.526-15, equation (26).
pub(super) fn fresnel_parameter(a: DVec2, edge: DVec2, b: DVec2, wavelength: f64) -> f64 {
    let slope = (b.y - a.y) / (b.x - a.x);
    let clearance = a.y + slope * (edge.x - a.x) - edge.y;
    // Clearances and distances along the line from upright and horizontal ones.
    let stretch = (1.0 + slope * slope).sqrt();
    let (d1, d2) = (stretch * (edge.x - a.x), stretch * (b.x - edge.x));
    -clearance / stretch * (2.0 / wavelength * (1.0 / d1 + 1.0 / d2)).sqrt()
}

/// How much an edge with this parameter of Fresnel's integral counts: all from [`WHOLE`] on, nothing from [`CLEAR`] down.
pub(super) fn weight(nu: f64) -> f64 {
    let t = ((nu - CLEAR) / (WHOLE - CLEAR)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// What is left of the power behind a knife edge on the way from `a` over it to `b`, all distance and height, over what is left at grazing.
///
/// # Source
/// ITU-R P.526-15, equation (31).
pub(super) fn knife_edge_bound(a: DVec2, edge: DVec2, b: DVec2, wavelength: f64) -> f64 {
    let (d1, d2) = (edge.x - a.x, b.x - edge.x);
    let height = edge.y - a.y - (b.y - a.y) * d1 / (d1 + d2);
    let nu = height * (2.0 * (d1 + d2) / (wavelength * d1 * d2)).sqrt();
    let left = |nu: f64| (((nu - 0.1) * (nu - 0.1) + 1.0).sqrt() + nu - 0.1).powi(-2);
    (left(nu) / left(0.0)).min(1.0)
}

/// From this parameter of Fresnel's integral on an edge under the string counts as one that the string touches.
const WHOLE: f64 = -1.2;

/// Down from this parameter an edge counts no longer: alone it would change the field by a tenth at most.
pub(super) const CLEAR: f64 = -2.2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::EdgeId;

    fn corners(at: &[(f64, f64)]) -> Vec<Corner> {
        let corner = |&(distance, height)| Corner {
            distance,
            height,
            edge: EdgeId::from_index(0),
        };
        at.iter().map(corner).collect()
    }

    fn pulled(start: f64, profile: &[Corner]) -> Vec<usize> {
        let mut string = Vec::new();
        pull(start, profile, &mut string);
        string
    }

    #[test]
    fn the_string_lies_on_the_highest_corners_only() {
        let profile = corners(&[
            (10.0, 2.0),
            (20.0, 3.0),
            (30.0, 9.0),
            (40.0, 8.0),
            (50.0, 2.0),
        ]);
        let string = pulled(0.0, &profile);
        assert_eq!(string, [2, 3, 4]);
        // The higher the end, the fewer it touches.
        let to = |height| touched(0.0, &profile, &string, [60.0, height]);
        assert_eq!([-10.0, 0.0, 17.0, 19.0].map(to), [3, 2, 1, 0]);
    }

    #[test]
    fn roofs_of_one_height_are_all_in_the_way() {
        let profile = corners(&[(10.0, 5.0), (20.0, 5.0), (30.0, 5.0)]);
        let string = pulled(5.0, &profile);
        assert_eq!(string, [0, 1, 2]);
        assert_eq!(touched(5.0, &profile, &string, [40.0, 5.0]), 3);
    }

    #[test]
    fn corners_at_one_place_are_one() {
        for heights in [[5.0, 6.0, 4.0], [6.0, 5.0, 6.0]] {
            let profile = corners(&heights.map(|height| (10.0, height)));
            let [only] = pulled(0.0, &profile)[..] else {
                panic!("one corner is left")
            };
            assert_eq!(profile[only].height, 6.0);
        }
    }

    #[test]
    fn a_corner_counts_less_the_farther_it_lies_below() {
        let [start, end] = [0.0, 100.0].map(|distance| DVec2::new(distance, 10.0));
        let parameter = |depth: f64| {
            let edge = DVec2::new(50.0, 10.0 - depth);
            fresnel_parameter(start, edge, end, 0.15)
        };
        // The radius of the first Fresnel zone is 1.936 m.
        assert!((parameter(1.9365) + 2_f64.sqrt()).abs() < 1e-3);
        let weight = |depth: f64| weight(parameter(depth));
        assert_eq!([weight(0.0), weight(4.0)], [1.0, 0.0]);
        for i in 0..40 {
            let depth = 0.1 * f64::from(i);
            let step = weight(depth) - weight(depth + 0.1);
            assert!((0.0..0.12).contains(&step), "{step} at {depth} m");
        }
    }
}
