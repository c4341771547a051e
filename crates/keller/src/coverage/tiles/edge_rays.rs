//! The starts of rays at edges, for those that tiles send to edges and those that edges send to tiles.

use crate::scene::{EdgeId, Scene};

/// A ray with a smaller sine of its angle to the edge runs along the edge and is not diffracted.
pub(super) const ALONG_EDGE: f64 = 1e-3;

/// The distance before an edge at which its rays start, metres. Where further walls end at the edge, it is more than
/// the rounding of the index.
pub(super) fn clearance(scene: &Scene, edge: EdgeId) -> f64 {
    if scene.planes_behind(edge).is_empty() {
        0.0
    } else {
        1e-3
    }
}
