//! The taut string from the Tx over a profile: its upper hull, built from one end.

use glam::DVec2;

use crate::coverage::plan::Corner;

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

/// The number of corners of a string that it touches on its way to `end` (distance and height). All corners must be
/// nearer than `end`.
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
    let along = (b - a).normalize();
    let clearance = along.perp_dot(a - edge);
    // An edge near a steep line may lie beyond its end, where it is not in the way.
    let [d1, d2] = [edge - a, b - edge].map(|part| part.dot(along).max(f64::MIN_POSITIVE));
    -clearance * (2.0 / wavelength * (1.0 / d1 + 1.0 / d2)).sqrt()
}

/// Weight of an edge with this diffraction parameter: one from [`WHOLE`] up, zero from [`CLEAR`] down.
pub(super) fn weight(nu: f64) -> f64 {
    let t = ((nu - CLEAR) / (WHOLE - CLEAR)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Weights of edges close under the string from `from` to `end`, in order. An edge counts less where another one keeps the
/// wave high over it: where the wave goes on from edge `c`, by the weight of `c`, the line that counts is the one to `c`,
/// and so before it. So an edge at the foot of a high wall is not a step on the way up that wall.
pub(super) fn weights(from: DVec2, places: &[DVec2], end: DVec2, wavelength: f64) -> Vec<f64> {
    let weight_of = |a: DVec2, at: DVec2, b: DVec2| weight(fresnel_parameter(a, at, b, wavelength));
    let alone: Vec<f64> = places.iter().map(|at| weight_of(from, *at, end)).collect();
    let of = |(k, at): (usize, &DVec2)| {
        let mut weight = alone[k];
        let others = |weight: &mut f64, others: &mut dyn Iterator<Item = usize>, is_after: bool| {
            for other in others {
                if *weight == 0.0 {
                    break;
                }
                let weight_there = if is_after {
                    weight_of(from, *at, places[other])
                } else {
                    weight_of(places[other], *at, end)
                };
                *weight *= 1.0 - alone[other] * (1.0 - (weight_there / alone[k]).min(1.0));
                // No wave passes an edge that counts wholly.
                if alone[other] >= 1.0 {
                    break;
                }
            }
        };
        others(&mut weight, &mut (k + 1..places.len()), true);
        others(&mut weight, &mut (0..k).rev(), false);
        weight
    };
    places.iter().enumerate().map(of).collect()
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

/// The diffraction parameter from which up an edge under the string counts like one that the string touches.
const WHOLE: f64 = -1.2;

/// The diffraction parameter from which down an edge does not count: alone it would change the field by a tenth at
/// most.
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
    fn an_edge_at_the_foot_of_a_wall_is_no_step() {
        let from = DVec2::new(193.0, 541.0);
        let end = DVec2::new(326.0, 512.0);
        let roof = DVec2::new(260.0, 523.0);
        let (foot, wall) = (DVec2::new(275.2, 518.4), DVec2::new(276.3, 523.0));
        let alone = weights(from, &[roof, foot, DVec2::new(283.0, 518.0)], end, 0.32);
        assert!(alone[1] > 0.01);
        let [of_roof, of_foot, of_wall] = weights(from, &[roof, foot, wall], end, 0.32)[..] else {
            panic!("three edges")
        };
        assert!(of_roof < 0.1 && of_foot == 0.0 && of_wall == 1.0);
        // The weights are the same from the other side.
        let mirror = |at: DVec2| DVec2::new(-at.x, at.y);
        let back = weights(
            mirror(end),
            &[wall, foot, roof].map(mirror),
            mirror(from),
            0.32,
        );
        assert_eq!(back, [of_wall, of_foot, of_roof]);
    }

    #[test]
    fn roofs_in_a_row_count_as_they_do_alone() {
        let [from, end] = [DVec2::new(0.0, 11.0), DVec2::new(400.0, 11.0)];
        let row: Vec<DVec2> = (1..20)
            .map(|k| DVec2::new(20.0 * f64::from(k), 10.0))
            .collect();
        let all = weights(from, &row, end, 0.15);
        for (at, weight) in row.iter().zip(all) {
            let [alone] = weights(from, &[*at], end, 0.15)[..] else {
                panic!("one edge")
            };
            assert_eq!(weight, alone);
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
