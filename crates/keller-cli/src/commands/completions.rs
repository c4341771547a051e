//! `keller completions`: what a shell reads to complete the command line.

use std::io::{self, Write};

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs};
use crate::failure::Failure;

pub(crate) fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "keller", &mut script);
    Ok(io::stdout().lock().write_all(&script)?)
}
