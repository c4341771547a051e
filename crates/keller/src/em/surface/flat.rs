//! Reflection and transmission that cost a known number of dB at every angle.

use num_complex::Complex64;

use crate::em::TeTm;
use crate::em::slab::Response;

/// A reflection that is the same for both polarisations, as at a perfect conductor.
pub(super) fn flat_reflection(amplitude: f64) -> TeTm<Complex64> {
    TeTm {
        te: Complex64::from(-amplitude),
        tm: Complex64::from(amplitude),
    }
}

/// A transmission that is the same for both polarisations.
pub(super) fn flat_transmission(amplitude: f64) -> TeTm<Complex64> {
    TeTm {
        te: Complex64::from(amplitude),
        tm: Complex64::from(amplitude),
    }
}

/// The response with flat amplitudes of reflection and transmission. Where one of both is not flat, the flat one leaves
/// it the rest of the power.
pub(super) fn flattened(
    response: Response,
    [reflected, transmitted]: [Option<f64>; 2],
) -> Response {
    let left = |of: TeTm<Complex64>, taken: Option<f64>| {
        let limit = taken.map_or(f64::INFINITY, |amplitude| {
            (1.0 - amplitude * amplitude).max(0.0).sqrt()
        });
        of.map(|a| {
            if a.norm() > limit {
                a * (limit / a.norm())
            } else {
                a
            }
        })
    };
    Response {
        reflection: match reflected {
            Some(amplitude) => flat_reflection(amplitude),
            None => left(response.reflection, transmitted),
        },
        transmission: match transmitted {
            Some(amplitude) => flat_transmission(amplitude),
            None => left(response.transmission, reflected),
        },
    }
}
