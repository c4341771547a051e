//! Reflection and transmission of a wall from a table over the angle, at a tenth of the cost.

use num_complex::Complex64;

use crate::em::TeTm;
use crate::em::slab::Response;

/// The response at equal steps of the square root of the cosine of incidence, over which it is smooth up to grazing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table(Vec<Response>);

/// Steps from grazing to normal incidence. A wall of 0.3 m at 30 GHz has some thirteen periods in this range.
const STEPS: u32 = 1024;

impl Table {
    /// Tabulates the response of a wall, a function of the cosine of incidence.
    pub(super) fn new(response: impl Fn(f64) -> Response) -> Self {
        let node = |i: u32| response((f64::from(i) / f64::from(STEPS)).powi(2));
        Self((0..=STEPS).map(node).collect())
    }

    /// Interpolates linearly between two steps.
    pub(super) fn response(&self, cos_theta: f64) -> Response {
        let place = cos_theta.sqrt() * f64::from(STEPS);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to the number of steps"
        )]
        let node = (place as usize).min(STEPS as usize - 1);
        let t = place - node as f64;
        let [a, b] = [self.0[node], self.0[node + 1]];
        let between = |a: TeTm<Complex64>, b: TeTm<Complex64>| TeTm {
            te: a.te + t * (b.te - a.te),
            tm: a.tm + t * (b.tm - a.tm),
        };
        Response {
            reflection: between(a.reflection, b.reflection),
            transmission: between(a.transmission, b.transmission),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::em::slab::{Backing, Film, stack};

    #[test]
    fn the_table_is_the_wall_at_all_angles() {
        let film = Film {
            eta: Complex64::new(5.24, -0.85),
            phase_thickness: 6.0,
        };
        for (films, backing) in [
            (vec![film], Backing::Medium(Complex64::ONE)),
            (vec![], Backing::Medium(Complex64::new(15.0, -0.66))),
            (vec![], Backing::PerfectConductor),
        ] {
            let exact = |cos_theta: f64| stack(&films, backing, cos_theta);
            let table = Table::new(exact);
            for i in 0..=5000 {
                let cos_theta = f64::from(i) / 5000.0;
                let (found, exact) = (table.response(cos_theta), exact(cos_theta));
                let errors = [
                    found.reflection.te - exact.reflection.te,
                    found.reflection.tm - exact.reflection.tm,
                    found.transmission.te - exact.transmission.te,
                    found.transmission.tm - exact.transmission.tm,
                ];
                let worst = errors.map(Complex64::norm).into_iter().fold(0.0, f64::max);
                assert!(worst < 1e-4, "{cos_theta}: {worst}");
            }
        }
    }
}
