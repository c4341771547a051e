//! Coverage by tubes in cities, held against the exact paths to cells drawn by lot.

mod ladder;
mod peer;
mod place;
mod plane;
mod reference;
mod replay;
mod scale;
mod worst;

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};
use keller::Control;
use keller::coverage::tubes::{Accuracy, Settings, Tubes};
use keller::paths::{Limits, Search};
use keller::units::db_to_power;

pub(crate) use ladder::ladder;
pub(crate) use place::{Place, names};
pub(crate) use plane::plane;
use reference::Figures;
pub(crate) use reference::Reference;
pub(crate) use replay::replay;
pub(crate) use scale::scale;

/// Cells drawn by lot of each place.
const CELLS: usize = 2000;

/// Edges of cells, metres.
const RESOLUTION: f64 = 5.0;

/// Paths weaker than this count for nobody, dB.
const LIMIT_DB: f64 = 130.0;

/// Cells shown of those that are most wrong.
const MAX_SHOWN: usize = 5;

/// The goals of the engine: the largest errors of half of the cells, and of nineteen of twenty, dB.
const GOALS: [(Accuracy, f64, f64); 2] =
    [(Accuracy::Default, 0.05, 1.0), (Accuracy::Exact, 0.05, 0.3)];

/// Checks the places in the folder `data`, or one of them.
pub(crate) fn check(data: &Path, only: Option<&str>) -> Result<()> {
    let mut failures = Vec::new();
    println!(
        "{CELLS} cells of {RESOLUTION} m drawn by lot, {LIMIT_DB} dB; a cell is right within {} dB; errors in dB where both have the cell",
        reference::RIGHT_DB
    );
    for name in names(only)? {
        let place = Place::load(name, data, RESOLUTION)?;
        for (reflections, transmissions) in [(5, 0), (5, 5)] {
            let limits = limits(reflections, transmissions);
            failures.extend(compare(&place, &limits)?);
        }
    }
    for failure in &failures {
        println!("FAILS: {failure}");
    }
    ensure!(
        failures.is_empty(),
        "{} goals are not reached",
        failures.len()
    );
    Ok(())
}

/// Limits of so many reflections and transmissions.
fn limits(reflections: usize, transmissions: usize) -> Limits {
    Limits {
        max_interactions: reflections,
        max_reflections: reflections,
        max_transmissions: transmissions,
        ..Limits::default()
    }
}

/// Every accuracy on one place: the goals that are not reached.
fn compare(place: &Place, limits: &Limits) -> Result<Vec<String>> {
    let start = Instant::now();
    let reference = Reference::new(place, limits, search(limits), db_to_power(-LIMIT_DB), CELLS)?;
    let kinds = format!("{}R+{}T", limits.max_reflections, limits.max_transmissions);
    println!(
        "\n{}, {kinds}, {} cells in all; {} paths to {} cells by {:?} in {:.1} s",
        place.name,
        place.region.num_cells(),
        reference.num_paths(),
        reference.cells.len(),
        search(limits),
        start.elapsed().as_secs_f64()
    );
    println!("{}", Figures::HEAD);
    let mut failures = Vec::new();
    for accuracy in [Accuracy::Quick, Accuracy::Default, Accuracy::Exact] {
        let settings = Settings {
            limits: *limits,
            accuracy,
            min_gain: reference.min_gain,
        };
        let start = Instant::now();
        let tubes = Tubes::new(&place.world, &place.region, settings);
        let all = 0..place.region.num_cells();
        let gains = tubes.gains(&place.tx, all, &Control::default())?;
        let seconds = start.elapsed().as_secs_f64();
        let figures = reference.figures(&gains);
        println!("{}", figures.row(&format!("{accuracy:?}"), seconds));
        for (goal, median, most) in GOALS {
            if goal == accuracy && (figures.median > median || figures.most > most) {
                failures.push(format!(
                    "{}, {kinds}, {accuracy:?}: median {:.3} dB, 95 % within {:.2} dB; the goal is {median} and {most}",
                    place.name, figures.median, figures.most
                ));
            }
        }
        if accuracy != Accuracy::Quick {
            worst::show(place, &reference, &gains, MAX_SHOWN);
        }
    }
    Ok(failures)
}

/// The search that the reference uses: one that misses nothing where that is to be had.
fn search(limits: &Limits) -> Search {
    if limits.max_transmissions == 0 {
        Search::Complete
    } else {
        place::DENSEST
    }
}
