//! Compares IRLA with keller: the cost of each of its simplifications in accuracy, at which time.
//!
//! The reference is the sum of the exact paths to the centres of cells drawn by lot, within the same limits of
//! reflections, transmissions and gain, and without diffraction on either side.

mod office;
mod pictures;
mod rows;
mod within;

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};
use glam::DVec2;
use keller::coverage::tubes::Accuracy;
use keller::coverage::{Levels, Region};
use keller::paths::{Effort, Limits, Search};
use keller::units::db_to_power;
use keller_lab::irla::{Collection, Settings};

use crate::tubes::{Place, Reference};
use rows::{Row, of_irla, of_tubes};
use within::Within;

pub(super) use pictures::write as write_picture;

/// Cells drawn by lot: of each grid of the office, and of Munich, most of which no path reaches.
const OFFICE_CELLS: usize = 500;
const MUNICH_CELLS: usize = 2500;

/// Waves weaker than this count for nobody, dB.
const LIMIT_DB: f64 = 130.0;

/// The resolutions of the document's table 3-1, metres, and the figures of tables 3-1 and 3-2: s, MB, dB against measurements.
const PUBLISHED: [(f64, [f64; 3]); 4] = [
    (0.5, [3.0, 42.0, 6.9]),
    (0.3, [8.0, 94.0, 5.8]),
    (0.2, [43.0, 205.0, 5.4]),
    (0.1, [584.0, 1020.0, 5.1]),
];

/// The plane over all ground of Munich, metres over the sea.
const MUNICH_PLANE: f64 = 522.5;

/// Runs on the office floor, and on COST 231 Munich if its data is at hand.
pub(super) fn check(arguments: &[&str]) -> Result<()> {
    let (data, folder) = match arguments {
        [] => (None, None),
        [data] => (Some(Path::new(data)), None),
        [data, folder, ..] => (Some(Path::new(data)), Some(Path::new(folder))),
    };
    println!("IRLA on an office floor, and on Munich with DATA: about ten minutes on two cores");
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder)?;
    }
    if !arguments.contains(&"munich") {
        of_office(folder)?;
    }
    if let Some(data) = data {
        of_munich(data, folder)?;
    }
    Ok(())
}

/// Reflections, transmissions.
const OFFICE_DEPTH: [usize; 2] = [3, 4];
const MUNICH_DEPTH: [usize; 2] = [3, 3];

fn limits([reflections, transmissions]: [usize; 2]) -> Limits {
    Limits {
        max_interactions: reflections,
        max_reflections: reflections,
        max_transmissions: transmissions,
        ..Limits::default()
    }
}

fn settings([max_reflections, max_transmissions]: [usize; 2]) -> Settings {
    Settings {
        max_reflections,
        max_transmissions,
        min_gain: db_to_power(-LIMIT_DB),
        ..Settings::default()
    }
}

/// Exact paths to cells of a place.
fn reference(place: &Place, depth: [usize; 2], count: usize) -> Result<Reference> {
    let start = Instant::now();
    let search = Search::Launch(Effort::Thorough);
    let least = db_to_power(-LIMIT_DB);
    let reference = Reference::new(place, &limits(depth), search, least, count)?;
    let [nx, ny, _] = place.region.shape();
    println!(
        "\n{}, {nx} x {ny} cells of {} m, {} R + {} T; {} exact paths to {count} cells in {:.1} s\n",
        place.name,
        place.region.resolution.x,
        depth[0],
        depth[1],
        reference.num_paths(),
        start.elapsed().as_secs_f64()
    );
    Ok(reference)
}

/// All ways to switch the simplifications: voxels, plan, filling.
fn switched(depth: [usize; 2]) -> impl Iterator<Item = Settings> {
    (0..8_u8).map(move |bits| {
        let [is_raster, is_projected, fills_gaps] = [4, 2, 1].map(|bit| bits & bit == 0);
        Settings {
            is_raster,
            is_projected,
            fills_gaps,
            ..settings(depth)
        }
    })
}

/// IRLA with more and with fewer rays, with and without filling; and in the end nothing simplified, nor cells that are filled
/// because a ray passes.
fn further(depth: [usize; 2]) -> Vec<Settings> {
    let of_density = |density: f64| {
        [true, false].map(|fills_gaps| Settings {
            density,
            fills_gaps,
            ..settings(depth)
        })
    };
    let mut all = [4.0, 2.0, 0.5, 0.25].map(of_density).concat();
    all.extend([1.0, 2.0].map(|density| Settings {
        is_raster: false,
        is_projected: false,
        fills_gaps: true,
        density,
        collection: Collection::Owned,
        ..settings(depth)
    }));
    all
}

fn of_office(folder: Option<&Path>) -> Result<()> {
    let depth = OFFICE_DEPTH;
    let mut within = Within::default();
    for (resolution, [seconds, megabytes, decibels]) in PUBLISHED {
        let place = office::place(resolution)?;
        let reference = reference(&place, depth, OFFICE_CELLS)?;
        println!("{}", Row::HEAD);
        println!(
            "| Hu 2020, tables 3-1 and 3-2 | {seconds} | {megabytes} | {decibels} (measured) | | | | |"
        );
        let mut maps = Vec::new();
        for settings in switched(depth) {
            // The finest cells: with filling alone.
            if resolution < FINE && !settings.fills_gaps {
                continue;
            }
            let (row, gains) = of_irla(&place, &reference, settings)?;
            row.print();
            within.add(&settings, &row);
            maps.push((settings, gains));
        }
        if resolution > FINE {
            for settings in further(depth) {
                let (row, _) = of_irla(&place, &reference, settings)?;
                row.print();
                within.add(&settings, &row);
                let is_exact = settings.collection == Collection::Owned;
                ensure!(
                    !is_exact || row.errors.median < MAX_MEDIAN_DB,
                    "without simplifications, half of the cells are off by more than {} dB",
                    row.errors.median
                );
            }
        }
        for (accuracy, reflections) in TUBES {
            let limits = limits([reflections, depth[1]]);
            let (row, gains) = of_tubes(&place, &reference, &limits, accuracy)?;
            row.print();
            within.add_tubes(&row);
            if accuracy == Accuracy::Exact {
                ensure!(
                    row.errors.rmse < MAX_MEDIAN_DB,
                    "exact tubes are off by {} dB",
                    row.errors.rmse
                );
                if let Some(folder) = folder.filter(|_| resolution == 0.2) {
                    pictures::maps(&folder.join("irla-office.png"), &place, &maps, &gains)?;
                }
            }
        }
    }
    within.print();
    match folder {
        Some(folder) => pictures::times(&folder.join("irla-time.png"), &within),
        None => Ok(()),
    }
}

/// Cells below this are fine: not everything is run on them, metres.
const FINE: f64 = 0.15;

/// The largest error in half of the cells of a method that must be exact, dB.
const MAX_MEDIAN_DB: f64 = 0.3;

/// The accuracies and reflections of tubes: fewer reflections as well, which is how they become faster.
const TUBES: [(Accuracy, usize); 5] = [
    (Accuracy::Quick, 1),
    (Accuracy::Quick, 2),
    (Accuracy::Quick, 3),
    (Accuracy::Default, 3),
    (Accuracy::Exact, 3),
];

fn of_munich(data: &Path, folder: Option<&Path>) -> Result<()> {
    let depth = MUNICH_DEPTH;
    let mut place = Place::load("cost231_munich", data, 5.0)?;
    let plane = Levels::AboveSea(vec![MUNICH_PLANE]);
    // Walls lie on whole centimetres.
    let low = DVec2::new(0.0013, 0.0029);
    place.region = Region::planes(low, DVec2::new(2400.0, 3400.0), DVec2::splat(5.0), plane)?;
    let reference = reference(&place, depth, MUNICH_CELLS)?;
    println!("{}", Row::HEAD);
    let mut maps = Vec::new();
    for settings in switched(depth) {
        let (row, gains) = of_irla(&place, &reference, settings)?;
        row.print();
        maps.push((settings, gains));
    }
    for accuracy in [Accuracy::Quick, Accuracy::Default, Accuracy::Exact] {
        let (row, gains) = of_tubes(&place, &reference, &limits(depth), accuracy)?;
        row.print();
        if let Some(folder) = folder.filter(|_| accuracy == Accuracy::Exact) {
            pictures::maps(&folder.join("irla-munich.png"), &place, &maps, &gains)?;
        }
    }
    Ok(())
}
