//! The reasons why a store cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The reason why a store of finished units, or a file of paths, cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The system reports an error.
    #[error("{}: {}", file.display(), told(source))]
    System {
        /// The file or folder.
        file: PathBuf,
        /// The reason of the system.
        source: io::Error,
    },
    /// The store is damaged, belongs to something else, or is no store.
    #[error("{}: {problem}", file.display())]
    Refused {
        /// The file or folder.
        file: PathBuf,
        /// The fault, and what is accepted.
        problem: String,
    },
}

/// The system's error, in words of a store if these say more.
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
    /// The error that the plan in the store `name` has units which its scenario does not have.
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
