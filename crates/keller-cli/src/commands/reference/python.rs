//! The Python module `keller.program`: a function for every command, with a keyword for every option.

use std::any::TypeId;
use std::fmt::Write;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, CommandFactory};

use super::{about, line, own_arguments, shown};
use crate::args::Cli;

const HEAD: &str = r#""""The program ``keller``: a function for every command, a keyword for every option.

A function runs the program that came with this package, and gives what it prints. Files are written as the program
does it: in blocks, with less memory than results in Python take, and with ``.part`` files from which a stopped run
resumes. What goes wrong is a :class:`keller.KellerError` with the program's message, warnings are
:class:`keller.KellerWarning`, and notes go to the logger ``keller``.

Written by ``keller reference --python`` from the program's own table of arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Literal, TypedDict

from ._program import flag, joined, repeated, run, value
from ._text import renamed

_File = str | PathLike[str]
"#;

/// The longest line of documentation.
const WIDTH: usize = 120;

/// Commands whose names Python keeps for itself.
const RENAMED: [(&str, &str); 1] = [("import", "import_")];

/// The text of the module.
pub(super) fn module() -> String {
    let mut cli = Cli::command();
    cli.build();
    let mut text = HEAD.to_owned();
    let globals: Vec<&Arg> = cli
        .get_arguments()
        .filter(|arg| arg.is_global_set())
        .collect();
    for (name, command) in shown(&cli) {
        function(&mut text, &name, command, &globals);
    }
    text
}

fn function(text: &mut String, name: &str, command: &Command, globals: &[&Arg]) {
    let renamed = RENAMED.iter().find(|(of, _)| *of == name);
    let in_python = renamed.map_or(name, |(_, python)| python).replace(' ', "_");
    let own = || own_arguments(command);
    let options = || {
        own()
            .filter(|arg| !arg.is_positional())
            .chain(globals.iter().copied())
    };
    if name == "import" {
        line(
            text,
            "\n\nclass ImportOptions(TypedDict, total=False):\n    \"\"\"The options of :func:`import_` that make the scene.\"\"\"\n",
        );
        for arg in own().filter(|arg| !arg.is_positional() && !is_output(arg)) {
            line(text, &format!("    {}: {}", keyword(arg), kind(arg)));
        }
    }
    line(text, &format!("\n\n@renamed\ndef {in_python}("));
    for arg in own().filter(|arg| arg.is_positional()) {
        line(text, &format!("    {}: {},", keyword(arg), kind(arg)));
    }
    line(text, "    *,");
    for arg in options() {
        let absent = if takes_value(arg) {
            " | None = None"
        } else {
            " = False"
        };
        line(
            text,
            &format!("    {}: {}{absent},", keyword(arg), kind(arg)),
        );
    }
    line(text, ") -> str:");
    line(text, &format!("    \"\"\"{}.\n", about(command)));
    for arg in own().filter(|arg| arg.is_positional()).chain(options()) {
        line(text, &document(arg));
    }
    line(text, "    \"\"\"");
    let positional: Vec<String> = own()
        .filter(|arg| arg.is_positional())
        .map(handed_over)
        .collect();
    let positional = match &positional[..] {
        [one] => one.clone(),
        several => {
            let groups: Vec<_> = several.iter().map(|group| format!("*{group}")).collect();
            format!("[{}]", groups.join(", "))
        }
    };
    line(
        text,
        &format!("    return run(\n        \"{name}\",\n        {positional},"),
    );
    for arg in options() {
        line(text, &format!("        {},", handed_over(arg)));
    }
    line(text, "    )");
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

/// Whether the argument is about the output of the result.
fn is_output(arg: &Arg) -> bool {
    ["out", "picture", "json"].contains(&arg.get_id().as_str())
}

fn is_list(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
}

/// The name of the keyword: that of the option.
fn keyword(arg: &Arg) -> String {
    let name = arg.get_long().unwrap_or(arg.get_id().as_str());
    name.replace('-', "_")
}

/// The type in Python.
fn kind(arg: &Arg) -> String {
    if !takes_value(arg) {
        return "bool".to_owned();
    }
    let values = arg.get_possible_values();
    let names: Vec<_> = values
        .iter()
        .map(|value| format!("\"{}\"", value.get_name()))
        .collect();
    let parser = arg.get_value_parser();
    let is = |kind: TypeId| parser.type_id() == kind;
    let one = if !names.is_empty() {
        format!("Literal[{}]", names.join(", "))
    } else if is(TypeId::of::<PathBuf>()) {
        "_File".to_owned()
    } else if is(TypeId::of::<f64>()) {
        "float".to_owned()
    } else if is(TypeId::of::<u16>()) || is(TypeId::of::<u32>()) || is(TypeId::of::<u64>()) {
        "int".to_owned()
    } else if is(TypeId::of::<[f64; 4]>()) {
        "Sequence[float]".to_owned()
    } else if is(TypeId::of::<(usize, usize)>()) {
        "Sequence[int]".to_owned()
    } else {
        "str".to_owned()
    };
    if is_list(arg) {
        format!("{one} | Sequence[{one}]")
    } else {
        one
    }
}

/// A sentence about how the call hands the argument to the program.
fn handed_over(arg: &Arg) -> String {
    let keyword = keyword(arg);
    let option = arg
        .get_long()
        .map_or("None".to_owned(), |name| format!("\"--{name}\""));
    let is_joined = kind(arg).starts_with("Sequence") || arg.get_value_delimiter().is_some();
    match (takes_value(arg), is_joined, is_list(arg)) {
        (false, ..) => format!("flag({option}, {keyword})"),
        (_, true, _) => format!("joined({option}, {keyword})"),
        (_, _, true) => format!("repeated({option}, {keyword})"),
        _ => format!("value({option}, {keyword})"),
    }
}

/// The lines of the documentation.
fn document(arg: &Arg) -> String {
    let mut text = format!("{}: ", keyword(arg));
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    text += &help.replace('\\', "\\\\");
    if takes_value(arg)
        && let [default, ..] = arg.get_default_values()
    {
        let _ = write!(text, " [default: {}]", default.to_string_lossy());
    }
    wrapped(&text)
}

/// Text in lines of at most [`WIDTH`] letters, all but the first further to the right.
fn wrapped(text: &str) -> String {
    let mut lines = vec!["   ".to_owned()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a first line");
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(format!("        {word}"));
        } else {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n")
}
