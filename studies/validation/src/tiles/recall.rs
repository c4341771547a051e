//! The share of the existing paths that the search over tiles finds.

use std::collections::HashSet;
use std::time::Instant;

use anyhow::Result;
use keller::field::PathField;
use keller::paths::{Interaction, Limits, Path, Search};
use keller::{Complex64, DVec3, World};
use rayon::prelude::*;

use crate::geometry;

use super::share;

/// Prints the share of the paths of the search `complete`, and of their power, that is among `found`.
pub(super) fn recall(
    world: &World,
    limits: &Limits,
    tx: DVec3,
    rx: &[DVec3],
    found: &[Path],
) -> Result<()> {
    let start = Instant::now();
    let all = geometry::paths(world, tx, rx, limits, Search::Complete)?;
    let seconds = start.elapsed().as_secs_f64();
    let known: HashSet<_> = found.iter().map(key).collect();
    let gains: Vec<(f64, bool)> = all
        .par_iter()
        .map(|path| {
            let field = PathField::new(path, world);
            let amplitudes = field.coefficient.iter().flatten();
            let gain = amplitudes.map(Complex64::norm_sqr).sum();
            (gain, known.contains(&key(path)))
        })
        .collect();
    let power = |is_wanted: &dyn Fn(bool) -> bool| -> f64 {
        let wanted = gains.iter().filter(|(_, is_found)| is_wanted(*is_found));
        wanted.map(|(gain, _)| gain).sum()
    };
    let num_found = gains.iter().filter(|(_, is_found)| *is_found).count();
    println!(
        "  recall: {:.2} % of the {} paths of `complete` ({seconds:.2} s), {:.3} % of their power; {} found besides",
        share(num_found, all.len()),
        all.len(),
        100.0 * power(&|is_found| is_found) / power(&|_| true),
        found.len() - num_found,
    );
    Ok(())
}

/// The key of a path: its receiver and interactions.
fn key(path: &Path) -> (usize, Vec<Interaction>) {
    (path.rx, path.interactions().collect())
}
