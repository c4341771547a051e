//! Text as antenna makers write it.

use keller_geo::shown::shown;

use super::error::Problem;
use crate::formats::csv_rows;

/// The text of `bytes`: UTF-8, or else Latin-1, in which old tools write names.
pub(super) fn decode(bytes: &[u8]) -> Result<String, Problem> {
    csv_rows::check_text(bytes).map_err(Problem::file)?;
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text).to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    };
    // Some systems end lines with a carriage return alone.
    Ok(if text.contains('\n') {
        text
    } else {
        text.replace('\r', "\n")
    })
}

/// `word` for a message: short, in back quotes, control characters escaped.
pub(super) fn quoted(word: &str) -> String {
    format!("`{}`", shown(word))
}

/// The finite number that `word` is, or the error that `what` is none.
pub(super) fn number(word: &str, line: usize, what: &str) -> Result<f64, Problem> {
    word.parse::<f64>()
        .ok()
        .filter(|v| v.is_finite())
        .ok_or_else(|| {
            Problem::line(
                line,
                format!("{what}: found {}; accepted: a number", quoted(word)),
            )
        })
}

/// The number that `text` begins with, and the text after it, without blanks.
pub(super) fn leading_number(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '+' | '-' | '.')))
        .unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    Some((number, text[end..].trim()))
}

/// Decibels of a dipole over those of an isotropic antenna, as data sheets give it.
pub(super) const DBD_DB: f64 = 2.15;
