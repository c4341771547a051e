//! The `keller` program: reads the command line, runs one command, and turns what goes wrong into one message and an exit code.
//!
//! Exit codes: 0 done, 2 bad usage or bad input, 3 a result could not be written, 1 an internal failure, 130 stopped by Ctrl-C.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program's output is its job"
)]

mod args;
mod commands;
mod district;
mod ends;
mod environment;
mod failure;
mod hints;
mod interrupt;
mod job;
mod links;
mod materials;
mod pictures;
mod progress;
mod report;
mod summary;
mod threshold;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    let cli = Cli::parse();
    interrupt::listen();
    let run = || match cli.command {
        Command::Demo(args) => commands::demo::run(&args),
        Command::Import(args) => commands::import::run(&args),
        Command::Scene(args) => commands::scene::run(&args),
        Command::Paths(args) => commands::paths::run(&args),
        Command::Antenna(args) => commands::antenna::run(&args),
        Command::Channel(args) => commands::channel::run(&args),
        Command::Coverage(args) => commands::coverage::run(&args),
        Command::Visibility(args) => commands::visibility::run(&args),
    };
    // A panic has printed its own message and unwound, so that unfinished files are gone.
    let result = std::panic::catch_unwind(run).unwrap_or_else(|_| {
        Err(Failure::Internal(anyhow::anyhow!(
            "a bug in keller, see above"
        )))
    });
    match result {
        // Who stopped reading our output has seen enough.
        Ok(()) | Err(Failure::BrokenPipe) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("keller: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}
