//! Which further interactions the limits of a search allow a bundle.

use super::bundle::Bundle;
use crate::field::FaceInteraction;
use crate::paths::Limits;

/// The interactions that a bundle may have at its next wall.
pub(super) fn wall_interactions(limits: &Limits, bundle: &Bundle) -> Vec<FaceInteraction> {
    let num_bends = bundle.reflections + bundle.diffractions;
    let mut kinds = Vec::new();
    if bundle.reflections < limits.reflections()
        && num_bends < limits.interactions()
        && bundle.transmissions <= limits.transmissions_beside(num_bends + 1)
    {
        kinds.push(FaceInteraction::Reflection);
    }
    if bundle.transmissions < limits.transmissions_beside(num_bends) {
        kinds.push(FaceInteraction::Transmission);
    }
    kinds
}

/// Whether a bundle may only go straight on, to cells ahead of it and through walls.
pub(super) fn goes_straight_on(limits: &Limits, bundle: &Bundle) -> bool {
    !wall_interactions(limits, bundle).contains(&FaceInteraction::Reflection)
        && !may_diffract(limits, bundle)
        && !may_scatter(limits, bundle)
}

/// Whether a bundle may be diffracted.
pub(super) fn may_diffract(limits: &Limits, bundle: &Bundle) -> bool {
    let num_bends = bundle.reflections + bundle.diffractions + 1;
    bundle.diffractions < limits.max_diffractions
        && num_bends <= limits.interactions()
        && (bundle.diffractions == 0 || may_chain(limits, bundle))
        && bundle.transmissions <= limits.transmissions_beside(num_bends)
}

/// Whether another edge may follow the last one.
fn may_chain(limits: &Limits, bundle: &Bundle) -> bool {
    limits.edge_chains || bundle.diffractions == 1 && !bundle.is_reflected_behind_edge()
}

/// Whether rough walls may scatter the power of a bundle.
pub(super) fn may_scatter(limits: &Limits, bundle: &Bundle) -> bool {
    let num_bends = bundle.reflections + bundle.diffractions + 1;
    limits.max_scatterings > 0
        && num_bends <= limits.interactions()
        && bundle.transmissions <= limits.transmissions_beside(num_bends)
}

/// Whether a bundle may have no further interaction.
pub(super) fn is_last(limits: &Limits, bundle: &Bundle) -> bool {
    wall_interactions(limits, bundle).is_empty()
        && !may_diffract(limits, bundle)
        && !may_scatter(limits, bundle)
}
