//! The diffraction at one edge for many observers between two angles. The matrices of the terms are interpolated
//! linearly between the two angles; the terms themselves are exact.

use num_complex::Complex64;

use super::Diffraction;
use super::boundary::{Boundary, Turn};

/// An incident field at an edge, and its diffraction between two angles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fan {
    /// The shadow boundaries, seen from the first angle.
    boundaries: [Boundary; 4],
    factor: f64,
    wavenumber: f64,
    /// The matrix times the field at the first angle, and its change to the second angle, for each term and the tip.
    parts: [[Complex64; 2]; 5],
    changes: [[Complex64; 2]; 5],
}

impl Fan {
    /// The fan of a field with components along `beta` and `phi`, between two angles around the edge.
    pub(crate) fn new(ends: [&Diffraction; 2], [beta, phi]: [Complex64; 2]) -> Self {
        let [parts, other] = ends.map(|end| {
            let [first, second, nth, zero] = end.weights.terms;
            [first, second, nth, zero, end.weights.tip]
                .map(|matrix| matrix.map(|[a, b]| a * beta + b * phi))
        });
        let changes = [0, 1, 2, 3, 4].map(|k| [0, 1].map(|l| other[k][l] - parts[k][l]));
        let [first, _] = ends;
        Self {
            boundaries: first.boundaries,
            factor: first.factor.norm_sqr() * first.sin_beta * first.sin_beta,
            wavenumber: first.wavenumber,
            parts,
            changes,
        }
    }

    /// The power in both polarisations, without spreading, for an observer who is `turn` further around the edge than
    /// the first angle and at `share` of the way to the second. `sin_beta` is the sine between ray and edge, and
    /// `distance` is the distance parameter, metres.
    pub(crate) fn power(&self, turn: &Turn, share: f64, sin_beta: f64, distance: f64) -> f64 {
        let kl = self.wavenumber * distance;
        let terms = self.boundaries.map(|b| b.turned(turn).quick_value(kl));
        let power = |k: usize| {
            let weight = |n: usize| self.parts[n][k] + share * self.changes[n][k];
            let part = |n: usize| terms[n] * weight(n);
            (part(0) + part(1) + part(2) + part(3) + weight(4)).norm_sqr()
        };
        self.factor / (sin_beta * sin_beta) * (power(0) + power(1))
    }

    /// The turn of an observer by an angle, radians.
    pub(crate) fn turn(&self, by: f64) -> Turn {
        self.boundaries[0].turn(by)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{EdgeAngles, LossyWedge, Wedge, WedgeFace};
    use super::*;
    use crate::Frequency;
    use crate::em::Surface;
    use crate::materials::Material;

    #[test]
    fn perfect_conductors_have_the_power_of_the_diffraction_at_every_angle() {
        // The matrices of these wedges do not depend on the angles, so interpolation has no error.
        let frequency = Frequency::from_hz(1e9).unwrap();
        let metal = Material::from_name("pec").unwrap();
        let surface = Surface::new(&metal, frequency).unwrap();
        let face = WedgeFace {
            surface: &surface,
            shows_front: true,
        };
        let wedge = Wedge {
            n: 1.5,
            faces: [face; 2],
            is_sheet: false,
            lets_through: true,
        };
        let field = [Complex64::new(0.3, 0.7), Complex64::new(-0.2, 0.4)];
        let at = |phi_out: f64, sin_beta: f64| {
            let angles = EdgeAngles {
                sin_beta,
                cos_beta: 0.0,
                phi_in: 0.7,
                phi_out,
            };
            Diffraction::new(
                &wedge,
                angles,
                frequency.wavenumber(),
                LossyWedge::default(),
            )
        };
        let first = 2.6;
        let fan = Fan::new([&at(first, 0.8), &at(first + 2.0, 0.8)], field);
        for step in 0..=20 {
            let by = 0.1 * f64::from(step);
            for sin_beta in [0.8, 0.75] {
                let matrix = at(first + by, sin_beta).matrix(12.0);
                let [a, b] = matrix.map(|[a, b]| a * field[0] + b * field[1]);
                let expected = a.norm_sqr() + b.norm_sqr();
                let power = fan.power(&fan.turn(by), 0.5 * by, sin_beta, 12.0);
                let is_right = (power - expected).abs() < 1e-5 * expected + 1e-12;
                assert!(is_right, "{by} {sin_beta}: {power}, not {expected}");
            }
        }
    }
}
