//! The waveguide of Key et al. 2020: 4 m by 4 m by 1000 m, open at both ends. Its images form a lattice, so every wave is
//! known.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use glam::DVec3;
use keller::random::Random;
use keller::scene::{Mesh, Scene};
use keller_lab::ray_classes::{Scheme, image_key};

use super::tally::{HEADER, Row, Truth, launch, print};

const SIDE: f64 = 4.0;
const LENGTH: f64 = 1000.0;
const TX: DVec3 = DVec3::new(10.0, 1.7, 2.3);
const NUM_RX: usize = 500;
const NUM_REFLECTIONS: i32 = 20;

/// Divisions of an edge: about 1 000 to 2.5 million rays.
const DIVISIONS: [usize; 5] = [10, 31, 100, 316, 500];

/// Ten million rays.
const MOST_DIVISIONS: usize = 1000;

/// Launches more and more rays.
pub(super) fn run() -> Result<Vec<Row>> {
    let scene = scene()?;
    let truth = truth();
    println!(
        "Waveguide of {SIDE} m by {SIDE} m by {LENGTH} m, {NUM_REFLECTIONS} reflections, {NUM_RX} receivers.\n\n{HEADER}"
    );
    let mut rows = Vec::new();
    for divisions in DIVISIONS {
        for scheme in Scheme::ALL {
            // Oct3 with as many rays as the others.
            let most = if scheme.1 == Scheme::Oct3 {
                (divisions as f64 * 2.5_f64.sqrt()).round()
            } else {
                divisions as f64
            };
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "small"
            )]
            let most = most as usize;
            let row = launch(&scene, TX, &truth, scheme, most, 2)?;
            print(&row);
            rows.push(row);
        }
    }
    // There are as many rays as fit: the document goes on to a hundred million.
    let row = launch(&scene, TX, &truth, Scheme::ALL[1], MOST_DIVISIONS, 2)?;
    print(&row);
    rows.push(row);
    let one = launch(&scene, TX, &truth, Scheme::ALL[1], 316, 1)?;
    print(&one);
    let two = rows
        .iter()
        .find(|row| row.solid == one.solid && row.num_rays == one.num_rays);
    let two = two.expect("it was launched before");
    for (one, two) in one.left.iter().zip(&two.left) {
        ensure!(
            (one.kept, one.doubles, one.dropped) == (two.kept, two.doubles, two.dropped),
            "{} depends on the number of threads",
            one.name
        );
        println!(
            "{}: {:.2} times as fast on two threads as on one",
            one.name,
            one.seconds / two.seconds.max(1e-9)
        );
    }
    println!(
        "tracing: {:.2} times",
        one.trace_seconds / two.trace_seconds
    );
    let last = rows.last().expect("there are rows");
    let exact = last.left.last().expect("sequences come last");
    ensure!(exact.dropped == 0, "sequences drop {} waves", exact.dropped);
    rows.push(one);
    Ok(rows)
}

fn scene() -> Result<Scene> {
    let mut mesh = Mesh::default();
    for axis in [DVec3::Y, DVec3::Z] {
        let other = DVec3::Y + DVec3::Z - axis;
        for at in [0.0, SIDE] {
            let (a, b) = (at * axis, at * axis + SIDE * other);
            let far = LENGTH * DVec3::X;
            mesh.add_polygon("metal", &[a, a + far, b + far, b]);
        }
    }
    Ok(Scene::new(&mesh)?)
}

/// All images with at most so many reflections. The walls are as long as the guide, so each of them reaches every receiver.
fn truth() -> Truth {
    let mut random = Random(20);
    let margin = DVec3::new(30.0, 0.3, 0.3);
    let low = margin;
    let high = DVec3::new(LENGTH, SIDE, SIDE) - margin;
    let rx: Vec<DVec3> = (0..NUM_RX).map(|_| random.point(low, high)).collect();
    let on_axis = |k: i32, x: f64| {
        if k % 2 == 0 {
            f64::from(k) * SIDE + x
        } else {
            f64::from(k + 1) * SIDE - x
        }
    };
    let mut images = vec![BTreeMap::new(); usize::try_from(NUM_REFLECTIONS).unwrap_or(0) + 1];
    for j in -NUM_REFLECTIONS..=NUM_REFLECTIONS {
        for k in -NUM_REFLECTIONS..=NUM_REFLECTIONS {
            let order = j.unsigned_abs() + k.unsigned_abs();
            let Some(of_order) = images.get_mut(order as usize) else {
                continue;
            };
            let image = DVec3::new(TX.x, on_axis(j, TX.y), on_axis(k, TX.z));
            let numbers = 0..u32::try_from(NUM_RX).unwrap_or(0);
            of_order.extend(numbers.map(|rx| ((rx, image_key(image)), image)));
        }
    }
    Truth { rx, images }
}
