//! The angles around an edge from which diffracted power is looked for.
//!
//! All directions from which an edge sends power to a point lie on a cone around the edge. The diffracted power rises
//! steeply towards the shadow boundaries, in a width that falls with the distance to the source, which is not known
//! beforehand. So the density of angles falls as one over the distance from each boundary, and is even within the
//! narrowest width: each decade has as many angles. The power per angle, divided by their density, is then a smooth
//! function, whatever the width.

use std::f64::consts::PI;

/// A boundary of the reflected wave counts as so much of one of the incident wave, because walls reflect a part only.
const REFLECTED: f64 = 0.5;

/// A density of angles between 0 and the exterior angle of an edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cone {
    open: f64,
    /// The angle from a boundary within which the density is even, radians.
    width: f64,
    /// The angle of each boundary, which may lie beyond the faces, and the share of angles that belong to it.
    boundaries: [(f64, f64); 4],
    /// The share of each boundary over the integral of its density.
    scales: [f64; 4],
}

impl Cone {
    /// The angles for a point at the angle `phi` around an edge with this exterior angle. `width` is the narrowest
    /// width of a boundary.
    pub(super) fn new(open: f64, phi: f64, width: f64) -> Self {
        let of_incident = [phi - PI, phi + PI].map(|centre| (centre, 1.0));
        let of_reflected = [PI - phi, 2.0 * open - PI - phi].map(|centre| (centre, REFLECTED));
        let [a, b] = of_incident;
        let [c, d] = of_reflected;
        let mut boundaries = [a, b, c, d];
        for (centre, share) in &mut boundaries {
            let beyond = (-*centre).max(*centre - open).max(0.0);
            *share *= width / (width + beyond);
        }
        let sum: f64 = boundaries.iter().map(|(_, share)| share).sum();
        for (_, share) in &mut boundaries {
            *share /= sum;
        }
        let mut cone = Self {
            open,
            width,
            boundaries,
            scales: [0.0; 4],
        };
        cone.scales = boundaries.map(|(centre, share)| {
            let [low, high] = cone.span(centre);
            share / (high - low)
        });
        cone
    }

    /// The angle behind the part `u` of all, between 0 and 1, and the density of angles there, per radian.
    pub(super) fn at(&self, u: f64) -> (f64, f64) {
        let mut rest = u;
        let mut own = self.boundaries.len() - 1;
        for (number, (_, share)) in self.boundaries.iter().enumerate() {
            if rest < *share {
                own = number;
                break;
            }
            rest -= share;
        }
        let (centre, share) = self.boundaries[own];
        let [low, high] = self.span(centre);
        let place = low + (rest / share).min(1.0) * (high - low);
        let away = self.width * place.abs().exp_m1();
        let angle = (centre + away.copysign(place)).clamp(0.0, self.open);
        (angle, self.density(angle))
    }

    /// The density of angles at one of them, per radian.
    pub(super) fn density(&self, angle: f64) -> f64 {
        let all = self.boundaries.iter().zip(&self.scales);
        let of_one = |((centre, _), scale): (&(f64, f64), &f64)| {
            scale / (self.width + (angle - centre).abs())
        };
        all.map(of_one).sum()
    }

    /// The integral of `1 / (width + distance to the boundary)` from the boundary to both faces, with its sign.
    fn span(&self, centre: f64) -> [f64; 2] {
        [0.0, self.open].map(|face| {
            let away = face - centre;
            (away.abs() / self.width).ln_1p().copysign(away)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frequency;
    use crate::em::Surface;
    use crate::em::utd::{Diffraction, EdgeAngles, LossyWedge, Wedge, WedgeFace};
    use crate::materials::Material;

    /// The sources are near and far, at grazing angles up to the far side, of edges of sheets, corners and curved
    /// walls.
    #[test]
    fn sums_over_few_angles_are_the_integral_of_diffracted_power() {
        let frequency = Frequency::from_hz(2e9).unwrap();
        let metal = Material::from_name("pec").unwrap();
        let surface = Surface::new(&metal, frequency).unwrap();
        let face = WedgeFace {
            surface: &surface,
            shows_front: true,
        };
        let reach = 30.0;
        let width = 0.5 * (frequency.wavelength() / reach).sqrt();
        for n in [2.0, 1.5, 1.1] {
            let wedge = Wedge {
                n,
                faces: [face; 2],
                is_sheet: n == 2.0,
                lets_through: true,
            };
            let open = n * PI;
            for phi_out in [0.03, 0.4, 0.5, 0.77, 0.99].map(|part| part * open) {
                let power = |phi_in: f64, distance: f64| {
                    let angles = EdgeAngles {
                        sin_beta: 1.0,
                        cos_beta: 0.0,
                        phi_in,
                        phi_out,
                    };
                    let form = LossyWedge::default();
                    Diffraction::new(&wedge, angles, frequency.wavenumber(), form).power(distance)
                };
                for distance in [0.3, 3.0, reach] {
                    let fine = 40_000;
                    let exact = (0..fine).map(|k| {
                        let step = open / f64::from(fine);
                        step * power((f64::from(k) + 0.5) * step, distance)
                    });
                    let exact: f64 = exact.sum();
                    let cone = Cone::new(open, phi_out, width);
                    let count = 128;
                    let found = (0..count).map(|k| {
                        let (angle, density) = cone.at((f64::from(k) + 0.5) / f64::from(count));
                        power(angle, distance) / (density * f64::from(count))
                    });
                    let found: f64 = found.sum();
                    assert!(
                        (found / exact - 1.0).abs() < 0.06,
                        "{n} {phi_out} {distance}: {found}, not {exact}"
                    );
                }
            }
        }
    }
}
