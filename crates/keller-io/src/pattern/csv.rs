//! Patterns as CSV: a header that names its columns in any order, then a row a direction, or a row an angle of a cut.
//!
//! Angles: `theta_deg` or `zenith_deg` (0 up) or `elevation_deg` (0 horizon, up positive); `phi_deg` or `azimuth_deg` (0 ahead,
//! towards the left, +y). Values: `gain_db` or `gain_dbi` (both dBi), or `gain_linear`, or `f_theta_re`, `f_theta_im`, `f_phi_re`,
//! `f_phi_im`. A row with one angle left empty, or a file with one of them, is part of a cut. `#` begins a comment line.

use super::Data;
use super::columns::Columns;
use super::error::Problem;
use super::samples;
use super::text::quoted;

pub(super) fn parse(text: &str) -> Result<Data, Problem> {
    let mut reader = ::csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(::csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut columns: Option<(Columns, Vec<usize>)> = None;
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| Problem::file(error.to_string()))?;
        let line = record.position().map_or(0, |start| line_of(text, start));
        let Some((columns, places)) = &columns else {
            let names: Vec<String> = record.iter().map(str::to_lowercase).collect();
            let found = Columns::of(&names).map_err(|problem| Problem::line(line, problem))?;
            let place = |name: &&str| names.iter().position(|n| n == name).unwrap_or(0);
            let places = found.names().iter().map(place).collect();
            columns = Some((found, places));
            continue;
        };
        let mut values = Vec::with_capacity(places.len());
        for (name, &place) in columns.names().iter().zip(places) {
            let field = record.get(place).ok_or_else(|| {
                let problem = format!(
                    "there are {} fields, the column {name} is missing",
                    record.len()
                );
                Problem::line(line, problem)
            })?;
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
    }
    if columns.is_none() {
        return Err(Problem::file("there is no header in it"));
    }
    samples::data(&rows)
}

/// The line of a record: the reader's own count points before the comments and empty lines that it skips.
fn line_of(text: &str, start: &::csv::Position) -> usize {
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let rest = text.get(count(start.byte())..).unwrap_or_default();
    let skipped = rest
        .lines()
        .take_while(|line| line.is_empty() || line.starts_with('#'));
    count(start.line()).saturating_add(skipped.count())
}
