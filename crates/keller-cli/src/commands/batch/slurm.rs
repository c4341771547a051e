//! `keller batch slurm`: a job array for Slurm, with the units that are missing.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use keller_io::store::BatchStore;

use super::ranges;
use crate::args::SlurmArgs;
use crate::failure::Failure;
use crate::messages::say;

pub(super) fn run(args: &SlurmArgs) -> Result<(), Failure> {
    let store = BatchStore::open(&args.store)?;
    let missing = store.finished()?.missing();
    if missing.is_empty() {
        say!("no unit is missing, so there is nothing to submit");
        return Ok(());
    }
    let is_address = args.store.to_string_lossy().contains("://");
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    // Slurm writes to disks alone.
    let (place, logs) = if is_address {
        (args.store.clone(), absolute(Path::new("logs")))
    } else {
        let place = absolute(&args.store);
        (place.clone(), place.join("logs"))
    };
    // The script is read line by line.
    if let Some(name) = [&place, &logs].into_iter().find(|name| has_control(name)) {
        return Err(Failure::Input(format!(
            "{}: a job script cannot name it; accepted: a name without line breaks and other control characters",
            name.display()
        )));
    }
    fs::create_dir_all(&logs)
        .map_err(|error| Failure::System(format!("{}: {error}", logs.display())))?;
    let keller = std::env::current_exe().unwrap_or_else(|_| "keller".into());
    // Neighbours may share prepared data, so each element has units in a row.
    let at_once = missing.len().div_ceil(args.shards as usize);
    let elements: Vec<String> = missing.chunks(at_once).map(ranges).collect();
    let mut out = io::stdout().lock();
    writeln!(out, "#!/bin/bash")?;
    writeln!(
        out,
        "# {} of {} units are missing. Submit this with sbatch; after its end, `keller batch slurm` prints what is left.",
        missing.len(),
        store.plan().units.len()
    )?;
    let mut options = vec![
        "job-name=keller".to_owned(),
        format!("array=0-{}", elements.len() - 1),
        format!("cpus-per-task={}", args.cpus),
        format!("time={}", args.time),
        "requeue".to_owned(),
        "open-mode=append".to_owned(),
        // Slurm reads % as a pattern.
        format!(
            "output=\"{}/%A-%a.log\"",
            logs.display().to_string().replace('%', "%%")
        ),
    ];
    let mut memory = String::new();
    if let Some(size) = args.mem {
        options.push(format!("mem={}M", size.as_u64().div_ceil(1 << 20)));
        memory = format!(" --memory {}B", size.as_u64());
    }
    let further = args.options.iter();
    options.extend(further.map(|option| option.trim_start_matches('-').to_owned()));
    for option in options {
        writeln!(out, "#SBATCH --{option}")?;
    }
    writeln!(out, "\nunits=(")?;
    for units in elements {
        writeln!(out, "    {units}")?;
    }
    writeln!(out, ")")?;
    writeln!(
        out,
        "exec {} batch run {} --only \"${{units[SLURM_ARRAY_TASK_ID]}}\" --threads \"${{SLURM_CPUS_PER_TASK:-{}}}\"{memory}",
        quoted(&keller),
        quoted(&place),
        args.cpus
    )?;
    Ok(())
}

fn has_control(path: &Path) -> bool {
    path.to_string_lossy().contains(char::is_control)
}

/// A path as one word of a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    format!("'{}'", text.replace('\'', "'\\''"))
}
