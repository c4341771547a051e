//! `keller completions` and `keller schema`: files with which shells and editors complete command lines and scenarios.

use std::io::{self, Write};

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs};
use crate::failure::Failure;

pub(crate) fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "keller", &mut script);
    Ok(io::stdout().lock().write_all(&script)?)
}

pub(crate) fn schema() -> Result<(), Failure> {
    Ok(writeln!(
        io::stdout().lock(),
        "{:#}",
        keller_io::scenario::schema()
    )?)
}
