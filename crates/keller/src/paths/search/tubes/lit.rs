//! The parts of edges that the Tx illuminates, by itself or by reflections.

use glam::DVec3;
use smallvec::SmallVec;

use super::TubeSearch;
use super::points::Points;
use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::paths::search::views::diffracting_edges;
use crate::paths::{Limits, Step, Unfolded};
use crate::scene::{Crossing, Edge, EdgeId, PlaneId, Scene};
use crate::{Control, Error, parallel};

/// An edge is illuminated in parts of at most this length, metres.
const LONGEST: f64 = 4.0;

/// Places of a part at which it is tried whether it is illuminated.
const PLACES: u32 = 8;

/// An edge that reflections at some planes illuminate, and its parts: the number of each, and the share of power that
/// the walls on the way leave.
#[derive(Debug)]
pub(super) struct LitEdge {
    pub(super) planes: Vec<PlaneId>,
    pub(super) edge: EdgeId,
    pub(super) parts: Vec<(u32, f32)>,
}

/// A part of an edge.
#[derive(Debug)]
pub(super) struct EdgePart {
    edge: EdgeId,
    number: u32,
    /// Half of its length, metres.
    pub(super) half_length: f32,
}

/// The parts of all edges that may diffract.
#[derive(Debug)]
pub(super) struct EdgeParts {
    pub(super) list: Vec<EdgePart>,
    pub(super) middles: Points,
}

impl EdgeParts {
    pub(super) fn new(scene: &Scene, limits: &Limits) -> Self {
        let (mut list, mut middles) = (Vec::new(), Vec::new());
        if limits.max_diffractions > 0 {
            for id in diffracting_edges(scene, limits) {
                let edge = &scene.edges()[id.index()];
                let count = f64::from(num_parts(edge));
                for number in 0..num_parts(edge) {
                    let middle = (f64::from(number) + 0.5) / count;
                    middles.push(edge.ends[0].lerp(edge.ends[1], middle));
                    list.push(EdgePart {
                        edge: id,
                        number,
                        half_length: narrow(0.5 * edge.length() / count),
                    });
                }
            }
        }
        let longest = list.iter().map(|part| part.half_length).fold(0.0, f32::max);
        Self {
            list,
            middles: Points::new(&middles, longest, scene.origin()),
        }
    }
}

/// The number of parts of an edge.
pub(super) fn num_parts(edge: &Edge) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "edges are shorter than a thousand kilometres"
    )]
    let count = (edge.length() / LONGEST).ceil() as u32;
    count.max(1)
}

#[expect(clippy::cast_possible_truncation, reason = "f32 proposes")]
pub(super) fn narrow(value: f64) -> f32 {
    value as f32
}

impl TubeSearch {
    /// The edges that the Tx sees itself, and those that it illuminates by reflections: of those that are `noted`, by
    /// the planes and the number of the part of an edge, in order.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn lit_edges(
        &self,
        tx: DVec3,
        noted: impl Iterator<Item = (Vec<PlaneId>, u32)>,
        control: &Control,
    ) -> Result<Vec<LitEdge>, Error> {
        if self.limits.max_diffractions == 0 {
            return Ok(Vec::new());
        }
        let direct = (0..)
            .zip(&self.parts.list)
            .map(|(number, _)| (Vec::new(), number));
        let all: Vec<_> = direct.chain(noted).collect();
        let shares = parallel::try_map(all.len(), |k| {
            control.check()?;
            let (planes, number) = &all[k];
            Ok::<_, Error>(self.share_at(tx, planes, &self.parts.list[*number as usize]))
        })?;
        let mut lit: Vec<LitEdge> = Vec::new();
        for ((planes, number), share) in all.into_iter().zip(shares) {
            let Some(share) = share else {
                continue;
            };
            let EdgePart { edge, number, .. } = self.parts.list[number as usize];
            match lit.last_mut() {
                Some(last) if last.edge == edge && last.planes == planes => {
                    last.parts.push((number, share));
                }
                _ => lit.push(LitEdge {
                    planes,
                    edge,
                    parts: vec![(number, share)],
                }),
            }
        }
        Ok(lit)
    }

    /// The largest share of power that the walls on the way by reflections at these planes leave at a place of a part of an edge;
    /// `None` if none of its places is illuminated.
    fn share_at(&self, tx: DVec3, planes: &[PlaneId], part: &EdgePart) -> Option<f32> {
        let scene = self.world.scene();
        let edge = &scene.edges()[part.edge.index()];
        let mirrored = |at: DVec3, plane: &PlaneId| scene.plane(*plane).mirror(at);
        let image = planes.iter().fold(tx, mirrored);
        if !edge.is_open_towards(image - edge.ends[0], ON_FACE_DISTANCE) {
            return None;
        }
        let steps: Vec<Step> = planes.iter().copied().map(Step::Reflection).collect();
        let mut chain = Unfolded::default();
        chain.set(scene, tx, &steps);
        let shares = (0..PLACES).filter_map(|k| {
            let at = f64::from(part.number) + (f64::from(k) + 0.5) / f64::from(PLACES);
            let end = edge.ends[0].lerp(edge.ends[1], at / f64::from(num_parts(edge)));
            let mut ways = Vec::new();
            let is_solved = chain.reach(end, &mut ways);
            let points: SmallVec<[DVec3; 8]> =
                ways.iter().map(|way| way.point).chain([end]).collect();
            is_solved.then(|| self.share_along(tx, planes, &points, part.edge))?
        });
        shares.reduce(f32::max)
    }

    /// The share of power that walls leave on the way over these points, the last of which lies on an edge; `None` if the
    /// way is blocked.
    fn share_along(
        &self,
        tx: DVec3,
        planes: &[PlaneId],
        points: &[DVec3],
        id: EdgeId,
    ) -> Option<f32> {
        let scene = self.world.scene();
        let faces = scene.edges()[id.index()].faces.into_iter().flatten();
        let own = faces
            .map(|face| scene.plane_of(face))
            .chain(scene.planes_behind(id).iter().copied());
        let own: SmallVec<[PlaneId; 4]> = own.collect();
        let mut walls = self.limits.transmissions_beside(planes.len() + 1);
        let mut crossings: Vec<Crossing> = Vec::new();
        let (mut from, mut left, mut share) = (tx, None, 1.0);
        for (k, to) in points.iter().enumerate() {
            let plane = planes.get(k);
            let skip: SmallVec<[PlaneId; 6]> = match plane {
                Some(plane) => left.into_iter().chain([*plane]).collect(),
                None => left.into_iter().chain(own.iter().copied()).collect(),
            };
            scene.crossings(from, *to, &skip, walls, &mut crossings)?;
            walls -= crossings.len();
            let direction = (*to - from).as_vec3().normalize_or_zero();
            for crossing in &crossings {
                if !self.world.transparency().passes(scene, crossing.face) {
                    return None;
                }
                share *= self.power.at_wall(scene, crossing.face, direction)[1];
            }
            if let Some(plane) = plane {
                let face = scene.reflecting_face_at(*plane, *to)?;
                share *= self.power.at_wall(scene, face, direction)[0];
            }
            (from, left) = (*to, plane.copied());
        }
        Some(share)
    }
}
