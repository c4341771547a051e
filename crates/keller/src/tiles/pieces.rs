//! The parts of faces that make up a tile, for drawing and for diffuse power.

use glam::DVec3;

use super::cut::leaves_out;
use super::outside::outside;
use super::set::Tiles;
use super::tiling::Part;
use crate::geometry::polygon::{area_and_centre, clip};
use crate::scene::{FaceId, Scene};

impl Tiles {
    /// The pieces of a tile: convex polygons with the faces in which they lie, metres.
    ///
    /// # Panics
    /// If there is no such tile.
    pub fn pieces(&self, scene: &Scene, number: usize) -> Vec<(FaceId, Vec<DVec3>)> {
        let cell = &self.all()[number];
        let mut pieces = Vec::new();
        for Part { face, .. } in self.parts(number) {
            let frame = self.frame(*face).expect("the face has this tile");
            let is_cut = leaves_out(scene, *face, self.tiling());
            for triangle in scene.face(*face).triangles.clone() {
                let mut polygon = scene.corners(triangle).map(|p| frame.local(p)).to_vec();
                clip(&mut polygon, cell.low, cell.high);
                let parts = if is_cut {
                    outside(scene, *face, frame, polygon)
                } else {
                    vec![polygon]
                };
                let is_some = |part: &&Vec<_>| area_and_centre(part).0 > 0.0;
                let in_space = |part: &Vec<_>| {
                    let polygon = part.iter().map(|p| frame.in_space(*p));
                    (*face, polygon.collect())
                };
                pieces.extend(parts.iter().filter(is_some).map(in_space));
            }
        }
        pieces
    }
}
