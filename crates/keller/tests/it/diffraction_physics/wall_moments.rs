//! Walls from a thirtieth of a wavelength to four, against the method of moments.
//!
//! The table is from `benches/reference/thin_wall_moments.py`, which shares nothing with this code.

use keller::DVec3;
use keller::materials::{Material, Medium};
use keller::units::power_to_db;
use std::fmt::Write as _;

use super::thin_walls::{conductor, over_the_top};
use crate::common::place::{HZ, wavelength};

/// Thickness; distance of the Tx from the near edge and degrees below the top, the same of the Rx and the far edge; total field over that of
/// free space, dB: of a conductor with the field along the edges (E) and across them (H), and of concrete, E and H. Wavelengths.
type Row = (f64, [f64; 4], [f64; 4]);

#[rustfmt::skip]
const BEHIND_WALLS: &[Row] = &[
    (0.03, [15.0, 3.0, 15.0, 3.0], [-10.33, -8.90, -9.71, -9.22]),
    (0.03, [15.0, 3.0, 15.0, 25.0], [-21.43, -16.93, -19.53, -17.93]),
    (0.03, [15.0, 10.0, 15.0, 60.0], [-35.94, -22.88, -31.13, -26.41]),
    (0.03, [15.0, 40.0, 15.0, 75.0], [-51.36, -27.02, -43.34, -34.76]),
    (0.03, [15.0, 75.0, 15.0, 75.0], [-66.44, -31.12, -55.86, -43.48]),
    (0.03, [167.0, 3.0, 167.0, 3.0], [-16.55, -15.59, -16.14, -15.80]),
    (0.03, [167.0, 3.0, 167.0, 6.0], [-20.01, -18.60, -19.41, -18.91]),
    (0.03, [5.0, 6.0, 60.0, 25.0], [-20.57, -15.54, -18.43, -16.65]),
    (0.03, [5.0, 25.0, 5.0, 60.0], [-35.24, -19.71, -29.33, -23.73]),
    (0.07, [15.0, 3.0, 15.0, 3.0], [-10.50, -8.96, -9.85, -9.29]),
    (0.07, [15.0, 3.0, 15.0, 25.0], [-21.73, -17.09, -19.74, -18.07]),
    (0.07, [15.0, 10.0, 15.0, 60.0], [-36.49, -23.24, -31.53, -26.70]),
    (0.07, [15.0, 40.0, 15.0, 75.0], [-52.19, -27.61, -43.95, -35.26]),
    (0.07, [15.0, 75.0, 15.0, 75.0], [-67.42, -31.83, -56.59, -44.10]),
    (0.07, [167.0, 3.0, 167.0, 3.0], [-16.62, -15.63, -16.19, -15.83]),
    (0.07, [167.0, 3.0, 167.0, 6.0], [-20.10, -18.66, -19.48, -18.96]),
    (0.07, [5.0, 6.0, 60.0, 25.0], [-20.94, -15.74, -18.70, -16.83]),
    (0.07, [5.0, 25.0, 5.0, 60.0], [-35.96, -20.17, -29.86, -24.13]),
    (0.17, [15.0, 3.0, 15.0, 3.0], [-10.85, -9.01, -10.16, -9.40]),
    (0.17, [15.0, 3.0, 15.0, 25.0], [-22.38, -17.28, -20.31, -18.29]),
    (0.17, [15.0, 10.0, 15.0, 60.0], [-37.72, -23.70, -32.60, -27.20]),
    (0.17, [15.0, 40.0, 15.0, 75.0], [-54.04, -28.54, -45.59, -36.20]),
    (0.17, [15.0, 75.0, 15.0, 75.0], [-69.60, -33.02, -58.53, -45.28]),
    (0.17, [167.0, 3.0, 167.0, 3.0], [-16.78, -15.66, -16.33, -15.88]),
    (0.17, [167.0, 3.0, 167.0, 6.0], [-20.31, -18.72, -19.66, -19.02]),
    (0.17, [5.0, 6.0, 60.0, 25.0], [-21.75, -16.00, -19.40, -17.13]),
    (0.17, [5.0, 25.0, 5.0, 60.0], [-37.55, -20.84, -31.24, -24.84]),
    (0.33, [15.0, 3.0, 15.0, 3.0], [-11.30, -8.98, -10.58, -9.55]),
    (0.33, [15.0, 3.0, 15.0, 25.0], [-23.26, -17.29, -21.14, -18.56]),
    (0.33, [15.0, 10.0, 15.0, 60.0], [-39.34, -23.92, -34.15, -27.83]),
    (0.33, [15.0, 40.0, 15.0, 75.0], [-56.51, -29.36, -47.98, -37.45]),
    (0.33, [15.0, 75.0, 15.0, 75.0], [-72.50, -34.14, -61.34, -46.85]),
    (0.33, [167.0, 3.0, 167.0, 3.0], [-16.99, -15.64, -16.54, -15.94]),
    (0.33, [167.0, 3.0, 167.0, 6.0], [-20.59, -18.70, -19.93, -19.09]),
    (0.33, [5.0, 6.0, 60.0, 25.0], [-22.85, -16.10, -20.43, -17.53]),
    (0.33, [5.0, 25.0, 5.0, 60.0], [-39.64, -21.34, -33.24, -25.77]),
    (0.97, [15.0, 3.0, 15.0, 3.0], [-12.55, -9.05, -11.79, -10.18]),
    (0.97, [15.0, 3.0, 15.0, 25.0], [-25.70, -17.61, -23.53, -19.73]),
    (0.97, [15.0, 10.0, 15.0, 60.0], [-43.65, -24.92, -38.44, -30.08]),
    (0.97, [15.0, 40.0, 15.0, 75.0], [-63.22, -31.92, -54.71, -41.44]),
    (0.97, [15.0, 75.0, 15.0, 75.0], [-80.26, -37.26, -69.15, -51.53]),
    (0.97, [167.0, 3.0, 167.0, 3.0], [-17.59, -15.67, -17.13, -16.21]),
    (0.97, [167.0, 3.0, 167.0, 6.0], [-21.40, -18.78, -20.75, -19.48]),
    (0.97, [5.0, 6.0, 60.0, 25.0], [-25.97, -16.77, -23.47, -19.15]),
    (0.97, [5.0, 25.0, 5.0, 60.0], [-45.21, -23.05, -38.78, -28.86]),
    (1.97, [15.0, 3.0, 15.0, 3.0], [-13.89, -9.13, -13.09, -11.01]),
    (1.97, [15.0, 3.0, 15.0, 25.0], [-28.18, -17.94, -25.98, -21.22]),
    (1.97, [15.0, 10.0, 15.0, 60.0], [-47.68, -25.83, -42.46, -32.59]),
    (1.97, [15.0, 40.0, 15.0, 75.0], [-69.52, -34.10, -61.04, -45.59]),
    (1.97, [15.0, 75.0, 15.0, 75.0], [-87.24, -39.59, -76.19, -56.06]),
    (1.97, [167.0, 3.0, 167.0, 3.0], [-18.24, -15.71, -17.77, -16.60]),
    (1.97, [167.0, 3.0, 167.0, 6.0], [-22.27, -18.85, -21.61, -20.00]),
    (1.97, [5.0, 6.0, 60.0, 25.0], [-29.29, -17.56, -26.72, -21.24]),
    (1.97, [5.0, 25.0, 5.0, 60.0], [-50.42, -24.51, -43.98, -32.15]),
    (3.97, [15.0, 3.0, 15.0, 3.0], [-15.81, -9.26, -14.96, -12.41]),
    (3.97, [15.0, 3.0, 15.0, 25.0], [-31.47, -18.41, -29.22, -23.57]),
    (3.97, [15.0, 10.0, 15.0, 60.0], [-52.55, -26.96, -47.30, -36.15]),
    (3.97, [15.0, 40.0, 15.0, 75.0], [-76.82, -36.39, -68.36, -50.99]),
    (3.97, [15.0, 75.0, 15.0, 75.0], [-94.86, -41.73, -83.83, -61.59]),
    (3.97, [167.0, 3.0, 167.0, 3.0], [-19.16, -15.77, -18.68, -17.27]),
    (3.97, [167.0, 3.0, 167.0, 6.0], [-23.51, -18.97, -22.85, -20.91]),
    (3.97, [5.0, 6.0, 60.0, 25.0], [-33.80, -18.73, -31.17, -24.55]),
    (3.97, [5.0, 25.0, 5.0, 60.0], [-56.50, -26.03, -50.06, -36.54]),
];

/// The permittivity and the loss of P.2040's concrete at 1 GHz.
fn concrete() -> Material {
    Material::HalfSpace(Medium::Constant {
        relative_permittivity: 5.24,
        conductivity: 0.0462 * HZ * 1e-9,
    })
}

/// The same levels, as keller has them.
fn levels(thickness: f64, [before, below, behind, below_behind]: [f64; 4]) -> [f64; 4] {
    let at = |edge: f64, distance: f64, degrees: f64| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        wavelength() * DVec3::new(edge + distance * cos, 0.0, -distance.abs() * sin)
    };
    let (tx, rx) = (at(0.0, -before, below), at(thickness, behind, below_behind));
    // From a point a wave spreads along the edge too, as the whole path is long.
    let spreading = (before + thickness + behind) * wavelength() / tx.distance(rx);
    let [metal, lossy] = [conductor(), concrete()]
        .map(|material| over_the_top(&material, thickness * wavelength(), tx, rx))
        .map(|both| both.map(|power| power_to_db(power * spreading)));
    [metal[0], metal[1], lossy[0], lossy[1]]
}

#[test]
fn behind_walls_of_any_thickness_the_field_is_that_of_the_method_of_moments() {
    let mut worst = [0.0_f64; 4];
    let mut report = String::new();
    for &(thickness, ends, expected) in BEHIND_WALLS {
        let found = levels(thickness, ends);
        let errors = [0, 1, 2, 3].map(|i| found[i] - expected[i]);
        writeln!(report, "{thickness} {ends:?} {errors:.2?}").unwrap();
        for (worst, error) in worst.iter_mut().zip(errors) {
            *worst = worst.max(error.abs());
        }
    }
    let bounds = [0.3, 0.3, 0.6, 1.5];
    let is_right = worst
        .iter()
        .zip(bounds)
        .all(|(worst, bound)| *worst < bound);
    assert!(is_right, "{worst:.2?} dB\n{report}");
}

#[test]
fn a_thicker_wall_lets_no_more_pass() {
    for ends in [
        [167.0, 3.0, 167.0, 3.0],
        [15.0, 3.0, 15.0, 25.0],
        [15.0, 40.0, 15.0, 75.0],
        [60.0, 6.0, 5.0, 10.0],
        [5.0, 75.0, 5.0, 75.0],
    ] {
        let mut last = [f64::INFINITY; 4];
        for step in 0..=70 {
            let thickness = 2.5e-3 * 10.0_f64.powf(0.045 * f64::from(step));
            let found = levels(thickness, ends);
            for i in 0..4 {
                let rise = found[i] - last[i];
                // Where two edges become one, a little more passes for a moment.
                let most = if thickness < 0.035 { 0.3 } else { 0.05 };
                assert!(rise < most, "{thickness} {ends:?} {i}: {rise} dB");
                // Thinner walls of concrete turn into a sheet, whose own form is a few decibels too strong in deep shadow.
                let is_smooth = step == 0 || thickness < 0.035 || rise > -1.5;
                assert!(is_smooth, "{thickness} {ends:?} {i}: {rise} dB");
            }
            last = found;
        }
    }
}
