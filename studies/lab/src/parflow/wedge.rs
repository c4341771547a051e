//! The exact field of a line source near a perfectly conducting wedge, electric field along its edge.

use std::f64::consts::PI;

use complex_bessel::{besselj, hankel2};
use num_complex::Complex64;

/// The field in open space of a line source at distance `distance`, for a wave number `wavenumber`: `-j / 4 H0(2)(k r)`.
///
/// ```
/// use keller_lab::parflow::wedge::open_space;
///
/// // Far off it is that of a ray: sqrt(2 / (pi k r)) / 4.
/// let field = open_space(2.0, 500.0);
/// assert!((field.norm() - (2.0 / (std::f64::consts::PI * 1000.0)).sqrt() / 4.0).abs() < 1e-7);
/// ```
pub fn open_space(wavenumber: f64, distance: f64) -> Complex64 {
    let hankel = hankel2(0.0, (wavenumber * distance).into()).unwrap_or(Complex64::ZERO);
    Complex64::new(0.0, -0.25) * hankel
}

/// The field of a line source at `source` at the place `rx`, in the units of [`open_space`]. Both are polar coordinates: the distance to
/// the edge, and the angle in the open space from one face on, radians. The other face is at `open`.
///
/// # Source
/// J. J. Bowman, T. B. A. Senior, P. L. E. Uslenghi, *Electromagnetic and Acoustic Scattering by Simple Shapes*, 1969, section 6.2:
/// eigenfunctions that vanish on both faces, here for `exp(j omega t)`.
pub fn field(wavenumber: f64, open: f64, source: [f64; 2], rx: [f64; 2]) -> Complex64 {
    let near = wavenumber * source[0].min(rx[0]);
    let far = wavenumber * source[0].max(rx[0]);
    let mut sum = Complex64::ZERO;
    for m in 1.. {
        let order = f64::from(m) * PI / open;
        let (Ok(inner), Ok(outer)) = (besselj(order, near.into()), hankel2(order, far.into()))
        else {
            break;
        };
        let term = inner * outer;
        sum += term * (order * source[1]).sin() * (order * rx[1]).sin();
        if order > near && term.norm() < 1e-14 {
            break;
        }
    }
    Complex64::new(0.0, -PI / open) * sum
}
