//! The largest width of a tube at its end.
//!
//! The field of a tube is that of its centre ray, so a tube should be about as narrow as a cell of the region. Weak
//! tubes may be wider: their error adds little to the power in a cell. All widths are in parts of the smallest side of
//! a cell.

use super::cell_sizes::{SizedEnd, SizedEnds};
use super::fineness::Fineness;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::tube::bundle::Bundle;
use crate::coverage::tubes::tube::direction_cells::DirectionCell;
use crate::coverage::tubes::tube::gain_by_distance::GainByDistance;

/// A tube may be split once more each time its gain exceeds the minimum gain by this factor again.
const STEP: f64 = 100.0;

/// The factor by which a weak tube may be wider.
const WEAK: f64 = 4.0;

/// The multiple of the minimum gain below which a narrow tube counts as weak, because antennas hardly vary within it.
const STRONG: f64 = 1e5;

/// A tube counts as narrow in [`STRONG`] up to this angle, radians.
const STEEP: f64 = 1.0 / 32.0;

/// Tubes narrower than this stay undivided: those within the first [`STEP`] of gain, and stronger ones.
const UNDIVIDED: [f64; 2] = [1.0, 0.25];

/// The largest width of a tube all of whose rays meet one plane, `end` metres from its source.
pub(in crate::coverage::tubes) fn clear(
    ctx: &Context<'_>,
    cell: DirectionCell,
    path_gain: &GainByDistance,
    end: f64,
) -> f64 {
    let excess = path_gain.at(end) / ctx.min_gain;
    let is_weak = excess < STEP || (excess < STRONG && cell.width() <= STEEP);
    ctx.fineness.widest * if is_weak { WEAK } else { 1.0 }
}

/// The largest width of a tube whose rays meet different planes, where no cut parts these.
pub(super) fn divided(ctx: &Context<'_>, path_gain: &GainByDistance, end: f64) -> f64 {
    let excess = path_gain.at(end) / ctx.min_gain;
    let Fineness { widest, finest, .. } = ctx.fineness;
    let mut width = widest;
    let mut needed = STEP;
    while width > finest && excess > needed {
        width *= 0.5;
        needed *= STEP;
    }
    width.max(finest)
}

/// Whether a tube of `angle` radians is so narrow at its end, the first of `ends`, and at the others that it need not be cut although its rays meet different
/// planes. It goes on where its centre ray goes, and the cells that it then reaches are verified one by one.
///
/// Otherwise most tubes behind several walls would be slivers without any cell, and would be cut again at every further
/// wall.
pub(super) fn may_stay_undivided(
    ctx: &Context<'_>,
    bundle: &Bundle,
    path_gain: &GainByDistance,
    angle: f64,
    ends: &SizedEnds,
) -> bool {
    // Tubes illuminate rough walls with their whole area, so they must end where walls end.
    let must_part = ctx.fineness.is_thorough || ctx.limits.max_scatterings > 0;
    if must_part || bundle.interactions.is_empty() || bundle.counts.diffractions > 0 {
        return false;
    }
    let is_weak = path_gain.at(ends[0].distance) < STEP * ctx.min_gain;
    let narrow = if is_weak { UNDIVIDED[0] } else { UNDIVIDED[1] };
    let is_narrow = |end: &SizedEnd| angle * end.distance < narrow * end.cell_size;
    ends.iter().all(is_narrow)
}
