//! Arrays against closed forms: gain, nulls, and exact distances in free space.

use keller::antenna::{Array, Orientation};
use keller::{Complex64, DVec3, Direction, Frequency};

fn wavenumber() -> f64 {
    Frequency::from_hz(3.5e9).unwrap().wavenumber()
}

fn half_wavelength() -> f64 {
    0.5 * Frequency::from_hz(3.5e9).unwrap().wavelength()
}

fn panel(rows: usize, columns: usize) -> Array {
    Array::planar(rows, columns, [half_wavelength(); 2]).unwrap()
}

/// The array factor at `elevation` and `azimuth`, degrees.
fn factor(array: &Array, elevation: f64, azimuth: f64) -> Complex64 {
    let direction = Direction {
        zenith: (90.0 - elevation).to_radians(),
        azimuth: azimuth.to_radians(),
    };
    array
        .responses(direction, wavenumber(), Orientation::default())
        .sum()
}

#[test]
fn a_panel_adds_up_ahead_and_has_the_nulls_of_a_uniform_line() {
    let array = panel(4, 8);
    assert!((factor(&array, 0.0, 0.0).norm() - 32.0).abs() < 1e-9);
    // Nulls where N d sin = m wavelengths: sin = 2 m / N.
    for m in 1..4 {
        let azimuth = (2.0 * f64::from(m) / 8.0).asin().to_degrees();
        assert!(
            factor(&array, 0.0, azimuth).norm() < 1e-9,
            "column null {m}"
        );
    }
    let elevation = (2.0_f64 / 4.0).asin().to_degrees();
    assert!(factor(&array, elevation, 0.0).norm() < 1e-9, "row null");
    // The closed form between them is sin(N x) / sin(x), x = π/2 sin(azimuth), four rows of it.
    for azimuth in [3.0_f64, 10.0, 25.0, 40.0, 70.0] {
        let x = 0.5 * std::f64::consts::PI * azimuth.to_radians().sin();
        let expected = 4.0 * (8.0 * x).sin() / x.sin();
        let found = factor(&array, 0.0, azimuth);
        assert!((found.re - expected).abs() < 1e-9 && found.im.abs() < 1e-9);
    }
}

#[test]
fn the_mean_power_of_a_half_wave_line_over_the_sphere_is_that_of_its_elements() {
    // Mutual terms are sin(k d)/(k d) = 0 at multiples of half a wavelength: the mean of |AF|² is N.
    let array = panel(1, 6);
    let n = 400;
    let mut mean = 0.0;
    for i in 0..n {
        // Gauss is not needed: |AF|² is a polynomial in e^{jπ u}, whose mean over u the midpoint rule has exactly.
        let u = (f64::from(i) + 0.5) / f64::from(n) * 2.0 - 1.0;
        let direction = Direction::from_vector(DVec3::new((1.0 - u * u).sqrt(), u, 0.0));
        let sum: Complex64 = array
            .responses(direction, wavenumber(), Orientation::default())
            .sum();
        mean += sum.norm_sqr() / f64::from(n);
    }
    assert!((mean - 6.0).abs() < 1e-9, "{mean}");
}

#[test]
fn phases_are_those_of_exact_distances_up_to_the_second_order() {
    // The reference is |p + d| exactly: the phase is off by k (d² - (r.d)²) / 2L and by nothing more than the third
    // order.
    let array = panel(4, 8);
    let orientation = Orientation::from_degrees([33.0, 12.0, 5.0]);
    let (centre, k) = (DVec3::new(1.0, 2.0, 3.0), wavenumber());
    let towards = DVec3::new(0.6, 0.7, -0.2).normalize();
    let mut worst = Vec::new();
    for length in [10.0, 100.0, 1000.0] {
        let far = centre + towards * length;
        let direction = Direction::from_vector(towards);
        let phasors = array.responses(direction, k, orientation);
        let mut largest: f64 = 0.0;
        for (phasor, position) in phasors.zip(array.positions(centre, orientation)) {
            let exact = Complex64::cis(-k * (position.distance(far) - length));
            let error = (phasor * exact.conj()).arg().abs();
            let d = position - centre;
            let along = d.dot(towards);
            let second = k * (d.length_squared() - along * along) / (2.0 * length);
            let third = k * d.length().powi(3) / (length * length);
            // 1e-8: rounding of k L, of up to 7e4 rad.
            assert!(
                (error - second).abs() <= third + 1e-8,
                "{length}: {error} {second}"
            );
            largest = largest.max(error);
        }
        worst.push(largest);
    }
    // Ten times as far is ten times as exact; 8 x 4 half waves at 3.5 GHz are right to 0.1 rad at 10 m.
    assert!(worst[0] < 0.1, "{worst:?}");
    assert!((worst[0] / worst[1] - 10.0).abs() < 0.5, "{worst:?}");
    assert!((worst[1] / worst[2] - 10.0).abs() < 0.5, "{worst:?}");
}

#[test]
fn turning_device_and_direction_together_changes_nothing() {
    let array = Array::from_elements(vec![DVec3::ZERO, DVec3::new(0.01, -0.05, 0.03)]).unwrap();
    let orientation = Orientation::from_degrees([70.0, -20.0, 130.0]);
    let local = DVec3::new(0.3, 0.5, 0.8).normalize();
    let turned = Direction::from_vector(orientation.global_from_local() * local);
    let still = array.responses(Direction::from_vector(local), 50.0, Orientation::default());
    for (a, b) in still.zip(array.responses(turned, 50.0, orientation)) {
        assert!((a - b).norm() < 1e-12);
    }
}

#[test]
fn arrays_that_cannot_be_are_refused() {
    for (array, expected) in [
        (Array::planar(0, 4, [0.1; 2]), "0 elements"),
        (Array::planar(usize::MAX, 2, [0.1; 2]), "1 to 65536"),
        (Array::planar(2, 2, [0.1, -1.0]), "a spacing of -1 m"),
        (Array::planar(2, 2, [f64::NAN, 1.0]), "a spacing of NaN m"),
        (Array::from_elements(vec![]), "0 elements"),
        (Array::from_elements(vec![DVec3::NAN]), "element 0 is at"),
    ] {
        let message = array.unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}
