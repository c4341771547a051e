//! What can be wrong with a visibility file.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a visibility file cannot be read, or not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VisibilityError {
    /// The system would not hand it over.
    #[error("`{}`: cannot be read: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The place cannot be written to.
    #[error("`{}`: cannot be written: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// As the user wanted; what is whole is kept.
    #[error("stopped")]
    Stopped,
    /// A file of something else, of another version, scene or tiling, or one that is damaged.
    #[error("`{}`: {problem}", file.display())]
    Refused {
        /// The file.
        file: PathBuf,
        /// What was found and what is accepted.
        problem: String,
    },
}
