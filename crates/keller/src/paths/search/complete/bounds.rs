//! Boxes around pieces of walls and around subtrees of the partition, in f32 and rounded outwards.

use glam::DVec3;

/// The distance by which a box extends beyond its content, metres. It is more than the rounding of the tests.
const MARGIN: f32 = 1e-6;

/// A box in f32, rounded outwards.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) centre: [f32; 3],
    /// Half the lengths of its sides.
    pub(super) half: [f32; 3],
}

impl Bounds {
    /// The box from `low` to `high`, enlarged by [`MARGIN`].
    pub(super) fn new(low: DVec3, high: DVec3) -> Self {
        let rounded = (0.5 * (low + high)).as_vec3();
        let centre = rounded.as_dvec3();
        let half = (high - centre).max(centre - low).as_vec3();
        Self {
            centre: rounded.to_array(),
            half: half.to_array().map(|h| (h + MARGIN).next_up()),
        }
    }

    #[inline]
    pub(super) fn centre(&self) -> DVec3 {
        DVec3::from_array(self.centre.map(f64::from))
    }

    #[inline]
    pub(super) fn half(&self) -> DVec3 {
        DVec3::from_array(self.half.map(f64::from))
    }
}
