//! Lossy wedges against exact fields: boundary integral equations on the faces of dielectric wedges, apart from this code
//! (`benches/reference/lossy_wedge.py`).

use keller::em::Surface;
use keller::em::utd::{Diffraction, EdgeAngles, LossyWedge, Wedge, WedgeFace};
use keller::materials::Material;
use keller::{Complex64, Frequency};

use super::world::{half_space, pec};

/// Material, exterior angle over pi, distances of Tx and Rx in wavelengths, angles of both in degrees; the diffracted field
/// along the edge and the magnetic one along the edge, dB over the incident field at the edge after one wavelength.
type Row = (&'static str, f64, [f64; 2], [f64; 2], [f64; 2]);

/// The exact fields in the shadow, at 1 GHz.
const EXACT: [Row; 27] = [
    (
        "concrete",
        1.25,
        [25.0, 24.0],
        [4.0, 217.0],
        [-28.59, -20.96],
    ),
    (
        "concrete",
        1.25,
        [25.0, 24.0],
        [8.0, 210.0],
        [-16.03, -11.13],
    ),
    ("concrete", 1.25, [25.0, 24.0], [15.0, 200.0], [-0.65, 0.87]),
    (
        "concrete",
        1.5,
        [25.0, 24.0],
        [4.0, 262.0],
        [-41.76, -29.65],
    ),
    (
        "concrete",
        1.5,
        [25.0, 24.0],
        [4.0, 215.0],
        [-22.05, -16.44],
    ),
    (
        "concrete",
        1.5,
        [25.0, 24.0],
        [8.0, 245.0],
        [-26.49, -18.39],
    ),
    (
        "concrete",
        1.5,
        [25.0, 24.0],
        [15.0, 245.0],
        [-21.23, -14.53],
    ),
    (
        "concrete",
        1.5,
        [25.0, 24.0],
        [25.0, 245.0],
        [-16.63, -11.48],
    ),
    (
        "concrete",
        1.5,
        [25.0, 24.0],
        [40.0, 266.0],
        [-27.43, -20.06],
    ),
    ("concrete", 1.5, [25.0, 24.0], [55.0, 245.0], [-2.98, -1.42]),
    (
        "wet_ground",
        1.75,
        [25.0, 24.0],
        [4.0, 300.0],
        [-48.23, -24.55],
    ),
    (
        "wet_ground",
        1.75,
        [25.0, 24.0],
        [15.0, 290.0],
        [-32.64, -16.99],
    ),
    (
        "wet_ground",
        1.75,
        [25.0, 24.0],
        [40.0, 260.0],
        [-15.27, -9.84],
    ),
    (
        "wet_ground",
        1.5,
        [6.0, 5.0],
        [15.0, 245.0],
        [-24.91, -12.21],
    ),
    (
        "wet_ground",
        1.5,
        [6.0, 5.0],
        [30.0, 240.0],
        [-15.51, -8.25],
    ),
    (
        "wet_ground",
        1.5,
        [6.0, 5.0],
        [60.0, 255.0],
        [-10.97, -5.26],
    ),
    (
        "wet_ground",
        1.35,
        [6.0, 5.0],
        [15.0, 218.0],
        [-15.59, -7.09],
    ),
    ("concrete", 1.5, [6.0, 5.0], [30.0, 240.0], [-13.25, -9.25]),
    ("concrete", 1.5, [6.0, 5.0], [60.0, 255.0], [-9.73, -6.65]),
    ("concrete", 1.6, [6.0, 5.0], [15.0, 263.0], [-22.87, -15.38]),
    ("concrete", 1.6, [6.0, 5.0], [30.0, 258.0], [-16.16, -11.34]),
    ("concrete", 1.6, [6.0, 5.0], [60.0, 273.0], [-14.90, -10.50]),
    ("brick", 1.5, [6.0, 5.0], [15.0, 245.0], [-19.86, -14.14]),
    ("brick", 1.5, [6.0, 5.0], [30.0, 240.0], [-12.34, -9.02]),
    ("brick", 1.5, [6.0, 5.0], [60.0, 255.0], [-9.29, -6.67]),
    ("brick", 1.35, [6.0, 5.0], [15.0, 218.0], [-13.60, -9.66]),
    ("glass", 1.35, [6.0, 5.0], [15.0, 218.0], [-14.44, -9.26]),
];

/// One ray a degree from its face.
const ALONG_A_FACE: [Row; 2] = [
    (
        "concrete",
        1.25,
        [25.0, 24.0],
        [1.0, 210.0],
        [-34.01, -24.95],
    ),
    (
        "concrete",
        1.5,
        [25.0, 24.0],
        [1.0, 245.0],
        [-43.91, -31.69],
    ),
];

/// A Tx so near to a face that the wave along concrete counts for a magnetic field along the edge.
const NEAR_A_FACE: [Row; 6] = [
    ("concrete", 1.5, [6.0, 5.0], [4.0, 245.0], [-32.16, -20.81]),
    ("concrete", 1.5, [6.0, 5.0], [8.0, 262.0], [-35.86, -23.40]),
    ("brick", 1.35, [6.0, 5.0], [8.0, 235.0], [-29.30, -20.50]),
    ("glass", 1.35, [6.0, 5.0], [8.0, 235.0], [-30.88, -19.33]),
    (
        "wet_ground",
        1.5,
        [6.0, 5.0],
        [30.0, 265.0],
        [-32.60, -14.08],
    ),
    (
        "wet_ground",
        1.35,
        [6.0, 5.0],
        [4.0, 218.0],
        [-27.64, -10.96],
    ),
];

fn diffraction(material: &Material, n: f64, degrees: [f64; 2], cos_beta: f64) -> Diffraction {
    of_wedge(material, (n, false), degrees, cos_beta)
}

fn of_wedge(
    material: &Material,
    (n, is_sheet): (f64, bool),
    degrees: [f64; 2],
    cos_beta: f64,
) -> Diffraction {
    let frequency = Frequency::from_hz(1e9).unwrap();
    let surface = Surface::new(material, frequency).unwrap();
    let face = WedgeFace {
        surface: &surface,
        shows_front: true,
    };
    let wedge = Wedge {
        n,
        faces: [face; 2],
        is_sheet,
        lets_through: true,
    };
    let [phi_in, phi_out] = degrees.map(f64::to_radians);
    let angles = EdgeAngles {
        sin_beta: (1.0 - cos_beta * cos_beta).sqrt(),
        cos_beta,
        phi_in,
        phi_out,
    };
    Diffraction::new(
        &wedge,
        angles,
        frequency.wavenumber(),
        LossyWedge::default(),
    )
}

/// The error of both polarisations, dB.
fn errors((name, n, [behind, ahead], degrees, exact): Row) -> [f64; 2] {
    let wavelength = Frequency::from_hz(1e9).unwrap().wavelength();
    let distance = behind * ahead / (behind + ahead) * wavelength;
    let matrix = diffraction(&half_space(name), n, degrees, 0.0).matrix(distance);
    [0, 1].map(|k| 10.0 * (matrix[k][k].norm_sqr() / wavelength).log10() - exact[k])
}

#[test]
fn three_degrees_from_a_face_and_more_it_is_within_a_decibel() {
    for row in EXACT {
        for error in errors(row) {
            assert!(error.abs() < 0.6, "{row:?}: {error} dB");
        }
    }
}

#[test]
fn a_degree_from_a_face_it_is_within_three() {
    for row in ALONG_A_FACE {
        for error in errors(row) {
            assert!(error.abs() < 3.0, "{row:?}: {error} dB");
        }
    }
}

#[test]
fn near_a_face_the_field_along_the_edge_is_right_and_the_other_one_too_weak() {
    for row in NEAR_A_FACE {
        let [along, across] = errors(row);
        assert!(along.abs() < 0.6, "{row:?}: {along} dB");
        assert!((-4.0..0.0).contains(&across), "{row:?}: {across} dB");
    }
}

/// Every size of a material between air and a conductor, at every angle: no gap, nothing infinite.
#[test]
fn the_field_vanishes_in_both_faces_and_changes_smoothly_up_to_them() {
    let names = [
        "concrete",
        "brick",
        "glass",
        "wood",
        "wet_ground",
        "plasterboard",
    ];
    for name in names {
        for n in [1.01, 1.25, 1.5, 1.75, 1.999, 2.0] {
            for cos_beta in [0.0, 0.6] {
                let at = |degrees: [f64; 2]| {
                    let matrix = diffraction(&half_space(name), n, degrees, cos_beta).matrix(2.0);
                    let all = matrix.as_flattened().iter();
                    all.map(Complex64::norm_sqr).sum::<f64>().sqrt()
                };
                let open = 180.0 * n;
                // No boundary lies within 30 degrees of the 0-face from these angles.
                for other in [100.0, 215.0]
                    .into_iter()
                    .filter(|other| *other < open - 5.0)
                {
                    let away = at([40.0, other]);
                    for degrees in [[1e-7, other], [other, open - 1e-7]] {
                        let rest = at(degrees);
                        assert!(rest < 1e-6 * (1.0 + away), "{name} {n} {degrees:?}: {rest}");
                    }
                    let fields = (1..600).map(|i| at([0.05 * f64::from(i), other]));
                    let fields: Vec<f64> = fields.collect();
                    for pair in fields.windows(2) {
                        let step = (pair[1] - pair[0]).abs();
                        assert!(
                            step < 0.05 * pair[0].max(0.05),
                            "{name} {n} {other}: {pair:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn metal_is_a_conductor() {
    for n in [1.25, 1.5, 1.75, 1.95, 2.0] {
        for degrees in [[4.0, 200.0], [20.0, 170.0], [60.0, 215.0]] {
            let [metal, conductor] = [half_space("metal"), pec()]
                .map(|material| diffraction(&material, n, degrees, 0.3).matrix(2.0));
            for (a, b) in metal.as_flattened().iter().zip(conductor.as_flattened()) {
                assert!((a - b).norm() < 2e-3, "{n} {degrees:?}: {a} {b}");
            }
        }
    }
}

#[test]
fn both_ways_are_equal() {
    for name in ["concrete", "wood"] {
        for n in [1.25, 1.5, 1.9] {
            for [a, b] in [[4.0, 200.0], [20.0, 90.0], [100.0, 215.0], [150.0, 10.0]] {
                let there = diffraction(&half_space(name), n, [a, b], 0.4).matrix(2.0);
                let back = diffraction(&half_space(name), n, [b, a], -0.4).matrix(2.0);
                let expected = [[back[0][0], -back[1][0]], [-back[0][1], back[1][1]]];
                for (a, b) in there.as_flattened().iter().zip(expected.as_flattened()) {
                    assert!((a - b).norm() < 1e-9, "{name} {n}: {there:?} {back:?}");
                }
            }
        }
    }
}

#[test]
fn an_opaque_wedge_without_an_angle_is_a_sheet() {
    for name in ["concrete", "wood", "metal"] {
        for degrees in [[4.0, 200.0], [100.0, 340.0], [150.0, 10.0]] {
            let of = |is_sheet| of_wedge(&half_space(name), (2.0, is_sheet), degrees, 0.4);
            let [wedge, sheet] = [of(false), of(true)].map(|diffraction| diffraction.matrix(2.0));
            assert_eq!(wedge, sheet, "{name} {degrees:?}");
        }
    }
}
