//! The settings of tubes: their limits, their fineness, and their smallest gain.

use super::splitting::fineness::Fineness;
use crate::World;
use crate::paths::Limits;

/// Settings of a coverage by tubes.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// The number and kinds of interactions. A path ends after a scattering.
    pub limits: Limits,
    /// The fineness with which tubes are split.
    pub accuracy: Accuracy,
    /// Paths of smaller gain are not followed, linear.
    pub min_gain: f64,
}

/// The fineness with which tubes are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Accuracy {
    /// Rough and fast.
    Quick,
    /// Accurate enough for planning.
    #[default]
    Default,
    /// Slow, and as accurate as tubes can be.
    Exact,
}

impl Accuracy {
    pub(super) fn fineness(self) -> Fineness {
        match self {
            Self::Quick => Fineness {
                widest: 2.0,
                finest: 1.0,
                is_thorough: false,
                patch: 0.7,
                whole_patch: f64::INFINITY,
            },
            Self::Default => Fineness {
                widest: 1.0,
                finest: 0.25,
                is_thorough: false,
                patch: 0.5,
                whole_patch: 0.3,
            },
            Self::Exact => Fineness {
                widest: 1.0,
                finest: 0.0625,
                is_thorough: true,
                patch: 0.25,
                whole_patch: 0.03,
            },
        }
    }

    /// A world as tubes of this accuracy use it: the walls of `Exact` compute each angle, the others read tables.
    pub(super) fn world(self, world: &World) -> World {
        let world = world.clone();
        match self {
            Self::Exact => world,
            Self::Quick | Self::Default => world.tabulated(),
        }
    }
}
