//! The field goes on through grazing incidence on lossy faces: the field on such a face vanishes, and so does the wave
//! that its edge diffracts.

use keller::field::PathField;
use keller::materials::Material;
use keller::paths::{Limits, Search};
use keller::scene::Mesh;
use keller::units::power_to_db;
use keller::{Complex64, DVec3, World};

use super::world::{half_space, pec, slab};
use crate::common::place::{self, free_space};
use crate::common::{add_box, paths};

/// A house with a flat roof at z = 15 m, turned by an odd angle around the vertical.
fn house(material: &Material, turn: f64) -> (World, impl Fn(DVec3) -> DVec3) {
    let (sin, cos) = turn.sin_cos();
    let turn = move |v: DVec3| DVec3::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y, v.z);
    let mut mesh = Mesh::default();
    let low = DVec3::new(-10.0, -8.0, 0.0);
    add_box(&mut mesh, "wall", low, DVec3::new(10.0, 8.0, 15.0));
    for vertex in &mut mesh.vertices {
        *vertex = turn(*vertex);
    }
    (place::of(&mesh, std::slice::from_ref(material)), turn)
}

/// The sum of all paths by reflections and one or two edges.
fn total(place: &World, tx: DVec3, rx: DVec3) -> [[Complex64; 2]; 2] {
    let limits = Limits {
        max_interactions: 3,
        max_reflections: 1,
        max_diffractions: 2,
        ..Limits::default()
    };
    let mut total = [[Complex64::ZERO; 2]; 2];
    for path in paths(place, tx, &[rx], &limits, Search::Exhaustive) {
        let field = PathField::new(&path, place);
        for (row, more) in total.iter_mut().zip(field.coefficient) {
            for (cell, more) in row.iter_mut().zip(more) {
                *cell += more;
            }
        }
    }
    total
}

fn power(a: [[Complex64; 2]; 2], column: usize) -> f64 {
    a[0][column].norm_sqr() + a[1][column].norm_sqr()
}

/// The largest change, dB, of the field in the shadow behind the house as the Tx rises through the level of the roof in small steps.
fn largest_change(material: &Material, is_conductor: bool, turn: f64) -> f64 {
    let (place, turn) = house(material, turn);
    let mut largest = 0.0_f64;
    for rx in [[32.0, -2.0, 8.0], [24.0, 3.0, 12.0], [60.0, 11.0, 2.0]] {
        let rx = turn(rx.into());
        let fields = [-3e-3, -1e-3, -5e-5, -1e-7, 0.0, 1e-7, 5e-5, 1e-3, 3e-3]
            .map(|h| total(&place, turn(DVec3::new(-40.0, 1.2, 15.0 + h)), rx));
        // Edges of a conductor, which a wave along the roof meets in full, become visible within a millimetre, one
        // after the other.
        let step = if is_conductor { fields.len() - 1 } else { 1 };
        for pair in fields.windows(step + 1) {
            for column in [0, 1] {
                let [a, b] = [pair[0], pair[step]].map(|a| power_to_db(power(a, column)));
                largest = largest.max((a - b).abs());
            }
        }
    }
    largest
}

#[test]
fn a_tx_that_rises_through_the_level_of_a_roof_makes_no_jump() {
    let materials = [
        pec(),
        half_space("concrete"),
        half_space("brick"),
        half_space("wet_ground"),
        slab("glass", 0.02),
        slab("concrete", 0.3),
    ];
    for (index, material) in materials.iter().enumerate() {
        for turn in [0.0, 0.7] {
            let change = largest_change(material, index == 0, turn);
            // The gain and loss of a conductor's edges as they become visible is right to the accuracy of two
            // diffractions in a row.
            let bound = if index == 0 { 1.5 } else { 0.5 };
            assert!(change < bound, "{material:?} {turn}: {change} dB");
        }
    }
}

/// Tx, the two edges of a roof, Rx as distance and height, m; the field over the free one, dB, of a vertical and of a horizontal antenna.
type House = ([f64; 2], [[f64; 2]; 2], [f64; 2], [f64; 2]);

/// Fields over the flat roof of a house of concrete at 2 GHz, across the edges: the vertical plane's angular spectrum,
/// marched from edge to edge with Fresnel's reflection on the roof, apart from this code.
const OVER_CONCRETE: [House; 2] = [
    (
        [0.0, 6.7],
        [[67.8, 21.4], [72.9, 21.4]],
        [101.7, 14.3],
        [-51.2, -56.9],
    ),
    (
        [0.0, 9.5],
        [[65.9, 23.8], [70.5, 23.8]],
        [114.6, 15.5],
        [-48.5, -53.8],
    ),
];

/// The two edges in a row, dB over free space, of a vertical and of a horizontal antenna.
fn over_a_roof(material: &Material, tx: [f64; 2], edges: [[f64; 2]; 2], rx: [f64; 2]) -> [f64; 2] {
    let (turn_sin, turn_cos) = 0.6_f64.sin_cos();
    let turn = |x: f64, y: f64, z: f64| {
        DVec3::new(turn_cos * x - turn_sin * y, turn_sin * x + turn_cos * y, z)
    };
    let mut mesh = Mesh::default();
    let [[near, roof], [far, _]] = edges;
    let low = DVec3::new(near, -400.0, 0.0);
    add_box(&mut mesh, "wall", low, DVec3::new(far, 400.0, roof));
    for vertex in &mut mesh.vertices {
        *vertex = turn(vertex.x, vertex.y, vertex.z);
    }
    let place = place::of(&mesh, std::slice::from_ref(material));
    let ends = [tx, rx].map(|[x, z]| turn(x, 0.0, z));
    let limits = Limits {
        max_interactions: 2,
        max_reflections: 0,
        max_diffractions: 2,
        ..Limits::default()
    };
    let [tx, rx] = ends;
    let found = paths(&place, tx, &[rx], &limits, Search::Exhaustive);
    let over = found.iter().find(|path| {
        let points = path.vertices.iter();
        points.filter(|i| (i.point.z - roof).abs() < 1e-6).count() == 2
    });
    let path = over.unwrap();
    let field = PathField::new(path, &place);
    let free = free_space(tx.distance(rx)) * tx.distance(rx) / path.length;
    [0, 1].map(|column| power_to_db(power(field.coefficient, column) / free))
}

#[test]
fn over_a_roof_of_concrete_the_field_is_that_of_a_march_with_its_reflection() {
    let concrete = half_space("concrete");
    for (tx, edges, rx, expected) in OVER_CONCRETE {
        let found = over_a_roof(&concrete, tx, edges, rx);
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1.5, "{found} dB, not {expected}");
        }
    }
}

#[test]
fn a_roof_of_metal_is_nearly_that_of_a_conductor() {
    for (tx, edges, rx, _) in OVER_CONCRETE {
        let metal = over_a_roof(&half_space("metal"), tx, edges, rx);
        let conductor = over_a_roof(&pec(), tx, edges, rx);
        for (metal, conductor) in metal.into_iter().zip(conductor) {
            assert!(
                (metal - conductor).abs() < 1.5,
                "{metal} dB, not {conductor}"
            );
        }
    }
}
