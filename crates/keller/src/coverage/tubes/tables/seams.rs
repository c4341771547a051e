//! The seams of faces: lines that diffract nothing, yet part what lies at a face. There are two kinds:
//! - the borders of faces that are no edges: where the facades of two houses make one plane, and where a wall between
//!   rooms or a floor ends at a facade, for this wall or floor;
//! - the same lines for the facade at which a wall or a floor ends.
//!
//! Edges of the scene are wedges and free borders. A tube that is cut along these alone would pass two houses at once
//! where their facades are flush, with the losses of one of them. And it would overlook a floor that lies between its
//! rays: those above it and those below it all meet one facade.
//!
//! The second kind counts on the side of the face on which the wall or floor lies. So tubes that meet a facade from
//! outside are not cut where floors end behind it. Pieces that continue each other are one seam.
//!
//! Cost: a few queries of the index for each border that is no edge. **May miss** walls that end at a facade without a
//! border in it (a gap of more than a few tenths of a millimetre), and those at a face with very many seams.

use std::cmp::Ordering;

use glam::DVec3;
use rayon::prelude::*;

use super::edge_lists::EdgeLists;
use crate::geometry::tolerance::{COPLANAR_DISTANCE, WELD_DISTANCE};
use crate::parallel;
use crate::scene::{Edge, FaceId, Scene};

/// Faces with more seams than this on one side, or with more that count on both, have none of these, because each tube
/// would test all of them. In cities this is the ground, on which all walls stand.
const MAX_SEAMS: usize = 64;

/// A point this far from a line lies on it, metres.
const ON_LINE: f64 = 1e-4;

/// The places on a border at which the faces are looked up that end there, as parts of its length.
const LOOKED_UP: [f64; 4] = [0.125, 0.375, 0.625, 0.875];

/// A seam of a face.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct Seam {
    /// The ends, metres.
    pub(in crate::coverage::tubes) ends: [DVec3; 2],
    /// The side of the face's plane on which it counts, as a sign; 0 for both.
    side: f64,
}

impl Seam {
    /// Whether it separates the faces that rays meet which come from a point so far from the plane of the face, metres
    /// with sign.
    pub(in crate::coverage::tubes) fn counts_from(&self, distance: f64) -> bool {
        self.side * distance >= 0.0
    }
}

/// The seams of every face, as a table.
#[derive(Debug, Default)]
pub(in crate::coverage::tubes) struct Seams {
    /// The index in `seams` at which the seams of each face start.
    first: Vec<u32>,
    seams: Vec<Seam>,
}

impl Seams {
    pub(in crate::coverage::tubes) fn new(scene: &Scene, face_edges: &EdgeLists) -> Self {
        let mut found = borders(scene, face_edges);
        let at_others = parallel::flat_map(found.len(), |n, ends| {
            ends.extend(ends_at(scene, face_edges, &found[n]));
        });
        found.extend(at_others);
        found.par_sort_by(|a, b| {
            let [of_a, of_b] = [a, b].map(|found| found.seam);
            let by_ends = (0..2).map(|k| by_place(of_a.ends[k], of_b.ends[k]));
            let by_side = of_a.side.abs().total_cmp(&of_b.side.abs());
            let by_side = by_side.then(of_a.side.total_cmp(&of_b.side));
            let by_face = a.face.cmp(&b.face).then(by_side);
            by_ends.fold(by_face, Ordering::then)
        });
        let mut table = Self {
            first: vec![0; scene.faces().len() + 1],
            seams: Vec::new(),
        };
        for of_face in found.chunk_by(|a, b| a.face == b.face) {
            let start = table.seams.len();
            for of_side in of_face.chunk_by(|a, b| a.seam.side == b.seam.side) {
                table.add_joined(of_side);
            }
            let count = u32::try_from(table.seams.len() - start);
            table.first[of_face[0].face.index() + 1] = count.unwrap_or_default();
        }
        for face in 1..table.first.len() {
            table.first[face] += table.first[face - 1];
        }
        table
    }

    /// Adds the seams of one side of a face, which are sorted; none if there are too many.
    fn add_joined(&mut self, found: &[Found]) {
        let known = self.seams.len();
        for Found { seam, .. } in found {
            if !self.seams[known..]
                .iter_mut()
                .any(|line| line.grow(seam.ends))
            {
                self.seams.push(*seam);
            }
            if self.seams.len() - known > MAX_SEAMS {
                self.seams.truncate(known);
                return;
            }
        }
    }

    /// The seams of a face.
    pub(in crate::coverage::tubes) fn of(&self, face: FaceId) -> &[Seam] {
        let [from, to] = [0, 1].map(|k| self.first[face.index() + k] as usize);
        &self.seams[from..to]
    }
}

impl Seam {
    /// Takes in a line that touches it in its own direction, and says whether it did.
    fn grow(&mut self, ends: [DVec3; 2]) -> bool {
        let [start, end] = self.ends;
        let length = start.distance(end);
        let along = (end - start) / length;
        let at = ends.map(|point| (point - start).dot(along));
        let is_off = |k: usize| (ends[k] - start - at[k] * along).length() > ON_LINE;
        let [low, high] = if at[0] < at[1] { [0, 1] } else { [1, 0] };
        if is_off(0) || is_off(1) || at[low] > length + ON_LINE || at[high] < -ON_LINE {
            return false;
        }
        if at[low] < 0.0 {
            self.ends[0] = ends[low];
        }
        if at[high] > length {
            self.ends[1] = ends[high];
        }
        true
    }
}

/// A seam and the face that has it.
struct Found {
    face: FaceId,
    seam: Seam,
    /// The third corner of the triangle of which it is a side.
    corner: DVec3,
}

/// The borders of faces that are no edges, from their lower to their upper end.
fn borders(scene: &Scene, face_edges: &EdgeLists) -> Vec<Found> {
    let mut sides: Vec<([u32; 2], FaceId, u32)> = Vec::with_capacity(3 * scene.triangles().len());
    for (&[a, b, c], &face) in scene.triangles().iter().zip(scene.triangle_faces()) {
        let of_triangle = [[a, b, c], [b, c, a], [c, a, b]];
        sides.extend(of_triangle.map(|[a, b, corner]| ([a.min(b), a.max(b)], face, corner)));
    }
    sides.par_sort_unstable();
    let place = |vertex: u32| scene.vertices()[vertex as usize];
    let mut found = Vec::new();
    for of_face in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let [(ends, face, corner)] = *of_face else {
            continue;
        };
        let mut ends = ends.map(place);
        ends.sort_by(|a, b| by_place(*a, *b));
        if !is_edge(scene, face_edges, face, ends) {
            found.push(Found {
                face,
                seam: Seam { ends, side: 0.0 },
                corner: place(corner),
            });
        }
    }
    found
}

/// The seams on the same line for the faces at which a border ends.
fn ends_at(scene: &Scene, face_edges: &EdgeLists, border: &Found) -> Vec<Found> {
    let ends = border.seam.ends;
    let mut faces = Vec::new();
    for part in LOOKED_UP {
        let at = ends[0].lerp(ends[1], part);
        scene.faces_near(at, COPLANAR_DISTANCE + WELD_DISTANCE, |face| {
            faces.push(face);
        });
    }
    faces.sort_unstable();
    faces.dedup();
    let mut found = Vec::new();
    for face in faces {
        let plane = scene.plane(scene.plane_of(face));
        let [a, b, corner] = [ends[0], ends[1], border.corner].map(|at| plane.distance(at));
        let on_plane = COPLANAR_DISTANCE + WELD_DISTANCE;
        let ends_there = a.abs().max(b.abs()) <= on_plane && corner.abs() > on_plane;
        if face != border.face && ends_there && !is_edge(scene, face_edges, face, ends) {
            let seam = Seam {
                ends,
                side: corner.signum(),
            };
            found.push(Found {
                face,
                seam,
                corner: border.corner,
            });
        }
    }
    found
}

/// Whether a line runs along an edge of a face.
fn is_edge(scene: &Scene, face_edges: &EdgeLists, face: FaceId, ends: [DVec3; 2]) -> bool {
    let mut edges = face_edges.of(face.index()).iter();
    edges.any(|edge| covers(&scene.edges()[edge.index()], ends))
}

/// An order that does not depend on numbers of vertices.
fn by_place(a: DVec3, b: DVec3) -> Ordering {
    let pairs = a.to_array().into_iter().zip(b.to_array());
    let mut orders = pairs.map(|(a, b)| a.total_cmp(&b));
    orders
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Whether a line runs along an edge.
fn covers(edge: &Edge, ends: [DVec3; 2]) -> bool {
    let along = edge.along();
    let length = edge.length();
    ends.iter().all(|end| {
        let away = *end - edge.ends[0];
        let at = away.dot(along);
        (-ON_LINE..length + ON_LINE).contains(&at) && (away - at * along).length() < ON_LINE
    })
}
