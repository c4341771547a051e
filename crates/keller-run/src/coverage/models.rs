//! Coverages by path loss models: checks of a model's range, and warnings about cells outside it.

use keller::coverage::Region;
use keller::coverage::models::{Models, Outside};
use keller::models::Model;
use keller_io::scenario::CellSettings;

use crate::observer::Tell;
use crate::{Error, Job};

/// Heights of Tx that differ by less count as one, metres.
const ROUNDING: f64 = 0.05;

/// The region, ready to be filled by `model`. Warns once of each part of its range that is left.
///
/// # Errors
/// [`Error::Input`] for a frequency outside the range, and for a Tx below the ground.
pub(super) fn prepare(
    job: &Job,
    settings: &CellSettings,
    region: &Region,
    model: Model,
) -> Result<Models, Error> {
    let key = format!(
        "{}:{}: [coverage] model = \"{}\"",
        job.scenario.file.display(),
        settings.line,
        model.name()
    );
    let range = model.range();
    check_frequency(model, job.world.frequency().hz())
        .map_err(|problem| Error::Input(format!("{key}: {problem}")))?;
    let models = Models::new(&job.world, region, model, job.scenario.streets)
        .map_err(|error| Error::Input(format!("{key}: {error}")))?;
    let mut worst = Outside::default();
    let tx = job.scenario.tx.iter().zip(&job.positions.tx);
    for (index, (tx, at)) in tx.enumerate() {
        let name = tx.name.clone().unwrap_or_else(|| index.to_string());
        let told = format!("{}: Tx {name}", tx.origin());
        let refused = |error| Error::Input(format!("{told}: {error}"));
        let height = models.predictor().tx_height(*at).map_err(refused)?;
        let [min, max] = range.tx_height;
        // A mast on a slope has its requested height but for rounding.
        if height < min - ROUNDING || height > max + ROUNDING {
            job.observer.warn(format!(
                "{told} stands {height:.1} m above the ground; model = \"{}\" is stated for {}, and its formula is continued",
                model.name(),
                between(range.tx_height, "m")
            ));
        }
        let outside = models.outside(*at).map_err(refused)?;
        worst.by_distance = worst.by_distance.max(outside.by_distance);
        worst.by_height = worst.by_height.max(outside.by_height);
        worst.num_cells = worst.num_cells.max(outside.num_cells);
    }
    for (count, what, stated, done) in [
        (
            worst.by_distance,
            "distances from a Tx",
            between(range.distance, "m"),
            "its formula is continued, with at least the loss of free space nearer by",
        ),
        (
            worst.by_height,
            "heights of cells",
            between(range.rx_height, "m"),
            "the nearest height that is stated counts",
        ),
    ] {
        if count > 0 {
            job.observer.warn(format!(
                "{key}: up to {count} of {} cells lie outside the {what} for which the model is stated, {stated}; {done}",
                worst.num_cells
            ));
        }
    }
    Ok(models)
}

/// Checks that a model is stated for a frequency, Hz.
///
/// # Errors
/// What is wrong, and what is accepted.
pub(crate) fn check_frequency(model: Model, hz: f64) -> Result<(), String> {
    let [min, max] = model.range().frequency;
    if (min..=max).contains(&hz) {
        return Ok(());
    }
    let (accepted, others) = (between([min / 1e6, max / 1e6], "MHz"), accepting(hz));
    Err(format!(
        "frequency_hz = {hz}: this model is stated for {accepted}; accepted at this frequency: {others}"
    ))
}

/// A range in words.
fn between([min, max]: [f64; 2], unit: &str) -> String {
    if min == max {
        format!("{min} {unit}")
    } else {
        format!("{min} to {max} {unit}")
    }
}

/// The models that hold at a frequency.
fn accepting(hz: f64) -> String {
    let holds = |model: &Model| {
        let [min, max] = model.range().frequency;
        (min..=max).contains(&hz)
    };
    let names = Model::NAMES.iter().filter(|(_, model)| holds(model));
    let names: Vec<&str> = names.map(|(name, _)| *name).collect();
    names.join(", ")
}
