//! Measured and predicted power-delay profiles: figures, their table and their pictures.

use std::fmt::Write as _;

use keller::comparison::{DelayGrid, ProfileComparison, ProfileSummary};
use keller::units::power_to_db;
use serde_json::{Value, json};

use super::escaped;
use crate::reports::plot::ProfilePlot;
use crate::reports::table::MeasuredRow;

/// The largest number of points of a curve.
const MAX_POINTS: usize = 1500;

/// The comparison of measured profiles with predicted ones.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedProfiles {
    /// The time over which power was averaged before samples were compared, s.
    pub smoothing: f64,
    /// The largest delay of cables that was fitted, of either sign, s; `None` if the delay was stated.
    pub max_cable_delay: Option<f64>,
    /// The parts of [`Compared::parts`](super::Compared::parts) that have profiles.
    pub parts: Vec<ProfilePart>,
    /// Every profile, in the order of the rows.
    pub links: Vec<ComparedProfile>,
}

/// The comparison of the profiles of some of the measurements.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfilePart {
    /// The property that they share.
    pub name: String,
    /// The means of their figures.
    pub summary: ProfileSummary,
    /// The delay that was added to predicted ones, s, if it is the same for all.
    pub cable_delay: Option<f64>,
}

/// One measured profile and the predicted one.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedProfile {
    /// The index of its measurement in [`Compared::rows`](super::Compared::rows).
    pub row: usize,
    /// The time that light needs from the Tx to the place, s.
    pub light: f64,
    /// The figures.
    pub comparison: ProfileComparison,
    /// The delays of both curves.
    pub delays: DelayGrid,
    /// Measured and predicted power after averaging, for those that are drawn.
    pub curves: Option<[Vec<f64>; 2]>,
}

impl ComparedProfiles {
    /// The names of the columns of [`Self::rows`].
    pub const HEADER: [&'static str; 8] = [
        "profiles ",
        "number",
        "cables / ns",
        "with a start",
        "first arrival off by / ns",
        "correlation",
        "mean / dB",
        "RMSE / dB",
    ];

    /// The figures of each part, for people to read: its name, the number of profiles that stand above their noise, and
    /// so on.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let number = |value: Option<f64>| value.map_or("-".to_owned(), two_digits);
        let parts = self.parts.iter();
        parts
            .map(|part| {
                let summary = &part.summary;
                vec![
                    part.name.clone(),
                    summary.num_compared.to_string(),
                    number(part.cable_delay.map(nanoseconds)),
                    summary.num_starts.to_string(),
                    number(summary.start_error.map(nanoseconds)),
                    number(summary.correlation),
                    number(summary.mean_db),
                    number(summary.rms_db),
                ]
            })
            .collect()
    }

    /// Notes on the profiles, which the table lacks, a sentence each.
    pub fn notes(&self) -> Vec<String> {
        let at_end = |link: &&ComparedProfile| {
            let step = link.delays.step;
            let found = link.comparison.cable_delay.abs();
            self.max_cable_delay
                .is_some_and(|max| found > max - 0.75 * step)
        };
        let count = self.links.iter().filter(at_end).count();
        let silent = self
            .links
            .iter()
            .filter(|link| link.comparison.num_samples == 0);
        let silent = silent.count();
        let at_end = (count > 0).then(|| {
            format!(
                "the delay of cables is at the end of what was tried, {:.2} ns, for {count} profiles: it may be wrong",
                self.max_cable_delay.map_or(0.0, nanoseconds)
            )
        });
        let silent = (silent > 0).then(|| {
            format!("{silent} profiles are nowhere clear above their noise and have no figures")
        });
        at_end.into_iter().chain(silent).collect()
    }

    /// All figures. Levels are dB, delays s.
    pub(super) fn json(&self, rows: &[MeasuredRow]) -> Value {
        let parts = self.parts.iter().map(|part| {
            let summary = &part.summary;
            json!({
                "name": part.name,
                "count": summary.count,
                "compared": summary.num_compared,
                "cable_delay_s": part.cable_delay,
                "first_arrivals": summary.num_starts,
                "first_arrival_error_s": summary.start_error,
                "correlation": summary.correlation,
                "mean": summary.mean_db,
                "rmse": summary.rms_db,
            })
        });
        let links = self.links.iter().map(|link| {
            let (row, found) = (&rows[link.row], &link.comparison);
            json!({
                "tx": row.tx,
                "rx": row.rx,
                "set": row.set,
                "line": row.line,
                "paths": row.num_paths,
                "light_s": link.light,
                "cable_delay_s": found.cable_delay,
                "noise_db": (found.noise > 0.0).then(|| power_to_db(found.noise)),
                "measured_start_s": found.measured_start,
                "predicted_start_s": found.predicted_start,
                "compared_s": found.duration,
                "correlation": found.correlation,
                "mean": found.mean_db,
                "rmse": found.rms_db,
            })
        });
        json!({
            "smoothing_s": self.smoothing,
            "max_cable_delay_s": self.max_cable_delay,
            "parts": parts.collect::<Vec<_>>(),
            "links": links.collect::<Vec<_>>(),
        })
    }

    /// A section of a page: the table, and pictures of some profiles.
    pub(super) fn html(&self, rows: &[MeasuredRow]) -> String {
        let mut page = format!(
            "<h2>Power over delay</h2>\n<p>Measured and predicted profiles are compared where the measurement is 10 dB above its noise, \
             after averaging power over {:.2} ns. First arrivals are single samples 15 dB above the noise. \
             What is added to predicted delays is for cables.</p>\n<table><tr>",
            nanoseconds(self.smoothing)
        );
        let cell = |kind: &str, text: &str| format!("<{kind}>{}</{kind}>", escaped(text));
        page.extend(Self::HEADER.map(|name| cell("th", name.trim())));
        page += "</tr>\n";
        for row in self.rows() {
            page += "<tr>";
            page.extend(row.iter().map(|text| cell("td", text)));
            page += "</tr>\n";
        }
        page += "</table>\n";
        for link in &self.links {
            if let Some(picture) = link.picture(&rows[link.row]) {
                let _ = writeln!(page, "{picture}");
            }
        }
        page
    }
}

impl ComparedProfile {
    /// The picture, if there are curves: measured and predicted power over delay.
    pub fn picture(&self, row: &MeasuredRow) -> Option<String> {
        let [measured, predicted] = self.curves.as_ref()?;
        let every = measured.len().div_ceil(MAX_POINTS).max(1);
        let curve = |powers: &[f64]| -> Vec<(f64, f64)> {
            let points = self
                .delays
                .delays()
                .zip(powers.iter().copied().map(power_to_db));
            points.step_by(every).collect()
        };
        let picture = ProfilePlot {
            title: format!(
                "Tx {}, {} {}, {}: later by {:.2} ns",
                row.tx_device.name,
                row.set,
                row.rx_device.name,
                found(&self.comparison),
                nanoseconds(self.comparison.cable_delay)
            ),
            curve_name: "predicted".to_owned(),
            curve: curve(predicted),
            second_name: "measured".to_owned(),
            second: curve(measured),
            ..ProfilePlot::default()
        };
        Some(picture.svg())
    }
}

/// The figures, for a title.
fn found(comparison: &ProfileComparison) -> String {
    match (comparison.mean_db, comparison.rms_db) {
        (Some(mean), Some(rms)) => format!("mean {} dB, RMSE {rms:.1} dB", two_digits(mean)),
        _ => "noise".to_owned(),
    }
}

fn nanoseconds(seconds: f64) -> f64 {
    1e9 * seconds
}

/// A number with two digits; never -0.00.
fn two_digits(number: f64) -> String {
    format!("{:.2}", (100.0 * number).round() / 100.0 + 0.0)
}
