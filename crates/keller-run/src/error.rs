//! Why a run did not finish.

use std::io;

use keller_io::formats::ImportError;
use keller_io::scenario::{Scenario, ScenarioError};
use keller_io::store::StoreError;
use keller_io::store::visibility::VisibilityError;
use thiserror::Error;

/// Why a run did not finish.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A scenario with a key or value that is not accepted.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A scene file that cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A scenario that cannot be run. The message names file, line and key, the value and what is accepted.
    #[error("{0}")]
    Input(String),
    /// A store of finished units, or a file of paths, that cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file of visibility that cannot be used.
    #[error(transparent)]
    Visibility(#[from] VisibilityError),
    /// Finished blocks that cannot be read back.
    #[error("{0}")]
    Read(#[from] io::Error),
    /// Even the smallest block needs more memory than is available.
    #[error("{0}")]
    Memory(String),
    /// The observer asked to stop.
    #[error("stopped before the run was complete")]
    Stopped,
}

impl Error {
    /// An error in the contents of a scenario.
    pub(crate) fn in_scenario(scenario: &Scenario, error: &keller::Error) -> Self {
        Self::Input(format!("{}: {error}", scenario.file.display()))
    }
}

impl From<keller::Error> for Error {
    fn from(error: keller::Error) -> Self {
        match error {
            keller::Error::Cancelled => Self::Stopped,
            bad_value => Self::Input(bad_value.to_string()),
        }
    }
}
