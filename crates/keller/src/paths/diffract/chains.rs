//! Chains of more than two edges, or of edges with reflections in between: which edges are visible from which, from the
//! Tx on.
//!
//! A chain starts at an edge visible from the transmitter and adds one leg for every further diffraction
//! (`search/edge_legs`). Chains are found once for all receivers, and end at an edge that is visible from a receiver.

use std::ops::Range;

use super::{Encounter, TWO_EDGES};
use crate::parallel;
use crate::paths::job::Job;
use crate::paths::search::edge_legs::{EdgeLeg, EdgeLegs};
use crate::paths::search::views::Views;
use crate::paths::solve::{SolveScratch, solve};
use crate::paths::{InteractionCounts, Step};
use crate::scene::EdgeId;
use crate::{Control, Error};

/// Largest number of links. More would take a quarter of a gigabyte, and hours to solve for a hundred receivers.
const MAX_LINKS: usize = 10_000_000;

/// Number of edges whose legs are searched before links are counted again.
const EDGES_TOGETHER: usize = 64;

/// All chains from one transmitter that `two` does not cover, by their last edge.
#[derive(Debug, Default)]
pub(super) struct Chains {
    links: Vec<Link>,
    /// Links that end whole chains, sorted by their edges.
    ends: Vec<(EdgeId, u32)>,
    legs: Vec<EdgeLeg>,
}

/// One more edge of a chain.
#[derive(Debug, Clone, Copy)]
struct Link {
    /// The link before, or the transmitter's node for a first edge.
    before: u32,
    /// The leg that leads to the edge; `None` for a first edge.
    leg: Option<u32>,
    edge: EdgeId,
    reflections: u32,
    diffractions: u32,
}

impl Chains {
    pub(super) fn new(job: &Job, views: &Views, control: &Control) -> Result<Self, Error> {
        let limits = job.limits;
        let mut chains = Self::default();
        // Fewer interactions leave room only for two edges with nothing in between, which `two` tries without chains.
        if !limits.reflections_between_edges || limits.interactions() < 3 {
            return Ok(chains);
        }
        let Some(max_reflections) = limits.reflections_beside(&TWO_EDGES) else {
            return Ok(chains);
        };
        for view in &views.edges {
            let depth = views.tree.nodes[view.node as usize].depth;
            if depth as usize <= max_reflections {
                chains.links.push(Link {
                    before: view.node,
                    leg: None,
                    edge: view.edge,
                    reflections: depth,
                    diffractions: 1,
                });
            }
        }
        let search = EdgeLegs::new(job.scene, limits, job.transparency);
        let mut known = vec![None; job.scene.edges().len()];
        let mut level = 0..chains.links.len();
        for diffractions in 2..=limits.diffractions_beside(&InteractionCounts::NONE) {
            chains.grow(
                level.clone(),
                diffractions,
                &search,
                &mut known,
                job,
                control,
            )?;
            level = level.end..chains.links.len();
            for index in level.clone() {
                let link = chains.links[index];
                let leg = link.leg.map(|leg| &chains.legs[leg as usize]);
                let is_plain_pair =
                    diffractions == 2 && leg.is_some_and(|l| l.reflections.is_empty());
                if !is_plain_pair {
                    chains.ends.push((link.edge, narrow(index)));
                }
            }
        }
        chains.ends.sort_unstable();
        Ok(chains)
    }

    /// Adds the links that follow those of a level. The legs of an edge are searched once and kept in `known`.
    fn grow(
        &mut self,
        level: Range<usize>,
        diffractions: usize,
        search: &EdgeLegs,
        known: &mut [Option<Range<u32>>],
        job: &Job,
        control: &Control,
    ) -> Result<(), Error> {
        let max_reflections = job.limits.reflections_beside(&TWO_EDGES).unwrap_or(0);
        let mut by_edge: Vec<(EdgeId, usize)> = level.map(|i| (self.links[i].edge, i)).collect();
        by_edge.sort_unstable();
        let groups: Vec<&[(EdgeId, usize)]> = by_edge.chunk_by(|a, b| a.0 == b.0).collect();
        // Only some edges at a time, so that too many links are refused before all legs are searched.
        for groups in groups.chunks(EDGES_TOGETHER) {
            let unknown = groups.iter().map(|group| group[0].0);
            let unknown: Vec<EdgeId> = unknown.filter(|e| known[e.index()].is_none()).collect();
            let found = parallel::try_map(unknown.len(), |n| {
                search.from(unknown[n], max_reflections, control)
            })?;
            for (edge, legs) in unknown.into_iter().zip(found) {
                let first = narrow(self.legs.len());
                self.legs.extend(legs);
                known[edge.index()] = Some(first..narrow(self.legs.len()));
            }
            for &(edge, index) in groups.iter().copied().flatten() {
                let link = self.links[index];
                for leg in known[edge.index()].clone().unwrap_or_default() {
                    let EdgeLeg { reflections, to } = &self.legs[leg as usize];
                    let reflections = link.reflections + narrow(reflections.len());
                    let counts = InteractionCounts::NONE.plus(reflections as usize, diffractions);
                    if job.limits.allow(&counts) {
                        self.links.push(Link {
                            before: narrow(index),
                            leg: Some(leg),
                            edge: *to,
                            reflections,
                            diffractions: narrow(diffractions),
                        });
                    }
                }
                if self.links.len() > MAX_LINKS {
                    return Err(Error::SearchTooLarge(format!(
                        "chains of edges with reflections in between, or of three edges: more than {MAX_LINKS} from one transmitter. \
                         Use fewer interactions, or \
                         `reflections_between_edges = false`: at most two edges, with nothing in between"
                    )));
                }
            }
        }
        Ok(())
    }

    /// The steps of the chain that ends with a link, in order.
    fn steps(&self, views: &Views, link: u32, steps: &mut Vec<Step>) {
        steps.clear();
        let mut at = self.links[link as usize];
        loop {
            steps.push(Step::Diffraction(at.edge));
            let Some(leg) = at.leg else { break };
            let reflections = &self.legs[leg as usize].reflections;
            steps.extend(
                reflections
                    .iter()
                    .rev()
                    .map(|&plane| Step::Reflection(plane)),
            );
            at = self.links[at.before as usize];
        }
        let reflections = views.tree.sequence(at.before as usize);
        steps.extend(reflections.into_iter().rev().map(Step::Reflection));
        steps.reverse();
    }
}

impl Encounter<'_> {
    pub(super) fn meet_by_chains(&mut self) {
        let meeting = self.meeting;
        let chains = &meeting.chains;
        let (mut steps, mut scratch) = (Vec::new(), SolveScratch::default());
        let seen = std::mem::take(&mut self.rx.seen);
        for entry in seen.entries() {
            let edge = EdgeId::from_index(entry.edge as usize);
            let first = chains.ends.partition_point(|end| end.0 < edge);
            for &(_, link) in chains.ends[first..].iter().take_while(|end| end.0 == edge) {
                let Link {
                    reflections,
                    diffractions,
                    ..
                } = chains.links[link as usize];
                let counts = [reflections + entry.depth, diffractions].map(|count| count as usize);
                let counts = InteractionCounts::NONE.plus(counts[0], counts[1]);
                if !meeting.job.limits.allow(&counts) {
                    continue;
                }
                chains.steps(meeting.tx.views, link, &mut steps);
                let reflections = self.rx.views.tree.sequence(entry.node as usize);
                steps.extend(reflections.into_iter().rev().map(Step::Reflection));
                let is_solved = solve(
                    meeting.job.scene,
                    meeting.transmitter.position,
                    &steps,
                    self.position,
                    &mut scratch,
                    &mut self.waypoints,
                );
                if is_solved {
                    self.validate();
                }
            }
        }
        self.rx.seen = seen;
    }
}

fn narrow(n: usize) -> u32 {
    u32::try_from(n).expect("fewer than 2^32 entries")
}
