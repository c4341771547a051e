//! Decides whether the path reaches cells whose centres lie exactly on the border of a tube.
//!
//! Borders are edges of walls, so centres of cells with round coordinates often lie on one. There, the rounding of
//! single-precision rays would decide. Instead, such ties are validated in double precision, as for single paths.
//!
//! Cost: one validated path for each such cell.

use super::cell_candidate::CellCandidate;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::tables::wall::Wall;
use crate::coverage::tubes::tube::bundle::{Bundle, TubeInteraction};
use crate::coverage::tubes::tube::unfolding;
use crate::paths::{Interaction, InteractionKind, PathCheck, Vertex};

/// Keeps the candidates to which the path by the interactions of a bundle is valid.
pub(super) fn retain_valid(
    ctx: &Context<'_>,
    bundle: &Bundle,
    candidates: &mut Vec<CellCandidate>,
) {
    if candidates.is_empty() {
        return;
    }
    let mut check = PathCheck::new(ctx.scene, ctx.limits, ctx.transparency);
    let mut vertices = Vec::new();
    candidates.retain(|candidate| {
        vertices.clear();
        unfolding::vertices_of(ctx.scene, bundle, candidate.centre, &mut vertices);
        let step = |vertex: &Vertex| Some((vertex.interaction.step(ctx.scene)?, vertex.point));
        let steps = vertices.iter().rev().filter_map(step);
        let found = check.interactions(ctx.tx_position, steps, candidate.centre);
        found.is_some_and(|found| {
            let is_it = |(found, interaction): (&Interaction, &TubeInteraction)| match *interaction
            {
                TubeInteraction::Wall { kind, face } => {
                    let wall = |face| Wall::of(ctx.scene, face).plane;
                    let is_same = |found| wall(found) == wall(face);
                    found.kind() == InteractionKind::from(kind) && found.face().is_some_and(is_same)
                }
                TubeInteraction::Edge(edge) => found.edge() == Some(edge),
            };
            found.len() == bundle.interactions.len()
                && found.iter().zip(&bundle.interactions).all(is_it)
        })
    });
}
