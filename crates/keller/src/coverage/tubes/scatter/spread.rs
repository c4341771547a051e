//! Sends the scattered power of rough walls to the cells of the region.
//!
//! A patch represents all its squares if it is small compared with the distance to a cell. Each cell takes the largest
//! patches that are small enough for it: a patch sends to the cells for which it is small enough while the patch that
//! contains it is not. So every cell receives every square once. Next to a wall, single squares are quartered.
//!
//! Cost: in proportion to patches times the cells within their reach, and the rays between them ([`visible_gains`]).

use glam::DVec3;
use rayon::prelude::*;

use super::footprint::{FLOOR, MAX_HALVINGS, width};
use super::illuminated_wall::{IlluminatedWall, PatchPattern};
use super::illumination::Illuminations;
use super::patch::Patch;
use super::patch_visibility::{TargetCell, visible_gains};
use crate::coverage::tubes::cells::contribution;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::results::accumulator::{GainAccumulator, Snapshot};
use crate::coverage::tubes::results::path_accumulator::PathContribution;
use crate::coverage::tubes::tube::unfolding::clutter_loss_db;
use crate::coverage::tubes::waves::transport;
use crate::parallel;
use crate::paths::PatchArea;
use crate::units::db_to_power;
use crate::{Control, Error};

/// Cells that are listed at a time.
const AT_ONCE: usize = 4096;

/// Cells whose rays are traced together.
const TOGETHER: usize = 256;

/// A sphere around a patch for whose cells the patch is too large: its centre and radius, metres.
type Sphere = (DVec3, f64);

/// A patch, and the spheres of all patches that contain it. Only cells within all of them receive it.
struct Task<'a> {
    wall: &'a IlluminatedWall<'a>,
    patch: &'a Patch,
    within: Vec<Sphere>,
}

/// The receiving cells.
#[derive(Debug, Clone, Copy)]
struct Receivers<'a> {
    gains: &'a GainAccumulator,
    /// The gains without scattering.
    before: &'a Snapshot,
}

/// Adds the scattered power of rough walls to the gains of the cells.
///
/// # Errors
/// [`Error::Cancelled`].
pub(in crate::coverage::tubes) fn spread(
    ctx: &Context<'_>,
    illuminations: Illuminations,
    gains: &GainAccumulator,
    control: &Control<'_>,
) -> Result<(), Error> {
    let walls: Vec<IlluminatedWall<'_>> = illuminations
        .into_strongest()
        .into_par_iter()
        .filter_map(|illumination| IlluminatedWall::new(ctx, illumination))
        .collect();
    let mut tasks = Vec::new();
    for wall in &walls {
        for patch in &wall.patches {
            add_tasks(ctx, wall, patch, &[], &mut tasks);
        }
    }
    let receivers = Receivers {
        gains,
        before: &gains.snapshot(ctx.min_gain),
    };
    parallel::try_map(tasks.len(), |n| {
        control.check()?;
        let task = &tasks[n];
        send(
            ctx,
            receivers,
            task.wall,
            task.patch,
            &mut task.within.clone(),
        );
        Ok::<_, Error>(())
    })?;
    Ok(())
}

/// The distance of the nearest cells for which a patch is small enough, metres.
fn too_near(ctx: &Context<'_>, patch: &Patch) -> f64 {
    patch.width / ctx.fineness.patch
}

fn add_tasks<'a>(
    ctx: &Context<'_>,
    wall: &'a IlluminatedWall<'a>,
    patch: &'a Patch,
    within: &[Sphere],
    tasks: &mut Vec<Task<'a>>,
) {
    tasks.push(Task {
        wall,
        patch,
        within: within.to_vec(),
    });
    let own = (patch.centre, too_near(ctx, patch));
    let within: Vec<Sphere> = within.iter().copied().chain([own]).collect();
    for part in &patch.parts {
        add_tasks(ctx, wall, part, &within, tasks);
    }
}

/// Adds the power of a patch in the cells that lie within all these spheres and for which it is small enough. A square
/// sends to all of them, and in quarters where it is too large.
fn send(
    ctx: &Context<'_>,
    receivers: Receivers<'_>,
    wall: &IlluminatedWall<'_>,
    patch: &Patch,
    within: &mut Vec<Sphere>,
) {
    let is_last = patch.width <= width(ctx.sizes.outside(), MAX_HALVINGS);
    let beyond = if is_last { 0.0 } else { too_near(ctx, patch) };
    let Some(pattern) = PatchPattern::new(wall, patch) else {
        return;
    };
    let floor = FLOOR * ctx.min_gain;
    let mut low = patch.centre - pattern.reach(floor);
    let mut high = patch.centre + pattern.reach(floor);
    for (centre, radius) in within.iter() {
        (low, high) = (low.max(centre - radius), high.min(centre + radius));
    }
    let [all_low, all_high] = ctx.grid.bounds();
    if low.cmpgt(all_high).any() || high.cmplt(all_low).any() {
        return;
    }
    let is_within =
        |at: DVec3, (centre, radius): &Sphere| centre.distance_squared(at) < radius * radius;
    let mut targets = Vec::new();
    ctx.grid.within([low, high], |number, centre| {
        if !receivers.gains.has(number)
            || is_within(centre, &(patch.centre, beyond))
            || !within.iter().rev().all(|sphere| is_within(centre, sphere))
        {
            return;
        }
        let gain = pattern.gain(centre);
        if gain >= floor {
            targets.push(TargetCell {
                number,
                centre,
                gain,
                min_gain_of_parts: ctx.fineness.whole_patch * receivers.before.gain(number),
            });
            if targets.len() == AT_ONCE {
                deliver(ctx, receivers, wall, patch, &targets);
                targets.clear();
            }
        }
    });
    deliver(ctx, receivers, wall, patch, &targets);
    if patch.parts.is_empty() && !is_last {
        within.push((patch.centre, beyond));
        let axes = ctx.scene.plane(wall.plane).axes();
        for quarter in patch.quarters(axes) {
            send(ctx, receivers, wall, &quarter, within);
        }
        within.pop();
    }
}

/// Adds the gains of the targets that see a patch or a part of it.
fn deliver(
    ctx: &Context<'_>,
    receivers: Receivers<'_>,
    wall: &IlluminatedWall<'_>,
    patch: &Patch,
    targets: &[TargetCell],
) {
    let has_clutter = !ctx.scene.clutter().volumes().is_empty();
    parallel::each(targets.len().div_ceil(TOGETHER), |part| {
        let targets = &targets[part * TOGETHER..targets.len().min((part + 1) * TOGETHER)];
        let gains = visible_gains(ctx.scene, wall, patch, targets);
        for (target, mut gain) in targets.iter().zip(gains) {
            if gain == 0.0 {
                continue;
            }
            if has_clutter {
                // The ray starts at an illuminated point, because the centre of the power may not be one.
                let from = patch.samples[0];
                let before = clutter_loss_db(ctx.scene, &wall.bundle, from);
                let behind = ctx.scene.clutter().loss_db([from, target.centre]);
                gain *= db_to_power(-before - behind);
            }
            receivers.gains.add(target.number, gain, || {
                scattered(ctx, wall, patch, target.centre, gain)
            });
        }
    });
}

/// The contribution of the path over a patch to a cell with this centre.
fn scattered(
    ctx: &Context<'_>,
    wall: &IlluminatedWall<'_>,
    patch: &Patch,
    cell_centre: DVec3,
    gain: f64,
) -> PathContribution {
    let located = wall.bundle.source.locate(patch.centre);
    let way = cell_centre - patch.centre;
    let before = located.behind + patch.centre.distance(located.origin);
    let length = before + way.length();
    let excess = transport::excess_length(ctx, &wall.bundle, &located, patch.centre);
    let (departure, mut wave) = transport::wave_to(ctx, &wall.bundle, &located, patch.centre);
    wave.scatter(
        // The normal points to the front of the face, whichever side is illuminated.
        ctx.scene.face_normal(wall.face),
        wall.surface,
        way.normalize(),
        (PatchArea::from_square_metres(patch.area), patch.centre),
        ctx.walls.world.surfaces().scattering_phase(),
    );
    contribution::of_wave(
        ctx,
        &wave,
        gain,
        [length, excess],
        [departure, way, cell_centre],
    )
}
