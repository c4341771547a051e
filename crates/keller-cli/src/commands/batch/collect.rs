//! `keller batch collect`: writes the result, by the command that would have computed it.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Parser;
use keller_io::scenario::Scenario;
use keller_io::store::{BatchStore, Kind};

use crate::args::{BatchCollectArgs, Cli};
use crate::failure::Failure;
use crate::files::with_name;
use crate::report::write_table;

pub(super) fn run(args: &BatchCollectArgs) -> Result<(), Failure> {
    let store = BatchStore::open(&args.store)?;
    let plan = store.plan();
    let scenario = args.scenario.as_deref().unwrap_or(&plan.scenario);
    let variants = plan.variants();
    if variants.is_empty() {
        return write(args, plan.kind, scenario, &args.out);
    }
    let all = Scenario::variants(scenario)?;
    let most = variants.last().map_or(0, |last| last.to_string().len());
    let mut rows = Vec::new();
    for number in variants {
        let mut named = scenario.as_os_str().to_owned();
        named.push(format!("#{number}"));
        let out = with_name(&args.out, &format!("{number:0most$}"));
        write(args, plan.kind, named.as_ref(), &out)?;
        let values = all
            .as_ref()
            .map(|all| all.values(number))
            .unwrap_or_default();
        let values = values
            .into_iter()
            .map(|(key, value)| format!("{key} = {value}"));
        rows.push(vec![
            number.to_string(),
            out.display().to_string(),
            values.collect::<Vec<_>>().join(", "),
        ]);
    }
    let mut stdout = io::stdout().lock();
    write_table(&mut stdout, &["variant", "file ", "values "], &rows)?;
    Ok(stdout.flush()?)
}

/// Runs the command of a plan for one scenario.
fn write(args: &BatchCollectArgs, kind: Kind, scenario: &Path, out: &Path) -> Result<(), Failure> {
    let words: [OsString; 9] = [
        "keller".into(),
        kind.command().into(),
        scenario.into(),
        "--out".into(),
        out.into(),
        "--batch".into(),
        args.store.clone().into(),
        "--gpu".into(),
        args.machine.gpu.to_string().into(),
    ];
    let cli = Cli::try_parse_from(words).map_err(|error| Failure::Internal(error.into()))?;
    crate::run(cli.command)
}
