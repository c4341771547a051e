//! Lines between vertices, cut at every vertex that lies on them: so that a T-junction leaves pieces that match.

use glam::DVec3;
use obvhs::{
    BvhBuildParams,
    aabb::Aabb,
    bvh2::{Bvh2, builder::build_bvh2},
};

use crate::Error;
use crate::control::Part;
use crate::geometry::tolerance::WELD_DISTANCE;

/// What is left of a line between two vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// Vertex indices, smaller first.
    pub(super) ends: [u32; 2],
    /// Which line it is a part of.
    pub(super) line: usize,
}

/// Cuts lines, given by their end vertices, at every end of another one within weld distance; returns the pieces, and at how many vertices
/// lines were cut. Cost: one box query a vertex.
pub(super) fn cut_at_vertices(
    lines: &[[u32; 2]],
    vertices: &[DVec3],
    part: Part<'_>,
) -> Result<(Vec<Piece>, usize), Error> {
    let mut corners: Vec<u32> = lines.iter().copied().flatten().collect();
    corners.sort_unstable();
    corners.dedup();
    let boxes: Vec<Aabb> = lines
        .iter()
        .map(|ends| {
            let [p, q] = ends.map(|v| vertices[v as usize]);
            grown_box(p.min(q), p.max(q))
        })
        .collect();
    let mut cuts: Vec<(usize, f64, u32)> = Vec::new();
    if !boxes.is_empty() {
        let mut time = std::time::Duration::ZERO;
        let tree = build_bvh2(&boxes, BvhBuildParams::very_fast_build(), &mut time);
        for (number, &v) in corners.iter().enumerate() {
            part.at(number, corners.len())?;
            let p = vertices[v as usize];
            for_each_near(&tree, grown_box(p, p), |i| {
                if let Some(t) = position_on(lines[i], v, vertices) {
                    cuts.push((i, t, v));
                }
            });
        }
    }
    cuts.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut cut_vertices: Vec<u32> = cuts.iter().map(|c| c.2).collect();
    cut_vertices.sort_unstable();
    cut_vertices.dedup();

    let mut pieces = Vec::with_capacity(lines.len() + cuts.len());
    let mut cuts = cuts.into_iter().peekable();
    for (line, &[mut start, end]) in lines.iter().enumerate() {
        let mut push = |a: u32, b: u32| {
            let ends = [a.min(b), a.max(b)];
            pieces.push(Piece { ends, line });
        };
        while let Some((_, _, v)) = cuts.next_if(|c| c.0 == line) {
            push(start, v);
            start = v;
        }
        push(start, end);
    }
    Ok((pieces, cut_vertices.len()))
}

/// Where along the line vertex `v` lies, if it lies strictly inside it.
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

fn grown_box(low: DVec3, high: DVec3) -> Aabb {
    let pad = WELD_DISTANCE + f64::from(f32::EPSILON) * low.abs().max(high.abs());
    Aabb::new(
        (low - pad).as_vec3().to_vec3a(),
        (high + pad).as_vec3().to_vec3a(),
    )
}

fn for_each_near(tree: &Bvh2, bounds: Aabb, mut visit: impl FnMut(usize)) {
    tree.aabb_traverse(bounds, |tree, node| {
        let node = &tree.nodes[node as usize];
        let first = node.first_index as usize;
        for &i in &tree.primitive_indices[first..first + node.prim_count as usize] {
            visit(i as usize);
        }
        true
    });
}
