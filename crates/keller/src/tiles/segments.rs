//! Cuts edges into segments. A segment sees the tiles that the tiles at its border see (Lu et al. 2019, section II B).

use glam::DVec3;

use super::cells::Divisions;
use super::set::Tiles;
use super::tiling::Frame;
use crate::geometry::tolerance::MIN_STRETCH_LENGTH;
use crate::scene::{Edge, EdgeId, Scene};

/// A part of an edge, between the borders of tiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// The edge.
    pub edge: EdgeId,
    /// Start and end along the edge, metres from its first end.
    pub interval: [f64; 2],
    /// The tiles of both faces that border on it. A free edge has only one; `None` also where a face has no tile.
    pub parents: [Option<u32>; 2],
}

/// The segments of all edges. Those of one edge are consecutive.
#[derive(Debug)]
pub struct Segments {
    all: Vec<Segment>,
    /// Segments by their parents: the first index into `of_tile` for each tile, and the end of the last.
    starts: Vec<u32>,
    of_tile: Vec<u32>,
}

/// Distance inside the face at which parents are looked up, metres.
const INSIDE: f64 = 1e-3;

impl Segments {
    /// The segments of the edges of a scene that `diffracts` selects.
    ///
    /// # Panics
    /// If there are 2^32 segments.
    pub fn new(scene: &Scene, tiles: &Tiles, diffracts: impl Fn(&Edge) -> bool) -> Self {
        let mut segments = Vec::new();
        for (e, edge) in scene.edges().iter().enumerate() {
            if diffracts(edge) {
                cut(edge, EdgeId::from_index(e), tiles, &mut segments);
            }
        }
        let count = |n: usize| u32::try_from(n).expect("fewer than 2^32 segments");
        let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(2 * segments.len());
        for (s, segment) in segments.iter().enumerate() {
            pairs.extend(segment.parents.iter().flatten().map(|t| (*t, count(s))));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; tiles.len() + 1];
        for (tile, _) in &pairs {
            starts[*tile as usize + 1] += 1;
        }
        for k in 0..tiles.len() {
            starts[k + 1] += starts[k];
        }
        Self {
            all: segments,
            starts,
            of_tile: pairs.into_iter().map(|(_, segment)| segment).collect(),
        }
    }

    /// All segments.
    pub fn all(&self) -> &[Segment] {
        &self.all
    }

    /// The numbers of the segments of an edge.
    ///
    /// # Panics
    /// If there are 2^32 segments.
    pub fn of_edge(&self, edge: EdgeId) -> std::ops::Range<u32> {
        let count = |n: usize| u32::try_from(n).expect("fewer than 2^32 segments");
        let start = self
            .all
            .partition_point(|segment| segment.edge.index() < edge.index());
        let end = self
            .all
            .partition_point(|segment| segment.edge.index() <= edge.index());
        count(start)..count(end)
    }

    /// The numbers of the segments at the border of a tile.
    pub fn of_tile(&self, tile: usize) -> &[u32] {
        &self.of_tile[self.starts[tile] as usize..self.starts[tile + 1] as usize]
    }
}

/// Adds the segments of one edge.
fn cut(edge: &Edge, id: EdgeId, tiles: &Tiles, segments: &mut Vec<Segment>) {
    let length = edge.length();
    let mut cuts = vec![0.0, length];
    let inwards = edge.inwards();
    for (face, inward) in edge.faces.into_iter().zip(inwards) {
        let Some((face, frame)) = face.and_then(|face| Some((face, tiles.frame(face)?))) else {
            continue;
        };
        let mut of_face = vec![0.0, length];
        add_cuts(edge, frame, &mut of_face);
        if let Some(divisions) = tiles.divisions(face) {
            of_face.sort_by(f64::total_cmp);
            add_finer_cuts(edge, inward, frame, divisions, &mut of_face);
        }
        cuts.extend(of_face);
    }
    cuts.sort_by(f64::total_cmp);
    cuts.dedup_by(|b, a| *b - *a < MIN_STRETCH_LENGTH);
    if let Some(last) = cuts.last_mut() {
        *last = length;
    }
    let [first, second] = inwards;
    for pair in cuts.windows(2) {
        let centre = edge.ends[0] + 0.5 * (pair[0] + pair[1]) * edge.along();
        let parent = |k: usize, inward: DVec3| {
            let tile = tiles.at(edge.faces[k]?, centre + INSIDE * inward)?;
            u32::try_from(tile).ok()
        };
        segments.push(Segment {
            edge: id,
            interval: [pair[0], pair[1]],
            parents: [parent(0, first), parent(1, second)],
        });
    }
}

/// Adds the places where an edge crosses the lines between the cells of one of its faces, metres from its first end.
fn add_cuts(edge: &Edge, frame: &Frame, cuts: &mut Vec<f64>) {
    let length = edge.length();
    let [a, b] = edge.ends.map(|end| frame.local(end));
    for k in 0..2 {
        let run = b[k] - a[k];
        // An edge along a line does not cross it.
        if run.abs() <= MIN_STRETCH_LENGTH {
            continue;
        }
        for line in 1..frame.num_cells[k] {
            let t = length * (f64::from(line) * frame.cell[k] - a[k]) / run;
            if t > MIN_STRETCH_LENGTH && t < length - MIN_STRETCH_LENGTH {
                cuts.push(t);
            }
        }
    }
}

/// Adds the places where an edge crosses the lines between the parts of a divided cell. `cuts` are those between the
/// cells of one of its faces, in order, with both ends; `inward` leads from the edge into that face.
fn add_finer_cuts(
    edge: &Edge,
    inward: DVec3,
    frame: &Frame,
    divisions: &Divisions,
    cuts: &mut Vec<f64>,
) {
    let length = edge.length();
    let [a, b] = edge.ends.map(|end| frame.local(end));
    for stretch in 1..cuts.len() {
        let [from, to] = [cuts[stretch - 1], cuts[stretch]];
        let centre = edge.ends[0] + 0.5 * (from + to) * edge.along();
        let cell = frame.cell_of(frame.local(centre + INSIDE * inward));
        let num = divisions.of(cell);
        let low = frame.low(cell);
        for k in 0..2 {
            let run = b[k] - a[k];
            if run.abs() <= MIN_STRETCH_LENGTH {
                continue;
            }
            for line in 1..num[k] {
                let at = low[k] + frame.cell[k] * f64::from(line) / f64::from(num[k]);
                let t = length * (at - a[k]) / run;
                if t > from + MIN_STRETCH_LENGTH && t < to - MIN_STRETCH_LENGTH {
                    cuts.push(t);
                }
            }
        }
    }
}
