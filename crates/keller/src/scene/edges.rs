//! Edges: where faces end. Two faces that meet there at an angle make a wedge, a single one has a free edge. Where more meet, as houses
//! that touch do, the two that bound the widest sector make the wedge.
//!
//! The space around a wedge is its sector of more than half a turn, whichever way the fronts of its faces look: outside of a body at its
//! convex corners and inside at its concave ones, since air may be on both sides of a wall. What waves cannot come to makes no path.
//!
//! The sides that only one triangle of a plane has are the borders. Each border is cut at every vertex that lies on it, so that
//! a T-junction leaves matching pieces; pieces with the same ends are put together, and one piece after the other becomes an edge
//! again as long as the same faces meet in line. An edge that lies on a further face (a wall standing on the ground) is none. Cost: one
//! box query a border vertex and one a piece.

use std::f64::consts::PI;

use glam::DVec3;

use super::cuts::cut_at_vertices;
use super::regions::Side;
use super::{FaceId, PlaneId, Scene};
use crate::Error;
use crate::control::Part;
use crate::geometry::tolerance::{
    COPLANAR_DISTANCE, COPLANAR_SINE, FLAT_WEDGE_ANGLE, WELD_DISTANCE,
};
use crate::geometry::union_find::UnionFind;

/// A straight line along which a wave can diffract.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Its two ends, metres.
    pub ends: [DVec3; 2],
    /// The face, or the two faces, that end here.
    pub faces: [Option<FaceId>; 2],
    /// The angle of the open space around the edge, radians: between pi and 2 pi for a wedge, 2 pi for a free edge.
    pub exterior_angle: f64,
    /// Unit vector in the first face, away from the edge and perpendicular to it: angles around the edge start here.
    pub inward: DVec3,
    /// Unit normal of the first face on its open side: angles around the edge grow towards it.
    pub outward: DVec3,
    /// Unit normal of the second face, or of the other side of the only one, on its open side.
    pub second_outward: DVec3,
}

impl Edge {
    /// Whether two faces meet here.
    pub fn is_wedge(&self) -> bool {
        self.faces[1].is_some()
    }

    /// Metres.
    pub fn length(&self) -> f64 {
        self.ends[0].distance(self.ends[1])
    }

    /// Unit vector from its first end to its second.
    pub fn along(&self) -> DVec3 {
        (self.ends[1] - self.ends[0]).normalize()
    }

    /// Unit vectors from the edge into its faces, perpendicular to it; both are the same at a free edge.
    pub fn inwards(&self) -> [DVec3; 2] {
        let [a, b] = [self.inward, self.outward];
        // The second face seen from the edge is its normal turned by a right angle.
        [
            a,
            b * self.second_outward.dot(a) - a * self.second_outward.dot(b),
        ]
    }

    /// Whether a vector from the edge runs along one of its faces, at most `distance` metres off.
    pub fn is_along_face(&self, to: DVec3, distance: f64) -> bool {
        let [first, second] = self.inwards();
        [(first, self.outward), (second, self.second_outward)]
            .iter()
            .any(|(inward, outward)| to.dot(*inward) > 0.0 && to.dot(*outward).abs() <= distance)
    }

    /// Whether a vector from the edge points into the open space around it and not into the wedge, by more than `depth` metres.
    pub fn is_open_towards(&self, to: DVec3, depth: f64) -> bool {
        to.dot(self.outward) >= -depth || to.dot(self.second_outward) >= -depth
    }
}

/// The edges of a scene, and what was odd about its borders.
#[derive(Debug, Default)]
pub(super) struct FoundEdges {
    /// Wedges first, then free edges, each sorted by their faces and ends.
    pub(super) list: Vec<Edge>,
    /// For each, the planes of further faces that end there, sorted.
    pub(super) others: Vec<Vec<PlaneId>>,
    /// Border pieces where more than two faces end.
    pub(super) non_manifold: usize,
    /// Vertices in the middle of somebody else's border.
    pub(super) t_junctions: usize,
}

/// One face's border between two vertices.
#[derive(Debug, Clone, Copy)]
struct Border {
    ends: [u32; 2],
    face: FaceId,
    /// Unit vector in the face, away from the border and into the face.
    inward: DVec3,
}

/// Finds the edges of a scene whose faces are known. `sides` are those of the scene's own triangles.
pub(super) fn edges(scene: &Scene, sides: &[Side], part: Part<'_>) -> Result<FoundEdges, Error> {
    let borders = borders(scene, sides, part)?;
    let (pieces, t_junctions) = cut(&borders, &scene.vertices, part)?;
    let mut found = FoundEdges {
        t_junctions,
        ..FoundEdges::default()
    };
    let mut kept: Vec<Piece> = Vec::new();
    for (number, all) in pieces.chunk_by(|a, b| a.ends == b.ends).enumerate() {
        part.at(number, pieces.len())?;
        let mut group = without_flat_pairs(all, scene);
        if group.len() < all.len() {
            // A plane goes on here: whatever else ends here lies on it.
            continue;
        }
        // Twin faces of one plane end here together: one of them speaks for both.
        group.dedup_by_key(|b| scene.plane_of(b.face));
        if group.len() > 2 {
            found.non_manifold += 1;
        }
        let open = match group[..] {
            [] => continue,
            [only] => Open {
                sides: [only, only],
                angle: 2.0 * PI,
                towards: scene.plane(scene.plane_of(only.face)).normal,
            },
            _ => match widest_sector(&group, scene) {
                Some(open) => open,
                None => continue,
            },
        };
        if lies_on_further_face(all, scene) {
            continue;
        }
        let [first, second] = open.sides;
        let key = Key {
            faces: [Some(first.face), (group.len() > 1).then_some(second.face)],
            exterior_angle: open.angle,
            inward: first.inward,
            open_side: open.towards,
        };
        let mine = [first, second].map(|b| scene.plane_of(b.face));
        let mut others: Vec<PlaneId> = all.iter().map(|b| scene.plane_of(b.face)).collect();
        others.retain(|plane| !mine.contains(plane));
        kept.push(Piece {
            key,
            ends: first.ends,
            others,
        });
    }
    (found.list, found.others) = join_in_line(&kept, &scene.vertices);
    Ok(found)
}

/// What pieces must share to be one edge.
#[derive(Debug, Clone, Copy)]
struct Key {
    faces: [Option<FaceId>; 2],
    exterior_angle: f64,
    inward: DVec3,
    /// Points to the open side of the first face, in any direction.
    open_side: DVec3,
}

/// A border piece that diffracts.
#[derive(Debug)]
struct Piece {
    key: Key,
    ends: [u32; 2],
    /// Planes of further faces that end here, inside of what the two faces enclose.
    others: Vec<PlaneId>,
}

/// The sides at which a face ends: all that are not shared by two triangles of one plane lying on either side.
fn borders(scene: &Scene, sides: &[Side], part: Part<'_>) -> Result<Vec<Border>, Error> {
    let mut borders = Vec::new();
    let mut group = Vec::new();
    for (number, edge) in sides.chunk_by(|a, b| a.ends == b.ends).enumerate() {
        part.at(number, sides.len())?;
        group.clear();
        group.extend(edge.iter().map(|side| border(scene, side)));
        borders.extend(without_flat_pairs(&group, scene));
    }
    Ok(borders)
}

fn border(scene: &Scene, side: &Side) -> Border {
    let triangle = side.triangle as usize;
    let face = scene.triangle_faces[triangle];
    let [a, b] = side.ends.map(|v| scene.vertices[v as usize]);
    let third = scene.triangles[triangle]
        .into_iter()
        .find(|v| !side.ends.contains(v))
        .expect("a triangle has three corners");
    let along = (b - a).normalize();
    let normal = scene.planes[scene.faces[face.index()].plane.index()].normal;
    let across = normal.cross(along).normalize();
    let inward = if across.dot(scene.vertices[third as usize] - a) < 0.0 {
        -across
    } else {
        across
    };
    Border {
        ends: side.ends,
        face,
        inward,
    }
}

/// Drops borders where a plane goes on on the other side; sorted by plane and face.
fn without_flat_pairs(group: &[Border], scene: &Scene) -> Vec<Border> {
    let plane = |b: &Border| scene.plane_of(b.face);
    let mut kept: Vec<Border> = group
        .iter()
        .filter(|b| {
            !group
                .iter()
                .any(|other| plane(other) == plane(b) && other.inward.dot(b.inward) < 0.0)
        })
        .copied()
        .collect();
    kept.sort_by_key(|b| (plane(b), b.face));
    kept
}

/// Cuts borders at every border vertex within weld distance; returns the pieces sorted by their ends, and the cuts' number.
fn cut(
    borders: &[Border],
    vertices: &[DVec3],
    part: Part<'_>,
) -> Result<(Vec<Border>, usize), Error> {
    let lines: Vec<[u32; 2]> = borders.iter().map(|border| border.ends).collect();
    let (pieces, num_cuts) = cut_at_vertices(&lines, vertices, part)?;
    let mut pieces: Vec<Border> = pieces
        .into_iter()
        .map(|piece| Border {
            ends: piece.ends,
            ..borders[piece.line]
        })
        .collect();
    pieces.sort_by_key(|b| (b.ends, b.face));
    Ok((pieces, num_cuts))
}

/// The open space around an edge.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// The borders of the faces that it ends at.
    sides: [Border; 2],
    /// Radians.
    angle: f64,
    /// A vector from the first side towards it.
    towards: DVec3,
}

/// The sector around an edge, between two neighbouring faces, that is wider than a half space; none if there is none, as in flat places.
/// Where houses touch, more than two faces meet in such a line.
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
    // The way round from the first side leads into the sector, that from the second out of it.
    let into = [along.cross(from.inward), -along.cross(to.inward)];
    let is_sorted = scene.plane_of(from.face) <= scene.plane_of(to.face);
    let (sides, towards) = if is_sorted {
        ([from, to], into[0])
    } else {
        ([to, from], into[1])
    };
    Some(Open {
        sides,
        angle,
        towards,
    })
}

/// Whether the middle of a border piece lies on a face that does not end there.
fn lies_on_further_face(group: &[Border], scene: &Scene) -> bool {
    let [a, b] = group[0].ends.map(|v| scene.vertices[v as usize]);
    let middle = 0.5 * (a + b);
    scene.any_face_near(middle, COPLANAR_DISTANCE + WELD_DISTANCE, |face| {
        group.iter().all(|b| b.face != face)
    })
}

/// Puts pieces of the same faces that follow each other in a straight line together.
fn join_in_line(pieces: &[Piece], vertices: &[DVec3]) -> (Vec<Edge>, Vec<Vec<PlaneId>>) {
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by_key(|&i| {
        (
            pieces[i].key.faces[1].is_none(),
            pieces[i].key.faces,
            pieces[i].ends,
        )
    });
    let (mut edges, mut others) = (Vec::new(), Vec::new());
    for group in order.chunk_by(|&a, &b| pieces[a].key.faces == pieces[b].key.faces) {
        let mut ends: Vec<(u32, usize)> = group
            .iter()
            .enumerate()
            .flat_map(|(k, &i)| pieces[i].ends.map(|v| (v, k)))
            .collect();
        ends.sort_unstable();
        let direction = |k: usize| {
            let [a, b] = pieces[group[k]].ends.map(|v| vertices[v as usize]);
            (b - a).normalize()
        };
        let mut chains = UnionFind::new(group.len());
        for pair in ends.windows(2) {
            let ((v, k), (w, l)) = (pair[0], pair[1]);
            if v == w && direction(k).cross(direction(l)).length() <= COPLANAR_SINE {
                chains.join(k, l);
            }
        }
        let mut members: Vec<(usize, usize)> =
            (0..group.len()).map(|k| (chains.root(k), k)).collect();
        members.sort_unstable();
        for chain in members.chunk_by(|a, b| a.0 == b.0) {
            let along = direction(chain[0].1);
            let position = |v: u32| along.dot(vertices[v as usize]);
            let all = chain.iter().flat_map(|&(_, k)| pieces[group[k]].ends);
            let low = all
                .clone()
                .min_by(|&a, &b| position(a).total_cmp(&position(b)));
            let high = all.max_by(|&a, &b| position(a).total_cmp(&position(b)));
            let [low, high] = [low, high].map(|v| v.expect("a chain has pieces"));
            let key = pieces[group[chain[0].1]].key;
            let ends = [vertices[low as usize], vertices[high as usize]];
            let [inward, outward] = frame(ends, &key);
            let (sin, cos) = key.exterior_angle.sin_cos();
            let mut planes: Vec<PlaneId> = chain
                .iter()
                .flat_map(|&(_, k)| pieces[group[k]].others.iter().copied())
                .collect();
            planes.sort_unstable();
            planes.dedup();
            others.push(planes);
            edges.push(Edge {
                ends,
                faces: key.faces,
                exterior_angle: key.exterior_angle,
                inward,
                outward,
                second_outward: inward * sin - outward * cos,
            });
        }
    }
    (edges, others)
}

/// For each edge whether another one ends in line where it begins: a ridge whose faces change.
pub(super) fn follows(edges: &[Edge]) -> Vec<bool> {
    let key = |point: DVec3| point.to_array().map(f64::to_bits);
    let mut ends: Vec<([u64; 3], usize)> = (0..edges.len())
        .map(|e| (key(edges[e].ends[1]), e))
        .collect();
    ends.sort_unstable();
    let follows = |edge: &Edge| {
        let start = key(edge.ends[0]);
        let first = ends.partition_point(|(end, _)| *end < start);
        ends[first..]
            .iter()
            .take_while(|(end, _)| *end == start)
            .any(|&(_, e)| edges[e].along().cross(edge.along()).length() <= COPLANAR_SINE)
    };
    edges.iter().map(follows).collect()
}

/// The directions around an edge that angles are measured by, square to the edge and to each other.
fn frame(ends: [DVec3; 2], key: &Key) -> [DVec3; 2] {
    let along = (ends[1] - ends[0]).normalize();
    let inward = (key.inward - key.inward.dot(along) * along).normalize();
    let outward = along.cross(inward);
    [inward, outward * outward.dot(key.open_side).signum()]
}
