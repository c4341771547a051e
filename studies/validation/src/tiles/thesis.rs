//! The outdoor experiment of Vaara 2022 in kind: tables 8, 15 and 16.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use glam::DVec2;
use keller::materials::Materials;
use keller::paths::{Environment, TileFinder};
use keller::scene::{Mesh, Scene};
use keller::tiles::{Segments, Tiles, Tiling, Visibility};
use keller::{Control, DVec3, Frequency, World};

use super::crop::crop_to;
use super::ladder::ladder;
use super::table::{ROWS, Row};
use super::threshold::threshold;
use super::{recall, refiners, share};

/// The city of Vaara 2022: tiles, receivers, and lengths of tiles on walls and on the ground, metres.
const NUM_TILES: usize = 7389;
const NUM_RX: usize = 719;
const TILING: Tiling = Tiling {
    side: 5.0,
    ground_side: Some(10.0),
    min_face_area: 0.0,
    terrain_grid: true,
    under_buildings: false,
    finer: Vec::new(),
};

/// Rows whose paths are held to the search `complete`.
const RECALL: [[usize; 2]; 3] = [[2, 0], [3, 0], [2, 1]];

const FREQUENCY_HZ: f64 = 1.4e9;

/// Rows that are expected to take longer are left out, seconds.
const LONGEST: f64 = 600.0;

/// The largest ratio of the times of a row and of the one with an interaction less.
const GROWTH: f64 = 8.0;

/// The parts of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Report {
    /// The rows of the tables.
    Rows,
    /// The ways of Vaara 2022 to follow rays.
    Ladder,
    /// The rows with a threshold of power inside the search.
    Threshold,
}

/// A square of a city with about as many tiles as that of Vaara 2022, and its side, metres.
pub(crate) struct Square {
    pub(crate) world: World,
    pub(crate) tiles: Tiles,
    pub(crate) tx: DVec3,
    pub(crate) rx: Vec<DVec3>,
    pub(crate) side: f64,
}

impl Square {
    /// The set-up in the middle of the city in `scene`.
    pub(crate) fn of_city(scene: &Path) -> Result<Self> {
        Self::of_mesh(&keller_io::formats::import::import(scene)?.mesh)
    }

    /// The set-up in the middle of the city of `mesh`.
    pub(crate) fn of_mesh(mesh: &Mesh) -> Result<Self> {
        let whole = Scene::new(mesh)?;
        let [low, high] = whole.bounds();
        let centre: DVec2 = 0.5 * (low + high).truncate();
        let most = (high - low).max_element();
        let (scene, tiles, side) = crop_to(mesh, centre, most, &TILING, NUM_TILES)?;
        let frequency = Frequency::from_hz(FREQUENCY_HZ)?;
        let world = World::new(scene, &Materials::default(), frequency)?;
        let rx = receivers(world.scene(), centre, side);
        let tx = free(world.scene(), centre, 10.0);
        Ok(Self {
            world,
            tiles,
            tx,
            rx,
            side,
        })
    }
}

/// Runs the rows, or the ways of Vaara 2022 to follow rays, on a square of the city in `scene` that gives the same number of tiles.
pub(crate) fn thesis(scene: &Path, report: Report) -> Result<()> {
    let Square {
        world,
        tiles,
        tx,
        rx,
        side,
    } = Square::of_city(scene)?;
    let scene = world.shared_scene();
    let segments = Segments::new(scene, &tiles, keller::scene::Edge::is_wedge);
    let wedges = scene.edges().iter().filter(|e| e.is_wedge()).count();
    let start = Instant::now();
    let control = Control::default();
    let rows = Visibility::new(scene, &tiles, &control)?;
    println!(
        "{:.0} m of city: {} tiles ({}), {wedges} wedges in {} segments ({} edges); visibility {:.2} s, {} a tile",
        side,
        tiles.len(),
        NUM_TILES,
        segments.all().len(),
        3239,
        start.elapsed().as_secs_f64(),
        rows.num_pairs() / tiles.len() as u64,
    );
    let environment = Environment::with_rows(tiles, Arc::new(rows));
    match report {
        Report::Rows => {}
        Report::Ladder => return ladder(&world, &environment, tx, &rx),
        Report::Threshold => return threshold(&world, &environment, tx, &rx),
    }
    println!(
        "{} Rx (719); seconds (the thesis' GPU); coarse, converged, valid paths (the thesis')",
        rx.len()
    );
    let mut last = 0.0;
    for row in ROWS {
        let Row {
            most: [interactions, diffractions],
            search_ms,
            refine_ms,
            counts,
        } = row;
        if interactions == 2 {
            last = 0.0;
        }
        if last * GROWTH > LONGEST {
            println!("{interactions} {diffractions}: left out");
            continue;
        }
        let limits = row.limits();
        let finder = TileFinder::new(&world, &limits, environment.clone())?;
        let start = Instant::now();
        let coarse = finder.coarse(tx, &rx, &control)?;
        let search = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let (paths, report) = finder.refine(tx, &rx, &coarse, &control)?;
        let refine = start.elapsed().as_secs_f64();
        last = search + refine;
        println!(
            "{interactions} {diffractions}: search {search:.3} s ({:.3}), refine {refine:.3} s (CPU {:.3}, GPU {:.3} + {:.3}); {} coarse ({}), {:.1} % converged ({:.1}), {:.1} % of these valid ({:.1})",
            search_ms / 1e3,
            refine_ms[0] / 1e3,
            refine_ms[1] / 1e3,
            refine_ms[2] / 1e3,
            report.num_coarse,
            counts[0],
            share(report.num_converged, report.num_coarse),
            share(counts[1], counts[0]),
            share(report.num_valid, report.num_converged),
            share(counts[2], counts[1]),
        );
        refiners::compare(&finder, tx, &rx, &coarse, refine_ms[0], counts[0])?;
        if RECALL.contains(&row.most) {
            recall::recall(&world, &limits, tx, &rx, &paths)?;
        }
    }
    Ok(())
}

/// A point near `at` and so high over the ground that is in the open.
fn free(scene: &Scene, at: DVec2, height: f64) -> DVec3 {
    let [low, _] = scene.bounds();
    let mut steps = (0..).map(|k| {
        let turn = DVec2::from_angle(0.7 * f64::from(k));
        (at + 0.5 * f64::from(k) * turn).extend(low.z + height)
    });
    steps
        .find(|at| !keller::coverage::Surroundings::is_enclosed(scene, *at))
        .expect("there are streets")
}

/// Receivers 1.5 m over the ground on a grid in the open.
fn receivers(scene: &Scene, centre: DVec2, side: f64) -> Vec<DVec3> {
    let [low, _] = scene.bounds();
    let grid = |n: u32| {
        (0..n * n).filter_map(move |k| {
            let share = DVec2::new(f64::from(k % n), f64::from(k / n)) + 0.5;
            let at = centre + side * (share / f64::from(n) - 0.5);
            let at = at.extend(low.z + 1.5);
            (!keller::coverage::Surroundings::is_enclosed(scene, at)).then_some(at)
        })
    };
    let n = (20..100).find(|n| grid(*n).count() >= NUM_RX);
    grid(n.unwrap_or(100)).take(NUM_RX).collect()
}
