//! Points and directions of low discrepancy, the same on every run.
//!
//! **Source.** M. Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018, for additive recurrences
//! with the generalised golden ratio; R. Swinbank and R. J. Purser, "Fibonacci grids: A novel approach to global
//! modelling", Q. J. R. Meteorol. Soc. 132, 2006, doi:10.1256/qj.05.227, for the sphere.

use std::f64::consts::{PI, TAU};

use glam::DVec3;

use crate::random::Random;

/// The root of `x^5 = x + 1`: the generalised golden ratio for points in four dimensions.
const GOLDEN_4: f64 = 1.167_303_978_261_418_7;

/// Points of the four-dimensional unit cube. Each seed gives them another shift.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Points {
    shift: [f64; 4],
}

impl Points {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        Self {
            shift: [(); 4].map(|()| (random.bits() >> 11) as f64 / (1_u64 << 53) as f64),
        }
    }

    /// The point with this number.
    pub(crate) fn at(&self, number: u32) -> [f64; 4] {
        let mut step = 1.0;
        self.shift.map(|shift| {
            step /= GOLDEN_4;
            (shift + f64::from(number) * step).fract()
        })
    }
}

/// A direction around `normal`, with a density that falls as the cosine to it, from two numbers in `[0, 1)`.
pub(crate) fn around(normal: DVec3, [u, v]: [f64; 2]) -> DVec3 {
    at_cosine(normal, (1.0 - u).sqrt(), v)
}

/// A direction of the half space around `normal`, with an even density, from two numbers in `[0, 1)`.
pub(crate) fn evenly_around(normal: DVec3, [u, v]: [f64; 2]) -> DVec3 {
    at_cosine(normal, 1.0 - u, v)
}

/// A direction at an angle with this cosine to the unit vector `normal`, turned around it by a share of a circle.
pub(crate) fn at_cosine(normal: DVec3, cosine: f64, turn: f64) -> DVec3 {
    let across = normal.any_orthonormal_vector();
    let (sin, cos) = (TAU * turn).sin_cos();
    let radius = (1.0 - cosine * cosine).sqrt();
    (radius * cos * across + radius * sin * normal.cross(across) + cosine * normal).normalize()
}

/// `count` directions that cover the sphere evenly.
pub(crate) fn sphere(count: u32) -> impl ExactSizeIterator<Item = DVec3> {
    let golden_angle = PI * (3.0 - 5.0_f64.sqrt());
    (0..count).map(move |k| {
        let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(count);
        let radius = (1.0 - z * z).sqrt();
        let (sin, cos) = (golden_angle * f64::from(k)).sin_cos();
        DVec3::new(radius * cos, radius * sin, z)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_of_the_sphere_have_the_moments_of_an_even_density() {
        let all: Vec<DVec3> = sphere(1000).collect();
        let sum: DVec3 = all.iter().copied().sum();
        let squares: DVec3 = all.iter().map(|d| *d * *d).sum();
        assert!(sum.length() < 1.0 && (squares / 1000.0 - 1.0 / 3.0).length() < 2e-3);
    }

    #[test]
    fn directions_around_a_normal_have_the_moments_of_the_cosine() {
        let points = Points::new(7);
        let normal = DVec3::new(0.3, -0.5, 0.7).normalize();
        let cosines = (0..4096).map(|k| {
            let [_, _, u, v] = points.at(k);
            around(normal, [u, v]).dot(normal)
        });
        let (sum, squares) = cosines.fold((0.0, 0.0), |(a, b), c| (a + c, b + c * c));
        assert!((sum / 4096.0 - 2.0 / 3.0).abs() < 2e-3, "{sum}");
        assert!((squares / 4096.0 - 0.5).abs() < 2e-3, "{squares}");
    }
}
