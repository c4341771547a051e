//! The one message a user gets about a bad pattern file.

use std::fmt;
use std::path::{Path, PathBuf};

/// A fault of a pattern file: the file, the line if there is one, what was found, what is accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError {
    file: PathBuf,
    line: Option<usize>,
    problem: String,
}

impl PatternError {
    pub(super) fn new(file: &Path, problem: Problem) -> Self {
        Self {
            file: file.to_owned(),
            line: problem.line,
            problem: problem.text,
        }
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

impl PatternError {
    /// The fault, without its place.
    pub(crate) fn problem(&self) -> &str {
        &self.problem
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for PatternError {}

/// A fault, before it has the file's name.
#[derive(Debug)]
pub(super) struct Problem {
    line: Option<usize>,
    text: String,
}

impl Problem {
    /// A fault of the file as a whole.
    pub(super) fn file(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { line: None, text }
    }

    /// A fault of a line, from 1.
    pub(super) fn line(line: usize, text: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            text: text.into(),
        }
    }
}

impl From<keller::Error> for Problem {
    fn from(error: keller::Error) -> Self {
        match error {
            keller::Error::Pattern(problem) => Self::file(problem),
            other => Self::file(other.to_string()),
        }
    }
}
