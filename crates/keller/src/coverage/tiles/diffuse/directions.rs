//! The directions of the rays that bring reflected and transmitted power.

use std::f64::consts::TAU;

use glam::DVec3;

use crate::geometry::sampling::Points;

/// Rays from each side of a tile.
pub(super) const RAYS: u32 = 128;

/// The largest number of aimed rays from each side of a tile.
pub(super) const AIMED: u32 = 128;

/// Turn from one ray to the next, rad: the golden angle.
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

/// The numbers of the directions of [`half_space`], neighbours after neighbours: rays that go much the same way are
/// traced together.
pub(super) fn ray_order() -> Vec<u32> {
    let mut order: Vec<u32> = (0..RAYS).collect();
    order.sort_by_key(|k| {
        let turn = (GOLDEN_ANGLE * f64::from(*k)).rem_euclid(TAU) / TAU;
        along_z_curve([(f64::from(*k) + 0.5) / f64::from(RAYS), turn])
    });
    order
}

/// The place of a point of the unit square along a curve that keeps neighbours together.
pub(super) fn along_z_curve(point: [f64; 2]) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 15"
    )]
    let [x, y] = point.map(|share| (16.0 * share.clamp(0.0, 0.99)) as u32);
    (0..4).fold(0, |place, bit| {
        place | (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1)
    })
}

/// Directions that cover the half space before a side evenly, in an order of [`ray_order`].
pub(super) fn half_space(order: &[u32], normal: DVec3, seed: usize) -> Vec<DVec3> {
    let (across, along) = normal.any_orthonormal_pair();
    let [turned, ..] = Points::new(seed as u64).at(0);
    let direction = |k: &u32| {
        let k = f64::from(*k);
        let height = (k + 0.5) / f64::from(RAYS);
        let radius = (1.0 - height * height).sqrt();
        let (sin, cos) = (TAU * turned + GOLDEN_ANGLE * k).sin_cos();
        radius * cos * across + radius * sin * along + height * normal
    };
    order.iter().map(direction).collect()
}
