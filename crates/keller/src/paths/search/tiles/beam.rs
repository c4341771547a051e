//! The properties of every front: a chain of interactions, and the point or edge from which the wave seems to come.

use glam::Vec3;

use crate::paths::{InteractionCounts, Step};
use crate::scene::{EdgeId, PlaneId};

/// Longest chain that the search follows.
pub(super) const MAX_STEPS: usize = 12;

/// A chain of up to twelve reflecting planes and edges, from the transmitter on, packed to be copied, compared and
/// hashed quickly. Two values are equal if all their steps are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Steps {
    /// Twice the plane's number, or twice the edge's number plus one; zero after the last step.
    all: [u32; MAX_STEPS],
    len: u8,
    edges: u8,
}

impl Steps {
    pub(super) const NONE: Self = Self {
        all: [0; MAX_STEPS],
        len: 0,
        edges: 0,
    };

    /// The chain of these steps.
    ///
    /// # Panics
    /// If there are more than twelve, or one is a scattering.
    pub fn new(steps: &[Step]) -> Self {
        steps.iter().fold(Self::NONE, |chain, step| match *step {
            Step::Reflection(plane) => chain.with_mirror(plane),
            Step::Diffraction(edge) => chain.with_edge(edge),
            Step::Scattering(..) => panic!("chains over tiles do not scatter"),
        })
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.len.into()
    }

    /// Whether it is the direct path.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of diffractions.
    pub fn num_edges(&self) -> usize {
        self.edges.into()
    }

    /// The numbers of interactions that limits are compared with.
    pub(super) fn counts(&self) -> InteractionCounts {
        let is_reflected = matches!(self.last(), Some(Step::Reflection(_)));
        InteractionCounts {
            is_reflected_behind_edge: self.edges > 0 && is_reflected,
            ..InteractionCounts::NONE.plus(self.len() - self.num_edges(), self.num_edges())
        }
    }

    pub(super) fn with_mirror(mut self, plane: PlaneId) -> Self {
        self.push(number(plane.index()) << 1);
        self
    }

    pub(super) fn with_edge(mut self, edge: EdgeId) -> Self {
        self.push((number(edge.index()) << 1) | 1);
        self.edges += 1;
        self
    }

    fn push(&mut self, step: u32) {
        self.all[self.len()] = step;
        self.len += 1;
    }

    /// The last interaction.
    pub(super) fn last(&self) -> Option<Step> {
        self.len().checked_sub(1).map(|last| decode(self.all[last]))
    }

    /// All steps, in order.
    pub fn to_vec(self) -> Vec<Step> {
        let steps = &self.all[..self.len()];
        steps.iter().map(|step| decode(*step)).collect()
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index)
        .ok()
        .filter(|index| *index < 1 << 31)
        .expect("fewer than 2^31 planes and edges")
}

fn decode(step: u32) -> Step {
    let index = (step >> 1) as usize;
    if step & 1 == 1 {
        Step::Diffraction(EdgeId::from_index(index))
    } else {
        Step::Reflection(PlaneId::from_index(index))
    }
}

/// The point or edge from which a wave seems to come, as an image in the planes that have reflected it since; metres
/// from the scene's origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum BeamSource {
    /// The image of a transmitter.
    Point(Vec3),
    /// The image of an edge.
    Edge(EdgeSource),
}

/// An edge that diffracts the wave from a point onto its Keller cones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EdgeSource {
    /// The point from which the wave came.
    pub(super) from: Vec3,
    /// The edge's first end, and the unit vector along it.
    pub(super) start: Vec3,
    pub(super) along: Vec3,
    /// Length of the edge, metres.
    pub(super) length: f32,
}

impl EdgeSource {
    /// The point of the edge's line on the shortest way from `from` to `point` by that line, metres from the edge's
    /// start. The result may lie outside the edge.
    pub(super) fn meets(&self, point: Vec3) -> f32 {
        let coordinates = |point: Vec3| {
            let from_start = point - self.start;
            let z = from_start.dot(self.along);
            (z, (from_start - z * self.along).length())
        };
        let ((za, ra), (zb, rb)) = (coordinates(self.from), coordinates(point));
        let sum = ra + rb;
        if sum > 0.0 {
            (za * rb + zb * ra) / sum
        } else {
            0.5 * (za + zb)
        }
    }
}

/// A segment of an edge that diffracts a wave from a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgeDiffraction {
    pub(super) edge: EdgeSource,
    /// The segment, metres along the edge from its start.
    pub(super) interval: [f32; 2],
    /// Normals of its faces, on their open sides.
    pub(super) outwards: [Vec3; 2],
}

/// A plane with a unit normal, metres from the scene's origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReflectingPlane {
    pub(super) normal: Vec3,
    pub(super) offset: f32,
}

impl ReflectingPlane {
    fn point(&self, point: Vec3) -> Vec3 {
        point - 2.0 * (self.normal.dot(point) - self.offset) * self.normal
    }

    pub(super) fn vector(&self, vector: Vec3) -> Vec3 {
        vector - 2.0 * self.normal.dot(vector) * self.normal
    }
}

impl BeamSource {
    /// Its mirror image.
    pub(super) fn mirrored(&self, mirror: &ReflectingPlane) -> Self {
        match self {
            Self::Point(point) => Self::Point(mirror.point(*point)),
            Self::Edge(edge) => Self::Edge(EdgeSource {
                from: mirror.point(edge.from),
                start: mirror.point(edge.start),
                along: mirror.vector(edge.along),
                length: edge.length,
            }),
        }
    }

    /// The last source point of the wave that reaches `point`.
    pub(super) fn last_point(&self, point: Vec3) -> Vec3 {
        match self {
            Self::Point(from) => *from,
            Self::Edge(edge) => {
                let t = edge.meets(point).clamp(0.0, edge.length);
                edge.start + t * edge.along
            }
        }
    }

    /// The point from which the wave seems to reach `point` in a straight line of the same total length.
    pub(super) fn straightened(&self, point: Vec3) -> Vec3 {
        match self {
            Self::Point(from) => *from,
            Self::Edge(edge) => {
                let last = self.last_point(point);
                let back = (last - point).normalize_or_zero();
                point + (last.distance(point) + last.distance(edge.from)) * back
            }
        }
    }
}
