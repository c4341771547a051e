//! The ways by edges from one end to the cells of rough walls.
//!
//! The edges visible from an end, directly or by reflections, are found as in `diffract`. Rays from those edges then
//! find the cells that each edge illuminates, directly or by reflections. Where a path may have several diffractions,
//! the rays also find the edges that follow. The result for an edge is found once and used for all ends. In scenes with
//! few edges and cells, every edge is tried with every cell and every other edge, whether a ray reaches it or not.
//! **May miss** several edges on one side of the patch. They are tried in small scenes only, because a city has too
//! many of them, and weak ones.

use glam::DVec3;
use rustc_hash::FxHashMap;

use super::cells::PatchSquare;
use super::wall_cells::rough_cells;
use super::ways::{Approach, reflection_steps};
use crate::parallel;
use crate::paths::diffract::seen::SeenEdges;
use crate::paths::job::Job;
use crate::paths::search::edge_legs::{EdgeLeg, EdgeLegs};
use crate::paths::search::exhaustive::diffracted_sequences;
use crate::paths::search::views::{Views, diffracting_edges, guesses_edges};
use crate::paths::{InteractionCounts, InteractionKind, Limits, Step};
use crate::scene::{EdgeId, PlaneId};
use crate::{Control, Error};

/// The number of pairs of an edge and a cell up to which all pairs are tried, whether a ray reaches the cell or not.
const MAX_GUESSED: usize = 100_000;

/// Chains of several edges before or after a patch are tried if there are at most about this many.
const MAX_CHAINS: f64 = 3e6;

/// Largest number of ways from one end. More would take a quarter of a gigabyte.
const MAX_WAYS: usize = 1_000_000;

/// The interactions that every scattered path has.
pub(super) const ONE_PATCH: InteractionCounts =
    InteractionCounts::NONE.with(InteractionKind::Scattering);

/// Ways by edges, and the cells that each way reaches.
#[derive(Debug, Default)]
pub(super) struct Approaches {
    pub(super) list: Vec<Approach>,
    /// The cell and the number of the way, sorted.
    pub(super) cells: Vec<(PatchSquare, u32)>,
}

/// The cells and further edges that each edge illuminates, for the edges explored so far.
#[derive(Debug)]
pub(super) struct EdgeLights<'a> {
    search: EdgeLegs<'a>,
    known: FxHashMap<EdgeId, EdgeLight>,
    /// Whether a wave may travel from edge to edge.
    has_chains: bool,
    /// All edges and all rough cells, where there are few of them.
    guessed: Option<(Vec<EdgeId>, Vec<PatchSquare>)>,
}

#[derive(Debug)]
struct EdgeLight {
    /// The cells illuminated by each chain of reflections.
    cells: Vec<(Vec<PlaneId>, Vec<PatchSquare>)>,
    legs: Vec<EdgeLeg>,
}

impl<'a> EdgeLights<'a> {
    pub(super) fn new(job: &Job<'a>) -> Self {
        let edges: Vec<EdgeId> = diffracting_edges(job.scene, job.limits).collect();
        let cells = rough_cells(job);
        let is_few = guesses_edges(job.scene) && edges.len() * cells.len() <= MAX_GUESSED;
        let longest = job.limits.diffractions_beside(&ONE_PATCH);
        let chains = (edges.len() as f64).powf(longest as f64) * cells.len() as f64;
        Self {
            has_chains: longest > 1 && chains <= MAX_CHAINS,
            search: EdgeLegs::new(job.scene, job.limits, job.transparency),
            known: FxHashMap::default(),
            guessed: is_few.then_some((edges, cells)),
        }
    }

    /// Explores `edges`, and those that waves may reach from there.
    pub(super) fn learn(
        &mut self,
        job: &Job,
        mut edges: Vec<EdgeId>,
        control: &Control,
    ) -> Result<(), Error> {
        let limits = job.limits;
        let Some(before_cell) = limits.reflections_beside(&ONE_PATCH.plus(0, 1)) else {
            return Ok(());
        };
        let before_edge = limits.reflections_beside(&ONE_PATCH.plus(0, 2));
        let before_edge = before_edge.filter(|_| self.has_chains);
        for _ in 0..limits.diffractions_beside(&ONE_PATCH) {
            edges.sort_unstable();
            edges.dedup();
            let new: Vec<EdgeId> = edges
                .iter()
                .filter(|e| !self.known.contains_key(e))
                .copied()
                .collect();
            let found: Vec<EdgeLight> = parallel::try_map(new.len(), |n| {
                self.lights(new[n], before_cell, before_edge, control)
            })?;
            self.known.extend(new.into_iter().zip(found));
            let legs = edges.iter().flat_map(|edge| &self.known[edge].legs);
            edges = legs.map(|leg| leg.to).collect();
        }
        Ok(())
    }

    fn lights(
        &self,
        edge: EdgeId,
        before_cell: usize,
        before_edge: Option<usize>,
        control: &Control,
    ) -> Result<EdgeLight, Error> {
        let mut illuminated = self.search.light(edge, before_cell, control)?;
        let mut legs = match before_edge {
            Some(reflections) => self.search.from(edge, reflections, control)?,
            None => Vec::new(),
        };
        if let Some((edges, cells)) = &self.guessed {
            illuminated.extend(cells.iter().map(|&cell| (Vec::new(), cell)));
            illuminated.sort_unstable();
            illuminated.dedup();
            if before_edge.is_some() {
                let direct = edges.iter().filter(|&&to| to != edge);
                legs.extend(direct.map(|&to| EdgeLeg {
                    reflections: Vec::new(),
                    to,
                }));
                legs.sort_unstable();
                legs.dedup();
            }
        }
        let by_reflections = illuminated.chunk_by(|a, b| a.0 == b.0);
        let cells = by_reflections
            .map(|same| {
                (
                    same[0].0.clone(),
                    same.iter().map(|&(_, cell)| cell).collect(),
                )
            })
            .collect();
        Ok(EdgeLight { cells, legs })
    }

    /// The ways by edges from an end at `position`, which has the visible edges `seen` in `views`.
    pub(super) fn approaches(
        &self,
        job: &Job,
        position: DVec3,
        views: &Views,
        seen: &SeenEdges,
    ) -> Result<Approaches, Error> {
        let limits = job.limits;
        let mut found = Approaches::default();
        let mut chains: Vec<Vec<Step>> = Vec::new();
        for entry in seen.entries() {
            let planes = views.tree.sequence(entry.node as usize);
            let edge = EdgeId::from_index(entry.edge as usize);
            let chain: Vec<Step> = reflection_steps(planes)
                .chain([Step::Diffraction(edge)])
                .collect();
            if is_allowed(&chain, limits) {
                chains.push(chain);
            }
        }
        while !chains.is_empty() {
            let mut longer = Vec::new();
            for chain in &chains {
                let Some(&Step::Diffraction(last)) = chain.last() else {
                    unreachable!("chains end at edges")
                };
                let light = &self.known[&last];
                for (reflections, cells) in &light.cells {
                    let steps = [chain.as_slice(), &steps_of(reflections)].concat();
                    if is_allowed(&steps, limits) {
                        found.add(job, position, steps, cells.iter().copied());
                    }
                }
                for EdgeLeg { reflections, to } in &light.legs {
                    let steps = [
                        chain.as_slice(),
                        &steps_of(reflections),
                        &[Step::Diffraction(*to)],
                    ]
                    .concat();
                    if is_allowed(&steps, limits) {
                        longer.push(steps);
                    }
                }
                if found.list.len() + longer.len() > MAX_WAYS {
                    return Err(Error::SearchTooLarge(format!(
                        "ways by edges to rough walls: more than {MAX_WAYS} from one device. Use fewer interactions, or one \
                         diffraction beside a scattering"
                    )));
                }
            }
            chains = longer;
        }
        found.cells.sort_unstable();
        Ok(found)
    }
}

impl Approaches {
    /// Every sequence with an edge that the limits allow, to every rough cell. This is the exhaustive reference.
    pub(super) fn all(job: &Job, position: DVec3) -> Result<Self, Error> {
        if !has_diffractions(job.limits) {
            return Ok(Self::default());
        }
        let limits = Limits {
            max_interactions: job.limits.num_more(&ONE_PATCH),
            ..*job.limits
        };
        let cells = rough_cells(job);
        let mut found = Self::default();
        for steps in diffracted_sequences(job.scene, &limits)? {
            found.add(job, position, steps, cells.iter().copied());
        }
        found.cells.sort_unstable();
        Ok(found)
    }

    fn add(
        &mut self,
        job: &Job,
        position: DVec3,
        steps: Vec<Step>,
        cells: impl Iterator<Item = PatchSquare>,
    ) {
        if let Some(approach) = Approach::new(job.scene, position, steps) {
            let number = u32::try_from(self.list.len()).expect("fewer than 2^32 ways");
            self.list.push(approach);
            self.cells.extend(cells.map(|cell| (cell, number)));
        }
    }
}

/// Whether a scattered path may also be diffracted at an edge.
pub(super) fn has_diffractions(limits: &Limits) -> bool {
    limits.diffractions_beside(&ONE_PATCH) > 0
}

fn steps_of(planes: &[PlaneId]) -> Vec<Step> {
    reflection_steps(planes.to_vec()).collect()
}

/// Whether a path may have these steps in addition to a scattering.
fn is_allowed(steps: &[Step], limits: &Limits) -> bool {
    let kinds = steps.iter().map(|step| InteractionKind::from(*step));
    limits.allow(&kinds.fold(ONE_PATCH, InteractionCounts::with))
}
