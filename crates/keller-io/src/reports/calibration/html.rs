//! A calibration as one self-contained page.

use std::fmt::Write as _;
use std::io::{self, Write};

use keller::scene::Scene;

use super::{BeforeAfter, CalibrationSummary};
use crate::formats::About;
use crate::reports::comparison::{STYLE, escaped};
use crate::reports::plot::{PlotTx, ScatterPlot};

impl CalibrationSummary {
    /// Writes the page, for measurements in a scene with these Tx. `about` has the calibrated scenario.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write_html(
        &self,
        out: &mut dyn Write,
        compared: Option<&BeforeAfter>,
        about: &About,
        scene: &Scene,
        tx: &[PlotTx],
    ) -> io::Result<()> {
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Calibration</title>\
             <style>{STYLE}</style></head><body>\n<h1>Calibration</h1>\n<p>{} measurements, {} paths, {} evaluations. \
             The root of the mean square error falls from {:.2} to {:.2} dB. A standard error holds for errors that are independent from place \
             to place; the effect is how much predictions change from bound to bound.</p>\n",
            self.num_observations,
            self.num_paths,
            self.calibrated.evaluations,
            self.calibrated.rmse_before,
            self.calibrated.rmse
        );
        page += &table(&Self::HEADER, &self.rows());
        let remarks = self.remarks();
        if !remarks.is_empty() {
            let items: Vec<String> = remarks
                .iter()
                .map(|r| format!("<li>{}</li>", escaped(r)))
                .collect();
            let _ = writeln!(page, "<ul>{}</ul>", items.concat());
        }
        page += &self.correlations();
        if let Some(plot) = self.progress() {
            let _ = writeln!(page, "<h2>The search</h2>\n{}", plot.svg());
        }
        if let Some(BeforeAfter { before, after }) = compared {
            let _ = write!(
                page,
                "<h1>Before</h1>\n{}<h1>After</h1>\n{}",
                before.body(scene, tx),
                after.body(scene, tx)
            );
        }
        let _ = write!(
            page,
            "<h2>Calibrated scenario</h2>\n<p>keller {}</p>\n<pre>{}</pre>\n</body></html>\n",
            crate::formats::VERSION,
            escaped(&about.scenario)
        );
        out.write_all(page.as_bytes())
    }

    /// The correlations of parameters, if there are at least two.
    fn correlations(&self) -> String {
        let calibrated = &self.calibrated;
        if calibrated.estimates.len() < 2 {
            return String::new();
        }
        let names: Vec<&str> = calibrated.estimates.iter().map(|e| &*e.name).collect();
        let header: Vec<&str> = std::iter::once("").chain(names.iter().copied()).collect();
        let both = names.iter().zip(&calibrated.correlations);
        let rows: Vec<Vec<String>> = both
            .map(|(name, row)| {
                let numbers = row.iter().map(|c| format!("{c:.2}"));
                std::iter::once((*name).to_owned()).chain(numbers).collect()
            })
            .collect();
        format!("<h2>Correlations</h2>\n{}", table(&header, &rows))
    }

    /// The smallest error so far over the number of evaluations; `None` without a search.
    pub fn progress(&self) -> Option<ScatterPlot> {
        let progress = &self.calibrated.progress;
        let steps = progress.windows(2).flat_map(|pair| {
            // The smallest error stays until a smaller one is found.
            [
                [pair[1].evaluations as f64, pair[0].rmse],
                [pair[1].evaluations as f64, pair[1].rmse],
            ]
        });
        let first = progress.first()?;
        let curve = std::iter::once([first.evaluations as f64, first.rmse])
            .chain(steps)
            .collect();
        (progress.len() > 1).then(|| ScatterPlot {
            x_title: "evaluations".to_owned(),
            y_title: "root of the mean square error / dB".to_owned(),
            curves: vec![(super::optimiser_name(self.optimiser).to_owned(), curve)],
            ..ScatterPlot::default()
        })
    }
}

fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let cells = |kind: &str, cells: &mut dyn Iterator<Item = &str>| {
        let cells: Vec<String> = cells
            .map(|cell| format!("<{kind}>{}</{kind}>", escaped(cell)))
            .collect();
        format!("<tr>{}</tr>\n", cells.concat())
    };
    let head = cells("th", &mut header.iter().copied());
    let rows: Vec<String> = rows
        .iter()
        .map(|row| cells("td", &mut row.iter().map(String::as_str)))
        .collect();
    format!("<table>{head}{}</table>\n", rows.concat())
}
