//! The parts of planes and edges that may be visible from a point.
//!
//! A triangle is left out if one convex piece of wall hides all of it. An edge is halved until each part is hidden in
//! this way, is visible at its centre and at both ends, or is short. A part that wrongly counts as visible costs only
//! proposals that validation rejects.

use glam::{DVec2, DVec3};

use super::Blinds;
use super::hidden::Shape;
use super::wave::{DiffractedWave, Mirrored, Wave};
use crate::geometry::bvh::Ray;
use crate::parallel;
use crate::scene::{EdgeId, PlaneId};

/// A plane or an edge, with the part of it that a point may see.
#[derive(Debug, Clone)]
pub(crate) struct Opening {
    pub(crate) turn: Turn,
    pub(super) wave: Wave,
    /// Numbers of the planes that do not block the wave.
    pub(super) own_groups: [u32; 2],
}

/// The interaction at an opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    Reflection(PlaneId),
    Diffraction(EdgeId),
}

/// The largest number of times that an edge is halved.
const HALVINGS: u32 = 4;

/// Shorter parts are not halved, metres.
const SHORT: f64 = 0.5;

/// The depth of a point under the faces of an edge from which on the edge diffracts no wave from it, metres.
const UNDER_FACES: f64 = 1e-3;

impl Opening {
    /// The number of the reflecting plane, if there is one: the wave reaches none of the points in it.
    pub(super) fn group(&self) -> Option<u32> {
        match self.turn {
            Turn::Reflection(plane) => Some(plane.group()),
            Turn::Diffraction(_) => None,
        }
    }
}

impl Blinds<'_> {
    /// The openings that `from` may see: planes in their order if `with_reflections`, then `edges`.
    pub(in crate::tiles) fn openings(
        &self,
        from: DVec3,
        with_reflections: bool,
        edges: &[EdgeId],
    ) -> Vec<Opening> {
        let mut all = Vec::new();
        if with_reflections {
            all.extend(self.reflections(from));
        }
        all.extend(parallel::flat_map(edges.len(), |n, found| {
            found.extend(self.edge(from, edges[n]));
        }));
        all
    }

    fn reflections(&self, from: DVec3) -> Vec<Opening> {
        let scene = self.scene;
        let is_seen = |triangle: usize| self.may_see_triangle(from, triangle);
        let is_seen: Vec<bool> = parallel::map_cheap(scene.triangles().len(), 256, is_seen);
        let nothing = [DVec2::INFINITY, DVec2::NEG_INFINITY];
        let mut parts = vec![nothing; scene.planes().len()];
        for (triangle, _) in is_seen.into_iter().enumerate().filter(|(_, seen)| *seen) {
            let plane = scene.plane_of(scene.triangle_faces()[triangle]);
            let (u, v) = scene.plane(plane).axes();
            let [low, high] = &mut parts[plane.index()];
            for corner in scene.corners(triangle) {
                let at = DVec2::new(u.dot(corner), v.dot(corner));
                (*low, *high) = (low.min(at), high.max(at));
            }
        }
        let opening = |(index, part): (usize, [DVec2; 2])| {
            let plane = PlaneId::from_index(index);
            if part == nothing {
                return None;
            }
            self.mirror(from, plane, part)
        };
        parts.into_iter().enumerate().filter_map(opening).collect()
    }

    /// The part of a plane between two corners, in coordinates of [`Plane::axes`](crate::geometry::Plane::axes), as a
    /// reflector for the wave from a point or an image. `None` if that lies in the plane.
    pub(in crate::tiles) fn mirror(
        &self,
        from: DVec3,
        plane: PlaneId,
        part: [DVec2; 2],
    ) -> Option<Opening> {
        let part = part.map(|corner| corner.to_array());
        let wave = Mirrored::new(from, self.scene.plane(plane), part)?;
        Some(Opening {
            turn: Turn::Reflection(plane),
            wave: Wave::Mirrored(wave),
            own_groups: [plane.group(), Ray::NO_GROUP],
        })
    }

    /// Whether no single piece of wall is found to hide all of a triangle.
    fn may_see_triangle(&self, from: DVec3, triangle: usize) -> bool {
        let corners = self.scene.corners(triangle);
        let own = self
            .scene
            .plane_of(self.scene.triangle_faces()[triangle])
            .group();
        let centre = corners.iter().sum::<DVec3>() / 3.0;
        let blocker = self.blocker(from, centre, [own, Ray::NO_GROUP]);
        blocker.is_none_or(|piece| {
            let wall = self.wall(piece);
            !wall.hides(&[from; 2], &Shape::Hull(&corners), self.margin)
        })
    }

    /// An opening for each part of an edge that may be visible.
    fn edge(&self, from: DVec3, id: EdgeId) -> Vec<Opening> {
        let edge = &self.scene.edges()[id.index()];
        if !edge.is_open_towards(from - edge.ends[0], UNDER_FACES) {
            return Vec::new();
        }
        let own_groups = self.scene.groups_of(id);
        let mut parts = Vec::new();
        let line = [edge.ends[0], edge.along()];
        self.add_seen_parts(from, line, [0.0, edge.length()], own_groups, 0, &mut parts);
        let opening = |part: [f64; 2]| self.diffracted(from, id, part);
        parts.into_iter().filter_map(opening).collect()
    }

    /// The part of an edge that a point or an image illuminates. `None` if that lies inside the wedge or on the edge's
    /// line.
    pub(in crate::tiles) fn diffracted(
        &self,
        from: DVec3,
        id: EdgeId,
        part: [f64; 2],
    ) -> Option<Opening> {
        let edge = &self.scene.edges()[id.index()];
        if !edge.is_open_towards(from - edge.ends[0], UNDER_FACES) {
            return None;
        }
        let line = [edge.ends[0], edge.along()];
        let wave = DiffractedWave::new(from, line, [edge.outward, edge.second_outward], part)?;
        Some(Opening {
            turn: Turn::Diffraction(id),
            wave: Wave::DiffractedWave(wave),
            own_groups: self.scene.groups_of(id),
        })
    }

    fn add_seen_parts(
        &self,
        from: DVec3,
        line: [DVec3; 2],
        [low, high]: [f64; 2],
        own_groups: [u32; 2],
        halvings: u32,
        parts: &mut Vec<[f64; 2]>,
    ) {
        let [start, along] = line;
        let centre = 0.5 * (low + high);
        let at = |t: f64| start + t * along;
        let blocker = |t: f64| self.blocker(from, at(t), own_groups);
        let is_seen = if let Some(piece) = blocker(centre) {
            let ends = [at(low), at(high)];
            if self
                .wall(piece)
                .hides(&[from; 2], &Shape::Hull(&ends), self.margin)
            {
                return;
            }
            false
        } else {
            blocker(low).is_none() && blocker(high).is_none()
        };
        if !is_seen && halvings < HALVINGS && high - low > SHORT {
            for half in [[low, centre], [centre, high]] {
                self.add_seen_parts(from, line, half, own_groups, halvings + 1, parts);
            }
            return;
        }
        match parts.last_mut() {
            Some(last) if last[1] >= low => last[1] = high,
            _ => parts.push([low, high]),
        }
    }
}
