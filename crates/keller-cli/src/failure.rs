//! What went wrong, and whose fault it is: that decides the exit code.

use std::fmt;
use std::io;

use keller_io::ImportError;
use keller_io::coverage::PartError;
use keller_io::pattern::PatternError;
use keller_io::scenario::ScenarioError;
use keller_io::table::TableError;
use keller_io::visibility::VisibilityError;

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The user's files or arguments: exit code 2.
    Input(String),
    /// The machine's: a result that could not be written, or read back: exit code 3.
    System(String),
    /// Ours: exit code 1.
    Internal(anyhow::Error),
    /// The user's wish: exit code 130, as a shell reports a program that Ctrl-C ended.
    Interrupted,
    /// The same, after work that is kept: what the user is told about it.
    Kept(String),
    /// Whoever read standard output stopped reading.
    BrokenPipe,
}

impl Failure {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Input(_) => 2,
            Self::System(_) => 3,
            Self::Internal(_) => 1,
            Self::Interrupted | Self::Kept(_) => 130,
            Self::BrokenPipe => 0,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(message) | Self::System(message) | Self::Kept(message) => {
                f.write_str(message)
            }
            // Messages of this program and its libraries tell their causes themselves.
            Self::Internal(error) => write!(f, "internal failure: {error}"),
            Self::Interrupted => f.write_str("stopped, nothing written"),
            Self::BrokenPipe => f.write_str("nobody reads the output"),
        }
    }
}

impl From<ScenarioError> for Failure {
    fn from(error: ScenarioError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<PatternError> for Failure {
    fn from(error: PatternError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<keller::Error> for Failure {
    fn from(error: keller::Error) -> Self {
        match error {
            keller::Error::Cancelled => Self::Interrupted,
            // The core checks values at its door and does not fail behind it.
            bad_value => Self::Input(bad_value.to_string()),
        }
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe => {
                Self::BrokenPipe
            }
            TableError::Write { .. } => Self::System(error.to_string()),
            error => Self::Input(error.to_string()),
        }
    }
}

impl From<PartError> for Failure {
    fn from(error: PartError) -> Self {
        match error {
            PartError::System { .. } => Self::System(error.to_string()),
            error => Self::Input(error.to_string()),
        }
    }
}

impl From<VisibilityError> for Failure {
    fn from(error: VisibilityError) -> Self {
        match error {
            VisibilityError::Write { .. } => Self::System(error.to_string()),
            error => Self::Input(error.to_string()),
        }
    }
}

/// Writing to standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::BrokenPipe
        } else {
            Self::System(format!("standard output: cannot be written: {error}"))
        }
    }
}
