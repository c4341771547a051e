//! The uniform theory against the exact solution of a perfectly conducting wedge.

use std::f64::consts::PI;

use keller::{Complex64, DVec3, Direction};

use super::world::*;

/// Distance of the Tx, metres: a plane wave to the observers, whose curvature is 1e-5 rad there.
const FAR: f64 = 1e8;

const FREQUENCY: f64 = 1e9;

/// The tolerance over the incident field. The theory neglects about a tenth of `(k rho)^(-3/2)`: 0.0024 here.
const NEAR_TOLERANCE: f64 = 2.4e-3;

/// The same is 3e-5 here; the rest is the curvature of the wave and rounding over 1e8 m.
const FAR_TOLERANCE: f64 = 1e-4;

/// A half plane has an exact solution of this form: the rest is the curvature of the wave.
const HALF_PLANE_TOLERANCE: f64 = 1e-5;

/// `J_nu(x)` by Schlaefli's integral.
fn bessel(nu: f64, x: f64) -> f64 {
    let simpson = |n: u32, end: f64, f: &dyn Fn(f64) -> f64| {
        let h = end / f64::from(n);
        let inner: f64 = (1..n)
            .map(|i| f64::from(2 + 2 * (i % 2)) * f(h * f64::from(i)))
            .sum();
        h / 3.0 * (f(0.0) + inner + f(end))
    };
    let first = simpson(12_000, PI, &|t| (nu * t - x * t.sin()).cos());
    let second = simpson(2000, 40.0 / (x + nu), &|t| (-x * t.sinh() - nu * t).exp());
    (first - (nu * PI).sin() * second) / PI
}

/// Total field of a unit plane wave at a wedge, by its eigenfunctions; `sign` is -1 for a field that vanishes on the faces (electric
/// field along the edge), 1 for one whose normal derivative does (magnetic field).
///
/// # Source
/// J. J. Bowman, T. B. A. Senior, P. L. E. Uslenghi, *Electromagnetic and Acoustic Scattering by Simple Shapes*, 1969, section 6.2.
struct Eigenfunctions {
    n: f64,
    radial: Vec<f64>,
}

impl Eigenfunctions {
    fn new(n: f64, k_rho: f64) -> Self {
        let orders = n * (k_rho + 12.0 * k_rho.cbrt() + 10.0);
        let mut radial = Vec::new();
        while (radial.len() as f64) < orders {
            radial.push(bessel(radial.len() as f64 / n, k_rho));
        }
        Self { n, radial }
    }

    fn total(&self, phi_in: f64, phi: f64, sign: f64) -> Complex64 {
        let mut total = Complex64::ZERO;
        for (m, radial) in self.radial.iter().enumerate() {
            let nu = m as f64 / self.n;
            let twice = if m == 0 { 1.0 } else { 2.0 };
            let angular = (nu * (phi - phi_in)).cos() + sign * (nu * (phi + phi_in)).cos();
            total += Complex64::from_polar(twice * radial * angular, 0.5 * PI * nu);
        }
        total / self.n
    }
}

/// `E_z` of an electric, `H_z` of a magnetic wave by rays, over the incident one at the edge.
fn by_rays(world: &World, beta: f64, phi_in: f64, rho: f64, phi: f64) -> [Complex64; 2] {
    let open = world.edges[0].exterior_angle;
    let tx = FAR * (beta.sin() * around(phi_in) - beta.cos() * DVec3::Z);
    let rx = rho * around(phi);
    let mut sequences = vec![vec![Step::Diffract(0)]];
    if (phi - phi_in).abs() < PI {
        sequences.push(vec![]);
    }
    if phi + phi_in < PI {
        sequences.push(vec![Step::Reflect(0)]);
    }
    if 2.0 * open - phi - phi_in < PI {
        sequences.push(vec![Step::Reflect(1)]);
    }
    let wavelength = world.surfaces.frequency().wavelength();
    let cycles = FAR / wavelength;
    let incident = Complex64::from_polar(1.0 / (4.0 * PI * cycles), -2.0 * PI * cycles.fract());
    let mut total = [Complex64::ZERO; 2];
    for steps in sequences {
        let field = world.field(tx, rx, &steps);
        let along_z = |d: Direction| d.zenith.sin();
        let turn = along_z(field.arrival) / along_z(field.departure);
        // Both ends look outwards: theta points down at both, and H_z of a phi field differs in sign.
        total[0] += field.coefficient[0][0] * turn / incident;
        total[1] -= field.coefficient[1][1] * turn / incident;
    }
    total
}

/// The largest error at `k rho sin beta = k_rho` all around wedges of several angles.
fn check(k_rho: f64, beta: f64, tolerance: f64) {
    let half_plane = if k_rho < 100.0 {
        HALF_PLANE_TOLERANCE
    } else {
        tolerance
    };
    for n in [2.0, 1.75, 5.0 / 3.0, 1.5] {
        let world = World::wedge(FREQUENCY, n, [pec(), pec()]);
        let exact = Eigenfunctions::new(n, k_rho);
        let rho = k_rho / (world.wavenumber() * beta.sin());
        for share in [0.13, 0.37, 0.5, 0.81] {
            let phi_in = share * n * PI;
            for i in 1..60 {
                let phi = n * PI * f64::from(i) / 60.0;
                let rays = by_rays(&world, beta, phi_in, rho, phi);
                for (ray, sign) in rays.into_iter().zip([-1.0, 1.0]) {
                    let error = (ray - exact.total(phi_in, phi, sign)).norm();
                    let tolerance = if n == 2.0 { half_plane } else { tolerance };
                    assert!(
                        error < tolerance,
                        "n {n}, phi' {phi_in}, phi {phi}, {sign}: {error}"
                    );
                }
            }
        }
    }
}

#[test]
fn two_wavelengths_from_the_edge() {
    check(12.0, PI / 2.0, NEAR_TOLERANCE);
}

#[test]
fn forty_wavelengths_from_the_edge() {
    check(250.0, PI / 2.0, FAR_TOLERANCE);
}

#[test]
fn aslant_to_the_edge() {
    check(12.0, 0.6, NEAR_TOLERANCE);
    check(250.0, 2.3, FAR_TOLERANCE);
}
