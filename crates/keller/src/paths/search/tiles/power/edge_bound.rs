//! An upper bound of the amplitude behind an edge.
//!
//! Points are asked in blocks of sixteen, so the code has only operations that vectors have: angles and tangents are
//! series, and each series errs towards the larger bound.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use glam::Vec3;

use super::{ROUNDING, Wedge, nonzero};
use crate::paths::search::tiles::beam::EdgeSource;

/// An edge, and the wave that it diffracts. It may be an image, so its axes may be left-handed.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgeBound {
    start: Vec3,
    along: Vec3,
    inward: Vec3,
    outward: Vec3,
    /// The open angle of the wedge.
    open: f32,
    /// The angle at which the wave arrives, and how far it may be off.
    phi: f32,
    off: f32,
    /// The least distance of the wave's source from the edge's line, metres.
    radius: f32,
    /// The place of the source along the edge, metres, and how far it may be off.
    place: f32,
    slack: f32,
    /// The factor of the bound with a transition function of 1.
    far: f32,
    missing: f32,
}

impl EdgeBound {
    /// The bound for a wave number, 1/m, and the largest norm `missing` of the field that is missing behind a shadow
    /// boundary of the incident wave.
    pub(super) fn new(source: &EdgeSource, wedge: &Wedge, wavenumber: f32, missing: f32) -> Self {
        let from = source.from - source.start;
        let (x, y) = (from.dot(wedge.inward), from.dot(wedge.outward));
        let distance = (x * x + y * y).sqrt();
        let radius = nonzero(distance - wedge.slack);
        let n = wedge.open / PI;
        Self {
            start: source.start,
            along: source.along,
            inward: wedge.inward,
            outward: wedge.outward,
            open: wedge.open,
            phi: inside(angle(x, y), wedge.open),
            off: turn(distance, wedge.slack) + ROUNDING,
            radius,
            place: from.dot(source.along),
            slack: wedge.slack,
            far: 1.0 / (2.0 * n * (TAU * wavenumber * radius).sqrt()),
            missing,
        }
    }

    /// Upper bound of the amplitude in a ball, relative to that of free space at 1 m.
    ///
    /// # Source
    /// Theory page: `diffraction`, the sum of the four terms' absolute values with `|F| <= 1`, and with `|w| <= 1` near
    /// each boundary.
    #[inline(always)]
    pub(super) fn at(&self, centre: [f32; 3], ball_radius: f32) -> f32 {
        let start = self.start;
        let from_start = [
            centre[0] - start.x,
            centre[1] - start.y,
            centre[2] - start.z,
        ];
        let dot = |v: Vec3| from_start[0] * v.x + from_start[1] * v.y + from_start[2] * v.z;
        let (x, y, z) = (dot(self.inward), dot(self.outward), dot(self.along));
        let distance = (x * x + y * y).sqrt();
        let phi = inside(angle(x, y), self.open);
        let off = self.off + turn(distance, ball_radius);
        let radius = nonzero(distance - ball_radius);
        let along = ((z - self.place).abs() - ball_radius - self.slack).max(0.0);
        let across = self.radius + radius;
        let length = (across * across + along * along).sqrt();

        let near = 0.5 / length;
        let far = self.far / (radius * length).sqrt();
        let term = |delta: f32, sign: f32| {
            let turns = ((delta + sign * PI) / (2.0 * self.open)).round_ties_even();
            let epsilon = (delta - 2.0 * self.open * turns + sign * PI).abs();
            let half = nonzero(epsilon - off) * FRAC_PI_2 / self.open;
            near.min(far * cotangent(half))
        };
        let (difference, sum) = (phi - self.phi, phi + self.phi);
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
