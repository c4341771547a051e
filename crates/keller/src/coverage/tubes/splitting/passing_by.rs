//! Tubes that pass by the region: over a plane of cells near the ground most tubes from an edge rise into the sky.
//!
//! Cost: the five rays of a cell of directions, none of which is traced.

use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::tube::direction_cells::DirectionCell;
use crate::coverage::tubes::tube::virtual_source::VirtualSource;
use crate::geometry::Plane;

/// The borders of a tube from an edge bulge between its rays, by less than this part of their difference.
const BULGE: f64 = 0.25;

/// Whether a tube that starts at a plane, or else at its source, lies above or below the whole region as far as it goes
/// straight on.
pub(in crate::coverage::tubes) fn passes_by(
    ctx: &Context<'_>,
    source: &VirtualSource,
    start: Option<&Plane>,
    cell: DirectionCell,
) -> bool {
    let rays = cell.corners().map(|corner| source.ray(corner));
    let ahead = rays.map(|ray| start.map_or(0.0, |plane| ray.meets(plane)));
    // Rays that miss the plane do not enclose the start of the tube.
    if !ahead.iter().all(|t| (0.0..f64::INFINITY).contains(t)) {
        return false;
    }
    let starts = [0, 1, 2, 3, 4].map(|k| rays[k].at(ahead[k]).z);
    let slopes = rays.map(|ray| ray.direction.z / ray.direction.length());
    let [start_low, start_high] = extent(starts);
    let [slope_low, slope_high] = extent(slopes);
    let margin = BULGE * (slope_high - slope_low);
    let [low, high] = ctx.grid.bounds().map(|corner| corner.z);
    let is_above = start_low > high && slope_low - margin > 0.0;
    let is_below = start_high < low && slope_high + margin < 0.0;
    is_above || is_below
}

fn extent(values: [f64; 5]) -> [f64; 2] {
    let low = values.into_iter().fold(f64::INFINITY, f64::min);
    let high = values.into_iter().fold(f64::NEG_INFINITY, f64::max);
    [low, high]
}
