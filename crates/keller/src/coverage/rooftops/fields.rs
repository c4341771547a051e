//! The two fields of a wave in the vertical plane, and the rotation of the lines along which they are integrated.

use std::f64::consts::FRAC_1_SQRT_2;

use num_complex::Complex64;

/// Complex amplitudes of the two polarisations: of the field along the edges (soft), and of the field across them
/// (hard).
pub(super) type Fields = [Complex64; 2];

/// `e^{j pi/4}`. The line over an edge is turned by this factor into the complex plane, where the kernel of Kirchhoff's
/// integral no longer oscillates but decays as a bell curve.
pub(super) const EIGHTH_TURN: Complex64 = Complex64::new(FRAC_1_SQRT_2, FRAC_1_SQRT_2);
