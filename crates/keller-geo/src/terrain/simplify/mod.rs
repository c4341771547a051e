//! A grid of heights becomes few triangles within a stated vertical error: greedy insertion into a Delaunay triangulation.
//!
//! Two triangles cover the grid. As long as a cell lies farther from the triangles than allowed, the one that is farthest of all becomes a
//! vertex, and the triangulation is made Delaunay again. Each triangle remembers its worst cell, so only the triangles that an
//! insertion changes are looked at again.
//!
//! The error holds at every cell: each triangle that remains was compared with all cells in it, those on its sides among them.
//! Time goes with (cells + vertices) log(vertices); memory is 4 bytes a cell and about 70 a triangle. Tests of
//! orientation and of circles are exact, so no triangle is degenerate.
//!
//! # Source
//! M. Garland and P. S. Heckbert, "Fast Polygonal Approximation of Terrains and Height Fields", CMU-CS-95-181, 1995, algorithm III.

mod delaunay;
mod scan;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use delaunay::{Delaunay, Node, TriangleId};

/// Heights on a grid, row by row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heights<'a> {
    /// The number of nodes of a row, at least 2.
    pub(super) columns: usize,
    /// One a node.
    pub(super) values: &'a [f32],
}

/// Triangles on a grid.
#[derive(Debug)]
pub(super) struct GridTriangles {
    /// Column and row of each vertex.
    pub(super) vertices: Vec<[u32; 2]>,
    /// Counter-clockwise with columns to the right and rows upwards.
    pub(super) triangles: Vec<[u32; 3]>,
}

/// Triangles over all of a grid that are nowhere farther than `max_error` from its heights, all of which are finite.
///
/// # Panics
/// If the grid has fewer than two rows or columns.
pub(super) fn simplify(heights: Heights<'_>, max_error: f64) -> GridTriangles {
    let rows = heights.values.len() / heights.columns;
    assert!(
        heights.columns >= 2 && rows >= 2,
        "a grid has at least two rows and columns"
    );
    let mut mesh = Delaunay::new(heights.columns, rows);
    let mut worst = Worst {
        heap: BinaryHeap::new(),
        versions: Vec::new(),
        max_error,
    };
    worst.update(&mut mesh, heights);
    while let Some((triangle, node)) = worst.pop() {
        mesh.insert(triangle, node);
        worst.update(&mut mesh, heights);
    }
    let vertices = mesh.nodes();
    GridTriangles {
        vertices: vertices
            .map(|node| [node.x.cast_unsigned(), node.y.cast_unsigned()])
            .collect(),
        triangles: mesh.triangles().collect(),
    }
}

/// The cells that are too far from their triangle, the farthest first.
struct Worst {
    heap: BinaryHeap<Candidate>,
    /// The number of times that each triangle has changed: candidates of an earlier version are void.
    versions: Vec<u32>,
    max_error: f64,
}

impl Worst {
    /// Looks at the triangles that have changed.
    fn update(&mut self, mesh: &mut Delaunay, heights: Heights<'_>) {
        for triangle in std::mem::take(&mut mesh.changed) {
            if self.versions.len() <= triangle.index() {
                self.versions.resize(triangle.index() + 1, 0);
            }
            let version = &mut self.versions[triangle.index()];
            *version = version.wrapping_add(1);
            let corners = mesh.corners(triangle);
            let (error, node) = scan::worst_cell(heights, corners);
            if error > self.max_error && !corners.contains(&node) {
                self.heap.push(Candidate {
                    error,
                    node,
                    triangle,
                    version: *version,
                });
            }
        }
    }

    fn pop(&mut self) -> Option<(TriangleId, Node)> {
        loop {
            let Candidate {
                node,
                triangle,
                version,
                ..
            } = self.heap.pop()?;
            if self.versions[triangle.index()] == version {
                return Some((triangle, node));
            }
        }
    }
}

struct Candidate {
    error: f64,
    node: Node,
    triangle: TriangleId,
    version: u32,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        // The position decides between equal errors, so that the result does not depend on how triangles are numbered.
        let key = |c: &Self| (c.node.y, c.node.x);
        self.error
            .total_cmp(&other.error)
            .then_with(|| key(other).cmp(&key(self)))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

#[cfg(test)]
pub(super) mod tests;
