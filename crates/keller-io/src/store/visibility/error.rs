//! The faults of a visibility file.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// The reason why a visibility file cannot be read, or not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VisibilityError {
    /// The system does not read the file.
    #[error("`{}`: cannot be read: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The place cannot be written to.
    #[error("`{}`: cannot be written: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The user stopped the run; whole blocks are kept.
    #[error("stopped")]
    Stopped,
    /// The file is of something else, of another version, scene or tiling, or damaged.
    #[error("`{}`: {problem}", file.display())]
    Refused {
        /// The file.
        file: PathBuf,
        /// The fault that was found, and what is accepted.
        problem: String,
    },
}
