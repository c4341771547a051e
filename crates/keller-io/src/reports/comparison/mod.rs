//! Measurements compared with predictions, as values, as JSON and as one page with tables and pictures.

mod html;
mod models;
mod pictures;
mod profiles;

pub use models::ComparedModel;
pub use profiles::{ComparedProfile, ComparedProfiles, ProfilePart};

pub(crate) use html::STYLE;

use std::fmt;

use keller::comparison::{Comparison, OffsetKind, Paired, Statistics, Weighted};
use serde_json::{Value, json};

use crate::reports::table::MeasuredRow;

/// The comparison of some of the measurements.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedPart {
    /// The property that they share.
    pub name: String,
    /// The number of measurements, limits among them.
    pub count: usize,
    /// The comparisons with the offsets of [`OFFSETS`], which are fitted to all measurements.
    pub comparisons: [Comparison; 3],
}

/// The offsets of [`ComparedPart::comparisons`].
pub const OFFSETS: [OffsetKind; 3] = [OffsetKind::None, OffsetKind::One, OffsetKind::PerGroup];

/// The comparison of measurements with predictions.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// Every measurement, with the offset that was asked for.
    pub rows: Vec<MeasuredRow>,
    /// The kind of that offset.
    pub kind: OffsetKind,
    /// The parts: all, then by Tx, by set, with a line of sight and without.
    pub parts: Vec<ComparedPart>,
    /// The distances of the cells or tiles from the measurements, if a coverage predicts.
    pub cells: Option<CellDistances>,
    /// The power over delay, if both are known.
    pub profiles: Option<ComparedProfiles>,
    /// The reason why measured profiles are not compared, a sentence.
    pub profile_problem: Option<String>,
    /// The path loss models for comparison with these predictions.
    pub models: Vec<ComparedModel>,
}

/// The distances of the cells or tiles of a coverage from the measurements that they predict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellDistances {
    /// The mean distance from a place to the centre of its cell or tile, metres.
    pub mean: f64,
    /// The largest distance, metres.
    pub largest: f64,
    /// The number of measurements that no cell predicts. They are in no table.
    pub num_without: usize,
}

/// The predicted and the measured delay spreads, s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DelaySpreads {
    /// The number of measurements with both.
    pub count: usize,
    /// The mean of the measured ones.
    pub mean_measured: f64,
    /// The mean of the predicted ones.
    pub mean_predicted: f64,
    /// The root of the mean square of predicted less measured.
    pub rmse: f64,
}

impl Compared {
    /// The comparison of delay spreads, if both are known.
    pub fn delay_spreads(&self) -> Option<DelaySpreads> {
        let both = self.rows.iter();
        let both = both.filter_map(|row| row.measured_delay_spread.zip(row.predicted_delay_spread));
        let both: Vec<(f64, f64)> = both.collect();
        let mean = |value: &dyn Fn(&(f64, f64)) -> f64| {
            both.iter().map(value).sum::<f64>() / both.len() as f64
        };
        (!both.is_empty()).then(|| DelaySpreads {
            count: both.len(),
            mean_measured: mean(&|(measured, _)| *measured),
            mean_predicted: mean(&|(_, predicted)| *predicted),
            rmse: mean(&|(measured, predicted)| (predicted - measured).powi(2)).sqrt(),
        })
    }

    /// The statistics of the errors, each weighed by the uncertainty of its measurement, with the offset that was asked
    /// for; `None` if fewer than two errors have one.
    pub fn weighted(&self) -> Option<Weighted> {
        let rows = self.rows.iter();
        let errors = rows.filter_map(|row| Some([row.error_db()?, row.uncertainty_db?]));
        Weighted::of(&errors.collect::<Vec<_>>())
    }

    /// Notes on uncertainties, cells and profiles, which the tables lack, a sentence each.
    pub fn notes(&self) -> Vec<String> {
        let weighted = self.weighted().map(|weighted| weighted_note(&weighted));
        let cells = self.cells.map(|cells| {
            let without = match cells.num_without {
                0 => String::new(),
                count => format!(
                    "; {count} measurements are left out: they lie outside the coverage, farther from a cell than its size, or where no receiver can be"
                ),
            };
            format!(
                "the nearest cells are {:.2} m away on average, {:.2} m at most{without}",
                cells.mean, cells.largest
            )
        });
        let profiles = self.profiles.as_ref().map(ComparedProfiles::notes);
        let notes = weighted.into_iter().chain(cells);
        let notes = notes.chain(profiles.into_iter().flatten());
        notes.chain(self.profile_problem.clone()).collect()
    }

    /// The comparison of all, with the offset that was asked for.
    ///
    /// # Panics
    /// If there are no parts.
    pub fn whole(&self) -> &Comparison {
        self.of(&self.parts[0])
    }

    /// The comparison of a part, with the offset that was asked for.
    pub fn of<'a>(&self, part: &'a ComparedPart) -> &'a Comparison {
        &part.comparisons[index(self.kind)]
    }

    /// All figures, and those of the comparison with another prediction. Levels are dB, delays s.
    pub fn json(&self, paired: Option<Paired>) -> Value {
        let parts = self.parts.iter().map(|part| {
            let comparisons = OFFSETS.iter().zip(&part.comparisons);
            let comparisons: serde_json::Map<_, _> = comparisons
                .map(|(kind, comparison)| (name(*kind).to_owned(), comparison_json(comparison)))
                .collect();
            json!({ "name": part.name, "count": part.count, "offset": comparisons })
        });
        let delay_spreads = self.delay_spreads().map(|spreads| {
            json!({
                "count": spreads.count,
                "mean_measured_s": spreads.mean_measured,
                "mean_predicted_s": spreads.mean_predicted,
                "rmse_s": spreads.rmse,
            })
        });
        json!({
            "parts": parts.collect::<Vec<_>>(),
            "delay_spreads": delay_spreads,
            "weighted": self.weighted().map(|weighted| json!({
                "count": weighted.count,
                "mean": weighted.mean,
                "rmse": weighted.rmse,
                "model_error": weighted.model_error,
            })),
            "cells": self.cells.map(|cells| json!({
                "mean_distance_m": cells.mean,
                "largest_distance_m": cells.largest,
                "without": cells.num_without,
            })),
            "profiles": self.profiles.as_ref().map(|profiles| profiles.json(&self.rows)),
            "models": self.models.iter().map(ComparedModel::json).collect::<Vec<_>>(),
            "against": paired.map(paired_json),
        })
    }
}

impl fmt::Display for DelaySpreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [measured, predicted, rmse] =
            [self.mean_measured, self.mean_predicted, self.rmse].map(|seconds| 1e9 * seconds);
        write!(
            f,
            "delay spreads at {} measurements: measured {measured:.1} ns, predicted {predicted:.1} ns on average, RMSE {rmse:.1} ns",
            self.count
        )
    }
}

fn weighted_note(weighted: &Weighted) -> String {
    let Weighted {
        count,
        mean,
        rmse,
        model_error,
    } = weighted;
    format!(
        "weighed by uncertainty, {count} measurements: mean {mean:.2} dB, RMSE {rmse:.2} dB; the uncertainty leaves {model_error:.2} dB (standard deviation) to the prediction"
    )
}

/// The name of a kind of offset.
pub fn name(kind: OffsetKind) -> &'static str {
    ["none", "one", "tx"][index(kind)]
}

/// The index of a kind in [`OFFSETS`].
fn index(kind: OffsetKind) -> usize {
    match kind {
        OffsetKind::None => 0,
        OffsetKind::One => 1,
        OffsetKind::PerGroup => 2,
    }
}

/// Statistics of errors; levels are dB.
pub(crate) fn statistics_json(statistics: &Statistics) -> Value {
    let Statistics {
        count,
        mean,
        mean_absolute,
        rmse,
        standard_deviation,
        median,
        percentile_95,
        correlation,
    } = statistics;
    json!({
        "count": count,
        "mean": mean,
        "mean_absolute": mean_absolute,
        "rmse": rmse,
        "standard_deviation": standard_deviation,
        "median": median,
        "percentile_95": percentile_95,
        "correlation": correlation,
    })
}

/// A text as HTML shows it.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The comparison of two predictions.
fn paired_json(paired: Paired) -> Value {
    json!({
        "count": paired.count,
        "mean_absolute": paired.mean_absolute,
        "rmse": paired.rmse,
        "difference_95": paired.difference,
    })
}

fn comparison_json(comparison: &Comparison) -> Value {
    let statistics = comparison.statistics.as_ref().map(statistics_json);
    let intervals = comparison.intervals.map(|intervals| {
        json!({
            "mean": intervals.mean,
            "mean_absolute": intervals.mean_absolute,
            "rmse": intervals.rmse,
            "standard_deviation": intervals.standard_deviation,
        })
    });
    json!({
        "errors": statistics,
        "intervals_95": intervals,
        "offsets": comparison.offsets.all(),
        "unreached": comparison.num_unreached,
        "limits": comparison.num_limits,
        "limits_kept": comparison.num_kept_limits,
    })
}
