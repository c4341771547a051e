//! The one message a user gets about a bad scenario: the file, the line, the key, what was found, what is accepted.

use std::fmt;
use std::path::{Path, PathBuf};

use keller_geo::shown::shown;

use crate::formats::pattern::PatternError;

/// A fault of a scenario or of a receiver or pattern file it names.
///
/// ```
/// let error = keller_io::scenario::Scenario::parse("frequency = 1e9", "s.toml".as_ref()).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "s.toml:1: frequency: unknown key, did you mean `frequency_hz`? accepted: frequency_hz, scene, building, opening, materials, tx, rx, paths, channel, coverage, beams, streets, tiles, clutter, moving, diffuse, background, calibrate, variants"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioError {
    file: PathBuf,
    line: Option<usize>,
    key: String,
    problem: String,
}

impl ScenarioError {
    /// An error at `line` of `file` (1-based; `None` if it is about the file as a whole). `key` may be empty.
    pub(super) fn new(
        file: &Path,
        line: Option<usize>,
        key: impl Into<String>,
        problem: impl Into<String>,
    ) -> Self {
        Self {
            file: file.to_owned(),
            line,
            key: short(&key.into()),
            problem: problem.into(),
        }
    }

    /// The same error in a variant of the scenario in `file`. Lines are those of the variant, without `[variants]`.
    pub(super) fn of_variant(mut self, file: &Path, number: usize) -> Self {
        if self.file == file {
            self.file.as_mut_os_string().push(format!("#{number}"));
        }
        self
    }

    /// The error of a pattern file that a device names.
    pub(super) fn of_pattern(error: &PatternError) -> Self {
        Self::new(error.file(), error.line(), "", error.problem())
    }

    /// The faulty file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The faulty line, from 1, if one can be named.
    pub fn line(&self) -> Option<usize> {
        self.line
    }
}

/// A key as messages show it: the user may have called it anything.
fn short(key: &str) -> String {
    let words = key.split(' ').map(shown);
    words.collect::<Vec<_>>().join(" ")
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.key.is_empty() {
            write!(f, ": {}", self.key)?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for ScenarioError {}
