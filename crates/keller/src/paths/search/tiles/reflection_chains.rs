//! Chains of several reflections to tiles, without pairs of tiles: only those that are surely weaker than a threshold
//! are lost.
//!
//! The exact beam tree of the [complete](crate::paths::search::complete) search has all sequences of planes that the
//! transmitter may see, and the visible part of the last plane of each. Through this part the last image sees the
//! centres of tiles; single walls hide some of them, as for chains of one reflection. Where waves pass walls, a beam has
//! no such ends, and pairs of tiles are followed instead.

use std::sync::OnceLock;

use glam::{DVec2, DVec3};
use rayon::prelude::*;

use super::beam::{BeamSource, Steps};
use super::front::Keep;
use super::power::{Ball, Way};
use super::{CoarseChain, TileSearch};
use crate::parallel;
use crate::paths::search::complete::{Complete, Reach, TooWeak};
use crate::paths::search::views::Views;
use crate::paths::{Limits, Step};
use crate::scene::PlaneId;
use crate::{Control, Error, World};

/// The search for sequences of reflecting planes, made when it is first asked for.
#[derive(Debug)]
pub(super) struct ReflectionChains {
    world: World,
    limits: Limits,
    complete: OnceLock<Complete>,
}

impl ReflectionChains {
    pub(super) fn new(world: &World, limits: &Limits) -> Self {
        let limits = Limits {
            max_scatterings: 0,
            ..*limits
        };
        Self {
            world: world.clone(),
            limits,
            complete: OnceLock::new(),
        }
    }

    /// Whether it finds all chains of several reflections.
    pub(super) fn are_all(&self) -> bool {
        self.limits.max_transmissions == 0
    }
}

impl TileSearch {
    /// The views of the transmitter by reflections: planes, and edges if chains around them are looked for here. `None`
    /// if walls may be passed, and if nothing is wanted.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn mirror_views(
        &self,
        tx: DVec3,
        control: &Control,
    ) -> Result<Option<Views>, Error> {
        let reflection_chains = &self.reflection_chains;
        let limits = &self.limits;
        let reflections = reflection_chains.limits.reflections();
        let before_edge = limits
            .reflections_beside_diffraction()
            .filter(|max| self.needs_pairs_to_tiles() && *max > 0);
        if !reflection_chains.are_all() || (reflections < 2 && before_edge.is_none()) {
            return Ok(None);
        }
        let complete = reflection_chains
            .complete
            .get_or_init(|| Complete::new(&reflection_chains.world, &reflection_chains.limits));
        let weak = |planes: &[PlaneId], part| self.too_weak_mirror(tx, planes, part);
        let reach = Reach {
            reflections,
            edges: before_edge,
            among: None,
            wants_parts: true,
            weak: (self.power.as_ref()).map(|_| &weak as &TooWeak),
        };
        complete.views(tx, reach, control).map(Some)
    }

    /// The chains of at least two reflections that may lead to the centres of tiles, in the order of their steps. Of
    /// chains to which no edge can be added, only the tiles that `keep` leaves are returned. Chains that are surely too weak
    /// are not followed; the second result is an upper bound of the share of the wanted power that they bring, times the
    /// areas on which it may fall, m².
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn reflections_to_tiles(
        &self,
        views: &Views,
        keep: &Keep,
        control: &Control,
    ) -> Result<(Vec<CoarseChain>, f64), Error> {
        let nodes = &views.tree.nodes;
        let chain = |node: usize| {
            let (of, part) = (&nodes[node], views.parts[node]);
            if of.depth < 2 || views.unfollowed[node].is_some() || control.is_cancelled() {
                return None;
            }
            let image = nodes[of.parent as usize].image;
            let opening = self.visibility.mirror(image, of.plane, part)?;
            let mut rx = self.visibility.reached_by(&opening, |_| true);
            let planes = views.tree.sequence(node).into_iter();
            let steps: Vec<Step> = planes.map(Step::Reflection).collect();
            if !self.has_edge_left(&Steps::new(&steps)) {
                keep(&steps, &mut rx);
            }
            (!rx.is_empty()).then_some(CoarseChain { steps, rx })
        };
        let mut chains: Vec<CoarseChain> = parallel::collect(nodes.len(), 16, &|range, chains| {
            chains.extend(range.filter_map(chain));
        });
        control.check()?;
        // The wave of a sequence falls on tiles behind its last plane and behind each plane that might follow. A tile
        // counts whole, even if only its centre lies in the beam.
        let margin = self.tiles.tiling().side * std::f64::consts::SQRT_2;
        let limits = &self.limits;
        let longest = limits.max_interactions;
        let longest = longest.min(limits.max_reflections + limits.max_diffractions);
        let unfollowed = |node: usize| {
            let depth = nodes[node].depth as usize;
            let falls = longest - depth + usize::from(depth > 1);
            let [low, high] = views.parts[node];
            let area = (high - low + margin).element_product();
            views.unfollowed[node].map_or(0.0, |share| f64::from(share) * area * falls as f64)
        };
        let unfollowed = (1..nodes.len()).map(unfollowed).sum();
        chains.par_sort_unstable_by(|a, b| a.steps.cmp(&b.steps));
        Ok((chains, unfollowed))
    }

    /// `None` if a wave that the last of some planes reflects may bring the wanted power anywhere; else an upper bound
    /// of the share of it. The last plane is illuminated between two corners.
    fn too_weak_mirror(&self, tx: DVec3, planes: &[PlaneId], part: [DVec2; 2]) -> Option<f32> {
        let power = self.power.as_ref()?;
        let (last, before) = planes.split_last()?;
        let (way, source) = self.mirrored_way(tx, before);
        let plane = self.scene.plane(*last);
        let (u, v) = plane.axes();
        let [low, high] = part;
        let centre = 0.5 * (low + high);
        let at = centre.x * u + centre.y * v + plane.offset * plane.normal;
        #[expect(clippy::cast_possible_truncation, reason = "a bound, with room")]
        let radius = (high - centre).length() as f32;
        let ball = Ball {
            centre: self.local(at),
            radius,
        };
        let arriving = power.bound(&way, &source).amplitude(ball);
        let kept = power.share_of(*last, self.mirror(*last).normal, &source, ball);
        power.too_weak(arriving * kept)
    }

    /// The wave from a transmitter behind some reflecting planes, and the source from which it seems to come.
    pub(super) fn mirrored_way(&self, tx: DVec3, planes: &[PlaneId]) -> (Way, BeamSource) {
        let (mut way, mut source) = (Way::start(), BeamSource::Point(self.local(tx)));
        for plane in planes {
            let mirror = self.mirror(*plane);
            if let Some(power) = &self.power {
                way = power.reflected(&way, *plane, &mirror);
            }
            source = source.mirrored(&mirror);
        }
        (way, source)
    }

    /// Whether an edge may be added to a chain, now or behind further edges.
    pub(super) fn has_edge_left(&self, steps: &Steps) -> bool {
        self.limits.diffractions_beside(&steps.counts()) > 0
    }
}
