//! The reduction of the specular reflection by roughness.

use std::f64::consts::PI;

/// The share of the specular amplitude that a rough surface keeps. `roughness` is the standard deviation of its height;
/// lengths in metres.
///
/// # Source
/// Vaara 2022 (N. Vaara, Master's thesis, University of Oulu), equations (13) and (14), after W. S. Ament, "Toward a
/// theory of reflection by a rough surface", Proc. IRE 41(1), 1953, doi:10.1109/JRPROC.1953.274171, with a minimum of
/// 0.15. Theory page: `scattering`.
pub fn rayleigh_factor(roughness: f64, wavelength: f64, cos_theta: f64) -> f64 {
    const MIN_FACTOR: f64 = 0.15;
    let g = 4.0 * PI * roughness / wavelength * cos_theta;
    (-0.5 * g * g).exp().max(MIN_FACTOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roughness_weakens_reflection_less_at_grazing_and_never_below_its_floor() {
        assert_eq!(rayleigh_factor(0.0, 0.1, 1.0), 1.0);
        assert_eq!(rayleigh_factor(1.0, 0.1, 1.0), 0.15);
        assert_eq!(rayleigh_factor(1.0, 0.1, 0.0), 1.0);
        // Rayleigh's criterion: a height of lambda / (8 cos theta) turns the phase by pi / 2 there and back.
        let factor = rayleigh_factor(0.1 / 8.0, 0.1, 1.0);
        assert!((factor - (-PI * PI / 8.0).exp()).abs() < 1e-15, "{factor}");
    }
}
