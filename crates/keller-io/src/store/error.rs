//! Why a store cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a store of finished units, or a file of paths, cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// What the system says.
    #[error("{}: {}", file.display(), told(source))]
    System {
        /// The file or folder.
        file: PathBuf,
        /// Its reason.
        source: io::Error,
    },
    /// The store is none, damaged, or of something else.
    #[error("{}: {problem}", file.display())]
    Refused {
        /// The file or folder.
        file: PathBuf,
        /// What it is, and what is accepted.
        problem: String,
    },
}

/// What the system says, in words of a store where these say more.
fn told(source: &io::Error) -> String {
    match source.kind() {
        io::ErrorKind::NotFound => {
            "it cannot be read or written: its folder is not there or was removed"
        }
        io::ErrorKind::NotADirectory => {
            "it cannot be read or written: what should hold it is a file, not a folder"
        }
        io::ErrorKind::IsADirectory => "it is a folder; accepted: a file",
        _ => return source.to_string(),
    }
    .to_owned()
}

impl StoreError {
    /// That the plan in the store `name` has units which its scenario does not have.
    pub fn changed(name: &Path) -> Self {
        let problem = "its plan.json was changed: its units are not those of the scenario; plan again in another store";
        Self::refused(name, problem)
    }

    pub(crate) fn refused(file: impl Into<PathBuf>, problem: impl Into<String>) -> Self {
        Self::Refused {
            file: file.into(),
            problem: problem.into(),
        }
    }
}
