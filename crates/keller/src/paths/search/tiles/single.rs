//! Chains of one interaction. They need no pairs of tiles: every plane and every edge of which any part may be visible
//! from the transmitter is proposed to all receivers, or centres of tiles, that its wave may reach ([`crate::tiles`],
//! first order).

use glam::DVec3;
use rustc_hash::FxHashMap;

use super::beam::{BeamSource, Steps};
use super::power::{Ball, Power, Way};
use super::{CoarseChain, TileSearch};
use crate::parallel;
use crate::paths::Step;
use crate::paths::search::views::diffracting_edges;
use crate::scene::EdgeId;
use crate::tiles::{Asked, Groups, Opening, Turn};
use crate::{Control, Error};

impl TileSearch {
    /// The chains of one interaction that may lead to the centres of tiles: planes, then edges, each in order. Their
    /// `rx` are numbers of tiles. They are few, so the threshold leaves none out: the sums of those that it drops later
    /// are known exactly.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(in crate::paths) fn single_to_tiles(
        &self,
        tx: DVec3,
        control: &Control,
    ) -> Result<Vec<CoarseChain>, Error> {
        let visibility = &self.visibility;
        self.single(tx, None, control, |opening, is_strong| {
            visibility.reached_by(opening, is_strong)
        })
    }

    /// The chains of one interaction that may lead to receivers.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(in crate::paths) fn single_to(
        &self,
        tx: DVec3,
        rx: &[DVec3],
        control: &Control,
    ) -> Result<Vec<CoarseChain>, Error> {
        let (visibility, points) = (&self.visibility, Groups::of_points(rx));
        self.single(tx, self.power.as_ref(), control, |opening, is_strong| {
            visibility.points_reached_by(opening, &points, is_strong)
        })
    }

    /// Whether the search needs pairs of tiles: for chains of several interactions, and for chains that pass walls by
    /// chance.
    pub(super) fn needs_pairs(&self) -> bool {
        self.limits.max_interactions > 1 || self.passes_walls()
    }

    /// Whether the search for chains to tiles needs pairs: some of these chains are found without.
    pub(in crate::paths) fn needs_pairs_to_tiles(&self) -> bool {
        self.needs_pairs() && !self.has_all(self.limits.max_diffractions)
    }

    /// Whether chains to tiles with up to this many edges are found without pairs, and none is lost.
    pub(in crate::paths) fn has_all(&self, num_edges: usize) -> bool {
        match num_edges {
            0 if self.reflection_chains.are_all() => true,
            0 | 1 => self.complete_up_to.is_some_and(|max| num_edges <= max),
            _ => false,
        }
    }

    /// Whether no chain to tiles is lost that ends with its first edge.
    pub(in crate::paths) fn has_first_edges(&self) -> bool {
        self.reflection_chains.are_all()
    }

    /// Whether a first edge is followed to all tiles of which it lights any part, so that they may reflect its wave.
    pub(in crate::paths) fn lights_in_part(&self) -> bool {
        self.reflection_chains.are_all() && self.limits.max_interactions == 2
    }

    /// Whether chains to tiles with these steps are found without pairs of tiles, because they are several reflections.
    pub(super) fn is_mirrored(&self, steps: &Steps) -> bool {
        self.is_seen_by_reflections(steps) && steps.len() > 1
    }

    /// Whether all chains to tiles that begin with these steps are known from the views by reflections.
    pub(super) fn is_seen_by_reflections(&self, steps: &Steps) -> bool {
        self.reflection_chains.are_all() && steps.num_edges() == 0
    }

    fn passes_walls(&self) -> bool {
        self.limits.max_transmissions > 0
    }

    /// Replaces the chains of one interaction to which pairs of tiles led by `single`. A receiver to which only the
    /// pairs led cannot be reached, except through walls. Where walls may be passed, both are therefore joined.
    pub(in crate::paths) fn put_single(
        &self,
        found: &mut Vec<CoarseChain>,
        single: Vec<CoarseChain>,
    ) {
        if !self.passes_walls() {
            found.retain(|chain| chain.steps.len() != 1);
            found.extend(single);
            return;
        }
        let numbered = found.iter().enumerate();
        let of_one = numbered.filter(|(_, chain)| chain.steps.len() == 1);
        let known: FxHashMap<Step, usize> = of_one.map(|(k, chain)| (chain.steps[0], k)).collect();
        for chain in single {
            match known.get(&chain.steps[0]) {
                Some(place) => add_all(&mut found[*place].rx, &chain.rx),
                None => found.push(chain),
            }
        }
    }

    fn single(
        &self,
        tx: DVec3,
        power: Option<&Power>,
        control: &Control,
        reached: impl Fn(&Opening, &dyn Fn(&Asked) -> bool) -> Vec<u32> + Sync,
    ) -> Result<Vec<CoarseChain>, Error> {
        let limits = &self.limits;
        if limits.max_interactions == 0 {
            return Ok(Vec::new());
        }
        let edges: Vec<EdgeId> = if limits.max_diffractions > 0 {
            diffracting_edges(&self.scene, limits).collect()
        } else {
            Vec::new()
        };
        let openings = self
            .visibility
            .openings(tx, limits.max_reflections > 0, &edges);
        control.check()?;
        let found: Vec<Vec<u32>> = parallel::map_slice(&openings, |opening| {
            if control.is_cancelled() {
                return Vec::new();
            }
            match power {
                Some(power) => {
                    let (way, source) = self.single_way(power, tx, opening.turn);
                    let bound = power.bound(&way, &source);
                    reached(opening, &|asked| {
                        power.too_weak(bound.amplitude(self.ball(asked))).is_none()
                    })
                }
                None => reached(opening, &|_| true),
            }
        });
        control.check()?;
        let mut chains: Vec<CoarseChain> = Vec::new();
        for (opening, rx) in openings.iter().zip(found).filter(|(_, rx)| !rx.is_empty()) {
            let step = match opening.turn {
                Turn::Reflection(plane) => Step::Reflection(plane),
                Turn::Diffraction(edge) => Step::Diffraction(edge),
            };
            // The parts of an edge follow each other.
            match chains.last_mut().filter(|last| last.steps == [step]) {
                Some(last) => add_all(&mut last.rx, &rx),
                None => chains.push(CoarseChain {
                    steps: vec![step],
                    rx,
                }),
            }
        }
        Ok(chains)
    }

    /// A ball around points that a wave is asked about.
    pub(super) fn ball(&self, asked: &Asked) -> Ball {
        #[expect(clippy::cast_possible_truncation, reason = "f32 proposes")]
        let radius = asked.radius as f32;
        Ball {
            centre: self.local(asked.centre),
            radius,
        }
    }

    /// The wave of one interaction, and the source from which it seems to come.
    fn single_way(&self, power: &Power, tx: DVec3, turn: Turn) -> (Way, BeamSource) {
        let source = BeamSource::Point(self.local(tx));
        match turn {
            Turn::Reflection(plane) => {
                let mirror = self.mirror(plane);
                let way = power.reflected(&Way::start(), plane, &mirror);
                (way, source.mirrored(&mirror))
            }
            Turn::Diffraction(id) => {
                let edge = &self.scene.edges()[id.index()];
                let diffracted = self.edge_source(id, self.local(tx));
                let ends = edge.ends.map(|end| self.local(end));
                let way =
                    Way::start().diffracted(&source, edge, &diffracted, (ends, f32::INFINITY));
                (way, BeamSource::Edge(diffracted))
            }
        }
    }
}

/// Adds numbers to a list, which is then ascending and without duplicates.
fn add_all(all: &mut Vec<u32>, more: &[u32]) {
    all.extend_from_slice(more);
    all.sort_unstable();
    all.dedup();
}
