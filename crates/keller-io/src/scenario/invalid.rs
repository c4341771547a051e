//! The error of a text that is not TOML. For a key that occurs twice it names both lines.

use toml::de::{DeTable, DeValue};

use super::document::Source;
use super::error::ScenarioError;

/// The error of a text that is not TOML.
pub(super) fn invalid(source: &Source<'_>, text: &str, error: &toml::de::Error) -> ScenarioError {
    let span = error.span();
    let line = span.clone().map(|span| source.line(span.start));
    if let Some(span) = span
        && error.message().starts_with("duplicate key")
        && let Some(key) = text.get(span.clone())
        && let Some(first) = first_of(key, span.start, text)
    {
        let first = source.line(first);
        let problem =
            format!("there already is such a key, in line {first}; accepted: one of the two");
        return ScenarioError::new(source.file, line, key.trim(), problem);
    }
    let problem = format!("this is not valid TOML: {}", error.message());
    ScenarioError::new(source.file, line, "", problem)
}

/// The offset of the first occurrence of a key that occurs again at `second`.
fn first_of(key: &str, second: usize, text: &str) -> Option<usize> {
    let (table, _) = DeTable::parse_recoverable(text);
    let mut open = vec![table.get_ref()];
    let mut found = Vec::new();
    while let Some(table) = open.pop() {
        for (name, value) in table {
            let span = name.span();
            let is_same = text
                .get(span.clone())
                .is_some_and(|own| own.trim() == key.trim());
            if is_same && span.start < second {
                found.push(span.start);
            }
            // Keys between braces that are closed before belong to another table.
            let inner = text.get(value.span()).unwrap_or_default();
            let is_closed = inner.starts_with('{') && value.span().end <= second;
            match value.get_ref() {
                DeValue::Table(table) if !is_closed => open.push(table),
                DeValue::Array(items) => {
                    open.extend(items.iter().filter_map(|item| item.get_ref().as_table()));
                }
                _ => {}
            }
        }
    }
    found
        .into_iter()
        .max()
        .or_else(|| first_header(second, text))
}

/// The line of the first header of a table, `[paths]`, that occurs again at `second`.
fn first_header(second: usize, text: &str) -> Option<usize> {
    let mut end = 0;
    let start_of = |line: &str| {
        end += line.len();
        end - line.len()
    };
    let starts: Vec<usize> = text.split_inclusive('\n').map(start_of).collect();
    let lines: Vec<(usize, &str)> = starts
        .into_iter()
        .zip(text.lines().map(str::trim))
        .collect();
    let (own, header) = lines.iter().rfind(|(start, _)| *start <= second)?;
    let is_same = |line: &&(usize, &str)| line.0 < *own && line.1 == *header;
    let first = lines
        .iter()
        .find(is_same)
        .filter(|_| header.starts_with('['))?;
    Some(first.0)
}
