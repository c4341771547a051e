//! The density of rays over the sphere of directions.

use super::BLOCK_SIDE;
use crate::paths::Effort;
use crate::scene::Scene;

/// The size of a scene's details, metres.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Detail {
    /// The mean length of its edges. `None` if the scene has no edges.
    mean_edge: Option<f32>,
    /// The geometric mean of its extents. In a corridor or a tunnel of few faces it says more than long edges do; a scene of
    /// many walls is much larger than its edges are long.
    extent: f32,
}

impl Detail {
    pub(in super::super) fn of(scene: &Scene) -> Self {
        let edges = scene.edges();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "lengths in a scene are far below what f32 holds"
        )]
        let narrow = |length: f64| length as f32;
        let total: f64 = edges.iter().map(crate::scene::Edge::length).sum();
        let [min, max] = scene.bounds();
        let volume = (max - min).to_array().iter().product::<f64>();
        Self {
            mean_edge: (!edges.is_empty()).then(|| narrow(total / edges.len() as f64)),
            // A flat scene has no volume, and no walls that face each other.
            extent: if volume > 0.0 {
                narrow(volume.cbrt())
            } else {
                f32::INFINITY
            },
        }
    }

    /// The distance from a path within which its neighbours are searched for, metres.
    pub(in super::super) fn reach_of_variations(self) -> Option<f64> {
        self.mean_edge.map(f64::from)
    }

    /// The length of which the width of beams is a share, metres.
    pub(in super::super) fn length(self) -> Option<f32> {
        self.mean_edge.map(|length| length.min(self.extent))
    }
}

/// The number of rays at the start, and the conditions for splitting them.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Density {
    /// Rays along each side of the square of directions, a multiple of [`BLOCK_SIDE`].
    pub(super) grid_side: u32,
    /// Beams wider than this are split, metres.
    pub(super) widest: f32,
    /// The width above which beams behind walls are split, metres.
    pub(super) widest_behind: f32,
    /// Largest number of splits of one beam.
    pub(super) max_splits: u16,
    /// One ray of this many continues behind its first wall: waves from there are weak.
    pub(super) behind_walls: u32,
    /// Edges within this many beam widths of a hit count as visible there.
    pub(super) reach: f32,
}

impl Density {
    /// Rays from a transmitter. They are dense, because they serve all receivers.
    pub(in super::super) fn from_tx(effort: Effort, detail: Detail) -> Self {
        let (side, share, even_side) = match effort {
            Effort::Quick => (128, 0.16, 512),
            Effort::Default => (256, 0.08, 1024),
            Effort::Thorough => (1024, 0.02, 4096),
        };
        let Some(detail) = detail.length() else {
            return Self::even(even_side, 1);
        };
        Self {
            grid_side: side,
            widest: share * detail,
            widest_behind: 2.0 * share * detail,
            max_splits: 3,
            behind_walls: 1,
            reach: 3.0,
        }
    }

    /// Rays from a receiver. They are sparser, because there are many receivers and only edges are searched for.
    pub(in super::super) fn from_rx(effort: Effort, detail: Detail) -> Self {
        let (side, share, even_side) = match effort {
            Effort::Quick => (32, 0.9, 128),
            Effort::Default => (64, 0.45, 224),
            Effort::Thorough => (256, 0.12, 1024),
        };
        let Some(detail) = detail.length() else {
            return Self::even(even_side, 1);
        };
        Self {
            grid_side: side,
            widest: share * detail,
            widest_behind: 2.0 * share * detail,
            max_splits: 4,
            behind_walls: 1,
            reach: 6.0,
        }
    }

    /// Evenly spread rays that search for rough walls. They are not split.
    pub(in super::super) fn of_light(effort: Effort, is_tx: bool) -> Self {
        match (effort, is_tx) {
            (Effort::Quick, true) => Self::even(512, 1),
            (Effort::Default, true) => Self::even(1024, 1),
            (Effort::Thorough, true) => Self::even(4096, 1),
            (Effort::Quick, false) => Self::even(128, 16),
            (Effort::Default, false) => Self::even(224, 16),
            (Effort::Thorough, false) => Self::even(1024, 4),
        }
    }

    /// Blocks of the square of directions.
    pub(super) fn num_blocks(&self) -> u32 {
        (self.grid_side / BLOCK_SIDE).pow(2)
    }

    /// Rays from one point, before beams are split.
    pub(in super::super) fn num_rays(&self) -> usize {
        self.grid_side as usize * self.grid_side as usize
    }

    /// Evenly spread rays that are not split.
    pub(in super::super) fn even(grid_side: u32, behind_walls: u32) -> Self {
        assert!(grid_side.is_multiple_of(BLOCK_SIDE), "{grid_side}");
        Self {
            grid_side,
            widest: f32::INFINITY,
            widest_behind: f32::INFINITY,
            max_splits: 0,
            behind_walls,
            reach: f32::INFINITY,
        }
    }
}
