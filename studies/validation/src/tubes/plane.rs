//! A plane over the ground of the peer's munich: tubes, and the peer's radio map, against exact paths.
//!
//! The peer's value is a mean over the area of a cell, keller's that of its centre, so the peer is compared with both:
//! the exact gain of the centre, and the mean over points of the cell. Of diffracted waves the peer knows those by an
//! edge alone; so that it is not blamed for more than it claims, it is also compared with these alone.

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use glam::DVec2;
use keller::Control;
use keller::coverage::tubes::{Accuracy, Settings, Tubes};
use keller::coverage::{Levels, Region};
use keller::paths::{InteractionKind, Limits, Path as Ray, Search};
use keller::units::{db_to_power, power_to_db};

use super::peer::RadioMap;
use super::place::{self, Place};
use super::reference::{self, Cell, Figures, Reference};

/// The thickness in the scene's file, metres.
const WALL_THICKNESS: f64 = 0.1;

/// The width of cells, metres.
const RESOLUTION: f64 = 5.0;

/// The height above the ground, which is at zero, metres.
const HEIGHT: f64 = 1.5;

/// Paths weaker than this count for nobody, dB.
const LIMIT_DB: f64 = 150.0;

/// The depth where no peer says how deep.
const DEPTH: usize = 5;

/// Cells drawn by lot, most of which lie in buildings and yards that nothing reaches, and fewer where each of them costs a launch of rays.
const CELLS: [usize; 2] = [4000, 1500];

/// Points along each side of a cell that its mean is taken over.
const POINTS: usize = 3;

/// Compares on the scene in the folder `data`, with the settings of the peer's map if there is one.
pub(crate) fn plane(data: &Path, map: Option<&Path>) -> Result<()> {
    let mut place = Place::of_peer("munich", data, RESOLUTION, WALL_THICKNESS)?;
    let [low, high] = place.world.scene().bounds();
    place.region = Region::planes(
        low.truncate(),
        high.truncate(),
        DVec2::splat(RESOLUTION),
        Levels::AboveSea(vec![HEIGHT]),
    )?;
    let Some(map) = map else {
        for has_diffraction in [false, true] {
            compare(&place, &limits(DEPTH, false, has_diffraction), None)?;
        }
        return Ok(());
    };
    let map = RadioMap::read(map, &place.region)?;
    let limits = limits(map.depth, map.has_transmissions, map.has_diffraction);
    compare(&place, &limits, Some(&map))
}

fn limits(depth: usize, has_transmissions: bool, has_diffraction: bool) -> Limits {
    Limits {
        max_interactions: depth,
        max_reflections: depth,
        max_transmissions: if has_transmissions { depth } else { 0 },
        max_diffractions: usize::from(has_diffraction),
        max_depth: depth,
        ..Limits::default()
    }
}

fn compare(place: &Place, limits: &Limits, map: Option<&RadioMap>) -> Result<()> {
    let start = Instant::now();
    let search = search(limits);
    let least = db_to_power(-LIMIT_DB);
    let cells = CELLS[usize::from(search != Search::Complete)];
    let reference = Reference::new(place, limits, search, least, cells)?;
    println!(
        "\n{} cells of {RESOLUTION} m, {HEIGHT} m high, {LIMIT_DB} dB, depth {}, {} transmissions, {} diffraction; {} paths to {} cells by {search:?} in {:.1} s",
        place.region.num_cells(),
        limits.max_depth,
        limits.max_transmissions,
        limits.max_diffractions,
        reference.num_paths(),
        reference.cells.len(),
        start.elapsed().as_secs_f64()
    );
    println!("{}", Figures::HEAD);
    for accuracy in [Accuracy::Quick, Accuracy::Default, Accuracy::Exact] {
        let (gains, seconds) = tubes(place, limits, accuracy)?;
        let figures = reference.figures(&gains);
        println!("{}", figures.row(&format!("{accuracy:?}"), seconds));
    }
    let Some(map) = map else {
        return Ok(());
    };
    let row = |name: &str, exact: &dyn Fn(&Cell) -> f64| {
        let figures = figures(&reference, &map.gains, exact);
        println!("{}", figures.row(name, map.seconds));
    };
    row("peer, centre", &|cell| sum(cell, |_| true));
    if map.has_diffraction {
        row("  edges alone", &|cell| sum(cell, is_known_to_peer));
    }
    let means = means(place, limits, &reference, map)?;
    row("  mean of cell", &|cell| means[&cell.number]);
    Ok(())
}

/// One that misses nothing, where it ends in reasonable time.
fn search(limits: &Limits) -> Search {
    if limits.max_transmissions > 0 || limits.max_diffractions > 0 {
        place::DENSEST
    } else {
        Search::Complete
    }
}

/// Gains of all cells, and the seconds that they took.
fn tubes(place: &Place, limits: &Limits, accuracy: Accuracy) -> Result<(Vec<f64>, f64)> {
    let settings = Settings {
        limits: *limits,
        accuracy,
        min_gain: db_to_power(-LIMIT_DB),
    };
    let start = Instant::now();
    let tubes = Tubes::new(&place.world, &place.region, settings);
    let all = 0..place.region.num_cells();
    let gains = tubes.gains(&place.tx, all, &Control::default())?;
    Ok((gains, start.elapsed().as_secs_f64()))
}

/// The peer's errors where it or the paths bring gains that count.
fn figures(reference: &Reference, gains: &[f64], exact: &dyn Fn(&Cell) -> f64) -> Figures {
    let counting = |gain: f64| if gain < reference.min_gain { 0.0 } else { gain };
    let errors = reference.cells.iter().filter_map(|cell| {
        let (found, exact) = (counting(gains[cell.number]), counting(exact(cell)));
        let is_anything = found > 0.0 || exact > 0.0;
        is_anything.then(|| (cell.is_indoors, power_to_db(found / exact)))
    });
    Figures::of(&errors.collect::<Vec<_>>())
}

fn sum(cell: &Cell, wanted: impl Fn(&Ray) -> bool) -> f64 {
    let wanted = cell.paths.iter().filter(|(path, _)| wanted(path));
    wanted.fold(0.0, |sum, (_, gain)| sum + gain)
}

/// Diffracted waves go from the Tx to the edge and from there to the cell.
fn is_known_to_peer(path: &Ray) -> bool {
    let kinds = || path.vertices.iter().map(|i| i.interaction.kind());
    kinds().all(|kind| kind != InteractionKind::Diffraction) || path.vertices.len() == 1
}

/// The mean gain, linear, over the points of each cell by the paths that the peer knows too; for cells with a value.
fn means(
    place: &Place,
    limits: &Limits,
    reference: &Reference,
    map: &RadioMap,
) -> Result<HashMap<usize, f64>> {
    let mut points = Vec::new();
    for cell in &reference.cells {
        let is_anything = !cell.paths.is_empty() || map.gains[cell.number] > 0.0;
        let centres = (0..POINTS * POINTS).filter(|_| is_anything).map(|k| {
            let share = DVec2::new((k % POINTS) as f64, (k / POINTS) as f64) + 0.5;
            cell.centre + (RESOLUTION * (share / POINTS as f64 - 0.5)).extend(0.0)
        });
        points.extend(centres.map(|centre| (cell.number, centre)));
    }
    // A receiver cannot be in a wall.
    points.retain(|(_, centre)| reference::is_free(place, *centre));
    let reflections = Limits {
        max_diffractions: 0,
        ..*limits
    };
    let edges = Limits {
        line_of_sight: false,
        max_interactions: 1,
        max_reflections: 0,
        ..*limits
    };
    let mut means: HashMap<usize, f64> = reference.cells.iter().map(|c| (c.number, 0.0)).collect();
    let kinds = [reflections, edges];
    for limits in &kinds[..=limits.max_diffractions] {
        // Edges alone are few enough to be tried all.
        let search = if limits.max_interactions == 1 {
            Search::Complete
        } else {
            search(limits)
        };
        let points = points.iter().map(|(number, centre)| Cell {
            number: *number,
            centre: *centre,
            is_indoors: false,
            paths: Vec::new(),
        });
        for point in
            Reference::of(place, limits, search, reference.min_gain, points.collect())?.cells
        {
            let share = sum(&point, is_known_to_peer) / (POINTS * POINTS) as f64;
            *means.entry(point.number).or_default() += share;
        }
    }
    Ok(means)
}
