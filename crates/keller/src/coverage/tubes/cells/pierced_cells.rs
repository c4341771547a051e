//! Deposits the gain of a tube in the cells that its centre ray pierces, for comparison only (`ladder`).
//!
//! # Source
//! H. Hu, doctoral thesis, University of Sheffield, 2020, sections 5.1 and 5.2.

use std::collections::HashSet;

use super::cell_candidate::CellCandidate;
use super::contribution;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::results::sink::{Deposit, Sink};
use crate::coverage::tubes::tube::bundle::Bundle;
use crate::coverage::tubes::tube::leaf::Leaf;
use crate::coverage::tubes::waves::tube_matrix;

/// Deposits the gains of leaves in the cells of the region that their centre rays pierce, each once for a bundle.
pub(in crate::coverage::tubes) fn deposit_pierced(
    ctx: &Context<'_>,
    sink: Sink<'_>,
    bundle: &Bundle,
    leaves: &[Leaf],
) {
    let mut deposit = Deposit::new(sink);
    let mut known = HashSet::new();
    let start_plane = bundle.start.map(|plane| ctx.scene.plane(plane));
    for leaf in leaves {
        let record = if deposit.records() {
            deposit.begin(&tube_matrix::matrix_of(ctx, bundle, leaf))
        } else {
            0
        };
        let [centre, ..] = leaf.directions.cell.corners();
        let line = bundle.source.ray(centre);
        let length = line.direction.length();
        let start = start_plane.map_or(0.0, |plane| line.meets(plane));
        let end = match leaf.ray_ends()[0].face {
            Some(face) => line.meets(ctx.scene.plane(ctx.scene.plane_of(face))),
            None => f64::INFINITY,
        };
        let end = end.min(leaf.path_gain.reach(ctx.min_gain) / length);
        ctx.grid
            .pierced(&line, [start.max(0.0), end], |number, centre| {
                let gain = leaf.path_gain.at(centre.distance(line.origin));
                if gain >= ctx.min_gain && known.insert(number) {
                    let cell = CellCandidate {
                        number,
                        centre,
                        gain,
                        uncertain: leaf.uncertain,
                        record,
                    };
                    deposit.add(&cell, || contribution::of_tube(ctx, bundle, centre, gain));
                }
            });
    }
    deposit.finish(bundle);
}
