//! The ways from one end to each cell, by the numbers of their reflections and edges.

use rustc_hash::FxHashMap;

use super::cells::PatchSquare;
use super::ends::End;
use super::ways::Way;
use crate::scene::Scene;

/// All ways from an end, grouped by cell.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) cells: Vec<PatchSquare>,
    /// The ways to each cell in classes, and the index of each cell in `cells`.
    pub(super) classes: Vec<Vec<Class>>,
    places: FxHashMap<PatchSquare, usize>,
}

/// Ways with the same numbers of reflections and edges, the heaviest first.
#[derive(Debug)]
pub(super) struct Class {
    pub(super) reflections: usize,
    pub(super) edges: usize,
    pub(super) ways: Vec<Weighed>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Weighed {
    pub(super) way: Way,
    /// Upper bound of power density times the cosine of incidence, 1/m².
    pub(super) weight: f64,
}

impl Table {
    /// The ways with at least the weight that `min_weight` gives for their cell. Cells for which it gives none have no
    /// ways.
    pub(super) fn new(
        scene: &Scene,
        end: &End,
        min_weight: impl Fn(&PatchSquare) -> Option<f64>,
    ) -> Self {
        let by_reflections = end.illuminated.cells.iter();
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
            let (centre, half) = (cell.centre(scene), cell.reach());
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
    pub(super) fn heaviest(&self, cell: &PatchSquare) -> Option<f64> {
        let classes = self.classes(cell).iter();
        classes.map(|class| class.ways[0].weight).reduce(f64::max)
    }

    pub(super) fn classes(&self, cell: &PatchSquare) -> &[Class] {
        self.places
            .get(cell)
            .map_or(&[], |&place| &self.classes[place])
    }
}
