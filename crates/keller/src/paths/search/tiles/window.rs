//! A tile as the window through which an image shows: its centre, its axes and its size.

use glam::Vec3;

/// A tile that reflects. Metres relative to the scene's origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// The centre of its cell.
    pub(super) centre: Vec3,
    /// Unit vectors along its sides.
    pub(super) axes: [Vec3; 2],
    /// The unit vector across it.
    pub(super) normal: Vec3,
    /// Half its sides.
    pub(super) half: [f32; 2],
}
