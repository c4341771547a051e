//! A tile as a window through which an image is seen: its centre, its axes and its size.

use glam::Vec3;

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
