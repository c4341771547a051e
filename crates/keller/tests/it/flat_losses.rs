//! Walls whose losses are numbers: every engine takes just these from a wave.

use std::f64::consts::PI;

use keller::DVec3;
use keller::field::PathField;
use keller::materials::{FlatLosses, ItuMaterial, Material, Medium};
use keller::paths::{Limits, Search};
use keller::scene::Mesh;
use keller::units::{db_to_power, power_to_db};

use crate::common::engines::{ENGINES, Engine, Row};
use crate::common::place::{at, both, corners, free_space, of};
use crate::common::{add_polygon, paths};
use crate::laws::limits;

fn flat(transmission_db: Option<f64>, reflection_db: Option<f64>, diffraction_db: f64) -> Material {
    let brick = Material::from_name("brick").unwrap();
    brick.with_flat_losses(FlatLosses {
        transmission_db,
        reflection_db,
        diffraction_db,
    })
}

/// A large wall aslant, met at 20 to 60 degrees from its normal. It is a half space, so nothing would pass without its loss.
#[test]
fn every_engine_takes_the_loss_of_a_passage_or_of_a_reflection() {
    let mut mesh = Mesh::default();
    let wall = [
        [-90., -80., -70.],
        [90., 100., -70.],
        [90., 100., 70.],
        [-90., -80., 70.],
    ];
    add_polygon(&mut mesh, "wall", &corners(&wall));
    let tx = at([-9.3, 8.1, 2.2], both());
    for is_reflection in [false, true] {
        let (loss, place) = if is_reflection {
            (4.3, of(&mesh, &[flat(None, Some(4.3), 0.0)]))
        } else {
            (7.2, of(&mesh, &[flat(Some(7.2), None, 0.0)]))
        };
        let first = if is_reflection {
            [2.7, 21.4, 1.3]
        } else {
            [3.7, 0.4, 1.3]
        };
        let row = Row::new(first, [2.0, 0.5, 0.0], 3);
        let (r, t) = (usize::from(is_reflection), usize::from(!is_reflection));
        let mut limits = limits(1, [r, t, 0, 0]);
        limits.line_of_sight = !is_reflection;
        for engine in ENGINES {
            // Surfaces that the tiles of a wave light one after the other take transmissions on the direct way alone.
            if !engine.follows(&limits) {
                continue;
            }
            let found = engine.received(&place, &tx, &row, &limits);
            for (found, rx) in found.iter().zip(row.points()) {
                // The wall lies in the plane x = y - 10, which exchanges x and y.
                let seen = DVec3::new(rx.y - 10.0, rx.x + 10.0, rx.z);
                let end = if is_reflection { seen } else { rx };
                // A Rx of both polarisations adds their powers.
                let wanted = free_space(tx.position.distance(end)) * db_to_power(-loss);
                let most = match engine {
                    Engine::Tubes(_) => 0.05,
                    _ => 1e-9,
                };
                let apart = power_to_db(found.gain / wanted);
                assert!(apart.abs() < most, "{engine:?}: {apart} dB");
            }
        }
    }
}

/// A wedge of two materials, the one with a loss of 5 dB and the other of 2: together they cost 3.5.
#[test]
fn a_diffraction_costs_half_the_loss_of_either_wall() {
    let mut mesh = Mesh::default();
    let up = 40.0;
    let wall = |ends: [[f64; 2]; 2]| {
        let [[a, b], [c, d]] = ends;
        corners(&[[a, b, -up], [c, d, -up], [c, d, up], [a, b, up]])
    };
    let angle = 0.3_f64;
    let far = |turn: f64| [30.0 * (angle + turn).cos(), 30.0 * (angle + turn).sin()];
    add_polygon(&mut mesh, "first", &wall([[0.0, 0.0], far(0.0)]));
    add_polygon(&mut mesh, "second", &wall([far(0.5 * PI), [0.0, 0.0]]));
    let glass = Material::HalfSpace(Medium::Itu(ItuMaterial::Glass));
    let lossy = |db| {
        glass.with_flat_losses(FlatLosses {
            diffraction_db: db,
            ..FlatLosses::default()
        })
    };
    let tx = at(
        [12.0 * (angle - 1.0).cos(), 12.0 * (angle - 1.0).sin(), 3.0],
        both(),
    );
    let rx = DVec3::new(9.0 * (angle + 2.0).cos(), 9.0 * (angle + 2.0).sin(), 1.0);
    let limits = Limits {
        free_edges: false,
        ..limits(1, [0, 0, 1, 0])
    };
    let gain = |losses: [f64; 2]| {
        let place = of(&mesh, &losses.map(lossy));
        let found = paths(&place, tx.position, &[rx], &limits, Search::Complete);
        let [path] = &found[..] else {
            panic!("{} paths", found.len())
        };
        assert_eq!(path.types(), "D");
        PathField::new(path, &place).gain(&both(), &both())
    };
    let apart = power_to_db(gain([5.0, 2.0]) / gain([0.0, 0.0]));
    assert!((apart + 3.5).abs() < 1e-9, "{apart}");
    assert!((power_to_db(gain([6.0, 6.0]) / gain([0.0, 0.0])) + 6.0).abs() < 1e-9);
}
