//! The grid of a pattern table: which angles make one, where a direction lies in it, where to integrate.

use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

use crate::Error;

/// The largest step, radians: larger ones leave unknown lobes between them. It is a little over 45° so that those pass.
const MAX_STEP: f64 = 0.251 * PI;

/// Rounding of angles that were degrees in a file, radians.
const ANGLE_ROUNDING: f64 = 1e-9;

pub(super) fn refuse(problem: String) -> Error {
    Error::Pattern(problem)
}

/// Refuses angles that do not ascend or do not cover the sphere.
pub(super) fn check_angles(zeniths: &[f64], azimuths: &[f64]) -> Result<(), Error> {
    let degrees = f64::to_degrees;
    for (name, angles) in [("zenith", zeniths), ("azimuth", azimuths)] {
        if angles.is_empty() {
            return Err(refuse(format!("there is no {name} in it")));
        }
        if let Some(angle) = angles.iter().find(|a| !a.is_finite()) {
            return Err(refuse(format!("the {name} {angle} is not a finite number")));
        }
        if let Some(pair) = angles.windows(2).find(|w| w[1] <= w[0]) {
            return Err(refuse(format!(
                "the {name} {}° follows {}°; accepted: ascending angles",
                degrees(pair[1]),
                degrees(pair[0])
            )));
        }
        if let Some(pair) = angles.windows(2).find(|w| w[1] - w[0] > MAX_STEP) {
            return Err(too_far(name, pair[0], pair[1]));
        }
    }
    let (top, bottom) = (zeniths[0], zeniths[zeniths.len() - 1]);
    if top < -ANGLE_ROUNDING || bottom > PI + ANGLE_ROUNDING {
        return Err(refuse(format!(
            "the zeniths go from {}° to {}°; accepted: 0 to 180°",
            degrees(top),
            degrees(bottom)
        )));
    }
    if top > MAX_STEP {
        return Err(too_far("zenith", 0.0, top));
    }
    if PI - bottom > MAX_STEP {
        return Err(too_far("zenith", bottom, PI));
    }
    let (first, last) = (azimuths[0], azimuths[azimuths.len() - 1]);
    let rest = first + TAU - last;
    if rest <= ANGLE_ROUNDING {
        return Err(refuse(format!(
            "the azimuths go from {}° to {}°; accepted: less than one turn, each direction once",
            degrees(first),
            degrees(last)
        )));
    }
    if azimuths.len() > 1 && rest > MAX_STEP {
        return Err(too_far("azimuth", last, first + TAU));
    }
    Ok(())
}

fn too_far(name: &str, from: f64, to: f64) -> Error {
    refuse(format!(
        "no {name} between {:.4}° and {:.4}°; accepted: steps of at most 45° that cover the sphere",
        from.to_degrees(),
        to.to_degrees()
    ))
}

/// Four corners of the grid and where between them.
pub(super) struct GridCell {
    /// Upper left, upper right, lower left, lower right.
    pub(super) corners: [usize; 4],
    /// The position from upper to lower, 0 to 1.
    pub(super) down: f64,
    /// The position from left to right, 0 to 1.
    pub(super) across: f64,
}

impl GridCell {
    pub(super) fn interpolate<T>(&self, value: impl Fn(usize) -> T) -> T
    where
        T: std::ops::Mul<f64, Output = T> + std::ops::Add<Output = T>,
    {
        let row = |left, right| value(left) * (1.0 - self.across) + value(right) * self.across;
        let [a, b, c, d] = self.corners;
        row(a, b) * (1.0 - self.down) + row(c, d) * self.down
    }

    pub(super) fn field(&self, fields: &[[Complex64; 2]]) -> [Complex64; 2] {
        [0, 1].map(|part| self.interpolate(|i| fields[i][part]))
    }
}

/// The position of `value` between `start` and `end`, 0 to 1; 0 if they are one.
pub(super) fn share(value: f64, start: f64, end: f64) -> f64 {
    if end > start {
        ((value - start) / (end - start)).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// Points from 0 to 1, and their weights, at which to integrate along `length` radians: two of Gauss and Legendre in each piece.
pub(super) fn points(length: f64) -> impl Iterator<Item = (f64, f64)> {
    /// Gain is interpolated in decibels, so it may change tenfold in a long piece.
    const PIECE: f64 = PI / 36.0;
    const GAUSS: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];
    // Steps are below MAX_STEP, or the whole turn of a single azimuth: 72 pieces at most.
    let pieces = (1..=72)
        .find(|n| length <= PIECE * f64::from(*n))
        .unwrap_or(72);
    let weight = 0.5 / f64::from(pieces);
    (0..pieces).flat_map(move |piece| {
        GAUSS.map(|point| ((f64::from(piece) + point) / f64::from(pieces), weight))
    })
}
