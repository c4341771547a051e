//! The taut string from the transmitter over a profile: the upper hull, built from one end.

use glam::DVec2;

use super::plan::Corner;
use crate::units::amplitude_to_db;

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

/// How far above a corner the line from `a` to `b`, both distance and height, passes, metres.
fn clearance(a: [f64; 2], corner: Corner, b: [f64; 2]) -> f64 {
    let share = (corner.distance - a[0]) / (b[0] - a[0]);
    a[1] + share * (b[1] - a[1]) - corner.height
}

/// Which corners under a part of the string are taken together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// By themselves.
    Apart,
    /// The other edge of a roof that the string touches.
    SameRoof,
    /// What the string touches.
    End,
}

/// The corners that reach farthest into the first Fresnel zone of the line from `a` to `b`, both distance and height: the parameter of
/// Fresnel's integral, 0 or less, of the one apart, and the other edge of a roof; none whose parameters are below [`FREE`] and [`SECOND`].
///
/// # Source
/// ITU-R P.526-15, equation (26). Theory page: `rooftops`.
pub(super) fn closest(
    a: [f64; 2],
    between: &[Corner],
    b: [f64; 2],
    wavelength: f64,
    kind: impl Fn(Corner) -> Kind,
) -> (Option<f64>, Option<Corner>) {
    let slope = (b[1] - a[1]) / (b[0] - a[0]);
    // Clearances and distances along the line from upright and horizontal ones.
    let stretch = 1.0 + slope * slope;
    let turn = 2.0 / (wavelength * stretch * stretch.sqrt());
    let (mut apart, mut same_roof) = (FREE * FREE, SECOND * SECOND);
    let mut second = None;
    for &corner in between {
        let (d1, d2) = (corner.distance - a[0], b[0] - corner.distance);
        let clearance = (a[1] + slope * d1 - corner.height).max(0.0);
        let (above, below) = (turn * clearance * clearance * (d1 + d2), d1 * d2);
        if above >= same_roof.max(apart) * below {
            continue;
        }
        let square = above / below;
        match kind(corner) {
            Kind::Apart if square < apart => apart = square,
            Kind::SameRoof if square < same_roof => {
                same_roof = square;
                second = Some(corner);
            }
            _ => {}
        }
    }
    let is_close = apart < FREE * FREE;
    (is_close.then(|| -apart.sqrt()), second)
}

/// What an edge with the parameter `nu` of Fresnel's integral takes, dB: 6 if it touches the line, nothing from [`FREE`] down.
///
/// # Source
/// ITU-R P.526-15, equation (31).
pub(super) fn knife_edge_loss_db(nu: f64) -> f64 {
    let nu = nu - 0.1;
    (6.9 + amplitude_to_db(nu.hypot(1.0) + nu)).max(0.0)
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

/// From this parameter on an edge takes something from a wave that passes over it: less than 0.55 of the first Fresnel zone is free.
const FREE: f64 = -0.78;

/// From this parameter of Fresnel's integral on the other edge of a roof counts: below it sends less than a tenth of the field.
const SECOND: f64 = -2.25;

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
    fn a_corner_takes_less_the_farther_it_lies_below() {
        let loss = |depth: f64| {
            let profile = corners(&[(50.0, 10.0 - depth)]);
            let (nu, _) = closest([0.0, 10.0], &profile, [100.0, 10.0], 0.15, |_| Kind::Apart);
            nu.map_or(0.0, knife_edge_loss_db)
        };
        assert!((loss(0.0) - 6.0).abs() < 0.1);
        for i in 0..30 {
            let depth = 0.1 * f64::from(i);
            assert!(loss(depth + 0.1) <= loss(depth) && loss(depth) - loss(depth + 0.001) < 0.1);
        }
        // The radius of the first Fresnel zone is 1.94 m.
        assert_eq!(loss(0.56 * 1.94), 0.0);
    }
}
