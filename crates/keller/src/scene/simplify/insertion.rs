//! Greedy insertion: vertices go into a constrained Delaunay triangulation, the farthest first, until none is too far.
//!
//! In each round, every triangle that has changed looks at the old corners of faces over it. Those that are farthest
//! from their triangles are added in the order of their distance, unless an earlier one has changed their triangle.
//! When none is too far, creases between old faces are followed through the triangulation. Where one is too far from a
//! new side that it crosses, one of its ends is added; where both ends are there, the crease itself becomes a
//! constraint. Creases do not cross each other, so the worst that can come out is the old terrain.
//!
//! The triangulation is that of the crate `spade`, whose tests of orientation and of circles are exact. All of it is
//! deterministic: equal distances go by the number of the vertex, and walks start at given vertices.

use glam::{DVec2, DVec3};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use spade::handles::{FixedFaceHandle, InnerTag};
use spade::{LineIntersectionIterator, PositionInTriangulation, Triangulation as _};

use super::field::{HeightField, twice_area};
use super::outline::Outline;
use super::triangulation::PlanTriangulation;
use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::parallel;
use crate::scene::Scene;
use crate::scene::weld::smallest_first;
use crate::{Control, Error};

/// The part of the allowed error that is kept for points that are not looked at, which are all but the corners of
/// faces, metres. Faces are planar and chains of lines straight to within a part of it.
const PLANAR: f64 = 1e-3;

/// Distances up to this are rounding, metres.
const ROUNDING: f64 = ON_FACE_DISTANCE;

type FaceHandle = FixedFaceHandle<InnerTag>;

/// The triangulation, and the vertices that are still to be compared with it.
#[derive(Debug)]
pub(super) struct Insertion<'a> {
    outline: &'a Outline,
    plan: PlanTriangulation<'a>,
    /// Whether the first faces lie outside of terrain. They stay there; all later ones lie inside.
    is_outside: Vec<bool>,
    pending: Vec<Pending>,
    /// The corners of each face when it was last compared, the smallest first.
    compared: Vec<[u32; 3]>,
    /// Creases that are constraints.
    forced: FxHashSet<[u32; 2]>,
}

/// A corner of old faces that is not in the triangulation.
#[derive(Debug, Clone, Copy)]
struct Pending {
    vertex: u32,
    /// The face over or under it; `None` if it is not looked for, or if none is there.
    face: Option<FaceHandle>,
    /// Its vertical distance from that face, metres.
    error: f64,
}

/// A place at which a crease is too far from a new side.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    error: f64,
    old: [u32; 2],
    /// Vertices of the scene, smaller first.
    new: [u32; 2],
}

impl<'a> Insertion<'a> {
    /// Begins with the outline. If it does not lie in the plan, returns the facets that have a part in this.
    pub(super) fn new(
        scene: &'a Scene,
        field: &HeightField,
        outline: &'a Outline,
    ) -> Result<Self, FxHashSet<usize>> {
        let plan = PlanTriangulation::new(scene, field, outline)?;
        let pending = outline.free.iter().map(|vertex| Pending {
            vertex: *vertex,
            face: None,
            error: 0.0,
        });
        Ok(Self {
            pending: pending.collect(),
            is_outside: plan.patches().iter().map(Option::is_none).collect(),
            outline,
            plan,
            compared: Vec::new(),
            forced: FxHashSet::default(),
        })
    }

    /// The facets within the error: corners, counter-clockwise seen from above, and patches.
    pub(super) fn simplified(
        mut self,
        max_error: f64,
        control: &Control<'_>,
    ) -> Result<Vec<([u32; 3], u32)>, Error> {
        let allowed = (max_error - PLANAR).max(ROUNDING);
        loop {
            control.check()?;
            self.compare();
            if self.add_farthest(allowed) {
                continue;
            }
            control.check()?;
            if !self.add_at_crossings(allowed) {
                break;
            }
        }
        let patches = self.plan.patches();
        let faces = self.plan.net.inner_faces();
        let of_terrain = faces.filter_map(|face| {
            let patch = patches[face.fix().index()]?;
            Some((face.vertices().map(|vertex| vertex.data().vertex), patch))
        });
        Ok(of_terrain.collect())
    }

    /// Compares the vertices over faces that have changed.
    fn compare(&mut self) {
        let mut faces = vec![[u32::MAX; 3]; self.plan.net.num_all_faces()];
        for face in self.plan.net.inner_faces() {
            let corners = face.vertices().map(|vertex| vertex.data().vertex);
            faces[face.fix().index()] = smallest_first(corners);
        }
        let mut pending = std::mem::take(&mut self.pending);
        pending.retain(|one| self.plan.handles[one.vertex as usize].is_none());
        pending.par_iter_mut().for_each(|one| {
            let hint = match one.face {
                Some(face) => {
                    let [before, _, _] = self.compared[face.index()];
                    if faces[face.index()] == self.compared[face.index()] {
                        return;
                    }
                    before
                }
                None if self.compared.is_empty() => self.outline.kept[0],
                None => return,
            };
            one.face = self.face_at(one.vertex, hint);
            one.error = one.face.map_or(0.0, |face| {
                let corners = faces[face.index()].map(|v| self.plan.at(v));
                let at = self.plan.at(one.vertex);
                (at.z - height(corners, at.truncate())).abs()
            });
        });
        self.pending = pending;
        self.compared = faces;
    }

    /// The face of terrain over or under a vertex, which is looked for from another one.
    fn face_at(&self, vertex: u32, hint: u32) -> Option<FaceHandle> {
        let [hint] = self.plan.ends([hint]);
        let face = match self.plan.net.locate_with_hint(self.plan.plan(vertex), hint) {
            PositionInTriangulation::OnFace(face) => face,
            PositionInTriangulation::OnEdge(edge) => {
                let edge = self.plan.net.directed_edge(edge);
                let faces = [edge.face(), edge.rev().face()];
                let faces = faces
                    .into_iter()
                    .filter_map(|face| Some(face.as_inner()?.fix()));
                // The walk may come from either side.
                faces
                    .filter(|face| !self.lies_outside(*face))
                    .min_by_key(FaceHandle::index)?
            }
            _ => return None,
        };
        (!self.lies_outside(face)).then_some(face)
    }

    fn lies_outside(&self, face: FaceHandle) -> bool {
        self.is_outside.get(face.index()).copied().unwrap_or(false)
    }

    /// Adds the farthest vertex of each face, the farthest of all first. Returns whether there is any.
    fn add_farthest(&mut self, allowed: f64) -> bool {
        let far = |one: &Pending| {
            let face = one.face.filter(|_| one.error > allowed)?;
            Some((face, one.error, one.vertex))
        };
        let pending = &self.pending;
        let mut far = parallel::collect(pending.len(), 4096, &|range, all| {
            all.extend(pending[range].iter().filter_map(far));
        });
        far.par_sort_unstable_by(|a, b| {
            (a.0.index().cmp(&b.0.index())).then(b.1.total_cmp(&a.1).then(a.2.cmp(&b.2)))
        });
        far.dedup_by_key(|one| one.0);
        far.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.2.cmp(&b.2)));
        for (face, _, vertex) in &far {
            let corners = self.plan.net.face(*face).vertices();
            let hint = corners[0].fix();
            let corners = smallest_first(corners.map(|corner| corner.data().vertex));
            if corners == self.compared[face.index()] {
                self.plan.insert(*vertex, Some(hint));
            }
        }
        !far.is_empty()
    }

    /// Adds vertices, or creases, where creases are too far from the new sides that they cross; the farthest first.
    /// Returns whether there is any.
    fn add_at_crossings(&mut self, allowed: f64) -> bool {
        let mut faces: Vec<Option<FaceHandle>> = vec![None; self.plan.handles.len()];
        let mut errors: FxHashMap<u32, f64> = FxHashMap::default();
        for one in &self.pending {
            faces[one.vertex as usize] = one.face;
        }
        let sides = &self.outline.creases;
        let mut far: Vec<Crossing> = parallel::flat_map(sides.len(), |n, far| {
            far.extend(self.worst_crossing(sides[n], &faces, allowed));
        });
        far.sort_unstable_by(|a, b| b.error.total_cmp(&a.error).then(a.old.cmp(&b.old)));
        if far.is_empty() {
            return false;
        }
        errors.extend(self.pending.iter().map(|one| (one.vertex, one.error)));
        for Crossing { old, new, .. } in far {
            let [p, q] = self.plan.ends(new);
            if self.plan.net.get_edge_from_neighbors(p, q).is_none() {
                continue;
            }
            let missing = old
                .into_iter()
                .filter(|v| self.plan.handles[*v as usize].is_none());
            let farthest = missing.max_by(|a, b| errors[a].total_cmp(&errors[b]).then(b.cmp(a)));
            if let Some(vertex) = farthest {
                self.plan.insert(vertex, Some(p));
            } else {
                let [from, to] = self.plan.ends(old);
                self.plan.net.try_add_constraint(from, to);
                self.forced.insert(old);
            }
        }
        true
    }

    /// The place at which a crease is farthest from the new sides that it crosses, if that is too far. `faces` has the
    /// face at each pending vertex.
    fn worst_crossing(
        &self,
        old: [u32; 2],
        faces: &[Option<FaceHandle>],
        allowed: f64,
    ) -> Option<Crossing> {
        if self.forced.contains(&old) {
            return None;
        }
        let has_corner = |face: FaceHandle, vertex: u32| {
            let corners = self.plan.net.face(face).vertices();
            corners.iter().any(|corner| corner.data().vertex == vertex)
        };
        let handles = old.map(|v| self.plan.handles[v as usize]);
        let of_ends = old.map(|v| faces[v as usize]);
        let is_within = match (handles, of_ends) {
            ([Some(a), Some(b)], _) => self.plan.net.get_edge_from_neighbors(a, b).is_some(),
            ([Some(_), None], [_, Some(face)]) => has_corner(face, old[0]),
            ([None, Some(_)], [Some(face), _]) => has_corner(face, old[1]),
            ([None, None], [Some(a), Some(b)]) => a == b,
            // Some end lies outside all faces by rounding.
            _ => true,
        };
        if is_within {
            return None;
        }
        let crossed = if let [Some(a), Some(b)] = handles {
            LineIntersectionIterator::new_from_handles(&self.plan.net, a, b)
        } else {
            let [a, b] = old.map(|v| self.plan.plan(v));
            LineIntersectionIterator::new(&self.plan.net, a, b)
        };
        let ends = old.map(|v| self.plan.at(v));
        let crossings = crossed.filter_map(|met| {
            let edge = met.as_edge_intersection()?;
            if edge.is_constraint_edge() {
                return None;
            }
            let [p, q] = [edge.from(), edge.to()].map(|end| end.data().vertex);
            let new = [p.min(q), p.max(q)];
            let error = gap(ends, new.map(|v| self.plan.at(v)))?;
            (error > allowed).then_some(Crossing { error, old, new })
        });
        crossings.max_by(|a, b| a.error.total_cmp(&b.error).then(b.new.cmp(&a.new)))
    }
}

/// The height of a triangle at a point of the plan inside it.
fn height(corners: [DVec3; 3], at: DVec2) -> f64 {
    let [a, b, c] = corners.map(DVec3::truncate);
    let shares = [[at, b, c], [a, at, c], [a, b, at]].map(|part| twice_area(part).max(0.0));
    let whole: f64 = shares.iter().sum();
    if whole <= 0.0 {
        return corners[0].z;
    }
    let sum: f64 = shares.iter().zip(corners).map(|(s, p)| s * p.z).sum();
    sum / whole
}

/// The vertical distance of two lines where they cross in the plan; `None` for parallel ones.
fn gap([a, b]: [DVec3; 2], [p, q]: [DVec3; 2]) -> Option<f64> {
    let (old, new) = (b - a, q - p);
    let from = (p - a).truncate();
    let turn = old.truncate().perp_dot(new.truncate());
    let t = from.perp_dot(new.truncate()) / turn;
    let s = from.perp_dot(old.truncate()) / turn;
    if !(t.is_finite() && s.is_finite()) {
        return None;
    }
    let [t, s] = [t, s].map(|at| at.clamp(0.0, 1.0));
    Some((a.z + t * old.z - p.z - s * new.z).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_and_gaps_are_those_of_planes_and_lines() {
        let plane = |x: f64, y: f64| DVec3::new(x, y, 2.0 * x - y + 3.0);
        let corners = [plane(0.0, 0.0), plane(5.0, 1.0), plane(1.0, 4.0)];
        let at = DVec2::new(2.0, 1.5);
        assert!((height(corners, at) - 5.5).abs() < 1e-12);
        let level = [DVec3::new(0.0, 2.0, 1.0), DVec3::new(4.0, 2.0, 1.0)];
        let upright = [DVec3::new(1.0, 0.0, 0.0), DVec3::new(1.0, 4.0, 8.0)];
        assert_eq!(gap(level, upright), Some(3.0));
        assert_eq!(gap(level, level), None);
    }
}
