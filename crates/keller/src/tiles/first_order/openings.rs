//! What a point may see of planes and edges.
//!
//! A triangle is left out if one convex piece of wall hides all of it. An edge is cut in halves until each part is
//! hidden so, is seen at its centre and at both ends, or is short. Parts that are taken for seen and are not cost
//! proposals that validation refuses.

use glam::{DVec2, DVec3};
use rayon::prelude::*;

use super::Blinds;
use super::hidden::Shape;
use super::wave::{Bent, Mirrored, Wave};
use crate::geometry::bvh::Ray;
use crate::scene::{EdgeId, FaceId, PlaneId, Scene};

/// A plane or an edge with the part of it that a point may see.
#[derive(Debug, Clone)]
pub(crate) struct Opening {
    pub(crate) turn: Turn,
    pub(super) wave: Wave,
    /// Planes that do not stop the wave, by their numbers.
    pub(super) own_groups: [u32; 2],
}

/// What a wave does there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    Reflection(PlaneId),
    Diffraction(EdgeId),
}

/// Edges are halved so often.
const HALVINGS: u32 = 4;

/// Shorter parts are not, metres.
const SHORT: f64 = 0.5;

/// An edge that a point lies under its faces by more than this sends nothing on from there, metres.
const UNDER_FACES: f64 = 1e-3;

impl Opening {
    /// The number of the plane whose own points the wave does not come to, if there is one.
    pub(super) fn group(&self) -> Option<u32> {
        match self.turn {
            Turn::Reflection(plane) => Some(group(plane)),
            Turn::Diffraction(_) => None,
        }
    }
}

fn group(plane: PlaneId) -> u32 {
    u32::try_from(plane.index()).expect("planes fit in 32 bits")
}

/// The planes of an edge's faces, by their numbers.
fn own_groups(scene: &Scene, edge: EdgeId) -> [u32; 2] {
    let of = |face: Option<FaceId>| face.map_or(Ray::NO_GROUP, |face| group(scene.plane_of(face)));
    scene.edges()[edge.index()].faces.map(of)
}

impl Blinds<'_> {
    /// Those that `from` may see: planes in their order if `with_reflections`, and then these edges.
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
        let of_edge = |edge: &EdgeId| self.edge(from, *edge);
        all.par_extend(edges.par_iter().flat_map_iter(of_edge));
        all
    }

    fn reflections(&self, from: DVec3) -> Vec<Opening> {
        let scene = self.scene;
        let is_seen: Vec<bool> = (0..scene.triangles().len())
            .into_par_iter()
            .with_min_len(256)
            .map(|triangle| self.may_see_triangle(from, triangle))
            .collect();
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
            let wave = Mirrored::new(
                from,
                scene.plane(plane),
                part.map(|corner| corner.to_array()),
            )?;
            Some(Opening {
                turn: Turn::Reflection(plane),
                wave: Wave::Mirrored(wave),
                own_groups: [group(plane), Ray::NO_GROUP],
            })
        };
        parts.into_iter().enumerate().filter_map(opening).collect()
    }

    /// Whether no one piece of wall hides all of a triangle.
    fn may_see_triangle(&self, from: DVec3, triangle: usize) -> bool {
        let corners = self.scene.corners(triangle);
        let own = group(self.scene.plane_of(self.scene.triangle_faces()[triangle]));
        let centre = corners.iter().sum::<DVec3>() / 3.0;
        let blocker = self.blocker(from, centre, [own, Ray::NO_GROUP]);
        blocker.is_none_or(|piece| {
            let wall = self.wall(piece);
            !wall.hides(&[from; 2], &Shape::Hull(&corners), self.margin)
        })
    }

    /// An opening for each part of an edge that may be seen.
    fn edge(&self, from: DVec3, id: EdgeId) -> Vec<Opening> {
        let edge = &self.scene.edges()[id.index()];
        if !edge.is_open_towards(from - edge.ends[0], UNDER_FACES) {
            return Vec::new();
        }
        let own_groups = own_groups(self.scene, id);
        let mut parts = Vec::new();
        let line = [edge.ends[0], edge.along()];
        self.add_seen_parts(from, line, [0.0, edge.length()], own_groups, 0, &mut parts);
        let opening = |part: [f64; 2]| {
            let wave = Bent::new(from, line, [edge.outward, edge.second_outward], part)?;
            Some(Opening {
                turn: Turn::Diffraction(id),
                wave: Wave::Bent(wave),
                own_groups,
            })
        };
        parts.into_iter().filter_map(opening).collect()
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
