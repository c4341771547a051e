//! Patches that one end or both reach by edges. Pairs of ways are tried, the strongest first.
//!
//! Every way to a coarse cell has a weight, an upper bound of what it may contribute there. The product of both ends'
//! weights bounds the strength of any patch of the cell. Cells and ways are therefore taken in falling order, and the
//! first that is too weak ends the search.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use super::cells::PatchSquare;
use super::ends::End;
use super::ways::Way;
use super::{FLOOR, Meeting, ONE_PATCH, half_of};
use crate::scene::Scene;

/// All ways from an end, grouped by cell.
#[derive(Debug, Default)]
pub(super) struct Table {
    cells: Vec<PatchSquare>,
    /// The ways to each cell in classes, and the index of each cell in `cells`.
    classes: Vec<Vec<Class>>,
    places: FxHashMap<PatchSquare, usize>,
}

/// Ways with the same numbers of reflections and edges, the heaviest first.
#[derive(Debug)]
struct Class {
    reflections: usize,
    edges: usize,
    ways: Vec<Weighed>,
}

#[derive(Debug, Clone, Copy)]
struct Weighed {
    way: Way,
    /// Upper bound of power density times the cosine of incidence, 1/m².
    weight: f64,
}

impl Table {
    /// The ways with at least the weight that `min_weight` gives for their cell. Cells for which it gives none have no
    /// ways.
    pub(super) fn new(
        scene: &Scene,
        end: &End,
        min_weight: impl Fn(&PatchSquare) -> Option<f64>,
    ) -> Self {
        let by_reflections = end.lit.cells.iter();
        let by_reflections =
            by_reflections.map(|&(cell, node)| (cell, Way::Reflections(node as usize)));
        let by_edges = end.approaches.cells.iter();
        let by_edges = by_edges.map(|&(cell, number)| (cell, Way::Edges(number as usize)));
        let mut ways: Vec<(PatchSquare, Way)> = by_reflections.chain(by_edges).collect();
        ways.sort_by_key(|&(cell, _)| cell);
        let mut table = Self::default();
        for same in ways.chunk_by(|a, b| a.0 == b.0) {
            let cell = same[0].0;
            let Some(min_weight) = min_weight(&cell) else {
                continue;
            };
            let (centre, half) = (cell.centre(scene), half_of(&cell));
            let normal = scene.plane(cell.plane).normal;
            let mut classes: Vec<Class> = Vec::new();
            for &(_, way) in same {
                let Some(bounds) = end.wave_bounds(scene, way, centre, normal, half) else {
                    continue;
                };
                let weight = bounds.density * bounds.cosine(half);
                if weight < min_weight {
                    continue;
                }
                let [reflections, edges] = end.count(way).map(|n| n as usize);
                let weighed = Weighed { way, weight };
                match classes
                    .iter_mut()
                    .find(|c| c.reflections == reflections && c.edges == edges)
                {
                    Some(class) => class.ways.push(weighed),
                    None => classes.push(Class {
                        reflections,
                        edges,
                        ways: vec![weighed],
                    }),
                }
            }
            for class in &mut classes {
                class.ways.sort_by(|a, b| b.weight.total_cmp(&a.weight));
            }
            table.places.insert(cell, table.cells.len());
            table.cells.push(cell);
            table.classes.push(classes);
        }
        table
    }

    /// The weight of the heaviest way to a cell, if there is one.
    fn heaviest(&self, cell: &PatchSquare) -> Option<f64> {
        let classes = self.classes(cell).iter();
        classes.map(|class| class.ways[0].weight).reduce(f64::max)
    }

    fn classes(&self, cell: &PatchSquare) -> &[Class] {
        self.places
            .get(cell)
            .map_or(&[], |&place| &self.classes[place])
    }
}

/// Ways from both ends to one cell.
struct Pairs<'a> {
    cell: PatchSquare,
    before: &'a [Weighed],
    after: &'a [Weighed],
    strongest: f64,
}

impl Meeting<'_> {
    /// Adds the patches reached by one edge or more: few edges and reflections first, then the strongest cells first.
    pub(super) fn meet_by_edges(&mut self) {
        let limits = self.job.limits;
        let tx = self.tx_table;
        let min_power = FLOOR * self.strongest;
        let rx = Table::new(self.job.scene, self.rx, |cell| {
            let heaviest = tx.heaviest(cell)?;
            Some(min_power / (heaviest * cell.side().powi(2)))
        });
        for edges in 1..=limits.diffractions_beside(&ONE_PATCH) {
            let most = limits.reflections_beside(&ONE_PATCH.plus(0, edges));
            for reflections in 0..=most.unwrap_or(0) {
                let mut all: Vec<Pairs> = Vec::new();
                for (&cell, after) in rx.cells.iter().zip(&rx.classes) {
                    for before in tx.classes(&cell) {
                        let fitting = after.iter().filter(|after| {
                            before.edges + after.edges == edges
                                && before.reflections + after.reflections == reflections
                        });
                        all.extend(fitting.map(|after| Pairs {
                            cell,
                            before: &before.ways,
                            after: &after.ways,
                            strongest: strength(&cell, before.ways[0], after.ways[0]),
                        }));
                    }
                }
                all.sort_by(|a, b| b.strongest.total_cmp(&a.strongest));
                for pairs in &all {
                    if !self.is_worth(pairs.strongest) {
                        break;
                    }
                    self.meet_in_cell(pairs, edges + reflections);
                }
            }
        }
    }

    fn meet_in_cell(&mut self, pairs: &Pairs, bounces: usize) {
        for &before in pairs.before {
            for &after in pairs.after {
                if !self.is_worth(strength(&pairs.cell, before, after)) {
                    break;
                }
                self.refine(pairs.cell, [before.way, after.way], bounces);
            }
        }
    }

    /// Whether a patch with this upper bound of its strength is kept.
    fn is_worth(&self, strength: f64) -> bool {
        let floor = FLOOR * self.strongest;
        strength.partial_cmp(&floor) != Some(Ordering::Less)
    }
}

/// Upper bound of the strength of a patch of a cell, as [`Meeting::refine`] measures it.
fn strength(cell: &PatchSquare, before: Weighed, after: Weighed) -> f64 {
    before.weight * after.weight * cell.side().powi(2)
}
