//! A tube that is not split any more, and where its rays end.

use super::bundle::{Bundle, Tube};
use super::clipped_cell::ClippedCell;
use super::gain_by_distance::GainByDistance;
use super::uncertain_segments::UncertainSegments;
use crate::field::PlaneWave;
use crate::scene::FaceId;

/// A leaf stores this many walls; further walls that its rays meet are left out.
const MAX_RAY_ENDS: usize = 8;

/// A tube that is not split any more.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct Leaf {
    pub(in crate::coverage::tubes) directions: ClippedCell,
    pub(in crate::coverage::tubes) uncertain: UncertainSegments,
    pub(in crate::coverage::tubes) path_gain: GainByDistance,
    /// The wave of its centre ray; `None` behind an edge where no wall follows.
    pub(in crate::coverage::tubes) wave: Option<PlaneWave>,
    /// Whether all its rays meet the same plane.
    pub(in crate::coverage::tubes) is_clear: bool,
    /// Whether it follows the wall of its centre ray alone, whatever the other rays meet.
    pub(in crate::coverage::tubes) follows_centre_ray: bool,
    ray_ends: [RayEnd; MAX_RAY_ENDS],
    num_ray_ends: u8,
}

/// The end of those rays of a leaf that meet one wall.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::coverage::tubes) struct RayEnd {
    /// `None` for rays that leave the scene.
    pub(in crate::coverage::tubes) face: Option<FaceId>,
    /// The length of the longest of these rays until it meets the wall or leaves the region, metres; 0 if none does.
    pub(in crate::coverage::tubes) reach: f32,
}

impl Leaf {
    /// The leaf of a tube, without ends yet.
    pub(in crate::coverage::tubes) fn new(
        tube: &Tube,
        path_gain: GainByDistance,
        wave: Option<PlaneWave>,
        is_clear: bool,
    ) -> Self {
        Self {
            directions: tube.directions,
            uncertain: tube.uncertain,
            path_gain,
            wave,
            is_clear,
            follows_centre_ray: false,
            ray_ends: [RayEnd::default(); MAX_RAY_ENDS],
            num_ray_ends: 0,
        }
    }

    /// The walls that its rays meet, first that of its centre ray.
    pub(in crate::coverage::tubes) fn ray_ends(&self) -> &[RayEnd] {
        &self.ray_ends[..usize::from(self.num_ray_ends)]
    }

    /// Adds a wall, if there is room.
    pub(in crate::coverage::tubes) fn add(&mut self, face: Option<FaceId>, reach: f32) {
        if let Some(next) = self.ray_ends.get_mut(usize::from(self.num_ray_ends)) {
            *next = RayEnd { face, reach };
            self.num_ray_ends += 1;
        }
    }

    /// Adds a wall, if there is room; where it is known, only its reach may grow.
    pub(in crate::coverage::tubes) fn add_or_extend(
        &mut self,
        face: Option<FaceId>,
        reach: f32,
        is_known: impl Fn(Option<FaceId>) -> bool,
    ) {
        let mut ends = self.ray_ends[..usize::from(self.num_ray_ends)].iter_mut();
        if let Some(known) = ends.find(|end| is_known(end.face)) {
            known.reach = known.reach.max(reach);
        } else {
            self.add(face, reach);
        }
    }

    /// Makes the leaf uncertain although its rays agree. The longest of them is `farthest` metres long.
    pub(in crate::coverage::tubes) fn make_uncertain(&mut self, farthest: f32) {
        if self.is_clear {
            self.is_clear = false;
            // A clear leaf has only the reach of its centre ray.
            self.ray_ends[0].reach = farthest;
        }
    }

    /// The uncertain segments of paths that end in this leaf.
    pub(in crate::coverage::tubes) fn uncertain_within(
        &self,
        bundle: &Bundle,
    ) -> UncertainSegments {
        if self.is_clear {
            self.uncertain
        } else {
            self.uncertain.with(bundle.interactions.len())
        }
    }
}
