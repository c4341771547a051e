//! Walls thinner than a wave is long, and their limit without any thickness.
//!
//! The reference is a solution of the Helmholtz equation by finite differences, five points and 30 cells a wavelength, around a conducting
//! half plane of some thickness that ends in absorbing layers; normalised by the same without the wall. It was computed apart from this code.

use keller::field::PathField;
use keller::materials::{Material, Medium};
use keller::paths::{Limits, Search};
use keller::scene::Mesh;
use keller::units::power_to_db;
use keller::{Complex64, DVec3};

use crate::common::place::{self, free_space, wavelength};
use crate::common::{add_box, add_polygon, paths};

/// The field along the edges (`E` or `H`), the thickness, Tx and Rx across the edges, the top on their level and its near edge at 0, all in
/// wavelengths, and the total field over that of free space, dB.
type Row = (char, f64, [f64; 2], [f64; 2], f64);

#[rustfmt::skip]
const BEHIND_WALLS: &[Row] = &[
    ('E', 0.0333, [-2.0, -3.4667], [0.9333, -3.3667], -52.5),
    ('E', 0.0333, [-2.0, -3.4667], [3.4, -0.9], -31.5),
    ('E', 0.0333, [-3.4667, -2.0], [2.5, -2.4667], -30.4),
    ('E', 0.0333, [-3.9333, -0.7], [0.9333, -3.3667], -37.5),
    ('E', 0.0333, [-3.9333, -0.7], [3.4, -0.9], -15.7),
    ('E', 0.1333, [-2.0, -3.4667], [1.0333, -3.3667], -54.8),
    ('E', 0.1333, [-2.0, -3.4667], [3.5, -0.9], -33.1),
    ('E', 0.1333, [-3.4667, -2.0], [2.6, -2.4667], -32.1),
    ('E', 0.1333, [-3.9333, -0.7], [1.0333, -3.3667], -39.1),
    ('E', 0.1333, [-3.9333, -0.7], [3.5, -0.9], -16.7),
    ('E', 0.2667, [-2.0, -3.4667], [1.1667, -3.3667], -57.2),
    ('E', 0.2667, [-2.0, -3.4667], [3.6333, -0.9], -34.8),
    ('E', 0.2667, [-3.4667, -2.0], [2.7333, -2.4667], -33.9),
    ('E', 0.2667, [-3.9333, -0.7], [1.1667, -3.3667], -40.8),
    ('E', 0.2667, [-3.9333, -0.7], [3.6333, -0.9], -17.7),
    ('E', 0.5, [-2.0, -3.4667], [1.4, -3.3667], -60.5),
    ('E', 0.5, [-2.0, -3.4667], [3.8667, -0.9], -37.2),
    ('E', 0.5, [-3.4667, -2.0], [2.9667, -2.4667], -36.4),
    ('E', 0.5, [-3.9333, -0.7], [1.4, -3.3667], -43.0),
    ('E', 0.5, [-3.9333, -0.7], [3.8667, -0.9], -19.2),
    ('E', 1.0, [-2.0, -3.4667], [1.9, -3.3667], -65.5),
    ('E', 1.0, [-2.0, -3.4667], [4.3667, -0.9], -40.8),
    ('E', 1.0, [-3.4667, -2.0], [3.4667, -2.4667], -40.3),
    ('E', 1.0, [-3.9333, -0.7], [1.9, -3.3667], -46.5),
    ('E', 1.0, [-3.9333, -0.7], [4.3667, -0.9], -21.4),
    ('H', 0.0333, [-2.0167, -3.45], [0.95, -3.35], -23.0),
    ('H', 0.0333, [-2.0167, -3.45], [3.4167, -0.8833], -17.4),
    ('H', 0.0333, [-3.4833, -1.9833], [2.5167, -2.45], -17.6),
    ('H', 0.0333, [-3.95, -0.6833], [0.95, -3.35], -17.9),
    ('H', 0.0333, [-3.95, -0.6833], [3.4167, -0.8833], -11.1),
    ('H', 0.1, [-2.0167, -3.45], [1.0167, -3.35], -23.9),
    ('H', 0.1, [-2.0167, -3.45], [3.4833, -0.8833], -17.9),
    ('H', 0.1, [-3.4833, -1.9833], [2.5833, -2.45], -18.2),
    ('H', 0.1, [-3.95, -0.6833], [1.0167, -3.35], -18.4),
    ('H', 0.1, [-3.95, -0.6833], [3.4833, -0.8833], -11.3),
    ('H', 0.2333, [-2.0167, -3.45], [1.15, -3.35], -24.9),
    ('H', 0.2333, [-2.0167, -3.45], [3.6167, -0.8833], -18.4),
    ('H', 0.2333, [-3.4833, -1.9833], [2.7167, -2.45], -18.8),
    ('H', 0.2333, [-3.95, -0.6833], [1.15, -3.35], -18.8),
    ('H', 0.2333, [-3.95, -0.6833], [3.6167, -0.8833], -11.4),
    ('H', 0.4667, [-2.0167, -3.45], [1.3833, -3.35], -26.2),
    ('H', 0.4667, [-2.0167, -3.45], [3.85, -0.8833], -18.9),
    ('H', 0.4667, [-3.4833, -1.9833], [2.95, -2.45], -19.5),
    ('H', 0.4667, [-3.95, -0.6833], [1.3833, -3.35], -19.3),
    ('H', 0.4667, [-3.95, -0.6833], [3.85, -0.8833], -11.6),
    ('H', 0.9667, [-2.0167, -3.45], [1.8833, -3.35], -27.9),
    ('H', 0.9667, [-2.0167, -3.45], [4.35, -0.8833], -19.8),
    ('H', 0.9667, [-3.4833, -1.9833], [3.45, -2.45], -20.7),
    ('H', 0.9667, [-3.95, -0.6833], [1.8833, -3.35], -20.0),
    ('H', 0.9667, [-3.95, -0.6833], [4.35, -0.8833], -11.9),
];

fn limits() -> Limits {
    Limits {
        max_interactions: 2,
        max_reflections: 0,
        max_diffractions: 2,
        free_edges: true,
        ..Limits::default()
    }
}

/// The total field over the free one of waves over the top of a wall across x, which is endless along y, in linear
/// power, for unit fields along y and across it. Everything is turned by an odd angle.
pub(crate) fn over_the_top(material: &Material, thickness: f64, tx: DVec3, rx: DVec3) -> [f64; 2] {
    let turn = glam_turn();
    let (far, deep) = (500.0 * wavelength(), 400.0 * wavelength());
    let mut mesh = Mesh::default();
    if thickness > 0.0 {
        let high = DVec3::new(thickness, far, 0.0);
        add_box(&mut mesh, "wall", DVec3::new(0.0, -far, -deep), high);
    } else {
        let corners = [[-far, -deep], [far, -deep], [far, 0.0], [-far, 0.0]];
        add_polygon(
            &mut mesh,
            "wall",
            &corners.map(|[y, z]| DVec3::new(0.0, y, z)),
        );
    }
    for vertex in &mut mesh.vertices {
        *vertex = turn(*vertex);
    }
    let place = place::of(&mesh, std::slice::from_ref(material));
    let axis = turn(DVec3::Y);
    let found = paths(&place, turn(tx), &[turn(rx)], &limits(), Search::Exhaustive);
    let mut sums = [Complex64::ZERO; 2];
    let back = |p: DVec3| p.dot(turn(DVec3::Z));
    for path in found {
        if path.vertices.iter().any(|i| back(i.point) < -1e-6) {
            continue;
        }
        let field = PathField::new(&path, &place);
        let (out, arrival) = (field.departure.unit_vector(), field.arrival.unit_vector());
        let components = |d: DVec3, e: DVec3| {
            keller::spherical_basis(d).map(|unit| Complex64::from(unit.dot(e)))
        };
        for (sum, is_magnetic) in sums.iter_mut().zip([false, true]) {
            let unit = |d: DVec3| if is_magnetic { axis.cross(d) } else { axis };
            let ends = [(out, unit(out)), (arrival, unit(-arrival))];
            let [tx, rx] = ends.map(|(direction, field)| components(direction, field));
            *sum += field.amplitude(tx, rx);
        }
    }
    let free = free_space(tx.distance(rx));
    sums.map(|sum| sum.norm_sqr() / free)
}

/// A turn by 0.4 around an odd axis.
fn glam_turn() -> impl Fn(DVec3) -> DVec3 {
    let axis = DVec3::new(0.3, -0.5, 0.8).normalize();
    let (sin, cos) = 0.4_f64.sin_cos();
    move |v| v * cos + axis.cross(v) * sin + axis * (axis.dot(v) * (1.0 - cos))
}

pub(crate) fn conductor() -> Material {
    Material::HalfSpace(Medium::PerfectConductor)
}

#[test]
fn behind_conducting_walls_of_any_thickness_the_field_is_that_of_finite_differences() {
    let mut worst = 0.0_f64;
    for &(polarization, thickness, tx, rx, expected) in BEHIND_WALLS {
        let at = |[x, z]: [f64; 2]| wavelength() * DVec3::new(x, 0.0, z);
        let (tx, rx) = (at(tx), at(rx));
        let thickness = thickness * wavelength();
        let both = over_the_top(&conductor(), thickness, tx, rx);
        let found = both[usize::from(polarization == 'H')];
        // A wave from a point spreads along the edge too, as the whole path is long.
        let edges = [DVec3::ZERO, DVec3::new(thickness, 0.0, 0.0)];
        let length = tx.distance(edges[0]) + thickness + edges[1].distance(rx);
        let found = power_to_db(found * length / tx.distance(rx));
        worst = worst.max((found - expected).abs());
    }
    assert!(worst < 2.6, "{worst} dB");
}

#[test]
fn without_thickness_a_wall_is_a_sheet() {
    let materials = [
        conductor(),
        Material::from_name("concrete").unwrap(),
        Material::from_name("glass").unwrap(),
    ];
    for material in &materials {
        for tx in [[-9.0, -4.0], [-20.0, -1.0], [-6.0, 5.0], [-15.0, 0.7]] {
            for rx in [[12.0, -9.0], [20.0, -1.0], [7.0, 3.0], [30.0, 11.0]] {
                let at = |[x, z]: [f64; 2], y: f64| DVec3::new(x, y, z);
                let (tx, rx) = (at(tx, 0.0), at(rx, 4.0));
                let sheet = over_the_top(material, 0.0, tx, rx);
                let mut last = f64::INFINITY;
                for thickness in [1e-2, 3e-3, 1e-3] {
                    let wall = over_the_top(material, thickness, tx, rx);
                    let error = |i: usize| (power_to_db(wall[i]) - power_to_db(sheet[i])).abs();
                    let worst = error(0).max(error(1));
                    assert!(
                        worst < last.max(0.01),
                        "{tx} {rx} {thickness}: {worst} dB after {last}"
                    );
                    last = worst;
                }
                assert!(last < 0.1, "{tx} {rx}: {last} dB");
            }
        }
    }
}
