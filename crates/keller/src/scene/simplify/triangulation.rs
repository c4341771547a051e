//! The triangulation of the plan: it begins with the outline, whose lines are its constraints.

use glam::DVec3;
use rustc_hash::{FxHashMap, FxHashSet};
use spade::handles::FixedVertexHandle;
use spade::{
    ConstrainedDelaunayTriangulation, HasPosition, Intersection, LineIntersectionIterator, Point2,
    Triangulation as _,
};

use super::field::{HeightField, plan, twice_area};
use super::outline::{Line, Outline};
use crate::geometry::tolerance::WELD_DISTANCE;
use crate::scene::Scene;

/// A vertex of the scene in the plan.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site {
    at: Point2<f64>,
    pub(super) vertex: u32,
}

impl HasPosition for Site {
    type Scalar = f64;

    fn position(&self) -> Point2<f64> {
        self.at
    }
}

type Net = ConstrainedDelaunayTriangulation<Site>;

/// Vertices of terrain in a triangulation of the plan.
#[derive(Debug)]
pub(super) struct PlanTriangulation<'a> {
    scene: &'a Scene,
    outline: &'a Outline,
    pub(super) net: Net,
    /// The handle of each vertex of the scene in the triangulation.
    pub(super) handles: Vec<Option<FixedVertexHandle>>,
}

impl<'a> PlanTriangulation<'a> {
    /// Begins with the outline. If it does not lie in the plan without crossing itself or running over a vertex at
    /// another height, returns the facets that have a part in this.
    pub(super) fn new(
        scene: &'a Scene,
        field: &HeightField,
        outline: &'a Outline,
    ) -> Result<Self, FxHashSet<usize>> {
        let mut made = Self {
            scene,
            outline,
            net: Net::new(),
            handles: vec![None; scene.vertices.len()],
        };
        let mut hint = None;
        for vertex in &outline.kept {
            hint = Some(made.insert(*vertex, hint));
        }
        for line in &outline.lines {
            let [from, to] = made.ends(line.ends);
            made.net.try_add_constraint(from, to);
        }
        let lines = outline.lines.iter();
        let misfits: FxHashSet<u32> = lines.flat_map(|line| made.misfits(line)).collect();
        if !misfits.is_empty() {
            return Err(field.with_vertices(&misfits));
        }
        match made.unlike_areas(field) {
            Some(unlike) => Err(unlike),
            None => Ok(made),
        }
    }

    /// Adds a vertex of the scene, near another one.
    pub(super) fn insert(
        &mut self,
        vertex: u32,
        hint: Option<FixedVertexHandle>,
    ) -> FixedVertexHandle {
        let at = self.plan(vertex);
        let site = Site { at, vertex };
        let handle = match hint {
            Some(hint) => self.net.insert_with_hint(site, hint),
            None => self.net.insert(site),
        };
        let handle = handle.expect("coordinates are finite and not huge");
        self.handles[vertex as usize] = Some(handle);
        handle
    }

    pub(super) fn plan(&self, vertex: u32) -> Point2<f64> {
        let at = self.at(vertex);
        spade::mitigate_underflow(Point2::new(at.x, at.y))
    }

    pub(super) fn at(&self, vertex: u32) -> DVec3 {
        self.scene.vertices[vertex as usize]
    }

    /// The handles of vertices that stay.
    pub(super) fn ends<const N: usize>(&self, vertices: [u32; N]) -> [FixedVertexHandle; N] {
        vertices.map(|v| self.handles[v as usize].expect("a vertex that stays"))
    }

    /// The vertices because of which a line does not fit: its ends if other lines cross it, and vertices in the middle
    /// of it that are at another height.
    fn misfits(&self, line: &Line) -> Vec<u32> {
        let [from, to] = self.ends(line.ends);
        let [a, b] = line.ends.map(|v| self.at(v));
        let along = b - a;
        let mut misfits = Vec::new();
        for met in LineIntersectionIterator::new_from_handles(&self.net, from, to) {
            match met {
                Intersection::EdgeIntersection(_) => misfits.extend(line.ends),
                Intersection::EdgeOverlap(edge) if !edge.is_constraint_edge() => {
                    misfits.extend(line.ends);
                }
                Intersection::EdgeOverlap(_) => {}
                Intersection::VertexIntersection(vertex) => {
                    let vertex = vertex.data().vertex;
                    let here = self.at(vertex);
                    let t = (here - a).truncate().dot(along.truncate())
                        / along.truncate().length_squared();
                    if (a.z + t * along.z - here.z).abs() > WELD_DISTANCE {
                        misfits.extend(line.ends);
                        misfits.push(vertex);
                    }
                }
            }
        }
        misfits
    }

    /// The patch in which each face lies; `None` outside of terrain. Patches spread from the lines of the outline.
    pub(super) fn patches(&self) -> Vec<Option<u32>> {
        let mut patches = vec![None; self.net.num_all_faces()];
        let mut is_border = vec![false; self.net.num_undirected_edges()];
        let mut reached = Vec::new();
        for line in &self.outline.lines {
            let [from, to] = self.ends(line.ends);
            let [left, right] = line.patches();
            for met in LineIntersectionIterator::new_from_handles(&self.net, from, to) {
                let Intersection::EdgeOverlap(edge) = met else {
                    continue;
                };
                if left != right {
                    is_border[edge.as_undirected().fix().index()] = true;
                }
                for (face, patch) in [edge.face(), edge.rev().face()]
                    .into_iter()
                    .zip([left, right])
                {
                    if let (Some(face), Some(patch)) = (face.as_inner(), patch) {
                        reached.push((face.fix(), patch));
                    }
                }
            }
        }
        while let Some((face, patch)) = reached.pop() {
            let known = &mut patches[face.index()];
            if known.is_some() {
                continue;
            }
            *known = Some(patch);
            for edge in self.net.face(face).adjacent_edges() {
                if !is_border[edge.as_undirected().fix().index()]
                    && let Some(beyond) = edge.rev().face().as_inner()
                {
                    reached.push((beyond.fix(), patch));
                }
            }
        }
        patches
    }

    /// The facets of the patches that do not have the areas in the plan that they should; `None` if all have.
    fn unlike_areas(&self, field: &HeightField) -> Option<FxHashSet<usize>> {
        let of_faces = self.patches();
        // Area, and how much of it may be missing along lines.
        let mut areas: FxHashMap<u32, (f64, f64)> = FxHashMap::default();
        for facet in &field.facets {
            let corners = plan(self.scene, facet.corners);
            areas.entry(facet.patch).or_default().0 += twice_area(corners);
        }
        for line in &self.outline.lines {
            let [a, b] = line.ends.map(|v| self.at(v).truncate());
            for patch in line.patches().into_iter().flatten() {
                areas.entry(patch).or_default().1 += WELD_DISTANCE * a.distance(b);
            }
        }
        let mut found: FxHashMap<u32, f64> = FxHashMap::default();
        for face in self.net.inner_faces() {
            if let Some(patch) = of_faces[face.fix().index()] {
                let corners = face.vertices().map(|vertex| vertex.data().vertex);
                *found.entry(patch).or_default() += twice_area(plan(self.scene, corners));
            }
        }
        let is_unlike = |patch: u32| {
            let (wanted, may_miss) = areas[&patch];
            let found = found.get(&patch).copied().unwrap_or_default();
            (found - wanted).abs() > 2.0 * may_miss + 1e-9 * wanted
        };
        let facets = field.facets.iter().enumerate();
        let unlike = facets.filter(|(_, facet)| is_unlike(facet.patch));
        let unlike: FxHashSet<usize> = unlike.map(|(k, _)| k).collect();
        (!unlike.is_empty()).then_some(unlike)
    }
}
