//! The taut string from the Tx over a profile: its upper hull, built from one end.

use glam::DVec2;

use super::plan::Corner;

/// A corner counts as an edge if the string touches it or passes over it by less than this, metres. So roofs of equal
/// height all count.
const TOUCHING: f64 = 1e-6;

/// Corners nearer to each other than this, metres, are one: houses that touch have an edge each.
pub(super) const SAME_CORNER: f64 = 1e-3;

/// Finds the corners of a profile that a string from the height `start` at distance zero touches on its way to any
/// point beyond all of them. They are indices into `profile`, in the order of distance. On the way to one such point
/// the string touches only the first few of them, see [`touched`].
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

/// How many corners of a string it touches on its way to `end` (distance and height). All corners must be nearer than
/// `end`.
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

/// Whether a corner is in the way from `a` to `b`, both as distance and height.
fn is_touched(a: [f64; 2], corner: Corner, b: [f64; 2]) -> bool {
    clearance(a, corner, b) < TOUCHING
}

/// Whether the line from `a` to `b`, both as distance and height, passes over all corners between them.
pub(super) fn is_free(a: DVec2, b: DVec2, profile: &[Corner]) -> bool {
    let first = profile.partition_point(|corner| corner.distance < a.x + SAME_CORNER);
    let behind = profile[first..].iter();
    let mut between = behind.take_while(|corner| corner.distance < b.x - SAME_CORNER);
    let [a, b] = [a.to_array(), b.to_array()];
    between.all(|corner| !is_touched(a, *corner, b))
}

/// Height of the line from `a` to `b`, both as distance and height, above a corner, metres.
fn clearance(a: [f64; 2], corner: Corner, b: [f64; 2]) -> f64 {
    let share = (corner.distance - a[0]) / (b[0] - a[0]);
    a[1] + share * (b[1] - a[1]) - corner.height
}

/// The Fresnel diffraction parameter ν of an edge under the line from `a` to `b`, all as distance and height: 0 where
/// the edge touches the line, negative below it.
///
/// # Source
/// ITU-R P.526-15, equation (26).
pub(super) fn fresnel_parameter(a: DVec2, edge: DVec2, b: DVec2, wavelength: f64) -> f64 {
    let slope = (b.y - a.y) / (b.x - a.x);
    let clearance = a.y + slope * (edge.x - a.x) - edge.y;
    // The slope converts vertical and horizontal values into clearances and distances along the line.
    let stretch = (1.0 + slope * slope).sqrt();
    let (d1, d2) = (stretch * (edge.x - a.x), stretch * (b.x - edge.x));
    -clearance / stretch * (2.0 / wavelength * (1.0 / d1 + 1.0 / d2)).sqrt()
}

/// Weight of an edge with this diffraction parameter: one from [`WHOLE`] up, zero from [`CLEAR`] down.
pub(super) fn weight(nu: f64) -> f64 {
    let t = ((nu - CLEAR) / (WHOLE - CLEAR)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// The power behind a knife edge on the way from `a` over it to `b`, all as distance and height, relative to the power
/// at grazing; at most 1.
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

/// From this diffraction parameter up, an edge under the string counts like one that the string touches.
const WHOLE: f64 = -1.2;

/// From this diffraction parameter down, an edge does not count: alone it would change the field by a tenth at most.
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
        // The higher the end, the fewer corners the string touches.
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
