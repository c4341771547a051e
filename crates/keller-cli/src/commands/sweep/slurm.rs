//! `keller sweep slurm`: a job array for Slurm, with the units that are missing.

use std::io::{self, Write};
use std::path::Path;

use keller_io::sweep::SweepStore;

use super::ranges;
use crate::args::SlurmArgs;
use crate::failure::Failure;

pub(super) fn run(args: &SlurmArgs) -> Result<(), Failure> {
    let store = SweepStore::open(&args.store)?;
    let missing = store.finished()?.missing();
    if missing.is_empty() {
        return Err(Failure::Input(format!(
            "{}: no unit is missing, so there is nothing to submit",
            args.store.display()
        )));
    }
    let count = (args.shards as usize).min(store.plan().units.len());
    let mut shards: Vec<usize> = missing.iter().map(|number| number % count).collect();
    shards.sort_unstable();
    shards.dedup();
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let place = absolute(&args.store);
    let keller = std::env::current_exe().unwrap_or_else(|_| "keller".into());
    let quoted = |path: &Path| format!("'{}'", path.display().to_string().replace('\'', "'\\''"));
    let mut out = io::stdout().lock();
    writeln!(out, "#!/bin/bash")?;
    writeln!(
        out,
        "# {} of {} units are missing. Submit this with sbatch; run `keller sweep slurm` again for what is left after it.",
        missing.len(),
        store.plan().units.len()
    )?;
    writeln!(out, "#SBATCH --job-name=keller")?;
    writeln!(out, "#SBATCH --array={}", ranges(&shards))?;
    writeln!(out, "#SBATCH --cpus-per-task={}", args.cpus)?;
    writeln!(out, "#SBATCH --time={}", args.time)?;
    writeln!(out, "#SBATCH --requeue")?;
    writeln!(out, "#SBATCH --output={}/slurm-%A-%a.log", place.display())?;
    for option in &args.options {
        writeln!(out, "#SBATCH --{}", option.trim_start_matches('-'))?;
    }
    writeln!(out)?;
    writeln!(
        out,
        "exec {} sweep run {} --shard \"$SLURM_ARRAY_TASK_ID/{count}\" --threads \"${{SLURM_CPUS_PER_TASK:-{}}}\"",
        quoted(&keller),
        quoted(&place),
        args.cpus
    )?;
    Ok(())
}
