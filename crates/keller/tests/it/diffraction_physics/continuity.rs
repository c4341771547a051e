//! The total field has no steps: diffraction makes up for waves that appear or vanish at a shadow boundary.

use std::f64::consts::PI;

use keller::{Complex64, DVec3};

use super::world::*;

/// Half the distance between the two observers, radians.
const STEP: f64 = 1e-8;

/// The largest change of the total field between them, over the free field: the phase of `STEP` on a hundred
/// wavelengths, and no more.
const SMOOTH: f64 = 1e-4;

/// The total field at azimuth `phi` in the world of one edge on the z axis.
fn total(world: &World, tx: DVec3, radius: f64, z: f64, phi: f64) -> [[Complex64; 2]; 2] {
    let edge = world.edges[0];
    let open = edge.exterior_angle;
    let rx = radius * around(phi) + z * DVec3::Z;
    let phi_tx = tx.y.atan2(tx.x).rem_euclid(2.0 * PI);
    let mut field = world.field(tx, rx, &[Step::Diffract(0)]).coefficient;
    let (low, high) = (phi_tx.min(phi), phi_tx.max(phi));
    if high - low < PI {
        field = sum(field, world.field(tx, rx, &[]).coefficient);
    } else {
        // Straight through the wedge, if it lets anything through.
        let mut walls = vec![Step::Pass(0)];
        if edge.is_wedge() {
            walls.push(Step::Pass(1));
        }
        if phi_tx > phi {
            walls.reverse();
        }
        field = sum(field, world.field(tx, rx, &walls).coefficient);
    }
    if phi_tx + phi < PI {
        field = sum(field, world.field(tx, rx, &[Step::Reflect(0)]).coefficient);
    }
    if 2.0 * open - phi_tx - phi < PI {
        let nth = usize::from(edge.is_wedge());
        field = sum(
            field,
            world.field(tx, rx, &[Step::Reflect(nth)]).coefficient,
        );
    }
    field
}

/// Steps of the total field at every shadow boundary of the wedge, over the free field there.
fn largest_step(world: &World, tx: DVec3, radius: f64, z: f64) -> (f64, usize) {
    let open = world.edges[0].exterior_angle;
    let phi_tx = tx.y.atan2(tx.x).rem_euclid(2.0 * PI);
    let boundaries = [
        phi_tx + PI,
        phi_tx - PI,
        PI - phi_tx,
        2.0 * open - phi_tx - PI,
    ];
    let (mut largest, mut num) = (0.0_f64, 0);
    for phi in boundaries {
        if phi < 0.01 || phi > open - 0.01 {
            continue;
        }
        let [near, far] = [-STEP, STEP].map(|step| total(world, tx, radius, z, phi + step));
        let rx = radius * around(phi) + z * DVec3::Z;
        let free = norm(world.field(tx, rx, &[]).coefficient);
        largest = largest.max(norm(difference(near, far)) / free);
        num += 1;
    }
    (largest, num)
}

fn check(world: &World) {
    let mut boundaries = 0;
    for phi_tx in [0.3, 0.9, 1.5, 2.0, 2.9, 3.5, 4.1] {
        if phi_tx > world.edges[0].exterior_angle - 0.1 {
            continue;
        }
        for (z, radius) in [(0.0, 9.0), (14.0, 9.0), (3.0, 0.7)] {
            let (step, num) = largest_step(world, 5.0 * around(phi_tx), radius, z);
            assert!(step < SMOOTH, "phi' {phi_tx}, z {z}: a step of {step}");
            boundaries += num;
        }
    }
    assert!(boundaries > 10, "{boundaries} boundaries");
}

#[test]
fn perfectly_conducting_wedges_leave_no_step() {
    for n in [2.0, 1.75, 1.6, 1.5, 1.2] {
        check(&World::wedge(1e9, n, [pec(), pec()]));
    }
    check(&World::sheet(1e9, pec()));
}

#[test]
fn lossy_wedges_of_two_materials_leave_no_step() {
    for n in [1.75, 1.6, 1.5, 1.2] {
        check(&World::wedge(
            2e9,
            n,
            [half_space("concrete"), half_space("glass")],
        ));
    }
}

#[test]
fn walls_that_let_waves_through_leave_no_step() {
    check(&World::sheet(1e9, slab("glass", 0.02)));
    for n in [1.75, 1.5, 1.2] {
        check(&World::wedge(
            1e9,
            n,
            [slab("wood", 0.03), slab("glass", 0.01)],
        ));
    }
}

/// The phase of the air that walls of many wavelengths displace is in the direct wave and in the diffracted one.
#[test]
fn thick_walls_that_let_waves_through_leave_no_step() {
    for material in ["glass", "plasterboard", "vacuum"] {
        check(&World::sheet(2.4e9, slab(material, 0.37)));
    }
    for n in [1.83, 1.47, 1.2] {
        let faces = [slab("plasterboard", 0.21), slab("glass", 0.13)];
        check(&World::wedge(2.4e9, n, faces));
    }
}

#[test]
fn a_sheet_of_nothing_diffracts_nothing_however_thick() {
    for thickness in [0.0001, 0.3, 7.0] {
        let world = World::sheet(1e9, slab("vacuum", thickness));
        let tx = 5.0 * around(1.0);
        for i in 1..60 {
            let rx = 7.0 * around(0.1 * f64::from(i)) + DVec3::Z;
            let diffracted = norm(world.field(tx, rx, &[Step::Diffract(0)]).coefficient);
            let free = norm(world.field(tx, rx, &[]).coefficient);
            assert!(diffracted < 1e-12 * free, "{i}: {}", diffracted / free);
        }
    }
}

#[test]
fn any_geometry_gives_finite_numbers() {
    let mut seed = 1_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        f64::from(u32::try_from(seed >> 32).unwrap()) / f64::from(u32::MAX)
    };
    let worlds = [
        World::wedge(3e9, 1.5, [half_space("concrete"), pec()]),
        World::sheet(3e9, slab("glass", 0.01)),
        World::sheet(3e9, black()),
    ];
    for world in &worlds {
        let open = world.edges[0].exterior_angle;
        for i in 0..20_000 {
            // Every third direction is a special one: on a face, on a boundary, back to where it came from.
            let phi_tx = open * random();
            let phi = match i % 9 {
                0 => 0.0,
                1 => open,
                2 => (phi_tx + PI).min(open),
                3 => (PI - phi_tx).max(0.0),
                4 => phi_tx,
                _ => open * random(),
            };
            let height = [0.0, 1e-9, 1.0, 1e5][i % 4];
            let (near, far) = (1e-3 + random(), 100.0 * random() + 1e-3);
            let tx = near * around(phi_tx);
            let rx = far * around(phi) + height * DVec3::Z;
            let field = world.field(tx, rx, &[Step::Diffract(0)]);
            assert!(norm(field.coefficient).is_finite(), "{tx} {rx}");
        }
    }
}

/// Two conducting screens; the observer rises through the shadow boundary of the second edge in the wave of the first.
#[test]
fn behind_two_edges_no_step_is_left_either() {
    for heights in [[0.1, 0.1], [1.0, 0.5], [2.0, -1.0], [-1.0, 3.0]] {
        let screen = |x: f64, y: f64| z_edge(DVec3::new(x, y, 0.0), -0.5 * PI, 2.0, false);
        let edges = vec![screen(20.0, heights[0]), screen(50.0, heights[1])];
        let world = World::new(1e9, vec![(plane(DVec3::X, DVec3::ZERO), black())], edges);
        let tx = DVec3::ZERO;
        // The Rx is in line with both edges at the end.
        let slope = (heights[1] - heights[0]) / 30.0;
        let boundary = heights[1] + 40.0 * slope;
        let total = |y: f64| {
            let rx = DVec3::new(90.0, y, 10.0);
            let mut steps = vec![vec![Step::Diffract(0), Step::Diffract(1)]];
            if y > boundary {
                steps.push(vec![Step::Diffract(0)]);
            }
            let fields = steps.iter().map(|s| world.field(tx, rx, s).coefficient);
            fields.reduce(sum).unwrap()
        };
        let [near, far] = [-1e-6, 1e-6].map(|d| total(boundary + d));
        let free = norm(
            world
                .field(tx, DVec3::new(90.0, boundary, 10.0), &[])
                .coefficient,
        );
        let step = norm(difference(near, far)) / free;
        assert!(step < TWO_EDGE_STEP, "{heights:?}: a step of {step}");
    }
}

/// The largest change over the free field: distance parameters are real, so they carry the magnitude on and leave the
/// small change of phase between the edge and the observer.
const TWO_EDGE_STEP: f64 = 6e-3;
