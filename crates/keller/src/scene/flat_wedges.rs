//! Leaves out the wedges of terrain that are nearly flat.
//!
//! Terrain is drawn by facets, and its edges are where a triangulation happens to have them. Every angle of more than
//! [`FLAT_WEDGE_ANGLE`](crate::geometry::tolerance::FLAT_WEDGE_ANGLE) is a wedge all the same, and searches for
//! diffraction pay for each. Edges of buildings, and edges where walls meet the ground, stay.

use std::f64::consts::PI;

use super::edge::Others;
use super::{Edge, Scene, edges};

impl Scene {
    /// This scene without the wedges between facets of terrain ([`Self::terrain_of`]) whose faces meet at an angle of
    /// less than `angle`, radians. The ids of all other edges change.
    #[must_use]
    pub fn without_terrain_wedges_below(mut self, angle: f64) -> Self {
        let is_terrain = |edge: &Edge| {
            let faces = edge.faces.iter();
            let mut known = faces.map(|face| face.is_some_and(|f| self.terrain_of(f).is_some()));
            known.all(|is| is)
        };
        let is_kept = |edge: &Edge| edge.exterior_angle - PI >= angle || !is_terrain(edge);
        let kept: Vec<usize> = (0..self.edges.len())
            .filter(|e| is_kept(&self.edges[*e]))
            .collect();
        if kept.len() == self.edges.len() {
            return self;
        }
        let mut others = Others::default();
        for (new, &old) in kept.iter().enumerate() {
            for plane in self.edge_planes.of(old) {
                others.push(new, *plane);
            }
        }
        self.edges = kept.iter().map(|e| self.edges[*e]).collect();
        self.edge_planes = others;
        self.edge_follows = edges::follows(&self.edges);
        self.joints.take();
        self
    }
}
