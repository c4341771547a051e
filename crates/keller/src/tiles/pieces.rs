//! The part of a face that lies in a tile, for drawing.

use glam::{DVec2, DVec3};

use super::set::{Tile, Tiles};
use crate::geometry::polygon::{area_and_centre, clip};
use crate::scene::Scene;

impl Tiles {
    /// The parts of a tile: convex polygons in its face, metres.
    ///
    /// # Panics
    /// If `tile` is not one of these tiles.
    pub fn pieces(&self, scene: &Scene, tile: &Tile) -> Vec<Vec<DVec3>> {
        let frame = self.frame(tile.face).expect("the face has this tile");
        let in_space = |p: &DVec2| frame.corner + p.x * frame.axes[0] + p.y * frame.axes[1];
        let triangles = scene.face(tile.face).triangles.clone();
        let piece = |triangle: usize| {
            let mut polygon = scene.corners(triangle).map(|p| frame.local(p)).to_vec();
            clip(&mut polygon, tile.low, tile.high);
            let (area, _) = area_and_centre(&polygon);
            (area > 0.0).then(|| polygon.iter().map(in_space).collect())
        };
        triangles.filter_map(piece).collect()
    }
}
