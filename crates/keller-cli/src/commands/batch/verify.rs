//! `keller batch verify`: reads every unit.

use std::io::{self, Write};

use keller_io::store::BatchStore;
use serde_json::json;

use super::ranges;
use crate::args::BatchVerifyArgs;
use crate::failure::Failure;
use crate::messages::say;
use crate::stop;

pub(super) fn run(args: &BatchVerifyArgs) -> Result<(), Failure> {
    let store = BatchStore::open(&args.store)?;
    let finished = store.finished()?;
    let (mut damaged, mut count) = (Vec::new(), 0);
    for (number, _) in finished.units.iter().enumerate().filter(|(_, is)| **is) {
        stop::check()?;
        if store.get(number)?.is_none() {
            damaged.push(number);
        } else {
            count += 1;
        }
    }
    if args.repair {
        damaged
            .iter()
            .try_for_each(|number| store.remove(*number))?;
        let mut temporary = finished.temporary.iter();
        temporary.try_for_each(|name| store.remove_temporary(name))?;
    }
    let missing = finished.missing();
    if args.json {
        let found = json!({
            "whole": count,
            "damaged": damaged,
            "missing": missing,
            "repaired": args.repair,
        });
        writeln!(io::stdout().lock(), "{found:#}")?;
    }
    if damaged.is_empty() {
        say!("{count} units are whole, {} are missing", missing.len());
        return Ok(());
    }
    let told = format!(
        "{}: {} of {} units are damaged: {}",
        args.store.display(),
        damaged.len(),
        finished.count(),
        ranges(&damaged)
    );
    if args.repair {
        say!("{told}; they are removed, and `keller batch run` computes them again");
        return Ok(());
    }
    Err(Failure::Input(format!(
        "{told}; --repair removes them, and `keller batch run` computes them again"
    )))
}
