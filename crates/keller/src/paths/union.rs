//! The union of the paths of several alternatives: each path once, whatever the order of the alternatives.
//!
//! Paths of solved points are the same if their interactions are. Patches of rough walls are cut as finely as the other
//! paths need, so two alternatives may cut one wall differently. A scattered path therefore counts only in the first
//! alternative whose limits allow it, and the first is the one with the lowest limits.

use rayon::prelude::*;

use super::path::{Interaction, InteractionKind, Path};
use super::{Limits, Search};
use crate::scene::Scene;

/// The items whose limits do not lie within those of another item with the same search. One of several equal ones is
/// kept. They are sorted by limits and search, so the result does not depend on the order of `all`.
pub(super) fn outermost<T>(all: Vec<T>, of: impl Fn(&T) -> (Limits, Search)) -> Vec<T> {
    let mut kept: Vec<T> = Vec::with_capacity(all.len());
    for item in all {
        let (limits, search) = of(&item);
        let is_within = |kept: &T| {
            let (outer, of_outer) = of(kept);
            of_outer == search && limits.is_within(&outer)
        };
        if kept.iter().any(is_within) {
            continue;
        }
        kept.retain(|kept| {
            let (inner, of_inner) = of(kept);
            of_inner != search || !inner.is_within(&limits)
        });
        kept.push(item);
    }
    kept.sort_by_key(|item| {
        let (limits, search) = of(item);
        (order(&limits), search.name())
    });
    kept
}

/// All values of limits, in an order of no meaning.
fn order(limits: &Limits) -> [usize; 9] {
    let Limits {
        line_of_sight,
        max_interactions,
        max_reflections,
        max_transmissions,
        max_diffractions,
        max_scatterings,
        max_depth,
        free_edges,
        reflections_between_edges,
    } = *limits;
    [
        max_interactions,
        max_reflections,
        max_diffractions,
        max_scatterings,
        max_transmissions,
        max_depth,
        usize::from(line_of_sight),
        usize::from(free_edges),
        usize::from(reflections_between_edges),
    ]
}

/// The paths of one transmitter under several limits, each path once, in no order.
pub(super) fn union(scene: &Scene, found: Vec<(Limits, Vec<Path>)>) -> Vec<Path> {
    let mut earlier: Vec<Limits> = Vec::with_capacity(found.len());
    let mut all = Vec::new();
    let has_several = found.len() > 1;
    for (limits, mut paths) in found {
        paths.retain(|path| {
            !is_scattered(path)
                || !earlier
                    .iter()
                    .any(|limits| limits.allow_scattered(scene, path))
        });
        all.append(&mut paths);
        earlier.push(limits);
    }
    if has_several {
        // The sort is stable: of equal paths, the one of the first alternative remains.
        all.par_sort_by(|a, b| {
            let by_rx = a.rx.cmp(&b.rx);
            by_rx.then_with(|| a.interactions().cmp(b.interactions()))
        });
        all.dedup_by(|later, first| {
            later.rx == first.rx
                && !is_scattered(first)
                && later.interactions().eq(first.interactions())
        });
    }
    all
}

fn is_scattered(path: &Path) -> bool {
    let mut kinds = path.interactions().map(Interaction::kind);
    kinds.any(|kind| kind == InteractionKind::Scattering)
}
