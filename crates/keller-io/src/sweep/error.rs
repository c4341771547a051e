//! Why a sweep's store cannot be used.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a sweep's store cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SweepError {
    /// What the system says.
    #[error("{}: {source}", file.display())]
    System {
        /// The file or folder.
        file: PathBuf,
        /// Its reason.
        source: io::Error,
    },
    /// The store is none, or of another sweep.
    #[error("{}: {problem}", file.display())]
    Refused {
        /// The file or folder.
        file: PathBuf,
        /// What it is, and what is accepted.
        problem: String,
    },
}

impl SweepError {
    pub(super) fn refused(file: impl Into<PathBuf>, problem: impl Into<String>) -> Self {
        Self::Refused {
            file: file.into(),
            problem: problem.into(),
        }
    }
}
