//! Step 3: searches. Each proposes sequences of mirror planes that might join a transmitter to somewhere; none of them decides.

mod complete;
mod exhaustive;
mod launch;
mod tree_builder;

use glam::DVec3;

use super::{Limits, SequenceTree, Transparency};
use crate::scene::Scene;
use crate::{Control, Error};

/// Which search proposes the sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// Rays in every direction, every hit both reflected and passed through: quick, may miss paths off the smallest faces.
    Launch(Effort),
    /// An exact beam tree with hidden surfaces removed: misses no reflection.
    Complete,
    /// Every sequence of planes there is: slow, obviously right, for small scenes.
    Exhaustive,
}

impl Default for Search {
    fn default() -> Self {
        Self::Launch(Effort::default())
    }
}

/// How many rays [`Search::Launch`] sends: time against completeness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Effort {
    /// A quarter of a million rays.
    Quick,
    /// A million rays.
    #[default]
    Default,
    /// Sixteen million rays.
    Thorough,
}

impl Search {
    /// The sequences that may start at `tx`.
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`] from the exhaustive search, [`Error::Cancelled`].
    pub fn propose(
        self,
        scene: &Scene,
        tx: DVec3,
        limits: &Limits,
        transparency: &Transparency,
        control: &Control,
    ) -> Result<SequenceTree, Error> {
        match self {
            Self::Exhaustive => exhaustive::exhaustive(scene, tx, limits.reflections(), control),
            Self::Launch(effort) => {
                launch::launch(scene, tx, limits, transparency, effort, control)
            }
            Self::Complete => complete::complete(scene, tx, limits, transparency, control),
        }
    }
}
