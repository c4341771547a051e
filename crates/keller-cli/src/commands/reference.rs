//! `keller reference`: the pages of the book's Reference, the Python modules of all commands and keys, and man pages, from the
//! program's own tables. Hidden: it is for those who change or pack keller.

mod python;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use clap::{Arg, Command, CommandFactory};

use crate::args::{Cli, ReferenceArgs};
use crate::failure::{EXIT_CODES, Failure};

/// Writes the requested pages.
pub(crate) fn run(args: &ReferenceArgs) -> Result<(), Failure> {
    if let Some(folder) = &args.folder {
        write_book(folder)?;
    }
    if let Some(file) = &args.python {
        write(file, &python::module())?;
        let types = keller_io::scenario::python_types();
        write(&file.with_file_name("options.py"), &types)?;
    }
    if let Some(folder) = &args.man {
        let in_folder = |error| Failure::System(format!("{}: {error}", folder.display()));
        fs::create_dir_all(folder).map_err(in_folder)?;
        // A page for `keller`, and one for each command that is not hidden, such as keller-batch-plan.1.
        clap_mangen::generate_to(Cli::command(), folder).map_err(in_folder)?;
    }
    Ok(())
}

/// Every page of the book's Reference, into a folder.
fn write_book(folder: &Path) -> Result<(), Failure> {
    let pages = [
        ("scenario.md", keller_io::scenario::reference()),
        ("tables.md", keller_io::reports::table::reference()),
        ("commands.md", commands()),
        ("exit-codes.md", exit_codes()),
    ];
    for (name, page) in pages {
        write(&folder.join(name), &page)?;
    }
    Ok(())
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    fs::write(file, text).map_err(|error| Failure::System(format!("{}: {error}", file.display())))
}

/// Every command with its options, as `keller help COMMAND` shows them.
fn commands() -> String {
    let mut cli = Cli::command();
    cli.build();
    let mut page = String::from(
        "# Commands\n\n`keller help COMMAND` prints the same. Results go to standard output or to the files that options \
         name; everything\nelse goes to standard error.\n\n| command | |\n|---|---|\n",
    );
    let shown = shown(&cli);
    for (name, command) in &shown {
        let place = name.replace(' ', "-");
        line(
            &mut page,
            &format!(
                "| [`keller {name}`](#keller-{place}) | {} |",
                about(command)
            ),
        );
    }
    page += "\n## Of every command\n\n| option | |\n|---|---|\n";
    for arg in cli.get_arguments().filter(|arg| arg.is_global_set()) {
        row(&mut page, arg);
    }
    for (name, command) in shown {
        let usage = command.clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ");
        line(
            &mut page,
            &format!(
                "\n## `keller {name}`\n\n{}.\n\n```text\n{usage}\n```\n\n| argument | |\n|---|---|",
                about(command)
            ),
        );
        for arg in own_arguments(command) {
            row(&mut page, arg);
        }
    }
    page
}

/// The arguments that only this command has.
fn own_arguments(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| {
        !arg.is_hide_set()
            && !arg.is_global_set()
            && !["help", "version"].contains(&arg.get_id().as_str())
    })
}

/// The commands that are not hidden, each with its whole name, such as `batch plan`.
fn shown(cli: &Command) -> Vec<(String, &Command)> {
    let is_shown = |command: &&Command| !command.is_hide_set() && command.get_name() != "help";
    let mut all = Vec::new();
    for command in cli.get_subcommands().filter(is_shown) {
        let name = command.get_name();
        let inner = shown(command);
        if inner.is_empty() {
            all.push((name.to_owned(), command));
        }
        let named = |(of, inner)| (format!("{name} {of}"), inner);
        all.extend(inner.into_iter().map(named));
    }
    all
}

fn about(command: &Command) -> String {
    command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// A row for an argument: how it is written, and its help with the values it may have.
fn row(page: &mut String, arg: &Arg) {
    let names = arg.get_value_names().unwrap_or_default();
    let value = names.join(" ");
    let takes_value = arg.get_action().takes_values();
    let mut written = match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}"),
        (None, Some(long)) => format!("--{long}"),
        _ => value.clone(),
    };
    if arg.get_long().is_some() && takes_value {
        written = format!("{written} {value}");
    }
    let values: Vec<_> = arg
        .get_possible_values()
        .iter()
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    let mut help = vec![arg.get_help().map(ToString::to_string).unwrap_or_default()];
    if takes_value && !values.is_empty() {
        help.push(format!("One of {}", values.join(", ")));
    }
    // A flag that takes no value is off without it: "Default: false" would say nothing.
    if takes_value && let [default, ..] = arg.get_default_values() {
        help.push(format!("Default: `{}`", default.to_string_lossy()));
    }
    let help = help.join(". ").replace('|', "\\|");
    line(page, &format!("| `{written}` | {help} |"));
}

/// The exit codes of a run.
fn exit_codes() -> String {
    let mut page = String::from("# Exit codes\n\n| code | meaning |\n|---|---|\n");
    for (code, meaning) in EXIT_CODES {
        line(&mut page, &format!("| {code} | {meaning} |"));
    }
    page
}

fn line(page: &mut String, line: &str) {
    writeln!(page, "{line}").expect("writing to a String does not fail");
}
