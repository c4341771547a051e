//! The page of the book's Reference about scenarios, from the table of keys.

use std::fmt::Write;

use super::key_types::Key;
use super::keys::SECTIONS;

/// Every key of a scenario with its accepted values, its default and its meaning, as Markdown.
///
/// ```
/// assert!(keller_io::scenario::reference().contains("| `frequency_hz` | a number of at least 1e6, Hz | needed |"));
/// ```
pub fn reference() -> String {
    let mut page = String::from(INTRODUCTION);
    for section in SECTIONS {
        let mut table = format!("\n## {}\n\n", section.title);
        if !section.about.is_empty() {
            table += section.about;
            table += "\n\n";
        }
        table += "| key | accepted | without it | meaning |\n|---|---|---|---|\n";
        for key in section.keys {
            let accepted = key.accepted();
            let [accepted, absent, meaning] =
                [&accepted, key.absent, key.meaning].map(|text| text.replace('|', "\\|"));
            writeln!(
                table,
                "| `{}` | {accepted} | {absent} | {meaning} |",
                key.name
            )
            .expect("writing to a String does not fail");
        }
        page += &table;
    }
    page
}

/// Every key of a scenario: the title of its section, its name, its accepted values, its default, and its meaning.
pub fn all_keys() -> impl Iterator<Item = [String; 5]> {
    SECTIONS.iter().flat_map(|section| {
        let of_key = |key: &Key| {
            let Key {
                name,
                absent,
                meaning,
                ..
            } = key;
            let accepted = &key.accepted();
            [section.title, name, accepted, absent, meaning].map(str::to_owned)
        };
        section.keys.iter().map(of_key)
    })
}

const INTRODUCTION: &str = "\
# Scenario keys

A scenario is a TOML file. x is east, y north, z up, in metres. keller finds the files that a scenario names from the
scenario's own folder. A key that does not exist is an error, and so is a value that is not accepted: the message names
the file, the line and the key, and suggests the nearest key. [`examples/room/scenario.toml`] has every key with a
comment.

[`examples/room/scenario.toml`]: ../../../examples/room/scenario.toml
";
