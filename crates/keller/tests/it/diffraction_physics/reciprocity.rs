//! A path has one coefficient from Tx to Rx and back, transposed.

use std::f64::consts::PI;

use keller::em::utd::LossyWedge;
use keller::scene::{FaceId, MaterialId};
use keller::{Complex64, DVec3};

use super::world::*;

/// Rounding over the chain of steps.
const ROUNDING: f64 = 1e-9;

fn asymmetry(world: &World, tx: DVec3, rx: DVec3, steps: &[Step]) -> f64 {
    let there = world.field(tx, rx, steps).coefficient;
    let back: Vec<Step> = steps.iter().rev().copied().collect();
    let [[a, b], [c, d]] = world.field(rx, tx, &back).coefficient;
    norm(difference(there, [[a, c], [b, d]])) / norm(there)
}

fn ends() -> impl Iterator<Item = (DVec3, DVec3)> {
    let angles = [0.2, 0.8, 1.4, 2.1, 2.9, 3.4, 4.2, 4.6];
    angles.into_iter().flat_map(move |from| {
        angles
            .into_iter()
            .filter(move |to| *to != from)
            .map(move |to| (5.0 * around(from), 8.0 * around(to) + 6.0 * DVec3::Z))
    })
}

#[test]
fn one_edge_is_reciprocal() {
    for form in [LossyWedge::ReciprocalFull, LossyWedge::ReciprocalDiagonal] {
        for world in [
            World::wedge(2e9, 1.5, [half_space("concrete"), half_space("glass")]),
            World::wedge(2e9, 1.5, [slab("wood", 0.05), slab("glass", 0.01)]),
            World::sheet(2e9, slab("brick", 0.1)),
        ] {
            let world = world.with_form(form);
            for (tx, rx) in ends() {
                let asymmetry = asymmetry(&world, tx, rx, &[Step::Diffract(0)]);
                assert!(asymmetry < ROUNDING, "{form:?} {tx} {rx}: {asymmetry}");
            }
        }
    }
}

#[test]
fn luebbers_form_is_not_when_both_ends_stand_before_one_face() {
    let world = World::wedge(2e9, 1.5, [half_space("concrete"), half_space("glass")])
        .with_form(LossyWedge::LuebbersFull);
    let (tx, rx) = (5.0 * around(0.8), 8.0 * around(0.2) + 6.0 * DVec3::Z);
    assert!(asymmetry(&world, tx, rx, &[Step::Diffract(0)]) > 0.01);
}

/// A wedge, a second edge that is not parallel to it, and a floor and a wall.
fn yard() -> World {
    let mut world = World::new(
        2e9,
        vec![
            (plane(DVec3::Y, DVec3::ZERO), half_space("concrete")),
            (plane(DVec3::X, DVec3::ZERO), half_space("brick")),
            (
                plane(DVec3::new(0.1, 0.2, 1.0), -DVec3::Z),
                half_space("wood"),
            ),
            (
                plane(DVec3::new(1.0, 0.1, 0.0), -20.0 * DVec3::X),
                slab("glass", 0.02),
            ),
            (
                plane(DVec3::new(1.0, 0.2, 0.1), -4.0 * DVec3::X),
                slab("wood", 0.02),
            ),
        ],
        vec![z_edge(DVec3::ZERO, 0.0, 1.5, true)],
    );
    let mut other = z_edge(DVec3::new(-9.0, 3.0, 0.0), -0.4, 1.5, true);
    let tilt = glam_tilt();
    other.inward = tilt(other.inward);
    other.outward = tilt(other.outward);
    other.ends = other.ends.map(|p| {
        let foot = DVec3::new(-9.0, 3.0, 0.0);
        foot + tilt(p - foot)
    });
    world.edges.push(other);
    world
}

/// A turn by 0.3 around x.
fn glam_tilt() -> impl Fn(DVec3) -> DVec3 {
    let (sin, cos) = 0.3_f64.sin_cos();
    move |v| DVec3::new(v.x, cos * v.y - sin * v.z, sin * v.y + cos * v.z)
}

#[test]
fn edges_with_reflections_around_are_reciprocal() {
    use Step::{Diffract, Pass, Reflect};
    let world = yard();
    let tx = DVec3::new(-2.0, -7.0, 7.0);
    for steps in [
        &[Reflect(2), Diffract(0)][..],
        &[Diffract(0), Reflect(2)],
        &[Reflect(2), Diffract(0), Reflect(3)],
        &[Diffract(0), Reflect(2), Pass(4)],
        &[Diffract(0), Diffract(1)],
        &[Reflect(2), Diffract(0), Diffract(1), Reflect(3)],
        &[Diffract(0), Reflect(2), Diffract(1)],
        &[Diffract(0), Diffract(1), Diffract(0)],
    ] {
        // Low enough to see the floor behind the edges, high enough to see the edges over it.
        let height = if matches!(steps[0], Reflect(_)) {
            24.0
        } else {
            12.0
        };
        let rx = DVec3::new(-16.0, 8.0, height);
        let asymmetry = asymmetry(&world, tx, rx, steps);
        assert!(asymmetry < ROUNDING, "{steps:?}: {asymmetry}");
    }
}

#[test]
fn a_mirror_before_an_edge_is_a_mirrored_transmitter() {
    let world = World::new(
        1e9,
        vec![
            (plane(DVec3::Y, DVec3::ZERO), pec()),
            (plane(DVec3::X, DVec3::ZERO), pec()),
            (plane(DVec3::Z, -0.5 * DVec3::Z), pec()),
        ],
        vec![z_edge(DVec3::ZERO, 0.0, 1.5, true)],
    );
    let (tx, rx) = (
        5.0 * around(1.0) + DVec3::Z,
        8.0 * around(4.3) + 8.0 * DVec3::Z,
    );
    let image = world.planes[2].mirror(tx);
    let mirrored = world.field(tx, rx, &[Step::Reflect(2), Step::Diffract(0)]);
    let direct = world.field(image, rx, &[Step::Diffract(0)]);
    // The vertical field of the image over a conducting floor is that of the source, the horizontal one its negative.
    for (i, row) in mirrored.coefficient.iter().enumerate() {
        for (j, cell) in row.iter().enumerate() {
            let sign = [Complex64::ONE, -Complex64::ONE][j];
            let error = (cell - sign * direct.coefficient[i][j]).norm();
            assert!(error < ROUNDING * norm(direct.coefficient), "{i} {j}");
        }
    }
}

/// A flat roof between two walls, seen from below on both sides.
fn over_the_roof(material: keller::materials::Material) -> World {
    let walls = vec![
        (plane(DVec3::NEG_X, DVec3::ZERO), material.clone()),
        (plane(DVec3::Y, DVec3::ZERO), material.clone()),
        (plane(DVec3::X, 12.0 * DVec3::X), material),
    ];
    let mut left = z_edge(DVec3::ZERO, -0.5 * PI, 1.5, true);
    // Angles grow from the wall on the left, through the air, to the roof.
    left.outward = DVec3::NEG_X;
    let mut right = z_edge(12.0 * DVec3::X, PI, 1.5, true);
    right.outward = DVec3::Y;
    right.faces = [1, 2].map(|f| Some(FaceId::from_index(f)));
    World::new(1e9, walls, vec![left, right])
}

#[test]
fn waves_go_over_a_flat_roof_in_both_polarisations() {
    for material in [pec(), half_space("concrete")] {
        let world = over_the_roof(material);
        let (tx, rx) = (DVec3::new(-30.0, -8.0, 0.0), DVec3::new(50.0, -10.0, 5.0));
        let steps = [Step::Diffract(0), Step::Diffract(1)];
        let [[vv, _], [_, hh]] = world.field(tx, rx, &steps).coefficient;
        let free = norm(world.field(tx, rx, &[]).coefficient);
        for a in [vv, hh] {
            let share = a.norm() / free;
            assert!((1e-4..0.3).contains(&share), "{share}");
        }
        assert!(
            asymmetry(&world, tx, rx, &steps) < ROUNDING,
            "not reciprocal"
        );
    }
}

/// Far below the roof both edges lie deep in each other's light: a hard wave is twice diffracted along a surface that doubles it.
#[test]
fn a_hard_wave_over_a_conducting_roof_is_half_the_product() {
    use keller::em::utd::{Diffraction, EdgeAngles, Wedge, WedgeFace};
    let world = over_the_roof(pec());
    let (tx, rx) = (
        DVec3::new(-900.0, -900.0, 0.0),
        DVec3::new(912.0, -900.0, 0.0),
    );
    let [[_, _], [_, hh]] = world
        .field(tx, rx, &[Step::Diffract(0), Step::Diffract(1)])
        .coefficient;
    let surface = world.surfaces.surface(MaterialId::from_index(0));
    let face = WedgeFace {
        surface,
        shows_front: true,
    };
    let corner = Wedge {
        n: 1.5,
        faces: [face; 2],
        is_sheet: false,
        lets_through: true,
    };
    let grazing = EdgeAngles {
        sin_beta: 1.0,
        cos_beta: 0.0,
        phi_in: 0.25 * PI,
        phi_out: 1.5 * PI,
    };
    let k = world.wavenumber();
    let diffraction = Diffraction::new(&corner, grazing, k, LossyWedge::default());
    let (s0, s1) = (900.0 * 2.0_f64.sqrt(), 12.0);
    let hard = diffraction.matrix(s0 * s1 / (s0 + s1))[1][1].norm();
    let spreading = 1.0 / ((2.0 * s0 + s1) * s0 * s1 * s0).sqrt();
    let wavelength = world.surfaces.frequency().wavelength();
    let expected = 0.5 * hard * hard * spreading * wavelength / (4.0 * PI);
    assert!((hh.norm() / expected - 1.0).abs() < 1e-6, "{hh} {expected}");
}
