//! The parts of terrain that stay: its outline, borders between its materials, and the feet of walls; and the creases
//! between its faces, along which it may be simplified.
//!
//! Triangles of one face are flat, so their sides and the vertices inside of them are not looked at again. A vertex in
//! the middle of a straight line is left out unless another line or something else ends there.

use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::Facet;
use super::field::HeightField;
use crate::geometry::tolerance::WELD_DISTANCE;
use crate::scene::{FaceId, Scene};

/// Lines of terrain, and the vertices at their ends.
#[derive(Debug)]
pub(super) struct Outline {
    /// Lines that stay.
    pub(super) lines: Vec<Line>,
    /// Lines inside of one patch, between two of its faces.
    pub(super) creases: Vec<[u32; 2]>,
    /// Ends of lines that stay, and vertices at which something else stands; sorted.
    pub(super) kept: Vec<u32>,
    /// Ends of creases that need not stay; sorted.
    pub(super) free: Vec<u32>,
}

/// A line between faces of terrain, or at their border.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) ends: [u32; 2],
    /// Patches and faces to its left and to its right, seen from above.
    sides: [Option<(u32, FaceId)>; 2],
    /// Whether it stays.
    stays: bool,
}

impl Line {
    /// The patches to its left and to its right, seen from above.
    pub(super) fn patches(&self) -> [Option<u32>; 2] {
        self.sides.map(|side| side.map(|(patch, _)| patch))
    }

    fn reversed(self) -> Self {
        let ([a, b], [left, right]) = (self.ends, self.sides);
        Self {
            ends: [b, a],
            sides: [right, left],
            ..self
        }
    }

    /// The line, directed away from one of its ends.
    fn away_from(self, end: u32) -> Self {
        if self.ends[0] == end {
            self
        } else {
            self.reversed()
        }
    }
}

/// The distance within which a vertex lies on a line, metres: scenes do not distinguish such points.
const STRAIGHT: f64 = WELD_DISTANCE;

impl Outline {
    pub(super) fn new(scene: &Scene, field: &HeightField) -> Self {
        let others = Others::new(scene, field);
        let all = lines(field, &others);
        let mut at: Vec<(u32, usize)> = Vec::new();
        for (number, line) in all.iter().enumerate() {
            at.extend(line.ends.map(|end| (end, number)));
        }
        at.par_sort_unstable();
        let straight = at.chunk_by(|a, b| a.0 == b.0).filter_map(|at| {
            let [(vertex, first), (_, second)] = *at else {
                return None;
            };
            let [first, second] = [first, second].map(|line| all[line].away_from(vertex));
            let back = second.reversed();
            let is_one = (first.sides, first.stays) == (back.sides, back.stays);
            let ends = [first.ends[1], second.ends[1]].map(|v| place(scene, v));
            let is_straight = offset(ends, place(scene, vertex)) <= STRAIGHT;
            (is_one && is_straight && !others.has[vertex as usize]).then_some(vertex)
        });
        let straight: FxHashSet<u32> = straight.collect();
        let (mut lines, mut creases) = (Vec::new(), Vec::new());
        for Chain { vertices, first } in chains(&all, &at, &straight) {
            let mut kept = vec![vertices[0]];
            keep_turns(scene, &vertices, &mut kept);
            for pair in kept.windows(2) {
                let ends = [pair[0], pair[1]];
                if first.stays {
                    lines.push(Line { ends, ..first });
                } else {
                    creases.push(ends);
                }
            }
        }
        let stands = |v: &u32| others.has[*v as usize];
        let corners = field.facets.iter().flat_map(|facet| facet.corners);
        let ends = lines.iter().flat_map(|line| line.ends);
        let kept = sorted(ends.chain(corners.filter(stands)).collect());
        let mut free = sorted(creases.as_flattened().to_vec());
        free.retain(|v| kept.binary_search(v).is_err());
        Self {
            lines,
            creases,
            kept,
            free,
        }
    }
}

/// Each vertex once.
fn sorted(mut vertices: Vec<u32>) -> Vec<u32> {
    vertices.par_sort_unstable();
    vertices.dedup();
    vertices
}

/// The rest of the scene, where it meets terrain.
struct Others {
    /// Whether each vertex is a corner of a triangle that is no terrain.
    has: Vec<bool>,
    /// Sides whose ends are both vertices of terrain, smaller end first.
    sides: FxHashSet<[u32; 2]>,
}

impl Others {
    fn new(scene: &Scene, field: &HeightField) -> Self {
        let mut is_facet = vec![false; scene.triangles.len()];
        let mut of_terrain = vec![false; scene.vertices.len()];
        for facet in &field.facets {
            is_facet[facet.triangle] = true;
            for v in facet.corners {
                of_terrain[v as usize] = true;
            }
        }
        let mut others = Self {
            has: vec![false; scene.vertices.len()],
            sides: FxHashSet::default(),
        };
        let triangles = scene.triangles.iter().zip(is_facet);
        for (corners, _) in triangles.filter(|(_, is_facet)| !is_facet) {
            for k in 0..3 {
                let [a, b] = [corners[k], corners[(k + 1) % 3]];
                others.has[a as usize] = true;
                if of_terrain[a as usize] && of_terrain[b as usize] {
                    others.sides.insert([a.min(b), a.max(b)]);
                }
            }
        }
        others
    }
}

/// The sides of facets that lie between two faces or at a border.
fn lines(field: &HeightField, others: &Others) -> Vec<Line> {
    // Ends of each side, smaller first, whether its facet lies to the left, and the facet's patch and face.
    let mut sides: Vec<([u32; 2], bool, (u32, FaceId))> =
        Vec::with_capacity(3 * field.facets.len());
    for Facet {
        corners,
        patch,
        face,
        ..
    } in &field.facets
    {
        for k in 0..3 {
            let [a, b] = [corners[k], corners[(k + 1) % 3]];
            sides.push(([a.min(b), a.max(b)], a < b, (*patch, *face)));
        }
    }
    sides.par_sort_unstable();
    let mut lines = Vec::new();
    for same in sides.chunk_by(|a, b| a.0 == b.0) {
        let ends = same[0].0;
        let side = |is_left: bool| {
            let mut on_side = same.iter().filter(|side| side.1 == is_left);
            on_side.next().map(|side| side.2)
        };
        let line = Line {
            ends,
            sides: [true, false].map(side),
            stays: true,
        };
        let [left, right] = line.patches();
        let is_inner = left.is_some() && left == right && same.len() == 2;
        let stays = !is_inner || others.sides.contains(&ends);
        if stays || line.sides[0] != line.sides[1] {
            lines.push(Line { stays, ..line });
        }
    }
    lines
}

/// Lines one after the other, along which only vertices that may be left out lie.
struct Chain {
    vertices: Vec<u32>,
    /// The first of them; the others have the same on their sides.
    first: Line,
}

/// Joins lines at `inside`, the vertices that may be left out. `at` has the lines at each vertex.
fn chains(lines: &[Line], at: &[(u32, usize)], inside: &FxHashSet<u32>) -> Vec<Chain> {
    let mut is_done = vec![false; lines.len()];
    let mut chains = Vec::new();
    let starts = at.iter().filter(|(vertex, _)| !inside.contains(vertex));
    // The other chains go round without an end, and start anywhere.
    let all = (0..lines.len()).map(|number| (lines[number].ends[0], number));
    for (start, first) in starts.copied().chain(all) {
        if is_done[first] {
            continue;
        }
        is_done[first] = true;
        let mut line = lines[first].away_from(start);
        let start_line = line;
        let mut vertices = vec![start, line.ends[1]];
        while line.ends[1] != start && inside.contains(&line.ends[1]) {
            let here = line.ends[1];
            let from = at.partition_point(|(vertex, _)| *vertex < here);
            let next = at[from..].iter().take_while(|(vertex, _)| *vertex == here);
            let Some((_, next)) = next.copied().find(|(_, number)| !is_done[*number]) else {
                break;
            };
            is_done[next] = true;
            line = lines[next].away_from(here);
            vertices.push(line.ends[1]);
        }
        chains.push(Chain {
            vertices,
            first: start_line,
        });
    }
    chains
}

fn place(scene: &Scene, vertex: u32) -> DVec3 {
    scene.vertices[vertex as usize]
}

/// Adds the vertices at which a chain changes its direction, and its last one, to `kept`.
fn keep_turns(scene: &Scene, chain: &[u32], kept: &mut Vec<u32>) {
    let last = chain.len() - 1;
    let ends = [chain[0], chain[last]].map(|v| place(scene, v));
    let offsets = (1..last).map(|k| (offset(ends, place(scene, chain[k])), k));
    let farthest = offsets.max_by(|a, b| a.0.total_cmp(&b.0));
    match farthest.filter(|(offset, _)| *offset > STRAIGHT) {
        Some((_, turn)) => {
            keep_turns(scene, &chain[..=turn], kept);
            keep_turns(scene, &chain[turn..], kept);
        }
        None => kept.push(chain[last]),
    }
}

/// The distance of a point from a segment.
fn offset([a, b]: [DVec3; 2], point: DVec3) -> f64 {
    let along = b - a;
    let t = (point - a).dot(along) / along.length_squared();
    let t = if t.is_finite() {
        t.clamp(0.0, 1.0)
    } else {
        0.0
    };
    point.distance(a + t * along)
}
