//! The outdoor experiment of Vaara 2022 in kind: tables 8, 15 and 16.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use glam::DVec2;
use keller::materials::Materials;
use keller::paths::{Environment, Limits, TileFinder};
use keller::scene::{Mesh, Scene};
use keller::tiles::{Segments, Tiles, Tiling, Visibility};
use keller::{Control, DVec3, Frequency, World};

use super::crop::crop_to;
use super::ladder::ladder;
use super::threshold::threshold;
use super::{recall, refiners};

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

/// A row of the tables.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// Interactions and diffractions.
    pub(crate) most: [usize; 2],
    /// On a GTX 1070, the search by GPU MT Async (table 8), milliseconds.
    pub(crate) search_ms: f64,
    /// Refinement on its CPU, and on its GPU without and with validation (table 15), milliseconds.
    pub(crate) refine_ms: [f64; 3],
    /// Coarse, converged and valid paths (table 16).
    counts: [usize; 3],
}

impl Row {
    const fn new(
        most: [usize; 2],
        search_ms: f64,
        refine_ms: [f64; 3],
        counts: [usize; 3],
    ) -> Self {
        Self {
            most,
            search_ms,
            refine_ms,
            counts,
        }
    }

    pub(crate) fn limits(&self) -> Limits {
        let [interactions, diffractions] = self.most;
        Limits {
            max_interactions: interactions,
            max_reflections: interactions,
            max_diffractions: diffractions,
            ..Limits::default()
        }
    }
}

pub(crate) const ROWS: [Row; 13] = [
    Row::new([2, 0], 120.0, [33.0, 532.0, 134.0], [1170, 1165, 747]),
    Row::new([3, 0], 169.0, [174.0, 962.0, 179.0], [4527, 4452, 2550]),
    Row::new(
        [4, 0],
        498.0,
        [827.0, 1819.0, 219.0],
        [17_295, 16_453, 7917],
    ),
    Row::new(
        [5, 0],
        2629.0,
        [3713.0, 2396.0, 252.0],
        [64_683, 59_215, 23_308],
    ),
    Row::new(
        [6, 0],
        14_927.0,
        [16_677.0, 3149.0, 266.0],
        [242_087, 213_155, 67_230],
    ),
    Row::new(
        [2, 1],
        478.0,
        [662.0, 1104.0, 236.0],
        [33_085, 32_997, 29_596],
    ),
    Row::new(
        [3, 1],
        3035.0,
        [4731.0, 1796.0, 264.0],
        [153_401, 151_848, 110_324],
    ),
    Row::new(
        [4, 1],
        20_013.0,
        [21_105.0, 3035.0, 318.0],
        [510_818, 499_700, 308_578],
    ),
    Row::new(
        [5, 1],
        110_060.0,
        [65_662.0, 6124.0, 412.0],
        [1_286_550, 1_237_246, 667_380],
    ),
    Row::new(
        [6, 1],
        584_607.0,
        [172_165.0, 13_439.0, 606.0],
        [2_807_669, 2_642_573, 1_228_086],
    ),
    Row::new(
        [2, 2],
        897.0,
        [1617.0, 1378.0, 262.0],
        [88_009, 87_852, 80_154],
    ),
    Row::new(
        [3, 2],
        21_257.0,
        [10_878.0, 2212.0, 291.0],
        [379_181, 376_961, 307_673],
    ),
    Row::new(
        [4, 2],
        192_136.0,
        [43_275.0, 4312.0, 427.0],
        [1_118_404, 1_100_826, 768_697],
    ),
];

/// Rows whose paths are held to the search `complete`.
const RECALL: [[usize; 2]; 3] = [[2, 0], [3, 0], [2, 1]];

const FREQUENCY_HZ: f64 = 1.4e9;

/// Rows that are expected to take longer are left out, seconds.
const LONGEST: f64 = 600.0;

/// A row takes at most so many times what the one with an interaction less took.
const GROWTH: f64 = 8.0;

/// What is reported.
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
    /// Out of the middle of the city in `scene`.
    pub(crate) fn of_city(scene: &Path) -> Result<Self> {
        Self::of_mesh(&keller_io::import::import(scene)?.mesh)
    }

    /// Out of the middle of the city of `mesh`.
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
        Report::Threshold => {
            return threshold(&world, &environment, tx, &rx);
        }
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

pub(super) fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
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
