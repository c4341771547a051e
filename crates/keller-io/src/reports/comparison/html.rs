//! A comparison as one self-contained page.

use std::fmt::Write as _;
use std::io::{self, Write};

use keller::comparison::{Comparison, Interval, OffsetKind};
use keller::scene::Scene;

use super::{Compared, ComparedPart, OFFSETS, escaped, index, models, pictures};
use crate::formats::About;
use crate::reports::plot::PlotTx;

/// The style of pages of errors.
pub(crate) const STYLE: &str = "body{font-family:sans-serif;color:#222;max-width:60em;margin:2em auto;padding:0 1em}\
table{border-collapse:collapse;margin:1em 0}td,th{padding:.25em .7em;text-align:right;border-bottom:1px solid #ddd}\
td:first-child,th:first-child{text-align:left}svg{max-width:100%;height:auto}pre{background:#f4f4f4;padding:1em;overflow:auto}";

impl Compared {
    /// Writes the page, for measurements in a scene with these Tx.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write_html(
        &self,
        out: &mut dyn Write,
        about: &About,
        scene: &Scene,
        tx: &[PlotTx],
    ) -> io::Result<()> {
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Measured and predicted</title>\
             <style>{STYLE}</style></head><body>\n<h1>Measured and predicted</h1>\n{}",
            self.body(scene, tx)
        );
        let _ = write!(
            page,
            "<h2>Scenario</h2>\n<p>keller {}</p>\n<pre>{}</pre>\n</body></html>\n",
            crate::formats::VERSION,
            escaped(&about.scenario)
        );
        out.write_all(page.as_bytes())
    }

    /// The tables and pictures, for a page.
    pub(crate) fn body(&self, scene: &Scene, tx: &[PlotTx]) -> String {
        let mut body = format!("<p>{}</p>\n", self.summary());
        for kind in OFFSETS {
            body += &self.table(kind);
        }
        body += &models::html(&self.models);
        for (title, picture) in pictures::all(&self.rows, scene, tx) {
            let _ = writeln!(body, "<h2>{}</h2>\n{picture}", escaped(&title));
        }
        if let Some(profiles) = &self.profiles {
            body += &profiles.html(&self.rows);
        }
        body
    }

    fn summary(&self) -> String {
        let whole = self.whole();
        let mut text = format!(
            "{} measurements. An error is predicted less measured, in dB. Pictures {}.",
            self.rows.len(),
            match self.kind {
                OffsetKind::None => "have no offset",
                OffsetKind::One => "have one offset for all",
                OffsetKind::PerGroup => "have one offset for each Tx",
            }
        );
        if whole.num_unreached > 0 {
            let _ = write!(
                text,
                " At {} of them no path arrives: they have no error.",
                whole.num_unreached
            );
        }
        if whole.num_limits > 0 {
            let _ = write!(
                text,
                " {} lie below the receiver's noise; the prediction does too at {} of these.",
                whole.num_limits, whole.num_kept_limits
            );
        }
        if let Some(spreads) = self.delay_spreads() {
            let _ = write!(text, " {spreads}.");
        }
        for note in self.notes() {
            let _ = write!(text, " {note}.");
        }
        text
    }

    fn table(&self, kind: OffsetKind) -> String {
        let title = match kind {
            OffsetKind::None => "No offset",
            OffsetKind::One => "One offset for all",
            OffsetKind::PerGroup => "One offset for each Tx",
        };
        let mut table = format!(
            "<h2>{title}</h2>\n<table><tr><th></th><th>number</th><th>mean</th><th>mean absolute</th><th>RMSE</th>\
             <th>standard deviation</th><th>median</th><th>95 % within</th><th>correlation</th></tr>\n"
        );
        for part in &self.parts {
            table += &row(part, &part.comparisons[index(kind)]);
        }
        table + "</table>\n"
    }
}

fn row(part: &ComparedPart, comparison: &Comparison) -> String {
    let name = escaped(&part.name);
    let Some(statistics) = comparison.statistics else {
        return format!("<tr><td>{name}</td><td>0</td></tr>\n");
    };
    let with = |value: f64, interval: Option<Interval>| match interval {
        Some([low, high]) => format!("{value:.2}<br><small>{low:.2} to {high:.2}</small>"),
        None => format!("{value:.2}"),
    };
    let intervals = comparison.intervals.as_ref();
    let correlation = statistics
        .correlation
        .map_or("-".to_owned(), |c| format!("{c:.2}"));
    format!(
        "<tr><td>{name}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.2}</td><td>{:.2}</td><td>{correlation}</td></tr>\n",
        statistics.count,
        with(statistics.mean, intervals.map(|i| i.mean)),
        with(statistics.mean_absolute, intervals.map(|i| i.mean_absolute)),
        with(statistics.rmse, intervals.map(|i| i.rmse)),
        with(
            statistics.standard_deviation,
            intervals.map(|i| i.standard_deviation)
        ),
        statistics.median,
        statistics.percentile_95,
    )
}
