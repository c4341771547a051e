//! The mutual visibility of many points, asked of an accelerator: all segments between them at once, so that no ray goes to
//! the accelerator and no hit comes back.

use std::fmt;

use super::Bvh;

/// Points that stand together: an accelerator asks whether a wall hides all of a run before it asks for each of its points. Each number is a
/// multiple of the one before.
pub const RUNS: [usize; 3] = [16, 256, 4096];

/// A point from which, or to which, segments go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SightPoint {
    /// The position relative to the scene's origin, metres.
    pub at: [f32; 3],
    /// Segments go from the smaller number to the larger.
    pub number: u32,
    /// Unit normal of the plane on which it lies.
    pub normal: [f32; 3],
    /// The plane's group, which hides nothing from it.
    pub group: u32,
    /// Whether it lies in that plane without doubt: then it sees nothing of the plane, and no other point of the plane
    /// sees it.
    pub is_in_plane: bool,
}

/// A convex piece of wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SightWall {
    /// The corners in order around it, metres relative to the scene's origin. A triangle has its last corner twice.
    pub corners: [[f32; 3]; 4],
    /// Unit normal of its plane.
    pub normal: [f32; 3],
}

/// The data by which an accelerator says which points see each other.
#[derive(Clone, Copy, Debug)]
pub struct SightPlace<'a> {
    /// The points that may be seen. Those of a run ([`RUNS`]) are neighbours in space.
    pub points: &'a [SightPoint],
    /// The wall that contains each triangle of the scene.
    pub wall_of: &'a [u32],
    /// The walls.
    pub walls: &'a [SightWall],
    /// The distance from a wall's border within which segments that pass it are not certainly hidden, metres.
    pub margin: f32,
    /// A point whose distance from a plane, computed in f32, is larger than this does not lie in it, metres.
    pub beside: f32,
}

/// The points that are visible from a viewpoint.
#[derive(Clone, Copy, Debug)]
pub struct Sight<'a> {
    /// Bit k of word n is set if it sees the point 32 n + k.
    pub seen: &'a [u32],
    /// The points of which the accelerator is not sure. Their bits are not set.
    pub doubts: &'a [u32],
}

/// A place on an accelerator.
///
/// Two points see each other if no triangle lies between them but those of the groups of both, and if neither lies in
/// the plane of the other. The answer of an accelerator is that of the index and the planes; if it is not sure it says so.
pub trait Sights: fmt::Debug + Send + Sync {
    /// Viewpoints that it should be asked for together, to be busy.
    fn rows_at_once(&self) -> usize;

    /// Calls `report` with the number of each viewpoint and the points that it sees, in their order.
    ///
    /// # Errors
    /// [`AcceleratorFailed`], after which no result of `report` is used.
    fn look(
        &self,
        from: &[SightPoint],
        report: &mut dyn FnMut(usize, Sight<'_>),
    ) -> Result<(), AcceleratorFailed>;

    /// The accelerator has given so many wrong answers and will not be asked again.
    fn refuse(&self, wrong: usize, of: usize);
}

/// An accelerator has failed. It has reported why to the code that opened it; the index needs no reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcceleratorFailed;

impl Bvh {
    /// Whether an accelerator should say which of so many pairs of points see each other.
    pub(crate) fn sees_by_accelerator(&self, pairs: usize) -> bool {
        let accelerator = self.accelerator.as_ref();
        accelerator.is_some_and(|accelerator| pairs >= accelerator.fewest_pairs())
    }

    /// The place on the accelerator, if there is one that takes it.
    pub(crate) fn sights(&self, place: &SightPlace<'_>) -> Option<Box<dyn Sights>> {
        self.accelerator.as_ref()?.sights(place)
    }
}
