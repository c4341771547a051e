//! Path loss models compared with the same measurements.

use std::fmt::Write as _;

use keller::comparison::{Comparison, Paired};
use keller::models::Model;
use serde_json::{Value, json};

use super::{comparison_json, paired_json};

/// The predictions of a path loss model for the measurements, with the offset that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedModel {
    /// The model.
    pub model: Model,
    /// Its errors.
    pub comparison: Comparison,
    /// The comparison of the requested predictions with the model's, if both have an error.
    pub paired: Option<Paired>,
    /// The number of measurements at distances or heights for which the model's document does not state it.
    pub num_outside: usize,
}

impl ComparedModel {
    /// The columns of [`Self::row`].
    pub const HEADER: [&'static str; 10] = [
        "path loss model ",
        "number",
        "mean / dB",
        "mean abs.",
        "RMSE",
        "std. dev.",
        "correlation",
        "farther by",
        "from .. to",
        "outside its range",
    ];

    /// The explanation of the columns whose names are not enough, a sentence; the model is compared with predictions of
    /// the file `first`.
    pub fn note(first: &str) -> String {
        format!(
            "farther by: the mean absolute error of the model less that of {first}, where both predict, and from where to where it lies with 95 % probability"
        )
    }

    /// The figures, for people to read.
    pub fn row(&self) -> Vec<String> {
        let mut row = vec![self.model.name().to_owned()];
        if let Some(statistics) = self.comparison.statistics {
            row.push(statistics.count.to_string());
            let levels = [
                statistics.mean,
                statistics.mean_absolute,
                statistics.rmse,
                statistics.standard_deviation,
            ];
            row.extend(levels.map(two_digits));
            let correlation = statistics.correlation;
            row.push(correlation.map_or("-".to_owned(), |c| format!("{c:.2}")));
        } else {
            row.resize(7, "-".to_owned());
        }
        let farther = self.paired.map(|paired| {
            let [first, model] = paired.mean_absolute;
            two_digits(model - first)
        });
        row.push(farther.unwrap_or("-".to_owned()));
        let interval = self.paired.and_then(|paired| paired.difference);
        let interval = interval.map(|ends| ends.map(two_digits).join(" .. "));
        row.push(interval.unwrap_or("-".to_owned()));
        row.push(self.num_outside.to_string());
        row
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "name": self.model.name(),
            "figures": comparison_json(&self.comparison),
            "against": self.paired.map(paired_json),
            "outside": self.num_outside,
        })
    }
}

/// All models as a table of a page; nothing without models.
pub(super) fn html(models: &[ComparedModel]) -> String {
    let mut table = String::new();
    if models.is_empty() {
        return table;
    }
    let cells = |row: &[String], tag: &str| {
        let cells = row.iter().map(|cell| format!("<{tag}>{cell}</{tag}>"));
        cells.collect::<String>()
    };
    let note = ComparedModel::note("the predictions above");
    let _ = writeln!(table, "<h2>Path loss models</h2>\n<p>In dB; {note}.</p>");
    let header = ComparedModel::HEADER.map(str::to_owned);
    let _ = writeln!(table, "<table><tr>{}</tr>", cells(&header, "th"));
    for model in models {
        let _ = writeln!(table, "<tr>{}</tr>", cells(&model.row(), "td"));
    }
    table + "</table>\n"
}

/// A level with two digits; never -0.00.
fn two_digits(level: f64) -> String {
    format!("{:.2}", (100.0 * level).round() / 100.0 + 0.0)
}
