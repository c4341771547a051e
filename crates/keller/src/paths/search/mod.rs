//! Searches. Each proposes sequences of reflecting planes and edges that might join a Tx to an Rx. The solver and the
//! validator decide.
//!
//! `launch` and `complete` propose sequences of planes and, where waves may diffract, the edges visible from each end
//! by such sequences (`views`); `paths/diffract` joins those of both ends. `tiles` follows whole chains of planes and
//! edges, and `exhaustive` tries all. For diffuse scattering, launched rays find the patches of rough walls that each
//! end illuminates, and by which planes; only `exhaustive` tries all planes. Reflections in the gaps between the facets
//! of curved surfaces are not proposed: `paths/joints` derives them from the other sequences.

mod complete;
pub(super) mod edge_legs;
pub(super) mod exhaustive;
mod launch;
pub(crate) mod tiles;
mod tree_builder;
pub(super) mod views;

use glam::DVec3;

use self::complete::{Complete, EdgeTree, Reach};
use self::launch::{Density, Detail, FaceEdges, Launch, OtherEnd};
use self::views::{LitSquares, Views, diffracting_edges, guesses_edges};
use super::{InteractionCounts, Limits, SequenceTree};
use crate::scene::Scene;
use crate::{Control, Error, World};

/// Which search proposes the sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Search {
    /// Rays in every direction; every hit is both reflected and passed through. Quick, but may miss paths by the
    /// smallest faces, and some of many reflections.
    Launch(Effort),
    /// An exact beam tree with hidden surfaces removed. Misses no reflection.
    Complete,
    /// From tile to tile over the discrete environment, which is the same for every transmitter. May miss paths of
    /// several interactions that only small parts of tiles see. No walls are passed, and diffuse scattering is found by
    /// launched rays.
    Tiles,
    /// Every possible sequence of planes and edges. Slow, obviously right, for small scenes.
    Exhaustive,
}

impl Default for Search {
    fn default() -> Self {
        Self::Launch(Effort::default())
    }
}

/// How many rays [`Search::Launch`] sends: time against completeness. Where waves diffract or scatter, each receiver
/// sends some too. Rough walls are cut more finely the higher the effort: the scattered power is within 1 dB, 0.3 dB or
/// 0.1 dB of the integral.
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

/// Up to this many faces, the complete search takes about as long as launched rays, or less, and finds paths that they
/// miss.
const FEW_FACES: usize = 2000;

/// The same for the number of faces times one more than the walls that a path may pass: beams continue behind each of
/// these walls.
const FEW_PASSED: usize = 2 * FEW_FACES;

/// Up to this many sequences, trying all of them costs at most some milliseconds a receiver.
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

    /// The same for more than one diffraction.
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
            Self::Exhaustive => "exhaustive",
        }
    }

    /// The sequences of reflecting planes that may start at `tx`. For `Tiles`, which proposes only sequences that lead
    /// to receivers, they are those of launched rays.
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
pub(super) struct Searcher {
    world: World,
    limits: Limits,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Exhaustive,
    Launch(Effort, Detail, FaceEdges),
    Complete(Box<Complete>),
}

/// The transmitter's views, prepared for the searches from receivers.
#[derive(Debug)]
pub(super) struct FromTx {
    /// The edges directly visible from the transmitter, for the complete search.
    direct: Option<EdgeTree>,
    /// The edges visible from the transmitter, for launched rays where each path has one edge.
    other_end: Option<OtherEnd>,
}

impl Searcher {
    /// A searcher of this kind. For [`Search::Tiles`] it launches rays, which find the paths that tiles leave out.
    pub(super) fn new(search: Search, world: &World, limits: &Limits) -> Self {
        let scene = world.scene();
        let launch =
            |effort| Kind::Launch(effort, Detail::of(scene), FaceEdges::new(scene, limits));
        let kind = match search {
            Search::Exhaustive => Kind::Exhaustive,
            Search::Launch(effort) => launch(effort),
            Search::Tiles => launch(Effort::default()),
            Search::Complete => Kind::Complete(Box::new(Complete::new(world, limits))),
        };
        Self {
            world: world.clone(),
            limits: *limits,
            kind,
        }
    }

    /// The effort that sets the precision where more precision costs more time.
    pub(super) fn effort(&self) -> Effort {
        match &self.kind {
            Kind::Launch(effort, ..) => *effort,
            Kind::Exhaustive | Kind::Complete(_) => Effort::Default,
        }
    }

    /// Whether every sequence is tried, without a search from the devices.
    pub(super) fn is_exhaustive(&self) -> bool {
        matches!(self.kind, Kind::Exhaustive)
    }

    /// How far around found paths to search for more, metres; `None` if the search misses none.
    pub(super) fn reach_beside(&self) -> Option<f64> {
        match &self.kind {
            Kind::Launch(_, detail, _) => detail.reach_beside(),
            Kind::Exhaustive | Kind::Complete(_) => None,
        }
    }

    /// The sequences of reflections from a transmitter and, where waves may diffract, the edges visible by them.
    pub(super) fn tx_views(&self, tx: DVec3, control: &Control) -> Result<Views, Error> {
        let reflections = self.limits.reflections();
        match &self.kind {
            Kind::Exhaustive => {
                let scene = self.world.scene();
                exhaustive::exhaustive(scene, tx, reflections, control).map(Views::of)
            }
            Kind::Launch(effort, detail, edges) => {
                let density = Density::from_tx(*effort, *detail);
                let launch = self.launch(vec![tx], reflections, density, edges);
                launch.trace(control).map(only)
            }
            Kind::Complete(complete) => {
                let reach = Reach {
                    reflections,
                    edges: self.limits.reflections_beside_diffraction(),
                    among: None,
                    wants_parts: false,
                    weak: None,
                };
                complete.views(tx, reach, control)
            }
        }
    }

    /// Every possible sequence of up to `reflections` reflections.
    pub(super) fn all_sequences(
        &self,
        from: DVec3,
        reflections: usize,
        control: &Control,
    ) -> Result<SequenceTree, Error> {
        exhaustive::exhaustive(self.world.scene(), from, reflections, control)
    }

    /// The cells of rough walls that rays from a transmitter or from a receiver hit.
    pub(super) fn light(
        &self,
        from: DVec3,
        reflections: usize,
        is_tx: bool,
        control: &Control,
    ) -> Result<LitSquares, Error> {
        let density = Density::of_light(self.effort(), is_tx);
        self.launch(vec![from], reflections, density, &FaceEdges::default())
            .light(control)
            .map(only)
    }

    /// The edges visible from a device by at most `reflections` reflections, regardless of the other end.
    pub(super) fn edge_views(
        &self,
        from: DVec3,
        reflections: usize,
        control: &Control,
    ) -> Result<Views, Error> {
        match &self.kind {
            Kind::Exhaustive => unreachable!("the exhaustive search tries every sequence"),
            Kind::Launch(effort, detail, edges) => {
                let density = Density::from_rx(*effort, *detail);
                let launch = self.launch(vec![from], reflections, density, edges);
                launch.trace(control).map(only)
            }
            Kind::Complete(complete) => {
                let reach = Reach {
                    reflections,
                    edges: Some(reflections),
                    among: None,
                    wants_parts: false,
                    weak: None,
                };
                complete.views(from, reach, control)
            }
        }
    }

    /// Prepares the transmitter's visible edges for the searches from receivers.
    pub(super) fn tx_side(&self, tx_views: &Views) -> FromTx {
        let direct = match &self.kind {
            Kind::Complete(complete) => Some(complete.direct_edges(tx_views)),
            Kind::Launch(..) | Kind::Exhaustive => None,
        };
        let has_one_edge = self.limits.max_diffractions == 1 && !guesses_edges(self.world.scene());
        let other_end = match &self.kind {
            Kind::Launch(_, _, edges) if has_one_edge => {
                Some(edges.other_end(self.world.scene(), tx_views))
            }
            _ => None,
        };
        FromTx { direct, other_end }
    }

    /// How many of `num` receivers should be searched from together: more than one where a device traces rays, which is busy with
    /// many only.
    pub(super) fn rx_at_once(&self, num: usize) -> usize {
        let Kind::Launch(effort, detail, _) = &self.kind else {
            return 1;
        };
        let rays = Density::from_rx(*effort, *detail).num_rays();
        let of_device = self.world.scene().index().rays_at_once(rays) / rays;
        // No thread is left without any.
        of_device.min(num / rayon::current_num_threads()).max(1)
    }

    /// The edges visible from each receiver by reflections.
    pub(super) fn rx_views(
        &self,
        rx: &[DVec3],
        from_tx: &FromTx,
        control: &Control,
    ) -> Result<Vec<Views>, Error> {
        let Some(reflections) = self.limits.reflections_beside_diffraction() else {
            let nothing = |rx: &DVec3| Views::of(SequenceTree::root(*rx));
            return Ok(rx.iter().map(nothing).collect());
        };
        match &self.kind {
            Kind::Exhaustive => unreachable!("the exhaustive search does not meet in the middle"),
            Kind::Launch(effort, detail, edges) => {
                let density = Density::from_rx(*effort, *detail);
                let launch = Launch {
                    other_end: from_tx.other_end.as_ref(),
                    ..self.launch(rx.to_vec(), reflections, density, edges)
                };
                launch.trace(control)
            }
            Kind::Complete(complete) => {
                // With the largest number of reflections beside one edge, only edges that are directly visible from the
                // transmitter matter.
                let two_edges = InteractionCounts::NONE.plus(0, 2);
                let beside_two = self.limits.reflections_beside(&two_edges);
                let edges = reflections.checked_sub(1).max(beside_two);
                let among = from_tx
                    .direct
                    .as_ref()
                    .filter(|_| edges != Some(reflections));
                let reach = Reach {
                    reflections,
                    edges,
                    among,
                    wants_parts: false,
                    weak: None,
                };
                let views = |rx: &DVec3| complete.views(*rx, reach, control);
                rx.iter().map(views).collect()
            }
        }
    }

    fn launch<'b>(
        &'b self,
        from: Vec<DVec3>,
        reflections: usize,
        density: Density,
        edges: &'b FaceEdges,
    ) -> Launch<'b> {
        Launch {
            scene: self.world.scene(),
            transparency: self.world.transparency(),
            limits: &self.limits,
            from,
            reflections,
            density,
            edges,
            other_end: None,
        }
    }
}

/// The result of the only point.
fn only<T>(mut found: Vec<T>) -> T {
    found.pop().expect("one for each point")
}
