//! A Delaunay triangulation of nodes of a grid (the crate `spade`), into which nodes are inserted one by one.

use spade::handles::{FixedFaceHandle, InnerTag};
use spade::{DelaunayTriangulation, Point2, Triangulation};

/// A node of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) x: i32,
    pub(super) y: i32,
}

/// A triangle.
pub(super) type TriangleId = FixedFaceHandle<InnerTag>;

/// Triangles over a grid.
pub(super) struct Delaunay {
    net: DelaunayTriangulation<Point2<f64>>,
    /// Triangles that are new or have changed since this was emptied.
    pub(super) changed: Vec<TriangleId>,
}

impl Delaunay {
    /// Two triangles over a grid.
    pub(super) fn new(columns: usize, rows: usize) -> Self {
        let last =
            |count: usize| i32::try_from(count - 1).expect("fewer than 2^31 rows and columns");
        let (x, y) = (last(columns), last(rows));
        let mut net = DelaunayTriangulation::new();
        for (x, y) in [(0, 0), (x, 0), (x, y), (0, y)] {
            net.insert(point(Node { x, y })).expect(ACCEPTED);
        }
        Self {
            changed: net.fixed_inner_faces().collect(),
            net,
        }
    }

    /// The corners of a triangle, counter-clockwise.
    pub(super) fn corners(&self, triangle: TriangleId) -> [Node; 3] {
        self.net.face(triangle).positions().map(node)
    }

    /// The nodes of all vertices.
    pub(super) fn nodes(&self) -> impl Iterator<Item = Node> {
        self.net.vertices().map(|vertex| node(vertex.position()))
    }

    /// The numbers of the vertices of all triangles, counter-clockwise.
    pub(super) fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        let number = |index: usize| u32::try_from(index).expect("fewer than 2^32 vertices");
        let faces = self.net.inner_faces();
        faces.map(move |face| face.vertices().map(|vertex| number(vertex.fix().index())))
    }

    /// Makes `inserted`, which lies in a triangle or on a side of it but is no vertex yet, a vertex. All triangles that this
    /// changes have it as a corner.
    pub(super) fn insert(&mut self, triangle: TriangleId, inserted: Node) {
        let [near, ..] = self
            .net
            .face(triangle)
            .vertices()
            .map(|vertex| vertex.fix());
        let new = self.net.insert_with_hint(point(inserted), near);
        let around = self.net.vertex(new.expect(ACCEPTED)).out_edges();
        let faces = around.filter_map(|edge| edge.face().as_inner());
        self.changed.extend(faces.map(|face| face.fix()));
    }
}

const ACCEPTED: &str = "whole numbers below 2^31 are accepted";

fn point(node: Node) -> Point2<f64> {
    Point2::new(f64::from(node.x), f64::from(node.y))
}

fn node(point: Point2<f64>) -> Node {
    #[expect(clippy::cast_possible_truncation, reason = "nodes have whole numbers")]
    let [x, y] = [point.x, point.y].map(|at| at as i32);
    Node { x, y }
}
