//! The facets of terrain that make a height field: each point of the plan has one height.

use glam::{DVec2, DVec3};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Facet;
use crate::geometry::tolerance::WELD_DISTANCE;
use crate::parallel;
use crate::scene::near::{Nearby, outwards};
use crate::scene::{FaceId, Scene};

/// Facets of terrain, none over another.
#[derive(Debug)]
pub(super) struct HeightField {
    /// The facets in the order of triangles.
    pub(super) facets: Vec<Facet>,
    /// The number of facets that are over others, or next to them at another height.
    pub(super) num_left: usize,
}

/// The properties that the new facets of a patch have from the old ones.
#[derive(Debug)]
pub(super) struct Patch {
    /// One of its triangles.
    pub(super) triangle: usize,
    /// Whether most of its fronts look up.
    pub(super) looks_up: bool,
}

impl HeightField {
    pub(super) fn new(scene: &Scene) -> Self {
        let patches = scene.level_grounds();
        let mut facets = Vec::new();
        for (number, (face, patch)) in scene.faces.iter().zip(patches).enumerate() {
            let Some(patch) = patch else { continue };
            for triangle in face.triangles.clone() {
                let [a, b, c] = scene.triangles[triangle];
                let area = twice_area(plan(scene, [a, b, c]));
                facets.push(Facet {
                    triangle,
                    corners: if area < 0.0 { [a, c, b] } else { [a, b, c] },
                    patch,
                    face: FaceId::from_index(number),
                });
            }
        }
        let mut field = Self {
            facets,
            num_left: 0,
        };
        let mut unfit = field.over_each_other(scene);
        unfit.extend(field.at_other_heights(scene));
        field.leave(&unfit);
        field
    }

    /// Leaves out these facets, by their places in the list.
    pub(super) fn leave(&mut self, unfit: &FxHashSet<usize>) {
        self.num_left += unfit.len();
        let mut place = 0;
        self.facets.retain(|_| {
            place += 1;
            !unfit.contains(&(place - 1))
        });
    }

    /// The facets that have these vertices.
    pub(super) fn with_vertices(&self, vertices: &FxHashSet<u32>) -> FxHashSet<usize> {
        let has = |facet: &Facet| facet.corners.iter().any(|v| vertices.contains(v));
        let all = self.facets.iter().enumerate();
        all.filter(|(_, facet)| has(facet))
            .map(|(k, _)| k)
            .collect()
    }

    /// The properties of each patch.
    pub(super) fn patches(&self, scene: &Scene) -> FxHashMap<u32, Patch> {
        let mut up: FxHashMap<u32, (usize, f64)> = FxHashMap::default();
        for facet in &self.facets {
            let area = twice_area(plan(scene, scene.triangles[facet.triangle]));
            up.entry(facet.patch).or_insert((facet.triangle, 0.0)).1 += area;
        }
        let patch = |(number, (triangle, area))| {
            let looks_up = area >= 0.0;
            (number, Patch { triangle, looks_up })
        };
        up.into_iter().map(patch).collect()
    }

    /// The facets that overlap with others, seen from above.
    fn over_each_other(&self, scene: &Scene) -> FxHashSet<usize> {
        let corners = |k: usize| plan(scene, self.facets[k].corners);
        let bounds = |k: usize| {
            let [a, b, c] = corners(k);
            let around = [a.min(b).min(c), a.max(b).max(c)];
            outwards(around.map(|corner| corner.extend(0.0)), 0.0)
        };
        let near = Nearby::new(self.facets.len(), bounds);
        let pairs = parallel::flat_map(self.facets.len(), |k, found| {
            let own = corners(k);
            near.each_meeting(bounds(k), &mut |other| {
                if other > k && overlap(own, corners(other)) {
                    found.extend([k, other]);
                }
            });
        });
        pairs.into_iter().collect()
    }

    /// The facets at vertices that lie straight over each other.
    fn at_other_heights(&self, scene: &Scene) -> FxHashSet<usize> {
        let mut vertices: Vec<u32> = self.facets.iter().flat_map(|f| f.corners).collect();
        vertices.par_sort_unstable();
        vertices.dedup();
        // Vertices are sorted by x, then y.
        let at = |v: u32| scene.vertices[v as usize].truncate();
        let pairs = vertices
            .windows(2)
            .filter(|pair| at(pair[0]) == at(pair[1]));
        let stacked: FxHashSet<u32> = pairs.flatten().copied().collect();
        if stacked.is_empty() {
            return FxHashSet::default();
        }
        self.with_vertices(&stacked)
    }
}

/// Corners seen from above.
pub(super) fn plan(scene: &Scene, corners: [u32; 3]) -> [DVec2; 3] {
    corners
        .map(|v| scene.vertices[v as usize])
        .map(DVec3::truncate)
}

/// Positive for corners that are counter-clockwise.
pub(super) fn twice_area([a, b, c]: [DVec2; 3]) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Whether two counter-clockwise triangles overlap by more than the rounding of files.
fn overlap(a: [DVec2; 3], b: [DVec2; 3]) -> bool {
    let separates = |own: [DVec2; 3], other: [DVec2; 3]| {
        (0..3).any(|k| {
            let along = (own[(k + 1) % 3] - own[k]).normalize_or_zero();
            let depth = |p: &DVec2| along.perp_dot(*p - own[k]);
            other.iter().all(|p| depth(p) <= WELD_DISTANCE)
        })
    };
    !separates(a, b) && !separates(b, a)
}
