//! `keller batch status`: the units that are there, and those that are missing.

use std::io::{self, Write};

use bytesize::ByteSize;
use keller_io::store::BatchStore;
use serde_json::json;

use super::ranges;
use crate::args::BatchStatusArgs;
use crate::failure::Failure;

pub(super) fn run(args: &BatchStatusArgs) -> Result<(), Failure> {
    let store = BatchStore::open(&args.store)?;
    let (plan, finished) = (store.plan(), store.finished()?);
    let (count, all, missing) = (finished.count(), plan.units.len(), finished.missing());
    let mut out = io::stdout().lock();
    if args.json {
        let status = json!({
            "command": plan.kind.command(),
            "scenario": plan.scenario,
            "keller": plan.keller,
            "hash": plan.hash,
            "units": all,
            "finished": count,
            "missing": missing,
            "bytes": finished.num_bytes,
            "temporary": finished.temporary,
        });
        writeln!(out, "{status:#}")?;
        return Ok(());
    }
    writeln!(
        out,
        "for `keller {}` of {}",
        plan.kind.command(),
        plan.scenario.display()
    )?;
    let share = 100.0 * count as f64 / all.max(1) as f64;
    writeln!(
        out,
        "{count} of {all} units finished ({share:.1} %), {}",
        ByteSize(finished.num_bytes)
    )?;
    if !missing.is_empty() {
        writeln!(out, "missing: {}", ranges(&missing))?;
    }
    if !finished.temporary.is_empty() {
        writeln!(
            out,
            "{} temporary files: of workers that write now, or were killed; they do no harm",
            finished.temporary.len()
        )?;
    }
    Ok(())
}
