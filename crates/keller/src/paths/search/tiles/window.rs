//! A tile as a window through which an image is seen: its centre, its axes and its size.

use glam::{DVec2, DVec3, Vec3};

use crate::tiles::Frame;

/// A tile that reflects. Metres relative to the scene's origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// The centre of its cell.
    pub(super) centre: Vec3,
    /// Unit vectors along its sides.
    pub(super) axes: [Vec3; 2],
    /// The unit vector normal to it.
    pub(super) normal: Vec3,
    /// Half the lengths of its sides, metres.
    pub(super) half: [f32; 2],
}

impl Window {
    /// The smallest window along the first axis of a frame around a box in its coordinates. `normal` is that of the
    /// plane, and `origin` that of the scene.
    pub(super) fn around(
        frame: &Frame,
        [low, high]: [DVec2; 2],
        normal: DVec3,
        origin: DVec3,
    ) -> Self {
        let half = 0.5 * (high - low);
        let u = frame.steps[0].normalize();
        let v = (frame.steps[1] - u.dot(frame.steps[1]) * u).normalize();
        let extent = |axis: DVec3| {
            let along = frame.steps.map(|step| axis.dot(step).abs());
            half.x * along[0] + half.y * along[1]
        };
        let centre = frame.in_space(0.5 * (low + high));
        Self {
            centre: (centre - origin).as_vec3(),
            axes: [u.as_vec3(), v.as_vec3()],
            normal: normal.as_vec3(),
            half: DVec2::new(extent(u), extent(v)).as_vec2().to_array(),
        }
    }
}
