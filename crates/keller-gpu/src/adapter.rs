//! The devices of a machine, and the choice among them.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use crate::Error;

/// The processor or the card that traces rays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Choice {
    /// The processor.
    #[default]
    Cpu,
    /// A graphics card if there is one, else the processor.
    Auto,
    /// A graphics card.
    Gpu,
    /// The card whose name contains this, in capitals or not. It may be one that software imitates.
    Named(String),
}

impl FromStr for Choice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "cpu" => Self::Cpu,
            "auto" => Self::Auto,
            "gpu" => Self::Gpu,
            name => Self::Named(name.to_owned()),
        })
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "cpu",
            Self::Auto => "auto",
            Self::Gpu => "gpu",
            Self::Named(name) => name,
        })
    }
}

/// Kinds of cards, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A card with memory of its own.
    Discrete,
    /// A card in the processor, which shares its memory.
    Integrated,
    /// A card that a virtual machine passes on.
    Virtual,
    /// The driver does not say.
    Other,
    /// The processor, made to look like a card by software: for tests.
    Software,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Other => "other",
            Self::Software => "software",
        })
    }
}

/// A card that could be used.
#[derive(Debug, Clone)]
pub struct Adapter {
    /// Its name, as its driver gives it.
    pub name: String,
    /// The kind of the device.
    pub kind: Kind,
    /// `Vulkan`, `Metal` or `DX12`.
    pub backend: String,
    /// The driver with its version, if it states them.
    pub driver: String,
    /// Largest part of an index that it takes, bytes.
    pub max_part: u64,
    #[cfg(feature = "cards")]
    pub(crate) found: wgpu::Adapter,
}

impl Choice {
    /// The card that is meant, of all there are; none for the processor.
    ///
    /// # Errors
    /// [`Error::NoCard`], [`Error::Unknown`].
    pub fn among(&self, mut adapters: Vec<Adapter>) -> Result<Option<Adapter>, Error> {
        let is_card = |adapter: &Adapter| adapter.kind != Kind::Software;
        let names = |adapters: &[Adapter]| adapters.iter().map(|a| a.name.clone()).collect();
        let found = match self {
            Self::Cpu => return Ok(None),
            Self::Auto | Self::Gpu => adapters.iter().position(is_card),
            Self::Named(name) => {
                let name = name.to_lowercase();
                let called = |a: &Adapter| a.name.to_lowercase().contains(&name);
                adapters.iter().position(called)
            }
        };
        match (found, self) {
            (Some(found), _) => Ok(Some(adapters.swap_remove(found))),
            (None, Self::Named(name)) => Err(Error::Unknown {
                name: name.clone(),
                there: names(&adapters),
            }),
            (None, Self::Gpu) => Err(Error::NoCard {
                there: names(&adapters),
            }),
            (None, _) => Ok(None),
        }
    }
}
