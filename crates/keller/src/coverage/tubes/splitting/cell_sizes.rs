//! The necessary narrowness of tubes, place by place: as narrow as a cell of the region, or coarser away from it.
//!
//! A tube is split again behind every wall, with rays from its source. So it may be as wide as the cells of a city
//! until it comes to a building whose cells are finer, and loses nothing by it: narrow tubes find the obstacles that
//! hide a wide tube there.
//!
//! # Source
//! H. Hu, doctoral thesis, University of Sheffield, 2020, chapter 6: tubes that meet a building with an inside are
//! refined from their source. There they are cast anew; here the widths of one trace depend on the place.

use glam::DVec3;
use smallvec::SmallVec;

use crate::coverage::tubes::Tubes;
use crate::coverage::tubes::tables::small_faces::SmallFaces;
use crate::coverage::tubes::tube::tube_ray::TubeRay;

/// A part of space where tubes are split more finely.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FineBox {
    /// Its lower corner, metres.
    pub min: DVec3,
    /// Its upper corner, metres.
    pub max: DVec3,
    /// The smallest side of the cells for which tubes are split there, metres.
    pub cell_size: f64,
}

/// The size of cells for which tubes are split, by place.
#[derive(Debug, Clone)]
pub(in crate::coverage::tubes) struct CellSizes {
    /// The size outside all boxes, metres.
    outside: f64,
    boxes: Vec<FineBox>,
}

/// A place along a tube: its distance from the source, and the size of the cells there, both in metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct SizedEnd {
    pub(in crate::coverage::tubes) distance: f64,
    pub(in crate::coverage::tubes) cell_size: f64,
}

/// The end of a tube, and its exits from boxes.
pub(super) type SizedEnds = SmallVec<[SizedEnd; 2]>;

impl Tubes {
    /// These tubes, split as for cells of `outside` metres except in a box. Without this, all tubes are split as for
    /// the cells of the region; tubes of the region's own cells should be as fine within it.
    #[must_use]
    pub fn refined_in(mut self, outside: f64, boxes: Vec<FineBox>) -> Self {
        let scene = self.world.scene();
        self.small_faces =
            SmallFaces::new(scene, &self.face_edges, self.settings.accuracy, outside);
        self.sizes = CellSizes { outside, boxes };
        self
    }
}

impl CellSizes {
    /// One size everywhere.
    pub(in crate::coverage::tubes) fn uniform(cell_size: f64) -> Self {
        Self {
            outside: cell_size,
            boxes: Vec::new(),
        }
    }

    /// The size outside all boxes, metres.
    pub(in crate::coverage::tubes) fn outside(&self) -> f64 {
        self.outside
    }

    /// The smallest anywhere, metres.
    pub(in crate::coverage::tubes) fn finest(&self) -> f64 {
        let sizes = self.boxes.iter().map(|fine| fine.cell_size);
        sizes.fold(self.outside, f64::min)
    }

    /// The smallest size in or near a box, metres.
    pub(in crate::coverage::tubes) fn within(&self, low: DVec3, high: DVec3) -> f64 {
        let touches = |fine: &&FineBox| {
            let margin = DVec3::splat(self.outside);
            low.cmple(fine.max + margin).all() && high.cmpge(fine.min - margin).all()
        };
        let sizes = self.boxes.iter().filter(touches).map(|fine| fine.cell_size);
        sizes.fold(self.outside, f64::min)
    }

    /// The size at a place or near it, metres.
    pub(in crate::coverage::tubes) fn at(&self, place: DVec3) -> f64 {
        self.within(place, place)
    }

    /// The distances at which a tube with these rays must be narrow: at its end, `end` metres from its source, and at
    /// the exits of the boxes that it passes before that. `width` gives its width at a distance, metres.
    pub(super) fn ends(
        &self,
        rays: &(impl Iterator<Item = TubeRay> + Clone),
        end: f64,
        width: impl Fn(f64) -> f64,
    ) -> SizedEnds {
        let mut ends = SizedEnds::new();
        ends.push(SizedEnd {
            distance: end,
            cell_size: self.outside,
        });
        for fine in &self.boxes {
            let far = rays.clone().filter_map(|ray| {
                let [low, high] = [fine.min, fine.max];
                let away = (low - ray.origin).abs().max((high - ray.origin).abs());
                let margin = width(away.length()) + fine.cell_size;
                let crossing = ray.crossing([low - margin, high + margin])?;
                let [enter, leave] = crossing.map(|at| at * ray.direction.length());
                (enter <= end).then_some(leave.min(end))
            });
            let distance = far.fold(0.0, f64::max);
            if distance > 0.0 {
                ends.push(SizedEnd {
                    distance,
                    cell_size: fine.cell_size,
                });
            }
        }
        ends
    }
}
