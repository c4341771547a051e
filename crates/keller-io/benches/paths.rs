//! The main job, stage by stage: search, then solve and validate, for more and more receivers.
//!
//! `cargo bench -p keller-io --bench paths -- SCENE.xml RX.csv [RX.csv ...] [--only=PART_OF_A_NAME]`; without arguments
//! the block city of `cases/`. Every search first proves that it finds the same paths on every run.

#![allow(clippy::print_stdout, reason = "a report is what it is for")]

use std::path::{Path, PathBuf};
use std::time::Instant;

use keller::materials::{ItuMaterial, Material, Materials, Medium};
use keller::paths::{Devices, Effort, Limits, PathOptions, Search, find_paths};
use keller::scene::Scene;
use keller::{Control, DVec3, Frequency, World};

/// The transmitter of the munich figures; in the block city it stands over a roof.
const TX: DVec3 = DVec3::new(8.5, 21.0, 27.0);
const RUNS: usize = 7;

/// Jobs that take longer than this once are run only once more, seconds.
const LONG: f64 = 5.0;

fn main() {
    let arguments: Vec<PathBuf> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with("--"))
        .map(PathBuf::from)
        .collect();
    let only = std::env::args()
        .find_map(|a| a.strip_prefix("--only=").map(str::to_owned))
        .unwrap_or_default();
    let (scene, tables) = arguments.split_first().map_or_else(
        || {
            (
                Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/10_manhattan_d3/scene.xml"),
                &[][..],
            )
        },
        |(scene, tables)| (scene.clone(), tables),
    );
    let start = Instant::now();
    let mesh = keller_io::formats::import::import(&scene)
        .expect("a readable scene")
        .mesh;
    let import = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let scene = Scene::new(&mesh).expect("a usable scene");
    let world = world(scene);
    println!(
        "import {import:.3} s, scene {:.3} s, {} threads",
        start.elapsed().as_secs_f64(),
        rayon::current_num_threads()
    );
    let mut sets: Vec<Vec<DVec3>> = tables.iter().map(|file| receivers(file)).collect();
    if sets.is_empty() {
        sets.push(
            (0..100)
                .map(|k| {
                    DVec3::new(
                        f64::from(k % 10) * 9.0 - 40.3,
                        f64::from(k / 10) * 9.0 - 40.7,
                        1.5,
                    )
                })
                .collect(),
        );
    }
    println!(
        "{:<42} {:>6} {:>9} {:>9} {:>9} {:>7}",
        "job", "rx", "search s", "all s", "sequences", "paths"
    );
    for rx in &sets {
        for (name, limits, search) in jobs().into_iter().filter(|job| job.0.contains(&only)) {
            measure(&world, rx, name, &limits, search);
        }
    }
}

fn jobs() -> Vec<(&'static str, Limits, Search)> {
    let limits = |depth, max_transmissions, max_depth| Limits {
        max_interactions: depth,
        max_reflections: depth,
        max_transmissions,
        max_depth,
        ..Limits::default()
    };
    let launch = Search::default();
    vec![
        ("R<=3, launch", limits(3, 0, usize::MAX), launch),
        ("R<=5, launch", limits(5, 0, usize::MAX), launch),
        (
            "R+T<=5, T<=3, launch quick",
            limits(5, 3, 5),
            Search::Launch(Effort::Quick),
        ),
        ("R+T<=5, T<=3, launch", limits(5, 3, 5), launch),
        ("R<=5, T<=3, launch", limits(5, 3, usize::MAX), launch),
        ("R<=3, complete", limits(3, 0, usize::MAX), Search::Complete),
        ("R<=5, complete", limits(5, 0, usize::MAX), Search::Complete),
        (
            "R+D<=3, D<=1, complete",
            diffracting(limits(3, 0, usize::MAX)),
            Search::Complete,
        ),
        (
            "R+D<=3, D<=1, launch",
            diffracting(limits(3, 0, usize::MAX)),
            launch,
        ),
        (
            "R+D+T<=5, D<=1, T<=3, launch",
            diffracting(limits(5, 3, 5)),
            launch,
        ),
    ]
}

fn diffracting(limits: Limits) -> Limits {
    Limits {
        max_diffractions: 1,
        ..limits
    }
}

/// Metal lets nothing through; every other wall does.
fn world(scene: Scene) -> World {
    let wall = |name: &String| {
        let wall = if name.contains("metal") {
            Material::HalfSpace(Medium::PerfectConductor)
        } else {
            Material::slab(Medium::Itu(ItuMaterial::Glass), 0.01)
        };
        (name.clone(), wall)
    };
    let materials: Materials = scene.materials().iter().map(wall).collect();
    let frequency = Frequency::from_ghz(3.5).expect("positive");
    World::new(scene, &materials, frequency).expect("a material of each name")
}

/// Prints medians; both the search alone and the whole, which contains it.
fn measure(world: &World, rx: &[DVec3], name: &str, limits: &Limits, search: Search) {
    let control = Control::default();
    let options = PathOptions {
        limits: *limits,
        search: Some(search),
    };
    let tx = Devices::tx(world.scene(), [TX]).expect("in the open");
    let rx = Devices::rx(world.scene(), rx).expect("in the open");
    let (mut searching, mut all, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..RUNS {
        if run > 1 && all[0] > LONG {
            break;
        }
        let start = Instant::now();
        let tree = search
            .propose(world, TX, limits, &control)
            .expect("a search");
        searching.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        let paths = find_paths(world, &tx, &rx, &options, &control).expect("paths");
        all.push(start.elapsed().as_secs_f64());
        counts.push((tree.nodes.len(), paths.len()));
    }
    assert!(
        counts.iter().all(|c| *c == counts[0]),
        "{name}: runs differ: {counts:?}"
    );
    let (sequences, paths) = counts[0];
    println!(
        "{name:<42} {:>6} {:>9.4} {:>9.4} {sequences:>9} {paths:>7}",
        rx.len(),
        median(&mut searching),
        median(&mut all)
    );
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn receivers(file: &Path) -> Vec<DVec3> {
    let text = std::fs::read_to_string(file).expect("a readable table of receivers");
    text.lines()
        .skip(1)
        .map(|line| {
            let numbers: Vec<f64> = line
                .split(',')
                .map(|n| n.parse().expect("a number"))
                .collect();
            DVec3::from_slice(&numbers)
        })
        .collect()
}
