//! Finds the cells of the region whose centres lie in a tube, and deposits the gain of the tube in them.
//!
//! A cell belongs to the tube whose directions contain its centre, as seen from the source, between the wall that the
//! tube leaves and the one that it meets. All tubes of a sequence of interactions compare the same numbers with
//! half-open borders, so exactly one of them has a cell. Cells of a tube whose rays disagree are verified one by one;
//! those exactly on its border are validated in double precision, and with `exact` all that are verified.
//!
//! Cost: in proportion to the cells in the hull of the tube.

use std::cell::OnceCell;

use glam::{DVec2, DVec3};

use super::border_validation;
use super::cell_candidate::CellCandidate;
use super::contribution;
use super::region_grid::Hull;
use super::verification;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::results::sink::{Deposit, Sink};
use crate::coverage::tubes::tube::bundle::Bundle;
use crate::coverage::tubes::tube::leaf::Leaf;
use crate::coverage::tubes::tube::tube_ray::{LocatedPoint, TubeRay};
use crate::coverage::tubes::tube::unfolding;
use crate::coverage::tubes::tube::virtual_source::VirtualSource;
use crate::coverage::tubes::waves::{transport, tube_matrix};
use crate::geometry::Plane;
use crate::units::db_to_power;

/// Cells to be verified are collected up to this many.
const AT_ONCE: usize = 4096;

/// Cells that are still to be verified.
#[derive(Debug, Default)]
struct Open {
    /// The rays of their tubes disagreed.
    uncertain: Vec<CellCandidate>,
    /// Cells on the border of their tubes.
    ties: Vec<CellCandidate>,
}

/// Deposits the gains of leaves in the cells of the region whose centres lie in them.
pub(in crate::coverage::tubes) fn deposit(
    ctx: &Context<'_>,
    sink: Sink<'_>,
    bundle: &Bundle,
    leaves: &[Leaf],
) {
    let mut open = Open::default();
    let mut deposit = Deposit::new(sink);
    for leaf in leaves {
        deposit_leaf(ctx, bundle, leaf, &mut open, &mut deposit);
        if open.uncertain.len() + open.ties.len() >= AT_ONCE {
            settle(ctx, bundle, &mut open, &mut deposit);
        }
    }
    settle(ctx, bundle, &mut open, &mut deposit);
    deposit.finish(bundle);
}

/// Deposits the gains of those of the open cells that a path reaches.
fn settle(ctx: &Context<'_>, bundle: &Bundle, open: &mut Open, deposit: &mut Deposit<'_>) {
    if !open.uncertain.is_empty() {
        verification::retain_reached(ctx, bundle, None, &mut open.uncertain);
        if ctx.fineness.is_thorough {
            // A ray that starts in a corner of two walls may be on either side of one of them, by rounding.
            border_validation::retain_valid(ctx, bundle, &mut open.uncertain);
        }
    }
    border_validation::retain_valid(ctx, bundle, &mut open.ties);
    for cell in open.uncertain.drain(..).chain(open.ties.drain(..)) {
        deposit.add(&cell, || {
            contribution::of_tube(ctx, bundle, cell.centre, cell.gain)
        });
    }
}

/// Deposits the gain of a leaf in its cells, or lists those that must be verified.
fn deposit_leaf(
    ctx: &Context<'_>,
    bundle: &Bundle,
    leaf: &Leaf,
    open: &mut Open,
    deposit: &mut Deposit<'_>,
) {
    let cell = leaf.directions.cell;
    let centre = bundle.source.ray(cell.corners()[0]);
    let corners = frame(bundle, leaf);
    let uncertain = leaf.uncertain_within(bundle);
    let is_verified = !uncertain.is_none();
    let may_tie = !ctx.ladder.follows_centre_ray();
    let axis = centre.direction.normalize();
    // Beyond this distance the tube is outside the region or too weak.
    let weak = leaf.path_gain.reach(ctx.min_gain);
    let far = exit_along(centre.origin, axis, ctx.grid.bounds()).min(weak);
    // Nothing of the tube reaches beyond the farthest wall that its rays meet. This is not certain for a reflection
    // behind an edge: rays may start there next to the reflecting face.
    let is_mirrored = matches!(bundle.source, VirtualSource::Edge(_)) && bundle.start.is_some();
    let far = if leaf.is_clear || is_mirrored {
        far
    } else {
        let ends = leaf.ray_ends().iter().map(|end| match end.face {
            Some(_) => f64::from(end.reach),
            None => far,
        });
        ends.fold(0.0, f64::max).min(far)
    };
    let end_plane = leaf.ray_ends()[0]
        .face
        .filter(|_| leaf.is_clear)
        .map(|face| ctx.scene.plane(ctx.scene.plane_of(face)));
    let start_plane = bundle.start.map(|plane| ctx.scene.plane(plane));
    let across = corners.map(|line| far / line.direction.dot(axis));
    // If the plane ends some corners and not all of them, cells near the plane lie between them. The plane then ends
    // none, so that the hull has these cells too.
    let at_plane = end_plane.and_then(|plane| {
        let at = corners.map(|line| line.meets(plane));
        let ends_all = at.iter().zip(&across).all(|(t, far)| *t > 0.0 && t <= far);
        ends_all.then_some(at)
    });
    let ends = [0, 1, 2, 3].map(|k| {
        let line = &corners[k];
        let end = at_plane.map_or(across[k], |at| at[k]);
        let start = start_plane.map_or(0.0, |plane| line.meets(plane));
        [start.clamp(0.0, end), end]
    });
    let lengths = corners.iter().zip(ends);
    let longest = lengths.map(|(line, [_, end])| end * line.direction.length());
    let hull = Hull {
        edges: corners,
        ends,
        margin: bundle.source.sag(cell, longest.fold(0.0, f64::max)),
    };
    let has_clutter = !ctx.scene.clutter().volumes().is_empty();
    let has_matrices = deposit.records() && tube_matrix::cells_have_own_matrices(ctx, bundle);
    // Few tubes over a plane of cells reach any.
    let (gain_at, matrix_at) = (OnceCell::new(), OnceCell::new());
    let mut record_of_all = None;
    let locate = bundle.source.locate_near(cell);
    ctx.grid.near(&hull, |number, cell_centre| {
        let place = |at| in_leaf(bundle, leaf, at, cell_centre, may_tie);
        let Some((located, is_tie)) = locate(cell_centre).and_then(place) else {
            return;
        };
        let direction = cell_centre - located.origin;
        let ahead = direction.length();
        let is_behind =
            |plane: &Plane| plane.distance(cell_centre) * plane.normal.dot(direction) > 0.0;
        if start_plane.is_some_and(|plane| !is_behind(plane)) || end_plane.is_some_and(is_behind) {
            return;
        }
        let matrix = has_matrices.then(|| {
            let matrix_at = matrix_at.get_or_init(|| tube_matrix::matrix_at(ctx, bundle, cell));
            matrix_at(&located, cell_centre, ahead)
        });
        let mut gain = matrix.map_or_else(
            || {
                let gain_of = || transport::gain_at(ctx, bundle, cell, leaf.path_gain);
                gain_at.get_or_init(gain_of)(&located, cell_centre, ahead)
            },
            |(_, gain)| gain,
        );
        if has_clutter {
            gain *= db_to_power(-unfolding::clutter_loss_db(ctx.scene, bundle, cell_centre));
        }
        if gain < ctx.min_gain {
            return;
        }
        let record = match &matrix {
            _ if !deposit.records() => 0,
            Some((matrix, _)) => deposit.begin(matrix),
            None => *record_of_all
                .get_or_insert_with(|| deposit.begin(&tube_matrix::matrix_of(ctx, bundle, leaf))),
        };
        let cell = CellCandidate {
            number,
            centre: cell_centre,
            gain,
            uncertain,
            record,
        };
        if is_tie {
            open.ties.push(cell);
        } else if is_verified {
            open.uncertain.push(cell);
        } else {
            deposit.add(&cell, || {
                contribution::of_tube(ctx, bundle, cell.centre, cell.gain)
            });
        }
    });
}

/// A cell that a leaf has, and whether it lies on the leaf's border; `None` if another leaf has it.
fn in_leaf(
    bundle: &Bundle,
    leaf: &Leaf,
    located: LocatedPoint,
    centre: DVec3,
    may_tie: bool,
) -> Option<(LocatedPoint, bool)> {
    let is_tie = may_tie && leaf.directions.has_on_border(located.on);
    let on = if is_tie {
        bundle.source.just_off(&located, centre)
    } else {
        located.on
    };
    (leaf.directions.contains(on)).then_some((located, is_tie))
}

/// Four rays that enclose a tube.
fn frame(bundle: &Bundle, leaf: &Leaf) -> [TubeRay; 4] {
    let cell = leaf.directions.cell;
    match &bundle.source {
        VirtualSource::Point(image) if !leaf.directions.is_whole() => {
            let [low, high] = leaf.directions.outline().frame();
            [
                low,
                DVec2::new(high.x, low.y),
                high,
                DVec2::new(low.x, high.y),
            ]
            .map(|at| image.line(cell.direction(at)))
        }
        VirtualSource::Point(_) | VirtualSource::Edge(_) => {
            let [_, corners @ ..] = cell.corners();
            corners.map(|corner| bundle.source.ray(corner))
        }
    }
}

/// The extent of a box along a unit vector, metres from a point; 0 if it lies behind.
fn exit_along(from: DVec3, axis: DVec3, [low, high]: [DVec3; 2]) -> f64 {
    let corner = DVec3::select(axis.cmpge(DVec3::ZERO), high, low);
    (corner - from).dot(axis).max(0.0)
}
