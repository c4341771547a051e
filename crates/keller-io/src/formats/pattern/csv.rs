//! Patterns as CSV: a header that names its columns in any order, then a row for each direction, or for each angle of a
//! cut.
//!
//! Angles: `theta_deg` or `zenith_deg` (0 up) or `elevation_deg` (0 horizon, up positive); `phi_deg` or `azimuth_deg`
//! (0 ahead, towards the left, +y). Values: `gain_db` or `gain_dbi` (both dBi), or `gain_linear`, or `f_theta_re`,
//! `f_theta_im`, `f_phi_re`, `f_phi_im`. A row with one angle left empty, or a file with one of them, is part of a cut.
//! `#` begins a comment line.

use super::Data;
use super::columns::Columns;
use super::error::Problem;
use super::samples;
use super::text::quoted;
use crate::formats::csv_rows;

pub(super) fn parse(text: &str) -> Result<Data, Problem> {
    let mut columns: Option<(Columns, Vec<usize>)> = None;
    let mut rows = Vec::new();
    let refuse = |line, problem: String| Problem::line(line, format!("the row {problem}"));
    csv_rows::each_row(text, true, refuse, |line, record| {
        let Some((columns, places)) = &columns else {
            let names: Vec<String> = record.iter().map(str::to_lowercase).collect();
            let found = Columns::of(&names).map_err(|problem| Problem::line(line, problem))?;
            let place = |name: &&str| names.iter().position(|n| n == name).unwrap_or(0);
            let places = found.names().iter().map(place).collect();
            columns = Some((found, places));
            return Ok(());
        };
        let mut values = Vec::with_capacity(places.len());
        for (name, &place) in columns.names().iter().zip(places) {
            let field = record.get(place).unwrap_or_default();
            if field.is_empty() && values.len() < columns.num_angles() {
                values.push(None);
                continue;
            }
            let value: Option<f64> = field.parse().ok().filter(|v: &f64| v.is_finite());
            values.push(Some(value.ok_or_else(|| {
                let problem = format!("column {name}: found {}; accepted: a number", quoted(field));
                Problem::line(line, problem)
            })?));
        }
        rows.push(
            columns
                .row(&values, line)
                .map_err(|problem| Problem::line(line, problem))?,
        );
        Ok(())
    })?;
    if columns.is_none() {
        return Err(Problem::file("there is no header in it"));
    }
    samples::data(&rows)
}
