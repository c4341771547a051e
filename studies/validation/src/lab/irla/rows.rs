//! One prediction, its cost and its errors: a row of the tables.

use std::time::Instant;

use anyhow::Result;
use keller::Control;
use keller::coverage::tubes::{Accuracy, Settings as TubeSettings, Tubes};
use keller::paths::Limits;
use keller_lab::irla::{Collection, Irla, Raster, Settings};

use crate::machine;
use crate::tubes::{Place, Reference};

/// The results of a method.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) seconds: f64,
    pub(super) megabytes: f64,
    pub(super) errors: Errors,
}

/// The differences of gains from those of exact paths, dB.
#[derive(Debug, Clone, Copy)]
pub(super) struct Errors {
    /// The figures over the cells that both have.
    pub(super) rmse: f64,
    pub(super) mean: f64,
    pub(super) median: f64,
    /// Shares of the cells that either has: only the paths, and only the method.
    pub(super) missed: f64,
    pub(super) extra: f64,
}

impl Row {
    pub(super) const HEAD: &str = "| method | s | MB | RMSE dB | mean dB | median of sizes dB | missed % | extra % |\n|---|---|---|---|---|---|---|---|";

    pub(super) fn print(&self) {
        let Errors {
            rmse,
            mean,
            median,
            missed,
            extra,
        } = self.errors;
        println!(
            "| {} | {:.2} | {:.0} | {rmse:.2} | {mean:+.2} | {median:.2} | {:.1} | {:.1} |",
            self.name,
            self.seconds,
            self.megabytes,
            100.0 * missed,
            100.0 * extra
        );
    }
}

/// The name of a set of simplifications.
pub(super) fn name_of(settings: &Settings) -> String {
    let geometry = if settings.is_raster {
        "raster"
    } else {
        "exact"
    };
    let dimensions = if settings.is_projected { "2.5D" } else { "3D" };
    let filling = if settings.fills_gaps {
        "filled"
    } else {
        "gaps"
    };
    let collection = match settings.collection {
        Collection::Pierced => "",
        Collection::Owned => ", owned",
    };
    let density = settings.density;
    format!("{geometry}, {dimensions}, {filling}, {density} x {density} rays{collection}")
}

/// A prediction by IRLA, and its gains.
pub(super) fn of_irla(
    place: &Place,
    reference: &Reference,
    settings: Settings,
) -> Result<(Row, Vec<f64>)> {
    let start = Instant::now();
    let irla = Irla::new(&place.world, &place.region, settings)?;
    let (gains, statistics) = irla.gains(&place.tx)?;
    let seconds = start.elapsed().as_secs_f64();
    let raster = irla.raster().map_or(0, Raster::memory_bytes);
    let row = Row {
        name: name_of(&settings),
        seconds,
        megabytes: (raster + statistics.memory_bytes) as f64 / 1e6,
        errors: errors(reference, &gains),
    };
    Ok((row, gains))
}

/// A prediction by keller's tubes, and its gains.
pub(super) fn of_tubes(
    place: &Place,
    reference: &Reference,
    limits: &Limits,
    accuracy: Accuracy,
) -> Result<(Row, Vec<f64>)> {
    let settings = TubeSettings {
        limits: *limits,
        accuracy,
        min_gain: reference.min_gain,
    };
    let before = machine::reset_peak_memory();
    let start = Instant::now();
    let tubes = Tubes::new(&place.world, &place.region, settings);
    let cells = 0..place.region.num_cells();
    let gains = tubes.gains(&place.tx, cells, &Control::default())?;
    let row = Row {
        name: format!("keller tubes, {accuracy:?}, {} R", limits.max_reflections),
        seconds: start.elapsed().as_secs_f64(),
        megabytes: (machine::peak_memory() - before).max(0.0) / 1e6,
        errors: errors(reference, &gains),
    };
    Ok((row, gains))
}

/// The errors of gains of all cells of the region.
pub(super) fn errors(reference: &Reference, gains: &[f64]) -> Errors {
    let of_cells = reference.cells.iter();
    let all: Vec<f64> = of_cells
        .filter_map(|cell| reference.error(cell, gains))
        .collect();
    let share = |which: f64| {
        all.iter().filter(|error| **error == which).count() as f64 / all.len().max(1) as f64
    };
    let mut finite: Vec<f64> = all.iter().copied().filter(|e| e.is_finite()).collect();
    let count = finite.len().max(1) as f64;
    let mean = finite.iter().sum::<f64>() / count;
    let square = finite.iter().map(|error| error * error).sum::<f64>() / count;
    finite.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    Errors {
        rmse: square.sqrt(),
        mean,
        median: finite.get(finite.len() / 2).map_or(f64::NAN, |e| e.abs()),
        missed: share(f64::NEG_INFINITY),
        extra: share(f64::INFINITY),
    }
}
