//! The power threshold of Vaara 2022 inside the search, beside the same threshold as a filter behind it.

use std::collections::HashSet;
use std::time::Instant;

use anyhow::{Result, ensure};
use keller::antenna::Antenna;
use keller::field::PathField;
use keller::paths::{Environment, Path, TileFinder};
use keller::units::{db_to_power, power_to_db};
use keller::{Control, DVec3, World};
use rayon::prelude::*;

use super::table::ROWS;

/// Path gain, dB.
const MIN_DB: f64 = -100.0;

/// Rows of more seconds by this search without a threshold are run only with it.
const LONGEST: f64 = 60.0;

/// Runs each row of Vaara 2022 with the threshold inside and without, and checks that both keep the same paths.
pub(super) fn threshold(
    world: &World,
    environment: &Environment,
    tx: DVec3,
    rx: &[DVec3],
) -> Result<()> {
    let control = Control::default();
    let antenna = Antenna::default();
    let is_strong =
        |path: &Path| power_to_db(PathField::new(path, world).gain(&antenna, &antenna)) >= MIN_DB;
    let mut last = 0.0;
    for row in ROWS {
        let [interactions, diffractions] = row.most;
        let thesis = 1e-3 * row.search_ms;
        if interactions == 2 {
            last = 0.0;
        }
        let limits = row.limits();
        let run = |min_gain| -> Result<(f64, f64, usize, usize, HashSet<String>)> {
            let environment = Environment {
                min_gain,
                ..environment.clone()
            };
            let finder = TileFinder::new(world, &limits, environment)?;
            let start = Instant::now();
            let coarse = finder.coarse(tx, rx, &control)?;
            let search = start.elapsed().as_secs_f64();
            let start = Instant::now();
            let (paths, report) = finder.refine(tx, rx, &coarse, &control)?;
            let refine = start.elapsed().as_secs_f64();
            let strong = paths.par_iter().filter(|path| is_strong(path));
            let strong = strong
                .map(|path| format!("{} {:?}", path.rx, path.interactions().collect::<Vec<_>>()));
            Ok((
                search,
                refine,
                report.num_coarse,
                report.num_valid,
                strong.collect(),
            ))
        };
        let (search, refine, coarse, valid, strong) = run(Some(db_to_power(MIN_DB)))?;
        print!(
            "{interactions} {diffractions}: {MIN_DB} dB inside: search {search:.3} s (thesis {thesis:.3}), refine {refine:.4} s, {coarse} coarse, {valid} valid, {} over it",
            strong.len()
        );
        if last > LONGEST / 8.0 {
            println!();
            continue;
        }
        let (search, refine, coarse, valid, expected) = run(None)?;
        last = search + refine;
        println!(
            "; without: {search:.3} s, {refine:.4} s, {coarse} coarse, {valid} valid, {} over it, {} lost",
            expected.len(),
            expected.difference(&strong).count()
        );
        ensure!(
            strong.is_subset(&expected),
            "more is found with a threshold than without"
        );
    }
    Ok(())
}
