//! Black screens, one behind the other, against Fresnel's theory of them.

use std::f64::consts::{FRAC_PI_4, PI};

use keller::scene::Edge;
use keller::{Complex64, DVec3};

use super::world::*;

/// The distance between screens, metres.
const SPACING: f64 = 100.0;
const FREQUENCY: f64 = 3e9;

/// Screens that stand on end at `(x, height)`, edges along z, open upwards.
fn screens(at: &[(f64, f64)]) -> World {
    let mut edges: Vec<Edge> = Vec::new();
    for (x, height) in at {
        // The screen goes down from the edge, its front towards -x.
        edges.push(z_edge(DVec3::new(*x, *height, 0.0), -0.5 * PI, 2.0, false));
    }
    let wall = (plane(DVec3::X, DVec3::ZERO), black());
    World::new(FREQUENCY, vec![wall], edges)
}

/// Field behind all screens at `end` over the free field, sum over both polarisations' mean.
fn behind(at: &[(f64, f64)], end: DVec3) -> Complex64 {
    let world = screens(at);
    let steps: Vec<Step> = (0..at.len()).map(Step::Diffract).collect();
    let field = world.field(DVec3::ZERO, end, &steps).coefficient;
    let free = world.field(DVec3::ZERO, end, &[]).coefficient;
    field[0][0] / free[0][0]
}

/// `(1 + j)/2` times the integral of `e^{-j pi t^2 / 2}` from `v` on: the contour turned by 45 degrees, where it decays.
fn fresnel(v: f64) -> Complex64 {
    let turn = Complex64::from_polar(1.0, -FRAC_PI_4);
    let h = 0.002;
    let f = |t: f64| {
        let y = v + turn * t;
        (-0.5 * PI * Complex64::I * y * y).exp()
    };
    let inner: Complex64 = (1..5000).map(|i| f(h * f64::from(i))).sum();
    Complex64::new(0.5, 0.5) * turn * h * (0.5 * f(0.0) + inner)
}

/// Two knife edges by Fresnel's double integral, over the free field, both contours turned.
///
/// # Source
/// L. E. Vogler, "An attenuation function for multiple knife-edge diffraction", Radio Sci. 17(6), 1982,
/// doi:10.1029/RS017i006p01541, its integral before any expansion.
fn two_knife_edges(heights: [f64; 2], spacings: [f64; 3], k: f64) -> Complex64 {
    let [d0, d1, d2] = spacings;
    let turn = Complex64::from_polar(1.0, -FRAC_PI_4);
    let end = 7.0 * (d0.max(d1).max(d2) / k).sqrt();
    let n = 700;
    let h = end / f64::from(n);
    let weight = |i: i32| if i == 0 { 0.5 } else { 1.0 };
    let mut total = Complex64::ZERO;
    for i in 0..n {
        let y1 = heights[0] + turn * (h * f64::from(i));
        for j in 0..n {
            let y2 = heights[1] + turn * (h * f64::from(j));
            let path = y1 * y1 / d0 + (y2 - y1) * (y2 - y1) / d1 + y2 * y2 / d2;
            total += weight(i) * weight(j) * (-0.5 * k * Complex64::I * path).exp();
        }
    }
    let scale = k / (2.0 * PI) * ((d0 + d1 + d2) / (d0 * d1 * d2)).sqrt();
    Complex64::I * scale * turn * turn * h * h * total
}

/// The total behind two screens: both edges, and each alone where the other does not stand in the way.
fn total_behind(heights: [f64; 2], [d0, d1, d2]: [f64; 3]) -> Complex64 {
    let [first, second] = [(d0, heights[0]), (d0 + d1, heights[1])];
    let end = (d0 + d1 + d2) * DVec3::X;
    let mut total = behind(&[first, second], end);
    if second.1 < first.1 * d2 / (d1 + d2) {
        total += behind(&[first], end);
    }
    if first.1 < second.1 * d0 / (d0 + d1) {
        total += behind(&[second], end);
    }
    if heights[0].max(heights[1]) < 0.0 {
        total += 1.0;
    }
    total
}

#[test]
fn one_screen_is_fresnels_integral() {
    let k = screens(&[(1.0, 0.0)]).wavenumber();
    for (d0, d1) in [(SPACING, SPACING), (30.0, 500.0)] {
        for height in [0.0, 0.2, 0.7, 1.5, 3.0, -0.4, -1.1, -2.5] {
            let v = height * (k / PI * (d0 + d1) / (d0 * d1)).sqrt();
            let end = DVec3::X * (d0 + d1);
            let mut field = behind(&[(d0, height)], end);
            if height < 0.0 {
                field += 1.0;
            }
            // Fresnel's theory holds for small angles: here up to 0.1 rad.
            let error = (field - fresnel(v)).norm();
            assert!(error < 3e-3, "{d0} {height}: {field} {}", fresnel(v));
        }
    }
}

#[test]
fn at_grazing_a_screen_costs_six_decibels() {
    let field = behind(&[(SPACING, 0.0)], DVec3::X * 300.0);
    assert!((field - 0.5).norm() < 1e-6, "{field}");
}

/// ITU-R P.526-15, equation (31), which is good to 0.1 dB or so.
#[test]
fn the_loss_is_that_of_p526() {
    let k = screens(&[(1.0, 0.0)]).wavenumber();
    for height in [0.0, 0.5, 1.0, 2.0, 4.0, 8.0] {
        let v = height * (k / PI * 2.0 / SPACING).sqrt();
        let loss = -20.0
            * behind(&[(SPACING, height)], 200.0 * DVec3::X)
                .norm()
                .log10();
        let p526 = 6.9 + 20.0 * (((v - 0.1).powi(2) + 1.0).sqrt() + v - 0.1).log10();
        assert!((loss - p526).abs() < 0.25, "v {v}: {loss} dB, {p526} dB");
    }
}

#[test]
fn deeper_in_the_shadow_it_is_darker() {
    let loss = |height: f64| behind(&[(SPACING, height)], 200.0 * DVec3::X).norm();
    for i in 0..300 {
        let height = 0.1 * f64::from(i);
        assert!(loss(height + 0.1) < loss(height), "{height}");
    }
}

/// L. E. Vogler 1982; S. W. Lee, "Path integrals for solving some electromagnetic edge diffraction problems", 1978:
/// exactly 1/(N + 1). The neglected curvature of the field at an edge adds up from edge to edge.
#[test]
fn a_row_of_equal_screens_at_grazing_leaves_one_part_in_their_number_and_one() {
    for (num, tolerance) in [
        (1, 1e-6),
        (2, 1e-3),
        (3, 3e-3),
        (4, 8e-3),
        (5, 0.02),
        (6, 0.04),
    ] {
        let at: Vec<(f64, f64)> = (1..=num).map(|i| (SPACING * f64::from(i), 0.0)).collect();
        let field = behind(&at, SPACING * f64::from(num + 1) * DVec3::X);
        let error = (field * f64::from(num + 1) - 1.0).norm();
        assert!(error < tolerance, "{num} screens: {error}");
    }
}

/// Tolerances are in units of the free field, and of the field itself: the theory's own error, largest where screens
/// stand close to each other in the transition zone.
#[test]
fn two_screens_are_fresnels_double_integral() {
    let k = screens(&[(1.0, 0.0)]).wavenumber();
    for spacings in [[100.0, 100.0, 100.0], [30.0, 100.0, 300.0]] {
        for heights in [
            [0.0, 0.0],
            [1.0, 1.0],
            [3.0, 3.0],
            [1.0, 2.0],
            [3.0, 1.0],
            [2.5, 0.3],
            [0.3, 2.5],
            [1.0, 2.5],
            [2.5, 1.2],
            [3.0, -3.0],
            [1.5, -0.3],
            [-0.5, 0.2],
            [-0.5, -0.8],
        ] {
            let exact = two_knife_edges(heights, spacings, k);
            let found = total_behind(heights, spacings);
            let error = (found - exact).norm();
            assert!(
                error < 0.01,
                "{heights:?} {spacings:?}: {found} {exact} {error}"
            );
        }
    }
}

#[test]
fn two_screens_close_to_each_other_are_right_within_a_decibel() {
    let k = screens(&[(1.0, 0.0)]).wavenumber();
    let spacings = [300.0, 20.0, 200.0];
    for heights in [
        [0.0, 0.0],
        [1.0, 1.0],
        [3.0, 3.0],
        [1.0, 2.0],
        [3.0, 1.0],
        [6.0, 0.5],
    ] {
        let exact = two_knife_edges(heights, spacings, k).norm();
        let found = total_behind(heights, spacings).norm();
        let error = 20.0 * (found / exact).log10();
        assert!(error.abs() < 1.0, "{heights:?}: {error} dB");
    }
}

/// Rounding must not turn the largest growth between two edges, which is 1 here, into a loss.
#[test]
fn a_source_right_before_the_first_screen_has_a_field_behind_the_second() {
    let world = screens(&[(0.0, 10.0), (50.0, 10.0)]);
    let steps = [0, 1].map(Step::Diffract);
    for power in 3..16 {
        let tx = DVec3::new(-10_f64.powi(-power), 10.0, 0.0);
        for k in 0..40 {
            let rx = DVec3::new(51.0 + 2.3 * f64::from(k), 3.0, 0.0);
            let field = world.field(tx, rx, &steps).coefficient;
            assert!(norm(field).is_finite(), "{tx} {rx}");
        }
    }
}
