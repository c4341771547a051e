//! Waves that leave edges: what each strand that meets an edge contributes, behind it and further on.

use num_complex::Complex64;

use super::frame::Ray;
use super::vector::ComplexVector;
use super::wave::{Slope, Strand};
use crate::em::utd::{Diffraction, DoubleDiffraction, Growth, Matrix2, OuterLengths};

/// Components along `beta` and `phi` of the fields of both sources.
pub(super) type Components = [[Complex64; 2]; 2];

/// A wave that leaves an edge: the sum of the contributions of each strand that meets it.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) arms: Vec<Arm>,
    /// The field, and its derivative by the angle around the edge.
    pub(super) field: Components,
    pub(super) slope: Components,
}

/// The diffraction of one strand at an edge.
#[derive(Debug)]
pub(super) struct Arm {
    pub(super) side: usize,
    pub(super) bend: Bend,
    /// The incident field, and its change per metre across the ray.
    pub(super) incident: Components,
    pub(super) incident_slope: Option<Components>,
}

#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all arms are of the large kind, and a box would cost each an allocation"
)]
pub(super) enum Bend {
    One {
        diffraction: Diffraction,
        /// How the diffraction terms grow as the rays rise from lossy faces along which they travel.
        growth: Option<Box<Growth>>,
    },
    Joint(Box<DoubleDiffraction>),
}

/// What distance parameters follow from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Distances {
    /// Metres to the last edge or the Tx, and to the observer.
    pub(super) behind: f64,
    pub(super) ahead: f64,
    /// The factors on both for the field and for its slope.
    pub(super) field: f64,
    pub(super) slope: f64,
}

impl Distances {
    /// Distance parameters of field and slope, metres.
    fn parameters(&self, sin_beta: f64) -> [f64; 2] {
        let between = sin_beta * sin_beta * self.behind * self.ahead / (self.behind + self.ahead);
        [between * self.field, between * self.slope]
    }

    /// Distances before and behind two joint edges, for the field and for its slope, metres.
    fn outer(&self) -> [OuterLengths; 2] {
        [self.field, self.slope].map(|by| [by * self.behind, by * self.ahead])
    }
}

impl Outgoing {
    pub(super) fn field_behind(&self, distances: [Distances; 2]) -> Components {
        self.sum(distances, |arm, distances| match &arm.bend {
            Bend::One {
                diffraction,
                growth,
            } => {
                let [field, slope] = distances.parameters(diffraction.sin_beta());
                let by_slope = || match growth {
                    Some(growth) => diffraction.grown_slope_in(growth, slope),
                    None => diffraction.slope_in(slope),
                };
                arm.behind(|| diffraction.matrix(field), by_slope)
            }
            Bend::Joint(joint) => {
                let [field, slope] = distances.outer();
                arm.behind(|| joint.matrix(field), || joint.slope_in(slope))
            }
        })
    }

    pub(super) fn slope_behind(&self, distances: [Distances; 2]) -> Components {
        self.sum(distances, |arm, distances| match &arm.bend {
            Bend::One {
                diffraction,
                growth,
            } => {
                let [field, slope] = distances.parameters(diffraction.sin_beta());
                let by_field = || match growth {
                    Some(growth) => diffraction.grown_slope_out(growth, field),
                    None => diffraction.slope_out(field),
                };
                let by_slope = || match growth {
                    Some(growth) => diffraction.grown_slope_in_out(growth, slope),
                    None => diffraction.slope_in_out(slope),
                };
                arm.behind(by_field, by_slope)
            }
            Bend::Joint(joint) => {
                let [field, slope] = distances.outer();
                arm.behind(|| joint.slope_out(field), || joint.slope_in_out(slope))
            }
        })
    }

    fn sum(
        &self,
        distances: [Distances; 2],
        behind: impl Fn(&Arm, Distances) -> Components,
    ) -> Components {
        let mut total = [[Complex64::ZERO; 2]; 2];
        for arm in &self.arms {
            let [theta, phi] = behind(arm, distances[arm.side]);
            total = [added(total[0], theta), added(total[1], phi)];
        }
        total
    }

    /// The strand in space along the ray `out`, with its slope if another edge follows.
    pub(super) fn strand(&self, out: Ray, has_slope: bool) -> Strand {
        let [along_beta, along_phi] = [out.phi_hat.cross(out.direction), out.phi_hat];
        let in_space = |components: Components| {
            components.map(|[beta, phi]| {
                ComplexVector::from_real(along_beta) * beta
                    + ComplexVector::from_real(along_phi) * phi
            })
        };
        Strand {
            fields: in_space(self.field),
            slope: has_slope.then(|| Slope {
                across: out.phi_hat,
                fields: in_space(self.slope),
            }),
        }
    }
}

impl Arm {
    fn behind(&self, by_field: impl Fn() -> Matrix2, by_slope: impl Fn() -> Matrix2) -> Components {
        let by_field = by_field();
        let fields = self.incident.map(|e| applied(by_field, e));
        let Some(slopes) = self.incident_slope else {
            return fields;
        };
        let by_slope = by_slope();
        let [more_theta, more_phi] = slopes.map(|e| applied(by_slope, e));
        let [theta, phi] = fields;
        [added(theta, more_theta), added(phi, more_phi)]
    }
}

fn applied(m: Matrix2, [a, b]: [Complex64; 2]) -> [Complex64; 2] {
    m.map(|[x, y]| x * a + y * b)
}

fn added([a, b]: [Complex64; 2], [c, d]: [Complex64; 2]) -> [Complex64; 2] {
    [a + c, b + d]
}

pub(super) fn size(components: Components) -> f64 {
    let squares = components.as_flattened().iter().map(Complex64::norm_sqr);
    squares.sum::<f64>().sqrt()
}
