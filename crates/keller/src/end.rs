//! The two ends of a link.

use std::fmt;

/// The end of a link at which a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// The transmitter.
    Tx,
    /// The receiver.
    Rx,
}

impl End {
    /// The end in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tx => "transmitter",
            Self::Rx => "receiver",
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tx => "tx",
            Self::Rx => "rx",
        })
    }
}
