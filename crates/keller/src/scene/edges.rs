//! Edges: where faces end. Two faces that meet at an angle form a wedge; a single face has a free edge. Where more
//! faces meet, as between touching houses, the two that bound the widest sector form the wedge.
//!
//! The open space around a wedge is its sector of more than half a turn, whichever way the fronts of the faces point:
//! outside a body at its convex corners, and inside at its concave ones, since air may be on both sides of a wall.
//! Space that no wave reaches adds no path.
//!
//! Borders are the sides that only one triangle of a plane has. Each border is cut at every vertex that lies on it, so
//! that a T-junction leaves matching pieces. Pieces with the same ends are grouped, and consecutive pieces in line
//! between the same faces are joined to an edge again. A border that lies on a further face is no edge, as where a wall
//! stands on the ground. **Cost:** one box query a border vertex and one a piece.

use std::f64::consts::PI;
use std::hash::BuildHasher;

use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::borders::{Border, border, borders, cut, lies_on_further_face, without_flat_pairs};
use super::creases::{Crease, crease};
use super::cuts::Piece;
use super::edge::{Edge, Others, frame};
use super::regions::{Side, Sides};
use super::{FaceId, PlaneId, Scene};
use crate::Error;
use crate::control::Part;
use crate::geometry::tolerance::{COPLANAR_SINE, FLAT_WEDGE_ANGLE};
use crate::geometry::union_find::UnionFind;
use crate::parallel;

/// The edges of a scene, and defects of its borders.
#[derive(Debug, Default)]
pub(super) struct FoundEdges {
    /// Wedges first, then free edges, each sorted by their faces and ends.
    pub(super) list: Vec<Edge>,
    /// The planes of further faces that end at each edge, sorted.
    pub(super) others: Others,
    /// Border pieces where more than two faces end.
    pub(super) non_manifold: usize,
    /// Vertices in the middle of another border.
    pub(super) t_junctions: usize,
    /// Borders at which the angle between two faces is too small for a wedge.
    pub(super) creases: Vec<Crease>,
}

/// Finds the edges of a scene whose faces are known. `sides` are the sides of the scene's own triangles.
pub(super) fn edges(scene: &Scene, sides: Sides, part: Part<'_>) -> Result<FoundEdges, Error> {
    let borders = borders(scene, &sides, part)?;
    drop(sides);
    let (pieces, t_junctions) = cut(scene, &borders, part)?;
    let found = wedges(scene, &borders, &pieces, part)?;
    drop(pieces);
    let (list, others) = join_in_line(scene, &borders, found.kept, &found.others);
    Ok(FoundEdges {
        list,
        others,
        non_manifold: found.non_manifold,
        t_junctions,
        creases: found.creases,
    })
}

/// Pieces of borders that diffract.
#[derive(Debug, Default)]
struct Wedges {
    kept: Vec<Kept>,
    /// Planes of further faces that end at a piece, inside the space that its two faces enclose. Few pieces have any.
    others: Vec<(u32, PlaneId)>,
    non_manifold: usize,
    /// The creases among the pieces at which the angle is too small for a wedge.
    creases: Vec<Crease>,
}

/// A border piece that diffracts.
#[derive(Debug, Clone, Copy)]
struct Kept {
    faces: [u32; 2],
    ends: [u32; 2],
    /// The border of its first face.
    border: u32,
    open_side: OpenSide,
    exterior_angle: f64,
}

impl Kept {
    /// The number that stands for the second face of a free edge.
    const NO_FACE: u32 = u32::MAX;

    /// Pieces with equal keys may belong to one edge. Wedges come first.
    fn key(&self) -> (bool, [u32; 2]) {
        (self.faces[1] == Self::NO_FACE, self.faces)
    }
}

/// The side of the first face on which the open space lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenSide {
    /// All around the edge.
    Both,
    /// The side towards which a turn around the edge, along its direction from the first end to the second, leads from
    /// the face.
    Turn,
    /// The opposite side.
    AgainstTurn,
}

/// Number of pieces that are handled together; pieces with the same ends are consecutive.
const BLOCK: usize = 1 << 12;

/// The pieces between faces, except those across which a plane continues.
fn wedges(
    scene: &Scene,
    borders: &[Side],
    pieces: &[Piece],
    part: Part<'_>,
) -> Result<Wedges, Error> {
    let blocks = blocks(pieces, |a, b| a.ends == b.ends);
    let found: Vec<Wedges> = parallel::try_map(blocks.len(), |number| {
        part.at(number * BLOCK, pieces.len())?;
        let mut found = Wedges::default();
        let mut all: Vec<Border> = Vec::new();
        for same in blocks[number].chunk_by(|a, b| a.ends == b.ends) {
            all.clear();
            all.extend(same.iter().map(|piece| Border {
                ends: piece.ends,
                number: piece.line,
                ..border(scene, &borders[piece.line as usize])
            }));
            found.add_borders(&all, scene);
        }
        Ok::<_, Error>(found)
    })?;
    let mut whole = Wedges {
        kept: Vec::with_capacity(found.iter().map(|part| part.kept.len()).sum()),
        ..Wedges::default()
    };
    for part in found {
        let before = u32::try_from(whole.kept.len()).expect("fewer than 2^32 pieces");
        whole.kept.extend(part.kept);
        let others = part.others.into_iter();
        whole
            .others
            .extend(others.map(|(piece, plane)| (before + piece, plane)));
        whole.non_manifold += part.non_manifold;
        whole.creases.extend(part.creases);
    }
    Ok(whole)
}

/// Divides a list into parts of about [`BLOCK`] entries, without separating consecutive entries that belong together.
fn blocks<T>(list: &[T], are_one: impl Fn(&T, &T) -> bool) -> Vec<&[T]> {
    let mut blocks = Vec::with_capacity(list.len() / BLOCK + 1);
    let mut rest = list;
    while !rest.is_empty() {
        let mut end = BLOCK.min(rest.len());
        while end < rest.len() && are_one(&rest[end - 1], &rest[end]) {
            end += 1;
        }
        let block;
        (block, rest) = rest.split_at(end);
        blocks.push(block);
    }
    blocks
}

impl Wedges {
    /// Adds the wedge or free edge that all borders between two vertices form.
    fn add_borders(&mut self, all: &[Border], scene: &Scene) {
        let mut group = without_flat_pairs(all, scene);
        if group.len() < all.len() {
            // A plane continues here. Whatever else ends here lies on it.
            return;
        }
        // Twin faces of one plane end here together, and one of them stands for both.
        group.dedup_by_key(|b| scene.plane_of(b.face));
        if group.len() > 2 {
            self.non_manifold += 1;
        }
        let open = match group[..] {
            [] => return,
            [only] => Open {
                sides: [only, only],
                angle: 2.0 * PI,
                side: OpenSide::Both,
            },
            _ => {
                let Some(open) = widest_sector(&group, scene) else {
                    self.creases.extend(crease(scene, all, &group, |_| false));
                    return;
                };
                open
            }
        };
        if lies_on_further_face(all, scene) {
            return;
        }
        let [first, second] = open.sides;
        let mine = [first, second].map(|b| scene.plane_of(b.face));
        let number = u32::try_from(self.kept.len()).expect("fewer than 2^32 pieces");
        let planes = all.iter().map(|b| scene.plane_of(b.face));
        let others = planes.filter(|plane| !mine.contains(plane));
        self.others.extend(others.map(|plane| (number, plane)));
        let face = |b: Border| u32::try_from(b.face.index()).expect("faces fit in 32 bits");
        self.kept.push(Kept {
            faces: [
                face(first),
                if group.len() > 1 {
                    face(second)
                } else {
                    Kept::NO_FACE
                },
            ],
            ends: first.ends,
            border: first.number,
            open_side: open.side,
            exterior_angle: open.angle,
        });
    }
}

/// The open space around an edge.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// The borders of the faces at which it ends.
    sides: [Border; 2],
    /// Radians.
    angle: f64,
    /// The side of the first of these faces on which it lies.
    side: OpenSide,
}

/// The sector around an edge, between two neighbouring faces, that is wider than a half space. `None` if there is no
/// such sector, as in flat places. Where houses touch, more than two faces meet in such a line.
fn widest_sector(group: &[Border], scene: &Scene) -> Option<Open> {
    let [a, b] = group[0].ends.map(|v| scene.vertices[v as usize]);
    let along = (b - a).normalize();
    let (zero, quarter) = (group[0].inward, along.cross(group[0].inward));
    let mut around: Vec<(f64, Border)> = group
        .iter()
        .map(|border| {
            let (x, y) = (border.inward.dot(zero), border.inward.dot(quarter));
            (y.atan2(x).rem_euclid(2.0 * PI), *border)
        })
        .collect();
    around.sort_by(|a, b| a.0.total_cmp(&b.0));
    let sector = |k: usize| {
        let (from, to) = (around[k], around[(k + 1) % around.len()]);
        ((to.0 - from.0).rem_euclid(2.0 * PI), from.1, to.1)
    };
    let (angle, from, to) = (0..around.len())
        .map(sector)
        .max_by(|a, b| a.0.total_cmp(&b.0))?;
    if angle - PI < FLAT_WEDGE_ANGLE {
        return None;
    }
    // A turn around the edge leads from the first side into the sector, and out of it at the second.
    let is_sorted = scene.plane_of(from.face) <= scene.plane_of(to.face);
    let (sides, side) = if is_sorted {
        ([from, to], OpenSide::Turn)
    } else {
        ([to, from], OpenSide::AgainstTurn)
    };
    Some(Open { sides, angle, side })
}

/// Edges, and planes of further faces at some of them.
type Joined = (Vec<Edge>, Vec<(usize, PlaneId)>);

/// Joins pieces of the same faces that follow each other in a straight line.
fn join_in_line(
    scene: &Scene,
    borders: &[Side],
    mut pieces: Vec<Kept>,
    others: &[(u32, PlaneId)],
) -> (Vec<Edge>, Others) {
    /// Number of blocks that are joined before they are added to the list.
    const TOGETHER: usize = 64;
    // The few pieces where more faces end are looked up by their ends, which no two pieces share.
    let mut others: Vec<([u32; 2], PlaneId)> = others
        .iter()
        .map(|&(piece, plane)| (pieces[piece as usize].ends, plane))
        .collect();
    others.sort_unstable();
    pieces.par_sort_unstable_by_key(|piece| (piece.key(), piece.ends));
    let blocks = blocks(&pieces, |a, b| a.key() == b.key());
    let mut edges = Vec::with_capacity(pieces.len());
    let mut planes = Others::default();
    for together in blocks.chunks(TOGETHER) {
        let found: Vec<Joined> = parallel::map_slice(together, |block| {
            let mut found: Joined = (Vec::new(), Vec::new());
            for group in block.chunk_by(|a, b| a.key() == b.key()) {
                join_group(scene, borders, group, &others, &mut found);
            }
            found
        });
        for (mut of_block, of_edges) in found {
            for (edge, plane) in of_edges {
                planes.push(edges.len() + edge, plane);
            }
            edges.append(&mut of_block);
        }
    }
    edges.shrink_to_fit();
    (edges, planes)
}

/// Joins the pieces of one pair of faces. Adds to the edges and to the planes of further faces.
fn join_group(
    scene: &Scene,
    borders: &[Side],
    group: &[Kept],
    others: &[([u32; 2], PlaneId)],
    (edges, planes): &mut (Vec<Edge>, Vec<(usize, PlaneId)>),
) {
    let vertices = &scene.vertices;
    let direction = |k: usize| {
        let [a, b] = group[k].ends.map(|v| vertices[v as usize]);
        (b - a).normalize()
    };
    let mut members: SmallVec<[(usize, usize); 1]> = SmallVec::new();
    if group.len() == 1 {
        members.push((0, 0));
    } else {
        let mut ends: Vec<(u32, usize)> = group
            .iter()
            .enumerate()
            .flat_map(|(k, piece)| piece.ends.map(|v| (v, k)))
            .collect();
        ends.sort_unstable();
        let mut chains = UnionFind::new(group.len());
        for pair in ends.windows(2) {
            let ((v, k), (w, l)) = (pair[0], pair[1]);
            if v == w && direction(k).cross(direction(l)).length() <= COPLANAR_SINE {
                chains.join(k, l);
            }
        }
        members.extend((0..group.len()).map(|k| (chains.root(k), k)));
        members.sort_unstable();
    }
    for chain in members.chunk_by(|a, b| a.0 == b.0) {
        let first = &group[chain[0].1];
        let along = direction(chain[0].1);
        let position = |v: u32| along.dot(vertices[v as usize]);
        let all = chain.iter().flat_map(|&(_, k)| group[k].ends);
        let low = all
            .clone()
            .min_by(|&a, &b| position(a).total_cmp(&position(b)));
        let high = all.max_by(|&a, &b| position(a).total_cmp(&position(b)));
        let [low, high] = [low, high].map(|v| v.expect("a chain has pieces"));
        let border = border(scene, &borders[first.border as usize]);
        let open_side = match first.open_side {
            OpenSide::Both => scene.plane(scene.plane_of(border.face)).normal,
            OpenSide::Turn => along.cross(border.inward),
            OpenSide::AgainstTurn => -along.cross(border.inward),
        };
        let ends = [vertices[low as usize], vertices[high as usize]];
        let [inward, outward] = frame(ends, border.inward, open_side);
        let (sin, cos) = first.exterior_angle.sin_cos();
        if !others.is_empty() {
            let of_chain = chain.iter().flat_map(|&(_, k)| {
                let ends = group[k].ends;
                let start = others.partition_point(|other| other.0 < ends);
                let rest = others[start..].iter();
                rest.take_while(move |other| other.0 == ends)
                    .map(|other| other.1)
            });
            let mut of_chain: Vec<PlaneId> = of_chain.collect();
            of_chain.sort_unstable();
            of_chain.dedup();
            planes.extend(of_chain.into_iter().map(|plane| (edges.len(), plane)));
        }
        let id = |face: u32| (face != Kept::NO_FACE).then(|| FaceId::from_index(face as usize));
        edges.push(Edge {
            ends,
            faces: first.faces.map(id),
            exterior_angle: first.exterior_angle,
            inward,
            outward,
            second_outward: inward * sin - outward * cos,
        });
    }
}

/// Whether another edge ends in line at the start of each edge: a ridge whose faces change.
pub(super) fn follows(edges: &[Edge]) -> Vec<bool> {
    let key = |point: DVec3| FxBuildHasher.hash_one(point.to_array().map(f64::to_bits));
    let mut ends: Vec<(u64, u32)> = (0..edges.len())
        .into_par_iter()
        .map(|e| {
            let number = u32::try_from(e).expect("fewer than 2^32 edges");
            (key(edges[e].ends[1]), number)
        })
        .collect();
    ends.par_sort_unstable();
    let bits = |point: DVec3| point.to_array().map(f64::to_bits);
    let follows = |edge: &Edge| {
        let start = key(edge.ends[0]);
        let first = ends.partition_point(|(end, _)| *end < start);
        ends[first..]
            .iter()
            .take_while(|(end, _)| *end == start)
            .map(|&(_, e)| &edges[e as usize])
            .filter(|other| bits(other.ends[1]) == bits(edge.ends[0]))
            .any(|other| other.along().cross(edge.along()).length() <= COPLANAR_SINE)
    };
    parallel::map_cheap(edges.len(), 16, |e| follows(&edges[e]))
}
