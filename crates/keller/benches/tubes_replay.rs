//! How long a coverage by tubes takes in other materials: a replay of one trace beside a trace of its own.
//!
//! `cargo bench -p keller --bench tubes_replay -- [--blocks N] [--rounds N]`
//!
//! A generated city of N x N blocks, with four materials. Replays and traces alternate, and the medians count. How far
//! replays are from traces is said beside the times.
#![allow(clippy::print_stdout, reason = "prints its table")]

use std::time::Instant;

use glam::DVec2;
use keller::antenna::Antenna;
use keller::coverage::tubes::{Accuracy, Envelope, Settings, Tubes};
use keller::coverage::{Levels, Region};
use keller::materials::{Material, Materials, Medium};
use keller::paths::Limits;
use keller::random::Random;
use keller::scene::{Mesh, Scene};
use keller::{Control, DVec3, Frequency, Tx, World};

/// From the centre of a block to the next, metres.
const PITCH: f64 = 40.0;

/// Cells a block, along each side.
const CELLS: usize = 10;

const TX: DVec3 = DVec3::new(3.0, 19.0, 12.0);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut blocks, mut rounds) = (12_u16, 5_u16);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().and_then(|text| text.parse().ok());
        match argument.as_str() {
            "--blocks" => blocks = value().expect("--blocks takes a number"),
            "--rounds" => rounds = value().expect("--rounds takes a number"),
            _ => {}
        }
    }
    let [world, other] = worlds(blocks);
    println!(
        "{} faces, {} edges",
        world.scene().faces().len(),
        world.scene().edges().len()
    );
    println!(
        "limits | accuracy | tubes | cells | of own world alone | MB | record | trace | replay | trace / replay | 95 %, dB"
    );
    let reflections = |count| Limits {
        max_interactions: count,
        max_reflections: count,
        ..Limits::default()
    };
    let through_walls = |limits| Limits {
        max_transmissions: 2,
        ..limits
    };
    let with_edge = |limits| Limits {
        max_diffractions: 1,
        ..limits
    };
    for (name, limits, accuracy) in [
        ("3 reflections", reflections(3), Accuracy::Default),
        (
            "3 and 2 walls",
            through_walls(reflections(3)),
            Accuracy::Default,
        ),
        ("2, exact", reflections(2), Accuracy::Exact),
        (
            "1 and an edge",
            with_edge(reflections(1)),
            Accuracy::Default,
        ),
        (
            "0 and an edge, exact",
            with_edge(reflections(0)),
            Accuracy::Exact,
        ),
    ] {
        let limits = Limits {
            max_interactions: limits.max_reflections + limits.max_diffractions,
            ..limits
        };
        measure([&world, &other], name, limits, accuracy, (blocks, rounds));
    }
}

fn measure(
    [world, other]: [&World; 2],
    name: &str,
    limits: Limits,
    accuracy: Accuracy,
    (blocks, rounds): (u16, u16),
) {
    let settings = Settings {
        limits,
        accuracy,
        min_gain: 1e-13,
    };
    let half = 0.5 * PITCH * f64::from(blocks);
    let columns = CELLS * usize::from(blocks);
    let region = Region {
        min: DVec2::splat(-half),
        axis: DVec2::X,
        resolution: DVec2::splat(PITCH / CELLS as f64),
        num_columns: [columns; 2],
        levels: Levels::AboveSea(vec![1.5, 9.5, 17.5]),
    };
    let tubes = Tubes::new(world, &region, settings);
    let there = Tubes::new(other, &region, settings);
    let antenna = Antenna::default();
    let all = || 0..region.num_cells();
    let control = Control::default();
    let envelope = Envelope::Antennas(std::slice::from_ref(&antenna));
    let record_for = |worlds: &[World]| {
        let recording = tubes.record_for(TX, envelope, worlds, all(), &control);
        recording.expect("nothing cancels it")
    };
    let [_, cells_alone] = record_for(&[]).counts();
    let record = || record_for(std::slice::from_ref(other));
    let tx = Tx {
        position: TX,
        antenna: antenna.clone(),
    };
    let trace = || {
        there
            .gains(&tx, all(), &control)
            .expect("nothing cancels it")
    };
    let (recording, of_record) = timed(&record);
    let replay = || recording.gains_in(other, &antenna);
    let [traced, replayed] = [trace(), replay()];
    let (mut of_trace, mut of_replay) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        of_trace.push(timed(&trace).1);
        of_replay.push(timed(&replay).1);
    }
    let [of_trace, of_replay] = [of_trace, of_replay].map(median);
    let [num_tubes, num_cells] = recording.counts();
    println!(
        "{name} | {accuracy:?} | {num_tubes} | {num_cells} | {cells_alone} | {:.1} | {of_record:.3} s | {of_trace:.3} s | {of_replay:.3} s | {:.1} | {:.3}",
        recording.num_bytes() as f64 / 1e6,
        of_trace / of_replay,
        difference(&traced, &replayed),
    );
}

/// Nineteen of twenty cells that either has differ by less, dB.
fn difference(traced: &[f64], replayed: &[f64]) -> f64 {
    let pairs = traced.iter().zip(replayed);
    let known = pairs.filter(|(a, b)| !a.is_nan() && **a + **b > 2e-13);
    let mut errors: Vec<f64> = known.map(|(a, b)| (10.0 * (a / b).log10()).abs()).collect();
    errors.sort_by(f64::total_cmp);
    errors[errors.len() * 19 / 20]
}

fn timed<T>(work: &dyn Fn() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// A city of turned houses on a ground, and the same with other walls.
fn worlds(blocks: u16) -> [World; 2] {
    let mut random = Random(1);
    let mut mesh = Mesh::default();
    let side = PITCH * f64::from(blocks);
    let corner = |x: f64, y: f64| DVec3::new(0.5 * side * x, 0.5 * side * y, 0.0);
    mesh.add_polygon(
        "ground",
        &[
            corner(-1., -1.),
            corner(1., -1.),
            corner(1., 1.),
            corner(-1., 1.),
        ],
    );
    for block in 0..blocks * blocks {
        let at = |k: u16| PITCH * (f64::from(k) + 0.5) - 0.5 * side;
        let centre = DVec3::new(at(block % blocks), at(block / blocks), 0.0);
        let turn = DVec2::from_angle(random.range(0.0, 0.3));
        let half = DVec2::new(random.range(9.0, 14.0), random.range(9.0, 13.0));
        let height = random.range(6.0, 25.0);
        let material = ["brick", "plaster", "glass"][random.below(3)];
        let foot = [(-1., -1.), (1., -1.), (1., 1.), (-1., 1.)].map(|(x, y)| {
            let turned = turn.rotate(half * DVec2::new(x, y));
            centre + turned.extend(0.0)
        });
        let up = DVec3::Z * height;
        for k in 0..4 {
            let [a, b] = [foot[k], foot[(k + 1) % 4]];
            mesh.add_polygon(material, &[a, b, b + up, a + up]);
        }
        mesh.add_polygon(material, &foot.map(|at| at + up));
    }
    let scene = Scene::new(&mesh).expect("the mesh has triangles");
    let slab = |relative_permittivity, conductivity, thickness| {
        let medium = Medium::Constant {
            relative_permittivity,
            conductivity,
        };
        Material::slab(medium, thickness)
    };
    let ground = |relative_permittivity| {
        Material::HalfSpace(Medium::Constant {
            relative_permittivity,
            conductivity: 0.03,
        })
    };
    let materials = Materials::from([
        ("brick", slab(3.9, 0.02, 0.3)),
        ("plaster", slab(2.7, 0.01, 0.15)),
        ("glass", slab(6.3, 0.005, 0.02)),
        ("ground", ground(15.0)),
    ]);
    let others = Materials::from([
        ("brick", slab(5.0, 0.05, 0.3)),
        ("plaster", slab(3.5, 0.02, 0.2)),
        ("glass", slab(5.5, 0.01, 0.03)),
        ("ground", ground(8.0)),
    ]);
    let frequency = Frequency::from_ghz(2.0).expect("positive");
    let world = World::new(scene, &materials, frequency).expect("all are defined");
    let other = world.with_materials(&others).expect("all are defined");
    [world, other]
}
