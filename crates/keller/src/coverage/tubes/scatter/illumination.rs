//! The squares of rough walls that the tubes of a trace illuminate, collected from all threads.

use std::sync::{Mutex, PoisonError};

use super::footprint::{Square, illuminated_squares};
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::interactions::interaction_budget::may_scatter;
use crate::coverage::tubes::tube::bundle::Bundle;
use crate::coverage::tubes::tube::leaf::Leaf;
use crate::scene::FaceId;

/// The largest number of squares of a Tx that scatter: the strongest ones.
const MAX_SQUARES: usize = 1 << 17;

/// The squares of one wall that the tubes of one bundle illuminate.
#[derive(Debug)]
pub(super) struct Illumination {
    /// The bundle, without its tubes.
    pub(super) bundle: Bundle,
    /// One of the faces of the wall.
    pub(super) face: FaceId,
    pub(super) squares: Vec<Square>,
}

/// The squares that all tubes of a Tx illuminate.
#[derive(Debug, Default)]
pub(in crate::coverage::tubes) struct Illuminations(Mutex<Vec<Illumination>>);

impl Illuminations {
    /// Adds the squares that the leaves of a bundle illuminate, if the limits allow them to scatter.
    pub(in crate::coverage::tubes) fn add(
        &self,
        ctx: &Context<'_>,
        bundle: &Bundle,
        leaves: &[Leaf],
    ) {
        if !may_scatter(ctx.limits, bundle) {
            return;
        }
        let found = illuminated_squares(ctx, bundle, leaves);
        if found.is_empty() {
            return;
        }
        let illumination = |(face, squares)| Illumination {
            bundle: bundle.without_tubes(),
            face,
            squares,
        };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(found.into_iter().map(illumination));
    }

    /// All illuminations with the strongest of their squares. Which these are does not depend on the order of adding.
    pub(super) fn into_strongest(self) -> Vec<Illumination> {
        let mut all = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let squares = all.iter().flat_map(|illumination| &illumination.squares);
        let mut powers: Vec<f64> = squares.map(|square| square.power).collect();
        if powers.len() > MAX_SQUARES {
            let (_, &mut limit, _) =
                powers.select_nth_unstable_by(MAX_SQUARES, |a, b| b.total_cmp(a));
            for illumination in &mut all {
                illumination.squares.retain(|square| square.power > limit);
            }
        }
        all
    }
}
