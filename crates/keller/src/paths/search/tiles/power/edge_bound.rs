//! An upper bound of the amplitude behind an edge.
//!
//! Points and extents are asked in blocks of sixteen, so the code has only operations that vectors have: angles and
//! tangents are series, and each series errs towards the larger bound.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]
#![allow(
    clippy::needless_bitwise_bool,
    reason = "all lanes are asked everything"
)]

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use glam::Vec3;

use super::{ROUNDING, Wedge, nonzero};
use crate::paths::search::tiles::beam::{BeamSource, EdgeSource};

/// The arrival of a wave at an edge, or at a segment of one. Reflections do not change it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
    /// The angle at which it arrives, and the largest error of that angle.
    phi: f32,
    off: f32,
    /// Lower bound of the distance of its source from the edge's line, unfolded, metres.
    radius: f32,
    /// The place of the source along the edge, or of the middle of the segment behind another edge, metres.
    place: f32,
    /// Half the length of that segment.
    slack: f32,
    /// The largest length of the way to the segment, and the smallest sine of the angle between the wave and this edge;
    /// `None` unless the segment is behind another edge.
    behind: Option<[f32; 2]>,
}

impl Arrival {
    /// The arrival of the wave from `source` at `segment`, from one end to the other, of an edge with these axes and
    /// open angle. The way from a point may be to any part of the edge.
    pub(super) fn new(
        source: &BeamSource,
        edge: &EdgeSource,
        wedge: [Vec3; 2],
        open: f32,
        segment: [Vec3; 2],
    ) -> Self {
        let across = |point: Vec3| {
            let from = point - edge.start;
            wedge.map(|axis| from.dot(axis))
        };
        if let BeamSource::Point(from) = source {
            let [x, y] = across(*from);
            return Self {
                phi: inside(angle(x, y), open),
                off: ROUNDING,
                radius: nonzero(x.hypot(y)),
                place: (from - edge.start).dot(edge.along),
                slack: 0.0,
                behind: None,
            };
        }
        let last = segment.map(|end| source.last_point(end));
        let view = View::of(last.map(across), across(last[0].midpoint(last[1])), open);
        let ways = segment.map(|end| source.straightened(end).distance(end));
        let longest = ways[0].max(ways[1]);
        let furthest = last
            .iter()
            .flat_map(|from| segment.map(|to| from.distance(to)))
            .fold(0.0, f32::max);
        let sine = (view.nearest / nonzero(furthest)).clamp(1e-3, 1.0);
        Self {
            phi: view.phi,
            off: view.off,
            radius: nonzero(longest * sine),
            place: (segment[0].midpoint(segment[1]) - edge.start).dot(edge.along),
            slack: 0.5 * segment[0].distance(segment[1]),
            behind: Some([longest, sine]),
        }
    }

    /// The largest length of the way to the segment, if it is behind another edge.
    pub(super) fn longest(&self) -> Option<f32> {
        self.behind.map(|[longest, _]| longest)
    }
}

/// The angles around an edge under which points appear, and all points between them.
#[derive(Debug, Clone, Copy)]
struct View {
    phi: f32,
    off: f32,
    /// Lower bound of the distance from the edge's line.
    nearest: f32,
}

/// Points that are nearer to an edge's line, metres, have no direction from it: they are ends of something that touches
/// the edge.
const TOUCHING: f32 = 0.05;

impl View {
    /// The view of points across an edge of this open angle. `centre` is one between them.
    #[inline(always)]
    fn of<const N: usize>(points: [[f32; 2]; N], centre: [f32; 2], open: f32) -> Self {
        let [x, y] = centre;
        let distance = (x * x + y * y).sqrt();
        let scale = 1.0 / distance.max(f32::MIN_POSITIVE);
        let mut nearest = distance;
        let (mut low, mut high) = (0.0_f32, 0.0_f32);
        let mut is_around = distance < TOUCHING;
        for point in points {
            let ahead = (x * point[0] + y * point[1]) * scale;
            let offset = (x * point[1] - y * point[0]) * scale;
            nearest = nearest.min(ahead);
            let touches = ahead * ahead + offset * offset < TOUCHING * TOUCHING;
            is_around |= (ahead <= 0.0) & !touches;
            let tangent = if touches {
                0.0
            } else {
                offset / nonzero(ahead)
            };
            low = low.min(tangent);
            high = high.max(tangent);
        }
        let around = angle(x, y);
        let around = if around > 0.5 * (open + TAU) {
            around - TAU
        } else {
            around
        };
        let low = around - angle(1.0, -low);
        let high = around + angle(1.0, high);
        // Some points may lie behind the wedge's other face.
        let is_around = is_around | (low < open - TAU) | (high > TAU);
        let (low, high) = (low.max(0.0).min(open), high.max(0.0).min(open));
        Self {
            phi: 0.5 * (low + high),
            off: if is_around { TAU } else { 0.5 * (high - low) },
            nearest: nearest.max(0.0),
        }
    }
}

/// An edge, and the wave that it diffracts. It may be an image, so its axes may be left-handed.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgeBound {
    start: Vec3,
    along: Vec3,
    inward: Vec3,
    outward: Vec3,
    /// The open angle of the wedge.
    open: f32,
    arrival: Arrival,
    /// The factor of the bound with a transition function of 1.
    far: f32,
    missing: f32,
}

/// The position of a place relative to an edge before it.
#[derive(Debug, Clone, Copy)]
struct Place {
    phi: f32,
    off: f32,
    /// Lower bound of the distance from the edge's line, and the place along it, metres.
    radius: f32,
    along: f32,
    /// The largest error of the position along the edge.
    slack: f32,
    /// The least length by which the way continues.
    onward: f32,
}

impl EdgeBound {
    /// The bound for a wave number, 1/m, and the largest norm `missing` of the field that is missing behind a shadow
    /// boundary of the incident wave.
    pub(super) fn new(source: &EdgeSource, wedge: &Wedge, wavenumber: f32, missing: f32) -> Self {
        let n = wedge.open / PI;
        let arrival = wedge.arrival;
        Self {
            start: source.start,
            along: source.along,
            inward: wedge.inward,
            outward: wedge.outward,
            open: wedge.open,
            arrival,
            far: 1.0 / (2.0 * n * (TAU * wavenumber * arrival.radius).sqrt()),
            missing,
        }
    }

    /// Upper bound of the amplitude in a ball, relative to that of free space at 1 m.
    #[inline(always)]
    pub(super) fn at(&self, centre: [f32; 3], ball_radius: f32) -> f32 {
        let [x, y, z] = self.coordinates(self.relative_to_start(centre));
        let distance = (x * x + y * y).sqrt();
        self.amplitude(Place {
            phi: inside(angle(x, y), self.open),
            off: turn(distance, ball_radius),
            radius: distance - ball_radius,
            along: z,
            slack: ball_radius,
            onward: 0.0,
        })
    }

    /// The bound for all waves that continue within the `halves` of a parallelogram around a centre, and a `radius`
    /// around it, for at least a further length `onward`.
    #[inline(always)]
    pub(super) fn behind(
        &self,
        centre: [f32; 3],
        halves: [[f32; 3]; 2],
        radius: f32,
        onward: f32,
    ) -> f32 {
        let [x, y, z] = self.coordinates(self.relative_to_start(centre));
        let [a, b] = halves.map(|half| self.coordinates(half));
        let corner = |i: f32, j: f32| [x + i * a[0] + j * b[0], y + i * a[1] + j * b[1]];
        let corners = [
            corner(1.0, 1.0),
            corner(1.0, -1.0),
            corner(-1.0, 1.0),
            corner(-1.0, -1.0),
        ];
        let view = View::of(corners, [x, y], self.open);
        self.amplitude(Place {
            phi: view.phi,
            off: view.off
                + if radius > 0.0 {
                    turn(view.nearest, radius)
                } else {
                    0.0
                },
            radius: view.nearest - radius,
            along: z,
            slack: a[2].abs() + b[2].abs() + radius,
            onward,
        })
    }

    #[inline(always)]
    fn relative_to_start(&self, point: [f32; 3]) -> [f32; 3] {
        let start = self.start;
        [point[0] - start.x, point[1] - start.y, point[2] - start.z]
    }

    #[inline(always)]
    fn coordinates(&self, vector: [f32; 3]) -> [f32; 3] {
        let dot = |v: Vec3| vector[0] * v.x + vector[1] * v.y + vector[2] * v.z;
        [dot(self.inward), dot(self.outward), dot(self.along)]
    }

    /// # Source
    /// Theory page: `diffraction`, the sum of the four terms' absolute values with `|F| <= 1`, and with `|w| <= 1` near
    /// each boundary.
    #[inline(always)]
    fn amplitude(&self, place: Place) -> f32 {
        let arrival = &self.arrival;
        let off = arrival.off + place.off;
        let radius = place.radius.max(0.0);
        let offset = (place.along - arrival.place).abs();
        let slack = place.slack + arrival.slack;
        let along = (offset - slack).max(0.0);
        let (length, sine) = if let Some([longest, sine]) = arrival.behind {
            let behind = (radius * radius + along * along).sqrt();
            (longest + behind + place.onward, sine)
        } else {
            let across = arrival.radius + radius;
            let (square, max_along) = (across * across, offset + slack);
            (
                (square + along * along).sqrt() + place.onward,
                across / (square + max_along * max_along).sqrt(),
            )
        };
        let radius = nonzero(radius + sine * place.onward);

        let near = 0.5 / length;
        let far = self.far / (radius * length).sqrt();
        let term = |delta: f32, sign: f32| {
            let turns = ((delta + sign * PI) / (2.0 * self.open)).round_ties_even();
            let epsilon = (delta - 2.0 * self.open * turns + sign * PI).abs();
            let half = nonzero(epsilon - off) * FRAC_PI_2 / self.open;
            near.min(far * cotangent(half))
        };
        let (difference, sum) = (place.phi - arrival.phi, place.phi + arrival.phi);
        self.missing * (term(difference, 1.0) + term(difference, -1.0))
            + term(sum, 1.0)
            + term(sum, -1.0)
    }
}

/// The angle of a vector from the first axis, between 0 and a full turn, within 1e-5.
///
/// # Source
/// Abramowitz and Stegun 1964, equation 4.4.49.
#[inline(always)]
fn angle(x: f32, y: f32) -> f32 {
    let (ax, ay) = (x.abs(), y.abs());
    let tangent = ax.min(ay) / ax.max(ay).max(f32::MIN_POSITIVE);
    let s = tangent * tangent;
    let series = (((0.020_835_1 * s - 0.085_133) * s + 0.180_141) * s - 0.330_299_5) * s;
    let eighth = (series + 0.999_866) * tangent;
    let quarter = if ay > ax { FRAC_PI_2 - eighth } else { eighth };
    let half = if x < 0.0 { PI - quarter } else { quarter };
    if y < 0.0 { TAU - half } else { half }
}

/// The nearest angle outside the wedge.
#[inline(always)]
fn inside(angle: f32, open: f32) -> f32 {
    let nearest = if angle > 0.5 * (open + TAU) {
        0.0
    } else {
        open
    };
    if angle <= open { angle } else { nearest }
}

/// Upper bound of the angle under which a ball that is `off` wide appears from a `distance`.
#[inline(always)]
fn turn(distance: f32, off: f32) -> f32 {
    let sine = off / distance;
    let s = sine * sine;
    // The last term stands for all that follow in the series. At a right angle it is as large as they are together.
    let angle = sine * (1.0 + s * (1.0 / 6.0 + s * (FRAC_PI_2 - 7.0 / 6.0)));
    if off < distance { angle } else { PI }
}

/// Upper bound of the cotangent of an angle up to a quarter turn: all terms of its series that follow are negative.
#[inline(always)]
fn cotangent(angle: f32) -> f32 {
    let s = angle * angle;
    let series = angle * (1.0 / 3.0 + s * (1.0 / 45.0 + s * (2.0 / 945.0)));
    (1.0 / angle - series).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_err_towards_the_larger_bound() {
        for k in 1..=1000_u16 {
            let part = f32::from(k) / 1000.0;
            let quarter = FRAC_PI_2 * part;
            let cot = 1.0 / quarter.tan();
            let bound = cotangent(quarter);
            assert!(
                bound >= cot * (1.0 - 1e-5) - 1e-6 && bound < cot + 0.008,
                "{quarter}"
            );
            let arcsine = turn(1.0, 0.999 * part);
            let exact = (0.999 * part).asin();
            assert!(
                arcsine >= exact * (1.0 - 1e-6) && arcsine < exact + 0.16,
                "{part}"
            );
        }
    }

    #[test]
    fn angles_go_once_around() {
        for k in 0..3600_u16 {
            let exact = f32::from(k) * TAU / 3600.0;
            let (sin, cos) = exact.sin_cos();
            let off = (angle(40.0 * cos, 40.0 * sin) - exact).abs();
            assert!(off.min(TAU - off) < 1.2e-5, "{exact}");
        }
        assert_eq!(angle(0.0, 0.0), 0.0);
    }
}
