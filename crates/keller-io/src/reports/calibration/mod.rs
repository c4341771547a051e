//! The result of a calibration: as a table, in words, as JSON and as one page with tables and pictures.

mod html;
mod words;

use keller::calibration::{Bound, Calibrated, Estimate, Optimiser, Parameter};
use keller::comparison::Statistics;
use serde_json::{Value, json};

use crate::reports::comparison::{Compared, statistics_json};

/// The result of a calibration.
#[derive(Debug, Clone)]
pub struct CalibrationSummary {
    /// The parameters and their uncertainties.
    pub calibrated: Calibrated,
    /// The first value of each parameter, and its bounds.
    pub parameters: Vec<Parameter>,
    /// The name of every Tx.
    pub tx: Vec<String>,
    /// The search for the parameters.
    pub optimiser: Optimiser,
    /// The errors at measurements that had no part in the fit that predicted them; `None` if that was not asked for.
    pub folds: Option<FoldErrors>,
    /// Number of paths to the places of the measurements.
    pub num_paths: usize,
    /// Number of measurements that were fitted.
    pub num_observations: usize,
    /// Number of measurements that were left out because nothing arrives there.
    pub num_unreached: usize,
}

/// Errors at measurements that were left out.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldErrors {
    /// The group of measurements that was left out together: `place`, `set` or `Tx`.
    pub by: &'static str,
    /// The number of folds.
    pub count: usize,
    /// The statistics of the errors of all of them together; `None` if nothing arrives anywhere.
    pub statistics: Option<Statistics>,
    /// The values of every fold, by parameter.
    pub values: Vec<Vec<f64>>,
}

/// The comparison of a scenario with its measurements, before and after a calibration.
#[derive(Debug, Clone)]
pub struct BeforeAfter {
    /// The comparison of the scenario as it was.
    pub before: Compared,
    /// The comparison of the calibrated one.
    pub after: Compared,
}

impl CalibrationSummary {
    /// The columns of [`Self::rows`].
    pub const HEADER: [&'static str; 6] = [
        "parameter ",
        "value",
        "std. error",
        "start",
        "from .. to",
        "effect / dB",
    ];

    /// A row for each parameter, and for each offset.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let both = self.calibrated.estimates.iter().zip(&self.parameters);
        let parameters = both.map(|(estimate, parameter)| {
            vec![
                estimate.name.clone(),
                number(estimate.value),
                estimate.standard_error.map_or("-".to_owned(), number),
                number(parameter.start),
                format!("{} .. {}", number(parameter.min), number(parameter.max)),
                format!("{:.2}", estimate.effect_db),
            ]
        });
        let offsets = self.offsets().into_iter().map(|(name, offset)| {
            let mut row = vec![name, format!("{offset:.2}")];
            row.resize(Self::HEADER.len(), "-".to_owned());
            row
        });
        parameters.chain(offsets).collect()
    }

    /// The offsets with their labels; none if all are 0.
    fn offsets(&self) -> Vec<(String, f64)> {
        let all = self.calibrated.offsets.all();
        if all.iter().all(|offset| *offset == 0.0) {
            return Vec::new();
        }
        if let [one] = all {
            return vec![("offset / dB".to_owned(), *one)];
        }
        let names = self.tx.iter().map(|tx| format!("offset of Tx {tx} / dB"));
        names.zip(all.iter().copied()).collect()
    }

    /// All figures. Levels are dB, other values in the unit of the scenario's key.
    pub fn json(&self, compared: Option<&BeforeAfter>) -> Value {
        let both = self.calibrated.estimates.iter().zip(&self.parameters);
        let parameters = both.map(|(estimate, parameter)| {
            json!({
                "name": estimate.name,
                "value": estimate.value,
                "standard_error": estimate.standard_error,
                "start": parameter.start,
                "min": parameter.min,
                "max": parameter.max,
                "effect_db": estimate.effect_db,
                "bound": estimate.bound.map(|bound| match bound {
                    Bound::Min => "min",
                    Bound::Max => "max",
                    Bound::Energy => "energy",
                }),
            })
        });
        let others = self.calibrated.others.iter();
        let others = others.map(|other| json!({ "values": other.values, "rmse": other.rmse }));
        let progress = self.calibrated.progress.iter();
        let progress = progress.map(|p| json!([p.evaluations, p.rmse]));
        json!({
            "parameters": parameters.collect::<Vec<_>>(),
            "correlations": self.calibrated.correlations,
            "offsets_db": self.calibrated.offsets.all(),
            "rmse_start": self.calibrated.rmse_before,
            "rmse": self.calibrated.rmse,
            "others": others.collect::<Vec<_>>(),
            "optimiser": optimiser_name(self.optimiser),
            "evaluations": self.calibrated.evaluations,
            "progress": progress.collect::<Vec<_>>(),
            "stopped": self.calibrated.is_stopped,
            "paths": self.num_paths,
            "measurements": self.num_observations,
            "unreached": self.num_unreached,
            "folds": self.folds.as_ref().map(|folds| json!({
                "by": folds.by,
                "count": folds.count,
                "errors": folds.statistics.as_ref().map(statistics_json),
                "values": folds.values,
            })),
            "remarks": self.remarks(),
            "before": compared.map(|compared| compared.before.json(None)),
            "after": compared.map(|compared| compared.after.json(None)),
        })
    }
}

/// The name of a search on the command line.
pub fn optimiser_name(optimiser: Optimiser) -> &'static str {
    match optimiser {
        Optimiser::LevenbergMarquardt { .. } => "lm",
        Optimiser::Genetic { .. } => "genetic",
        Optimiser::Annealing { .. } => "annealing",
        Optimiser::Random { .. } => "random",
    }
}

/// A number with four digits, without an exponent if that is shorter.
fn number(value: f64) -> String {
    let four: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    if four != 0.0 && !(1e-3..1e6).contains(&four.abs()) {
        format!("{four:e}")
    } else {
        format!("{four}")
    }
}

/// The largest effect on predictions between its bounds of a parameter that stays as it is, dB.
pub const SMALL_EFFECT_DB: f64 = 0.05;

/// Whether the measurements hardly depend on a parameter.
fn is_idle(estimate: &Estimate) -> bool {
    estimate.effect_db <= SMALL_EFFECT_DB
}
