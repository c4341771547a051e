//! The cells of a run, outside and inside, with the gains that an engine gives them.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use keller::DVec3;
use keller::coverage::Surroundings;
use keller::units::db_to_power;
use keller_run::{Job, PathRunOptions};

use super::place::{LIMIT_DB, Place, Question, SEAM};

/// The place of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// A place under the open sky.
    Outside,
    /// A place in the building that has an inside.
    Inside,
    /// A place in a house of which only the hull is known.
    Hull,
}

/// A cell in whose centre a receiver can be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) centre: DVec3,
    pub(super) side: Side,
}

/// Linear gains of all cells, region by region, and how long it took.
#[derive(Debug)]
pub(super) struct Filled {
    pub(super) gains: Vec<f64>,
    pub(super) seconds: f64,
}

/// Fills every region of a job.
pub(super) fn fill(job: &Arc<Job>) -> Result<Filled> {
    let start = Instant::now();
    let mut gains = Vec::new();
    for region in 0..job.regions()?.len() {
        let mut run = job.coverage(region)?;
        run.complete()?;
        let take = |_, more: &[f64]| {
            gains.extend_from_slice(more);
            Ok::<(), std::io::Error>(())
        };
        run.filled_map()
            .each_gains(0, 0..run.region.num_cells(), take)?;
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok(Filled { gains, seconds })
}

/// The exact gains of about `count` cells, evenly over all of them, and of all within a metre of the facade; others are NaN.
pub(super) fn sample(
    place: &Place,
    tx: DVec3,
    limits: &str,
    cells: &[Option<Cell>],
    count: usize,
) -> Result<Filled> {
    let start = Instant::now();
    let known = cells.iter().enumerate();
    let known: Vec<(usize, Cell)> = known
        .filter_map(|(index, cell)| Some((index, (*cell)?)))
        .collect();
    let step = known.len().div_ceil(count).max(1);
    let asked = known.iter().enumerate().filter(|(number, (_, cell))| {
        let is_near = cell.side != Side::Hull && place.to_facade(cell.centre) <= SEAM;
        number % step == 0 || is_near
    });
    let asked: Vec<(usize, Cell)> = asked.map(|(_, cell)| *cell).collect();
    let rx: Vec<DVec3> = asked.iter().map(|(_, cell)| cell.centre).collect();
    let job = place.job(Question {
        tx: &[tx],
        rx: &rx,
        are_rx_cells: true,
        limits,
        engine: None,
    })?;
    let mut gains = vec![f64::NAN; cells.len()];
    for (index, _) in &asked {
        gains[*index] = 0.0;
    }
    for block in job.paths(&PathRunOptions::default())? {
        for row in job.path_rows(&block?) {
            gains[asked[row.rx as usize].0] += db_to_power(row.gain_db);
        }
    }
    for gain in &mut gains {
        if *gain < db_to_power(-LIMIT_DB) {
            *gain = 0.0;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok(Filled { gains, seconds })
}

/// The cells in the order of [`Filled::gains`]; `None` where the centre lies under the ground.
pub(super) fn cells(place: &Place, job: &Arc<Job>) -> Result<Vec<Option<Cell>>> {
    let scene = job.world.scene();
    let mut cells = Vec::new();
    for (number, settings) in job.regions()?.iter().enumerate() {
        let region = job.coverage(number)?.region.clone();
        let ground = region.ground(scene);
        cells.extend((0..region.num_cells()).map(|cell| {
            let centre = region.centre(region.cell(cell), &ground)?;
            let side = match place.is_inside(centre) {
                true => Side::Inside,
                false if Surroundings::is_enclosed(scene, centre) => Side::Hull,
                false => Side::Outside,
            };
            // Each side has the cells of its own region.
            let is_own = (side == Side::Inside) == settings.building.is_some();
            is_own.then_some(Cell { centre, side })
        }));
    }
    Ok(cells)
}
