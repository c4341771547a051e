//! Where what the rays of a tube see is parted by a straight border: an edge of the nearer face, or the line in which two planes cross.

use super::bundle::Bundle;
use super::cells::clip_above;
use super::piece::{Cut, Piece};
use super::rays::Seen;
use super::source::{Image, Source};
use super::tracer::Tracer;
use crate::scene::{EdgeId, FaceId, PlaneId, Scene};

/// The edges of every face.
#[derive(Debug)]
pub(super) struct EdgesOfFaces {
    /// Where those of each face start.
    first: Vec<u32>,
    edges: Vec<EdgeId>,
}

/// The edges of faces that have more than this are not looked for in tubes all of whose rays meet one plane: each would look at all of them.
const MOST_EDGES: usize = 256;

/// What comes less far through a piece only touches it, in parts of the cell's width.
const SHORTEST: f64 = 1e-2;

impl EdgesOfFaces {
    pub(super) fn new(scene: &Scene) -> Self {
        let mut pairs: Vec<(FaceId, EdgeId)> = Vec::new();
        for (id, edge) in (0..).map(EdgeId::from_index).zip(scene.edges()) {
            pairs.extend(edge.faces.into_iter().flatten().map(|face| (face, id)));
        }
        pairs.sort_unstable();
        let mut first = vec![0; scene.faces().len() + 1];
        for (face, _) in &pairs {
            first[face.index() + 1] += 1;
        }
        for face in 1..first.len() {
            first[face] += first[face - 1];
        }
        Self {
            first,
            edges: pairs.into_iter().map(|(_, edge)| edge).collect(),
        }
    }

    pub(super) fn of(&self, face: FaceId) -> &[EdgeId] {
        let [from, to] = [0, 1].map(|k| self.first[face.index() + k] as usize);
        &self.edges[from..to]
    }
}

impl Tracer<'_> {
    /// Cuts a piece along the border that best parts what its rays see; none if nothing parts them better than not at all.
    pub(super) fn cut(&self, bundle: &Bundle, piece: &Piece, seen: &[Seen]) -> Option<[Piece; 2]> {
        let Source::Point(image) = &bundle.source else {
            return None;
        };
        let planes: Vec<Option<PlaneId>> = seen
            .iter()
            .map(|seen| seen.face.map(|face| self.scene.plane_of(face)))
            .collect();
        let mut best = (strays(&planes, |_| true), None);
        let mut faces: Vec<FaceId> = seen.iter().filter_map(|seen| seen.face).collect();
        faces.sort_unstable();
        faces.dedup();
        let mut try_cut = |cut: Option<Cut>| {
            let Some(cut) = cut else { return false };
            let is_inside = |k: usize| cut.side(seen[k].at) >= 0.0;
            let left = strays(&planes, is_inside) + strays(&planes, |k| !is_inside(k));
            if left < best.0
                && let Some(pieces) = piece.cut(cut)
            {
                best = (left, Some(pieces));
            }
            best.0 == 0
        };
        let edges = faces.iter().flat_map(|&face| self.edges_of_faces.of(face));
        let of_edges = edges.map(|&edge| self.edge_cut(bundle, image, piece, edge));
        let of_planes = planes
            .iter()
            .flatten()
            .zip(planes.iter().flatten().skip(1))
            .filter(|(a, b)| a != b)
            .map(|(&a, &b)| self.crossing_cut(image, piece, a, b));
        let _ = of_edges.chain(of_planes).any(&mut try_cut);
        best.1
    }

    /// Cuts a piece all of whose rays meet one plane along an edge of the faces there that comes between them, if there is one: a roof
    /// around a yard is met on all sides of it, and what falls into the yard is not reflected.
    pub(super) fn cut_between(
        &self,
        bundle: &Bundle,
        piece: &Piece,
        seen: &[Seen],
    ) -> Option<[Piece; 2]> {
        let Source::Point(image) = &bundle.source else {
            return None;
        };
        let mut last = None;
        let faces = seen.iter().filter_map(|seen| seen.face);
        // Mostly they are all the same.
        let faces = faces.filter(|face| last.replace(*face) != Some(*face));
        let edges = faces.map(|face| self.edges_of_faces.of(face));
        let few = edges.filter(|edges| edges.len() <= MOST_EDGES).flatten();
        let mut cuts = few.filter_map(|&edge| {
            let (cut, length) = self.edge_through(bundle, image, piece, edge)?;
            (length > SHORTEST * piece.cell.width()).then_some(cut)
        });
        cuts.find_map(|cut| piece.cut(cut))
    }

    /// The cut along an edge, if it comes through the piece behind the wall that the bundle leaves.
    fn edge_cut(&self, bundle: &Bundle, image: &Image, piece: &Piece, id: EdgeId) -> Option<Cut> {
        self.edge_through(bundle, image, piece, id)
            .map(|(cut, _)| cut)
    }

    /// The same, and how long what comes through is on the cell's face of the cube.
    fn edge_through(
        &self,
        bundle: &Bundle,
        image: &Image,
        piece: &Piece,
        id: EdgeId,
    ) -> Option<(Cut, f64)> {
        let edge = &self.scene.edges()[id.index()];
        let back = image.turn.transpose();
        let [a, b] = edge.ends.map(|end| back * (end - image.position));
        let mut range = piece.clip(a, b - a, [0.0, 1.0])?;
        if let Some(plane) = bundle.start {
            let plane = self.scene.plane(plane);
            let side = -plane.distance(image.position).signum();
            let [at, end] = edge.ends.map(|end| side * plane.distance(end));
            range = clip_above(at, end - at, range)?;
        }
        let [from, to] = range.map(|s| {
            let (main, at) = piece.cell.on_face(a.lerp(b, s));
            at / main
        });
        let cut = Cut::new(piece.cell, a.cross(b))?;
        Some((cut, from.distance(to)))
    }

    /// The cut along the line in which two planes cross.
    fn crossing_cut(&self, image: &Image, piece: &Piece, a: PlaneId, b: PlaneId) -> Option<Cut> {
        let [a, b] = [a, b].map(|plane| self.scene.plane(plane));
        let [to_a, to_b] = [a, b].map(|plane| plane.distance(image.position));
        let normal = to_b * a.normal - to_a * b.normal;
        Cut::new(piece.cell, image.turn.transpose() * normal)
    }
}

/// How many of those that count do not see what most of them see.
fn strays(planes: &[Option<PlaneId>], counts: impl Fn(usize) -> bool) -> usize {
    let those = || (0..planes.len()).filter(|k| counts(*k));
    let most = those().map(|k| those().filter(|other| planes[*other] == planes[k]).count());
    those().count() - most.max().unwrap_or(0)
}
