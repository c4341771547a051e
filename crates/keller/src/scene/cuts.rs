//! Lines between vertices, cut at every vertex that lies on them, so that a T-junction leaves matching pieces.

use glam::DVec3;
use rayon::prelude::*;

use super::near::{Nearby, outwards};
use crate::Error;
use crate::control::Part;
use crate::geometry::tolerance::WELD_DISTANCE;
use crate::parallel;

/// A piece of a line, between two vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// Vertex indices, smaller first.
    pub(super) ends: [u32; 2],
    /// The line of which it is a part.
    pub(super) line: u32,
}

/// Cuts lines, given by their end vertices, at every end of another line within weld distance. Returns the pieces, and
/// the number of vertices at which lines were cut. Consecutive lines between the same ends are cut together. **Cost:**
/// one box query a vertex.
pub(super) fn cut_at_vertices(
    lines: &[[u32; 2]],
    vertices: &[DVec3],
    part: Part<'_>,
) -> Result<(Vec<Piece>, usize), Error> {
    /// Vertices that one thread handles between two checks for cancellation.
    const BLOCK: usize = 1 << 10;
    let number = |i: usize| u32::try_from(i).expect("fewer than 2^32 lines");
    let is_first = |i: &usize| *i == 0 || lines[*i] != lines[*i - 1];
    let different: Vec<u32> = (0..lines.len()).filter(is_first).map(number).collect();
    let ends = |i: usize| lines[different[i] as usize];
    let mut corners: Vec<u32> = parallel::collect(different.len(), 4096, &|range, corners| {
        corners.extend(range.flat_map(ends));
    });
    corners.par_sort_unstable();
    corners.dedup();
    let near = Nearby::new(different.len(), |i| {
        let [p, q] = ends(i).map(|v| vertices[v as usize]);
        outwards([p.min(q), p.max(q)], WELD_DISTANCE)
    });
    // Vertices are sorted by position, so that neighbours query the same lines.
    let blocks: Vec<&[u32]> = corners.chunks(BLOCK).collect();
    let found: Vec<Vec<(u32, f64, u32)>> = parallel::try_map(blocks.len(), |number| {
        part.at(number * BLOCK, corners.len())?;
        let mut found = Vec::new();
        for &v in blocks[number] {
            let p = vertices[v as usize];
            near.each_meeting(outwards([p, p], WELD_DISTANCE), &mut |i| {
                if let Some(t) = position_on(ends(i), v, vertices) {
                    found.push((different[i], t, v));
                }
            });
        }
        Ok::<_, Error>(found)
    })?;
    let mut cuts = found.concat();
    drop((near, corners, found));
    cuts.par_sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut cut_vertices: Vec<u32> = cuts.iter().map(|c| c.2).collect();
    cut_vertices.sort_unstable();
    cut_vertices.dedup();

    let mut pieces = Vec::with_capacity(lines.len() + cuts.len());
    let (mut of_group, mut group) = (0, 0);
    let mut next = 0;
    for (line, &[mut start, end]) in (0u32..).zip(lines) {
        if is_first(&(line as usize)) {
            (of_group, group) = (next, line);
        }
        // All lines between the same ends have the cuts of the first.
        next = of_group;
        let mut push = |a: u32, b: u32| {
            let ends = [a.min(b), a.max(b)];
            pieces.push(Piece { ends, line });
        };
        while let Some(&(_, _, v)) = cuts.get(next).filter(|cut| cut.0 == group) {
            push(start, v);
            start = v;
            next += 1;
        }
        push(start, end);
    }
    Ok((pieces, cut_vertices.len()))
}

/// The position of vertex `v` along the line, from 0 to 1, if it lies strictly inside the line.
fn position_on(line: [u32; 2], v: u32, vertices: &[DVec3]) -> Option<f64> {
    if line.contains(&v) {
        return None;
    }
    let [a, b] = line.map(|i| vertices[i as usize]);
    let p = vertices[v as usize];
    let along = b - a;
    let t = (p - a).dot(along) / along.length_squared();
    let is_on = t > 0.0 && t < 1.0 && (a + t * along).distance(p) <= WELD_DISTANCE;
    is_on.then_some(t)
}
