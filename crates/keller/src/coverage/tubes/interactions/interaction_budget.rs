//! The further interactions that the limits of a search allow a bundle.

use crate::coverage::tubes::tube::bundle::Bundle;
use crate::field::FaceInteraction;
use crate::paths::{InteractionKind, Limits};

/// The interactions that a bundle may have at its next wall.
pub(in crate::coverage::tubes) fn wall_interactions(
    limits: &Limits,
    bundle: &Bundle,
) -> Vec<FaceInteraction> {
    let mut kinds = vec![FaceInteraction::Reflection, FaceInteraction::Transmission];
    kinds.retain(|kind| may_follow(limits, bundle, (*kind).into()));
    kinds
}

/// Whether a bundle may only go straight on, to cells ahead of it and through walls.
pub(super) fn goes_straight_on(limits: &Limits, bundle: &Bundle) -> bool {
    !may_follow(limits, bundle, InteractionKind::Reflection)
        && !may_diffract(limits, bundle)
        && !may_scatter(limits, bundle)
}

/// Whether a bundle may be diffracted.
pub(in crate::coverage::tubes) fn may_diffract(limits: &Limits, bundle: &Bundle) -> bool {
    may_follow(limits, bundle, InteractionKind::Diffraction)
}

/// Whether rough walls may scatter the power of a bundle.
pub(in crate::coverage::tubes) fn may_scatter(limits: &Limits, bundle: &Bundle) -> bool {
    may_follow(limits, bundle, InteractionKind::Scattering)
}

/// Whether a bundle may have no further interaction.
pub(in crate::coverage::tubes) fn is_last(limits: &Limits, bundle: &Bundle) -> bool {
    goes_straight_on(limits, bundle) && !may_follow(limits, bundle, InteractionKind::Transmission)
}

fn may_follow(limits: &Limits, bundle: &Bundle, next: InteractionKind) -> bool {
    limits.after(&bundle.counts, next).is_some()
}
