//! Why a sweep's store cannot be used.

use std::io;
use std::path::{Path, PathBuf};

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
    /// That the plan in the store `name` has units which its scenario does not have.
    pub fn changed(name: &Path) -> Self {
        let problem = "its plan.json was changed: its units are not those of the scenario; plan again in another store";
        Self::refused(name, problem)
    }

    pub(super) fn refused(file: impl Into<PathBuf>, problem: impl Into<String>) -> Self {
        Self::Refused {
            file: file.into(),
            problem: problem.into(),
        }
    }
}
