//! The field goes on through grazing incidence on lossy faces: the field on such a face vanishes, and so does what its edge makes of it.

use keller::field::transport;
use keller::materials::Material;
use keller::paths::{Limits, Search};
use keller::scene::Mesh;
use keller::units::power_to_db;
use keller::{Complex64, DVec3};

use super::common::place::Place;
use super::common::{add_box, paths};
use super::world::{half_space, pec, slab};

/// A house with a flat roof at z = 15 m, turned by an odd angle around the vertical.
fn house(material: &Material, turn: f64) -> (Place, impl Fn(DVec3) -> DVec3) {
    let (sin, cos) = turn.sin_cos();
    let turn = move |v: DVec3| DVec3::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y, v.z);
    let mut mesh = Mesh::default();
    let low = DVec3::new(-10.0, -8.0, 0.0);
    add_box(&mut mesh, "wall", low, DVec3::new(10.0, 8.0, 15.0));
    for vertex in &mut mesh.vertices {
        *vertex = turn(*vertex);
    }
    (Place::of(&mesh, std::slice::from_ref(material)), turn)
}

/// The sum of all paths by reflections and one or two edges.
fn total(place: &Place, tx: DVec3, rx: DVec3) -> [[Complex64; 2]; 2] {
    let limits = Limits {
        max_interactions: 3,
        max_reflections: 1,
        max_diffractions: 2,
        ..Limits::default()
    };
    let mut total = [[Complex64::ZERO; 2]; 2];
    for path in paths(&place.scene, tx, &[rx], &limits, Search::Exhaustive) {
        let field = transport(&path, &place.scene, &place.surfaces);
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
        // Edges of a conductor, which a wave along the roof meets in full, come into sight within a millimetre, one after the other.
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
            // What a conductor's edges gain and lose as they come into sight is right to the accuracy of two diffractions in a row.
            let bound = if index == 0 { 1.5 } else { 0.5 };
            assert!(change < bound, "{material:?} {turn}: {change} dB");
        }
    }
}
