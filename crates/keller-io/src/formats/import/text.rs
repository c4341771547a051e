//! Numbers and words of the text formats, with their lines for messages.

use std::path::Path;

use keller_geo::shown::shown;

use crate::formats::{ImportError, Place};

/// Words separated by white space, read one after the other.
#[derive(Debug, Clone)]
pub(super) struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// The next word; `None` at the end.
    pub(super) fn next(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let start = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let word = &rest[start..];
        let length = word
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(word.len());
        self.at += start + length;
        Some(&word[..length])
    }

    /// Passes over the rest of the line.
    pub(super) fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|&byte| byte == b'\n');
        self.at += end.unwrap_or(rest.len());
    }

    /// The line of the word just read, counted from 1. It is found only when asked, since only errors ask.
    pub(super) fn line(&self) -> usize {
        line_at(self.bytes, self.at.saturating_sub(1))
    }

    /// The bytes not yet read.
    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }
}

/// The line that the byte at `at` is in, counted from 1.
pub(super) fn line_at(bytes: &[u8], at: usize) -> usize {
    let before = &bytes[..at.min(bytes.len())];
    before.split(|&byte| byte == b'\n').count()
}

/// `word` as a number.
pub(super) fn number(word: &[u8]) -> Option<f64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// The error of a word that should have been a number.
pub(super) fn not_a_number(file: &Path, line: usize, word: &[u8]) -> ImportError {
    ImportError::malformed(
        file,
        Place::Line(line),
        format!("{} is not a number", quoted(word)),
    )
}

/// `word` for a message: short, in back quotes, control characters escaped.
pub(super) fn quoted(word: &[u8]) -> String {
    // A character has four bytes at most: the part left out here would not be shown.
    let start = &word[..word.len().min(1024)];
    format!("`{}`", shown(&String::from_utf8_lossy(start)))
}
