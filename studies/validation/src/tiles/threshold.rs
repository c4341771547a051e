//! Compares the power threshold of Vaara 2022 inside the search with the same threshold as a filter behind it.
//!
//! Eq. 15 bounds a squared field, whose unit the thesis does not say: both readings are run, as path gains.

use std::collections::HashSet;
use std::time::Instant;

use anyhow::{Result, ensure};
use keller::antenna::Antenna;
use keller::field::PathField;
use keller::paths::{Environment, Path, TileFinder};
use keller::units::{db_to_power, power_to_db};
use keller::{Control, DVec3, World};
use keller_lab::vaara::threshold::{FieldUnit, path_gain_db};
use rayon::prelude::*;

use super::table::ROWS;

/// The threshold of the thesis, dB of the squared field.
const MIN_SQUARED_FIELD_DB: f64 = -100.0;

/// The readings of eq. 15, and their names.
const UNITS: [(&str, FieldUnit); 2] = [
    ("V/m", FieldUnit::VoltPerMetre),
    ("1 at 1 m", FieldUnit::AtOneMetre),
];

/// Rows of more seconds by this search without a threshold are run only with it.
const LONGEST: f64 = 60.0;

/// The results of one search over tiles.
struct Found {
    search: f64,
    refine: f64,
    coarse: usize,
    /// Every valid path, and its gain, dB.
    valid: Vec<(String, f64)>,
}

impl Found {
    fn stronger_than(&self, min_db: f64) -> HashSet<&str> {
        let strong = self.valid.iter().filter(|(_, gain)| *gain >= min_db);
        strong.map(|(path, _)| path.as_str()).collect()
    }
}

/// Runs each row of Vaara 2022 with the threshold inside and without, and checks that both keep the same paths.
pub(super) fn threshold(
    world: &World,
    environment: &Environment,
    tx: DVec3,
    rx: &[DVec3],
) -> Result<()> {
    let control = Control::default();
    let antenna = Antenna::default();
    let gain_db = |path: &Path| power_to_db(PathField::new(path, world).gain(&antenna, &antenna));
    let mut last = 0.0;
    for row in ROWS {
        let [interactions, diffractions] = row.most;
        let thesis = 1e-3 * row.search_ms;
        if interactions == 2 {
            last = 0.0;
        }
        let limits = row.limits();
        let run = |min_gain| -> Result<Found> {
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
            let name =
                |path: &Path| format!("{} {:?}", path.rx, path.interactions().collect::<Vec<_>>());
            let valid = paths.par_iter().map(|path| (name(path), gain_db(path)));
            Ok(Found {
                search,
                refine,
                coarse: report.num_coarse,
                valid: valid.collect(),
            })
        };
        let without = if last > LONGEST / 8.0 {
            None
        } else {
            let found = run(None)?;
            last = found.search + found.refine;
            println!(
                "{interactions} {diffractions} (thesis {thesis:.3} s): no threshold: search {:.3} s, refine {:.4} s, {} coarse, {} valid",
                found.search,
                found.refine,
                found.coarse,
                found.valid.len()
            );
            Some(found)
        };
        for (name, unit) in UNITS {
            let min_db = path_gain_db(MIN_SQUARED_FIELD_DB, unit, world.frequency());
            let inside = run(Some(db_to_power(min_db)))?;
            let strong = inside.stronger_than(min_db);
            print!(
                "{interactions} {diffractions} (thesis {thesis:.3} s): {name}, {min_db:.1} dB inside: search {:.3} s, refine {:.4} s, {} coarse, {} valid, {} over it",
                inside.search,
                inside.refine,
                inside.coarse,
                inside.valid.len(),
                strong.len()
            );
            let Some(without) = &without else {
                println!();
                continue;
            };
            let expected = without.stronger_than(min_db);
            println!(
                "; {} without a threshold, {} lost",
                expected.len(),
                expected.difference(&strong).count()
            );
            ensure!(
                strong.is_subset(&expected),
                "more is found with a threshold than without"
            );
        }
    }
    Ok(())
}
