//! Failures of a run, and who can mend them: that decides the exit code.

use std::fmt;
use std::io;

use keller_io::formats::pattern::PatternError;
use keller_io::formats::{ImportError, OutputError};
use keller_io::scenario::ScenarioError;
use keller_io::store::StoreError;
use keller_io::store::visibility::VisibilityError;

use crate::stop::{self, Interrupted};

/// Every exit code and when a run ends with it, for the book's Reference.
pub(crate) const EXIT_CODES: [(&str, &str); 5] = [
    ("0", "done; also `keller view --serve` that Ctrl-C ends"),
    ("1", "an internal failure: please report it"),
    (
        "2",
        "bad usage or bad input: one message with the file, the line or key, what was found and what is accepted",
    ),
    (
        "3",
        "not enough memory, of `--memory` or of the machine; or a result that could not be written or read back, as on a full disk",
    ),
    (
        "128 + n",
        "stopped by signal n: 130 by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP. What stays are `.part` files, from which \
         a later run resumes, and the best parameters so far of `keller calibrate`",
    ),
];

/// The reason why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The user's files or arguments: exit code 2.
    Input(String),
    /// The machine's: a result that could not be written, or read back: exit code 3.
    System(String),
    /// Ours: exit code 1.
    Internal(anyhow::Error),
    /// There is not enough memory: exit code 3.
    Memory(String),
    /// The user's wish: exit code 128 + n, as a shell reports a program that signal n ended.
    Interrupted,
    /// The same, after work that is kept, with a message about it.
    Kept(String),
    /// Whoever read standard output stopped reading.
    BrokenPipe,
}

impl Failure {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Input(_) => 2,
            Self::System(_) | Self::Memory(_) => 3,
            Self::Internal(_) => 1,
            Self::Interrupted | Self::Kept(_) => stop::exit_code(),
            Self::BrokenPipe => 0,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(message)
            | Self::System(message)
            | Self::Memory(message)
            | Self::Kept(message) => f.write_str(&shortened(message)),
            Self::Internal(error) => write!(f, "internal failure: {}", told_once(error)),
            Self::Interrupted => f.write_str("stopped, nothing written"),
            Self::BrokenPipe => f.write_str("nobody reads the output"),
        }
    }
}

/// An error with its causes. Most errors repeat the message of their cause, which is not printed again.
fn told_once(error: &anyhow::Error) -> String {
    let mut all = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if all.is_empty() {
            all = cause;
        } else if !all.contains(&cause) {
            all = format!("{all}: {cause}");
        }
    }
    shortened(&all)
}

/// A message whose numbers are cut after 24 digits: `{}` writes 1e300 with three hundred.
pub(crate) fn shortened(message: &str) -> String {
    const MAX_DIGITS: usize = 24;
    let mut short = String::with_capacity(message.len());
    let mut num_digits = 0;
    for character in message.chars() {
        num_digits = if character.is_ascii_digit() {
            num_digits + 1
        } else {
            0
        };
        match num_digits {
            0..=MAX_DIGITS => short.push(character),
            digits if digits == MAX_DIGITS + 1 => short.push('…'),
            _ => {}
        }
    }
    short
}

impl From<Interrupted> for Failure {
    fn from(_: Interrupted) -> Self {
        Self::Interrupted
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

impl From<keller_run::Error> for Failure {
    fn from(error: keller_run::Error) -> Self {
        use keller_run::Error;
        match error {
            Error::Visibility(error) => error.into(),
            Error::Store(error) => error.into(),
            Error::Read(error) => Self::System(error.to_string()),
            Error::Memory(message) => Self::Memory(message),
            Error::Stopped => Self::Interrupted,
            bad_input => Self::Input(bad_input.to_string()),
        }
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        match error {
            OutputError::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe => {
                Self::BrokenPipe
            }
            OutputError::Write { .. } => Self::System(error.to_string()),
            error => Self::Input(error.to_string()),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::System { ref source, .. } if !is_bad_place(source) => {
                Self::System(error.to_string())
            }
            error => Self::Input(error.to_string()),
        }
    }
}

/// Whether nothing can be written at a place that the user chose, as in a folder that there is not; else the system has no room or breaks.
fn is_bad_place(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::NotADirectory
    )
}

impl From<VisibilityError> for Failure {
    fn from(error: VisibilityError) -> Self {
        match error {
            VisibilityError::Write { ref source, .. } if !is_bad_place(source) => {
                Self::System(error.to_string())
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_that_was_told_is_not_told_again() {
        let source = io::Error::other("no room");
        let error = OutputError::Write {
            file: "a.csv".into(),
            source,
        };
        let failure = Failure::Internal(error.into());
        assert_eq!(
            failure.to_string(),
            "internal failure: a.csv: cannot be written: no room"
        );
        let other = anyhow::Error::new(io::Error::other("no room")).context("standard output");
        assert_eq!(
            Failure::Internal(other).to_string(),
            "internal failure: standard output: no room"
        );
    }

    #[test]
    fn every_exit_code_is_told() {
        let system = || "no room".to_owned();
        let failures = [
            Failure::Input(system()),
            Failure::System(system()),
            Failure::Internal(anyhow::anyhow!("no room")),
            Failure::Memory(system()),
            Failure::BrokenPipe,
        ];
        for failure in failures {
            let code = failure.exit_code().to_string();
            assert!(
                EXIT_CODES.iter().any(|(told, _)| *told == code),
                "{failure:?}"
            );
        }
    }

    #[test]
    fn numbers_are_cut() {
        let told = Failure::Input(format!("x is {}, y is 2", 1e300)).to_string();
        assert_eq!(told, "x is 100000000000000000000000…, y is 2");
    }
}
