//! The extents of tiles: where a wave that continues by a tile may meet it.

use glam::{DVec3, Vec3};

use super::Ball;
use crate::parallel;
use crate::paths::search::tiles::lanes::{LANES, Lanes};
use crate::tiles::{Tiles, VisibilityRows, row_ids};

/// A parallelogram, and a ball of some radius around each of its points, metres.
#[derive(Debug, Clone, Copy)]
pub(in crate::paths::search::tiles) struct Extent {
    pub(super) centre: Vec3,
    /// The vectors from the centre to the middles of two sides.
    pub(super) halves: [Vec3; 2],
    pub(super) radius: f32,
    /// The least length for which waves that continue by the tile go on before they reach the centre of another.
    pub(super) onward: f32,
}

impl Extent {
    /// A straight line.
    pub(super) fn line([from, to]: [Vec3; 2]) -> Self {
        Self {
            centre: from.midpoint(to),
            halves: [0.5 * (to - from), Vec3::ZERO],
            radius: 0.0,
            onward: 0.0,
        }
    }

    /// A ball around all of it.
    pub(in crate::paths::search::tiles) fn ball(&self) -> Ball {
        let [a, b] = self.halves;
        Ball {
            centre: self.centre,
            radius: (a + b).length().max((a - b).length()) + self.radius,
        }
    }

    /// A lower bound of the distance of a point.
    fn distance(&self, point: Vec3) -> f32 {
        let from = point - self.centre;
        let [a, b] = self.halves;
        let outside = [(a, b), (b, a)].map(|(half, other)| {
            let axis = half.normalize_or_zero();
            from.dot(axis).abs() - half.length() - other.dot(axis).abs()
        });
        let off = from.dot(a.cross(b).normalize_or_zero()).abs();
        let farthest = outside.into_iter().fold(off, f32::max);
        // The halves of a ball are zero.
        let farthest = if a == Vec3::ZERO {
            from.length()
        } else {
            farthest
        };
        farthest - self.radius
    }
}

/// Sixteen extents.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct ExtentBlock {
    pub(super) centre: [Lanes; 3],
    pub(super) halves: [[Lanes; 3]; 2],
    pub(super) radius: Lanes,
    pub(super) onward: Lanes,
}

/// The extents of tiles, in some order.
#[derive(Debug, Default)]
pub(in crate::paths::search::tiles) struct Extents {
    blocks: Vec<ExtentBlock>,
}

impl Extents {
    /// The extents of tiles in this order. A tile of several facets counts as a ball.
    pub(in crate::paths::search::tiles) fn new(
        tiles: &Tiles,
        order: &[u32],
        rows: &dyn VisibilityRows,
        origin: DVec3,
    ) -> Self {
        let local = |v: DVec3| (v - origin).as_vec3();
        let of_tile = |tile: u32| {
            let mut extent = extent(tiles, tile as usize, origin);
            let seen = row_ids(rows.row(tile as usize)).flatten();
            let centres = seen.map(|other| local(tiles.all()[other as usize].centre));
            let nearest = centres.map(|centre| extent.distance(centre));
            extent.onward = nearest.fold(f32::INFINITY, f32::min).clamp(0.0, MAX_ONWARD);
            extent
        };
        let block = |tiles: &[u32]| {
            let mut block = ExtentBlock {
                centre: [[0.0; LANES]; 3],
                halves: [[[0.0; LANES]; 3]; 2],
                radius: [0.0; LANES],
                onward: [0.0; LANES],
            };
            for (k, tile) in tiles.iter().enumerate() {
                let extent = of_tile(*tile);
                let put = |axes: &mut [Lanes; 3], v: Vec3| {
                    let lanes = axes.iter_mut().zip(v.to_array());
                    lanes.for_each(|(axis, c)| axis[k] = c);
                };
                put(&mut block.centre, extent.centre);
                for (axes, half) in block.halves.iter_mut().zip(extent.halves) {
                    put(axes, half);
                }
                block.radius[k] = extent.radius;
                block.onward[k] = extent.onward;
            }
            block
        };
        Self {
            blocks: parallel::map(order.len().div_ceil(LANES), |n| {
                block(&order[n * LANES..order.len().min((n + 1) * LANES)])
            }),
        }
    }

    pub(super) fn block(&self, number: u32) -> &ExtentBlock {
        &self.blocks[number as usize]
    }

    pub(in crate::paths::search::tiles) fn of(&self, id: u32) -> Extent {
        let (block, lane) = (&self.blocks[id as usize / LANES], id as usize % LANES);
        let vector = |axes: &[Lanes; 3]| Vec3::from_array(axes.map(|axis| axis[lane]));
        Extent {
            centre: vector(&block.centre),
            halves: [vector(&block.halves[0]), vector(&block.halves[1])],
            radius: block.radius[lane],
            onward: block.onward[lane],
        }
    }
}

/// The length, metres, for a tile that sees nothing: no wave continues by it.
const MAX_ONWARD: f32 = 1e3;

fn extent(tiles: &Tiles, tile: usize, origin: DVec3) -> Extent {
    let local = |v: DVec3| (v - origin).as_vec3();
    if let [part] = tiles.parts(tile) {
        let frame = tiles.frame(part.face).expect("it has a tile");
        let half = 0.5 * (part.high - part.low);
        return Extent {
            centre: local(frame.in_space(0.5 * (part.low + part.high))),
            halves: [half.x * frame.steps[0], half.y * frame.steps[1]].map(DVec3::as_vec3),
            radius: 0.0,
            onward: 0.0,
        };
    }
    let [low, high] = tiles.bounds(tile);
    let centre = 0.5 * (low + high);
    let radius = tiles
        .corners(tile)
        .map(|corner| corner.distance(centre))
        .fold(0.0, f64::max);
    #[expect(clippy::cast_possible_truncation, reason = "f32 proposes")]
    Extent {
        centre: local(centre),
        halves: [Vec3::ZERO; 2],
        radius: radius as f32,
        onward: 0.0,
    }
}
