//! Searches. Each proposes sequences of reflecting planes and edges that might join a Tx to an Rx. The solver and the
//! validator decide.
//!
//! `launch` and `complete` propose sequences of planes and, where waves may diffract, the edges visible from each end
//! by such sequences (`views`); `paths/diffract` joins those of both ends. `tiles` and `tubes` follow whole chains of
//! planes and edges, and `exhaustive` tries all. For diffuse scattering, launched rays find the patches of rough walls that each
//! end illuminates, and by which planes; only `exhaustive` tries all planes. Reflections in the gaps between the facets
//! of curved surfaces are not proposed: `paths/joints` derives them from the other sequences.

mod complete;
pub(super) mod edge_legs;
pub(super) mod exhaustive;
mod from_ends;
mod launch;
pub(crate) mod tiles;
mod tree_builder;
pub(super) mod tubes;
pub(super) mod views;

use glam::DVec3;

use self::exhaustive::exhaustive;
pub(super) use self::from_ends::EndSearch;
use self::views::{Views, diffracting_edges};
use super::{Limits, SequenceTree};
use crate::scene::Scene;
use crate::{Control, Error, World};

/// The search that proposes the sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Search {
    /// Rays in every direction; every hit is both reflected and passed through. Quick, but may miss paths by the
    /// smallest faces, and some of many reflections.
    Launch(Effort),
    /// An exact beam tree with hidden surfaces removed. Misses no reflection.
    Complete,
    /// Waves are followed from tile to tile over the discrete environment, which is the same for every transmitter. May
    /// miss paths of several interactions that only small parts of tiles see. No walls are passed, and diffuse
    /// scattering is found by launched rays.
    Tiles,
    /// Tubes from the transmitter, and from every edge that it illuminates, which note the receivers that they pass. For
    /// many receivers, whose paths have at most one diffraction. Paths 90 dB below free space are left out.
    Tubes(Effort),
    /// Every possible sequence of planes and edges. Slow, obviously right, for small scenes.
    Exhaustive,
}

impl Default for Search {
    fn default() -> Self {
        Self::Launch(Effort::default())
    }
}

/// The number of rays that [`Search::Launch`] sends: time against completeness. Where waves diffract or scatter, each
/// receiver sends some too. Rough walls are cut more finely the higher the effort: the scattered power is within 1 dB,
/// 0.3 dB or 0.1 dB of the integral.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Effort {
    /// Rays a sixth of an edge apart from a transmitter, nine tenths from a receiver: about a quarter of the rays of
    /// `Default`.
    Quick,
    /// Rays a twelfth of an edge apart from a transmitter, half an edge from a receiver.
    #[default]
    Default,
    /// Rays a fiftieth of an edge apart from a transmitter, an eighth from a receiver.
    Thorough,
}

/// The number of faces up to which the complete search takes about as long as launched rays, or less, and finds paths
/// that they miss.
const FEW_FACES: usize = 2000;

/// The same limit for the number of faces times one more than the walls that a path may pass: beams continue behind
/// each of these walls.
const FEW_PASSED: usize = 2 * FEW_FACES;

/// The number of sequences up to which trying all of them costs at most some milliseconds a receiver.
const FEW_SEQUENCES: f64 = 5000.0;

impl Search {
    /// The search for callers who have not chosen one: an exact search where that is cheap, launched rays elsewhere. It
    /// depends only on the numbers of faces, edges and interactions, so it is the same on every machine and for any
    /// receivers.
    ///
    /// On small scenes it is [`Search::Complete`]. With more than one diffraction, whose chains the complete search may
    /// miss, it is [`Search::Exhaustive`] if there are few sequences.
    pub fn auto(scene: &Scene, limits: &Limits) -> Self {
        let is_exact = match limits.max_diffractions {
            0 | 1 => {
                let (faces, passed) = (scene.faces().len(), limits.transmissions_beside(0));
                faces <= FEW_FACES && faces.saturating_mul(passed.saturating_add(1)) <= FEW_PASSED
            }
            _ => return Self::of_chains(scene, limits),
        };
        if is_exact {
            Self::Complete
        } else {
            Self::default()
        }
    }

    /// The automatic search for more than one diffraction.
    fn of_chains(scene: &Scene, limits: &Limits) -> Self {
        let steps = scene.planes().len() + diffracting_edges(scene, limits).count();
        let depth = i32::try_from(limits.interactions()).unwrap_or(i32::MAX);
        // Launched rays find the rough walls for paths that are scattered.
        let is_exact = limits.max_scatterings == 0 && (steps as f64).powi(depth) <= FEW_SEQUENCES;
        if is_exact {
            Self::Exhaustive
        } else {
            Self::default()
        }
    }

    /// The name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Self::Launch(_) => "launch",
            Self::Complete => "complete",
            Self::Tiles => "tiles",
            Self::Tubes(_) => "tubes",
            Self::Exhaustive => "exhaustive",
        }
    }

    /// The sequences of reflecting planes that may start at `tx`. For `Tiles` and `Tubes`, which propose only sequences
    /// that lead to receivers, they are those of launched rays.
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`] from the exhaustive search, [`Error::Cancelled`].
    pub fn propose(
        self,
        world: &World,
        tx: DVec3,
        limits: &Limits,
        control: &Control,
    ) -> Result<SequenceTree, Error> {
        let limits = Limits {
            max_diffractions: 0,
            ..*limits
        };
        let searcher = Searcher::new(self, world, &limits);
        Ok(searcher.tx_views(tx, control)?.tree)
    }
}

/// A search, ready to start at any point of a scene.
#[derive(Debug)]
pub(super) enum Searcher {
    /// Every sequence is tried.
    Exhaustive { world: World, reflections: usize },
    /// Sequences are those that waves from the ends of paths may take.
    FromEnds(EndSearch),
}

impl Searcher {
    /// A searcher of this kind. For [`Search::Tiles`] and [`Search::Tubes`] it launches rays, which find the paths that
    /// these leave out.
    pub(super) fn new(search: Search, world: &World, limits: &Limits) -> Self {
        Self::FromEnds(match search {
            Search::Exhaustive => {
                return Self::Exhaustive {
                    world: world.clone(),
                    reflections: limits.reflections(),
                };
            }
            Search::Launch(effort) | Search::Tubes(effort) => {
                EndSearch::launch(effort, world, limits)
            }
            Search::Tiles => EndSearch::launch(Effort::default(), world, limits),
            Search::Complete => EndSearch::complete(world, limits),
        })
    }

    /// The search from the ends of paths; `None` if every sequence is tried.
    pub(super) fn end_search(&self) -> Option<&EndSearch> {
        match self {
            Self::Exhaustive { .. } => None,
            Self::FromEnds(search) => Some(search),
        }
    }

    /// The effort that sets the precision where more precision costs more time.
    pub(super) fn effort(&self) -> Effort {
        self.end_search().map(EndSearch::effort).unwrap_or_default()
    }

    /// The distance around found paths within which more are searched for, metres; `None` if the search misses none.
    pub(super) fn reach_of_variations(&self) -> Option<f64> {
        self.end_search()?.reach_of_variations()
    }

    /// The sequences of reflections from a transmitter and, where waves may diffract, the edges visible by them.
    pub(super) fn tx_views(&self, tx: DVec3, control: &Control) -> Result<Views, Error> {
        match self {
            Self::Exhaustive { world, reflections } => {
                exhaustive(world.scene(), tx, *reflections, control).map(Views::of)
            }
            Self::FromEnds(search) => search.tx_views(tx, control),
        }
    }
}
