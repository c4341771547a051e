//! The `keller` program: reads the command line, runs one command, and turns a failure into one message and an exit
//! code.
//!
//! Exit codes: 0 done, 1 an internal failure, 2 bad usage or bad input, 3 not enough memory or a result that could not be written, 128 + n
//! stopped by signal n (130 by Ctrl-C).
// These macros panic where nobody reads: `say!` and `writeln!` do not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod commands;
mod district;
mod ending;
mod failure;
mod files;
mod forecast;
mod interrupt;
mod job;
mod memory;
mod messages;
mod pictures;
mod progress;
mod report;
mod stop;
mod summary;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use clap::Parser;

use args::{Cli, Command};
use failure::Failure;
use messages::say;

fn main() -> ExitCode {
    if let Some(problem) = args::renamed(std::env::args_os().skip(1)) {
        say!("keller: {problem}");
        return ExitCode::from(2);
    }
    let cli = Cli::parse();
    messages::set_quiet(cli.quiet);
    interrupt::listen();
    listen_to_panics();
    let run = || {
        memory::limit(cli.memory)?;
        job::use_threads(cli.threads)?;
        if let Some(folder) = &cli.only_from {
            let refuse =
                |error| Failure::Input(format!("--only-from {}: {error}", folder.display()));
            keller_geo::input::only_from(folder).map_err(refuse)?;
        }
        run(cli.command)
    };
    // A panic unwinds to here, so that unfinished files are gone.
    let result = std::panic::catch_unwind(run)
        .unwrap_or_else(|_| Err(Failure::Internal(anyhow::anyhow!("{}", panicked()))));
    if !ending::begin() {
        // A signal, or the lack of memory, ends the program already.
        loop {
            std::thread::park();
        }
    }
    memory::lift();
    if result.is_err() {
        // Unwinding has removed all unfinished files but part files without a unit, from which no run could resume.
        keller_io::formats::discard_unfinished();
    }
    match result {
        // A reader that stopped reading our output has seen enough.
        Ok(()) | Err(Failure::BrokenPipe) => ExitCode::SUCCESS,
        Err(failure) => {
            tell(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Demo(args) => commands::demo::run(&args),
        Command::Import(args) => commands::import::run(&args),
        Command::Scene(args) => commands::scene::run(&args),
        Command::New(args) => commands::new::run(&args),
        Command::Paths(args) => commands::paths::run(&args),
        Command::Antenna(args) => commands::antenna::run(&args),
        Command::Channel(args) => commands::channel::run(&args),
        Command::Coverage(args) => commands::coverage::run(&args),
        Command::Fingerprint(args) => commands::fingerprint::run(&args),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Calibrate(args) => commands::calibrate::run(&args),
        Command::Visibility(args) => commands::visibility::run(&args),
        Command::View(args) => commands::view::run(&args),
        Command::Gpus(args) => commands::gpus::run(&args),
        Command::Batch(args) => commands::batch::run(&args),
        Command::Schema => commands::completions::schema(),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Reference(args) => commands::reference::run(&args),
    }
}

/// Prints why the program fails. An error of the program itself may be a trace of many lines.
fn tell(failure: &Failure) {
    let text = failure.to_string();
    if !matches!(failure, Failure::Internal(_)) {
        return say!("keller: {text}");
    }
    let mut lines = text.lines();
    say!("keller: {}", lines.next().unwrap_or_default());
    lines.for_each(|line| say!("{line}"));
}

/// The message and the place of the first panic.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Makes panics silent: the message of the first is printed once, at the end.
fn listen_to_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let mut first = PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none() {
            let trace = Backtrace::capture();
            let mut told = panic.to_string();
            if trace.status() == BacktraceStatus::Captured {
                told = format!("{told}\n{trace}");
            }
            *first = Some(told);
        }
    }));
}

fn panicked() -> String {
    let mut first = PANIC.lock().unwrap_or_else(PoisonError::into_inner);
    let told = first.take().unwrap_or_default();
    format!("a bug in keller, please report it: {told}")
}
