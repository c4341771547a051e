//! Every sequence of planes and edges up to the limit: the tutorial, and the reference for the other searches.
//!
//! A wave may travel from any plane or edge to any other, so there are `n (n-1)^(d-1)` sequences of `d` interactions at
//! `n` planes and edges. Most of them have no path, which the solver finds out. The search misses nothing, and takes
//! seconds where the others take milliseconds.

use glam::DVec3;

use crate::paths::{Limits, SequenceTree, Step};
use crate::scene::{PlaneId, Scene};
use crate::{Control, Error, Stage};

/// The largest number of sequences: more would not fit into memory.
const MAX_SEQUENCES: f64 = 5e7;

/// The tree of all sequences of up to `max_reflections` planes.
pub(in crate::paths) fn exhaustive(
    scene: &Scene,
    tx: DVec3,
    max_reflections: usize,
    control: &Control,
) -> Result<SequenceTree, Error> {
    let num_planes = scene.planes().len();
    let count = (num_planes as f64).powf(max_reflections as f64);
    if count > MAX_SEQUENCES {
        return Err(Error::SearchTooLarge(format!(
            "the exhaustive search would try {count:.1e} sequences ({num_planes} planes, {max_reflections} reflections); at most \
             {MAX_SEQUENCES:.0e} are accepted. Use the search `launch` or `complete`, or fewer reflections"
        )));
    }
    let mut tree = SequenceTree::root(tx);
    let mut parent = 0;
    while parent < tree.nodes.len() {
        let node = tree.nodes[parent];
        if (node.depth as usize) < max_reflections {
            control.check()?;
            for plane in (0..num_planes).map(PlaneId::from_index) {
                let is_repeated = parent != 0 && plane == node.plane;
                if !is_repeated {
                    tree.push(scene, parent, plane);
                }
            }
        }
        parent += 1;
    }
    control.report(Stage::Search, 1.0);
    Ok(tree)
}

/// Every sequence within the limits that has at least one diffraction and does not touch the same plane or edge twice
/// in a row.
///
/// # Errors
/// [`Error::SearchTooLarge`].
pub(in crate::paths) fn diffracted_sequences(
    scene: &Scene,
    limits: &Limits,
) -> Result<Vec<Vec<Step>>, Error> {
    let edges = super::views::diffracting_edges(scene, limits);
    let steps = (0..scene.planes().len())
        .map(|p| Step::Reflection(PlaneId::from_index(p)))
        .chain(edges.map(Step::Diffraction))
        .collect::<Vec<_>>();
    let depth = limits.interactions();
    let mut found = Vec::new();
    let mut level = vec![Vec::new()];
    for _ in 0..depth {
        let count = level.len() as f64 * steps.len() as f64;
        if count > MAX_SEQUENCES {
            return Err(Error::SearchTooLarge(format!(
                "the exhaustive search would try more than {count:.1e} sequences; at most {MAX_SEQUENCES:.0e} are accepted. Use the \
                 search `launch` or `complete`, or fewer interactions"
            )));
        }
        let mut next: Vec<Vec<Step>> = Vec::new();
        for sequence in &level {
            for &step in &steps {
                let longer = [sequence.as_slice(), &[step]].concat();
                if limits.allow_steps(&longer) {
                    next.push(longer);
                }
            }
        }
        found.extend(
            next.iter()
                .filter(|s| s.iter().any(|s| matches!(s, Step::Diffraction(_))))
                .cloned(),
        );
        level = next;
    }
    Ok(found)
}
