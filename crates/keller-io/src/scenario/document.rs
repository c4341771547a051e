//! A parsed TOML file that knows its line numbers: typed access to its keys, each with one clear error.

use std::path::Path;

use keller_geo::shown::{has_control, not_a_name, shown};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::ScenarioError;
use super::keys::{self, Key};

/// The text of a TOML file and where its lines begin.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) file: &'a Path,
    line_starts: Vec<usize>,
}

impl<'a> Source<'a> {
    pub(super) fn new(file: &'a Path, text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self {
            file,
            line_starts: std::iter::once(0)
                .chain(breaks.map(|(i, _)| i + 1))
                .collect(),
        }
    }

    /// The line, from 1, of the byte at `offset`.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset)
    }
}

/// A table of the file with the keys it may have.
#[derive(Debug, Clone)]
pub(super) struct Section<'a> {
    pub(super) source: &'a Source<'a>,
    /// As the user writes it: `[paths]`, `[[tx]] 2`; empty at the top.
    label: String,
    table: &'a DeTable<'a>,
    keys: &'static [Key],
    /// Where it begins; `None` for the file itself.
    pub(super) line: Option<usize>,
}

impl<'a> Section<'a> {
    /// The top of the file, refusing keys that it cannot have.
    pub(super) fn top(
        source: &'a Source<'a>,
        table: &'a DeTable<'a>,
        keys: &'static [Key],
    ) -> Result<Self, ScenarioError> {
        Self::checked(source, String::new(), table, keys, None)
    }

    fn checked(
        source: &'a Source<'a>,
        label: String,
        table: &'a DeTable<'a>,
        keys: &'static [Key],
        line: Option<usize>,
    ) -> Result<Self, ScenarioError> {
        let section = Self {
            source,
            label,
            table,
            keys,
            line,
        };
        // Tables are kept in the order of their names; the first error should be the first in the file.
        let unknown = table
            .keys()
            .filter(|name| !keys.iter().any(|key| key.name == name.get_ref()))
            .min_by_key(|name| name.span().start);
        match unknown {
            None => Ok(section),
            Some(name) => Err(ScenarioError::new(
                source.file,
                Some(source.line(name.span().start)),
                section.path(name.get_ref()),
                format!(
                    "unknown key{} accepted: {}",
                    keys::hint(name.get_ref(), keys),
                    keys::names(keys)
                ),
            )),
        }
    }

    /// Whether `key` is there at all.
    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Whether the value of `key` is a table.
    pub(super) fn is_table(&self, key: &str) -> bool {
        self.get(key)
            .is_some_and(|(_, value)| value.get_ref().is_table())
    }

    /// Whether the value of `key` is a list.
    pub(super) fn is_list(&self, key: &str) -> bool {
        self.get(key)
            .is_some_and(|(_, value)| value.get_ref().is_array())
    }

    /// Whether the value of `key` is a text.
    pub(super) fn is_text(&self, key: &str) -> bool {
        self.get(key)
            .is_some_and(|(_, value)| value.get_ref().is_str())
    }

    /// The line of the value of `key`, if it is there.
    pub(super) fn line_of(&self, key: &str) -> Option<usize> {
        let (_, value) = self.get(key)?;
        Some(self.source.line(value.span().start))
    }

    /// The text of `key`.
    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, ScenarioError> {
        let text = self.read(key, |value| value.as_str())?;
        self.check_name(key, text).map(|()| text)
    }

    /// The list of texts of `key`.
    pub(super) fn texts(&self, key: &str) -> Result<Option<Vec<&'a str>>, ScenarioError> {
        let texts = self.read(key, |value| {
            let array = value.as_array()?;
            array.iter().map(|item| item.get_ref().as_str()).collect()
        })?;
        let all: &Option<Vec<&str>> = &texts;
        self.check_name(key, all.iter().flatten().copied())
            .map(|()| texts)
    }

    /// Refuses texts with control characters: all are names, of files, devices and materials.
    fn check_name<'t>(
        &self,
        key: &str,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> Result<(), ScenarioError> {
        let found = texts.into_iter().find(|text| has_control(text));
        found.map_or(Ok(()), |text| {
            Err(self.problem(key, format!("found {}", not_a_name(text))))
        })
    }

    /// `true` or `false` of `key`.
    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, ScenarioError> {
        self.read(key, DeValue::as_bool)
    }

    /// The finite number of `key` for which `accept` holds.
    pub(super) fn number(
        &self,
        key: &str,
        accept: impl Fn(f64) -> bool,
    ) -> Result<Option<f64>, ScenarioError> {
        self.read(key, |value| number(value).filter(|v| accept(*v)))
    }

    /// The finite number of `key` if it is a number, none if it is a text.
    pub(super) fn number_if_any(&self, key: &str) -> Result<Option<f64>, ScenarioError> {
        match self.get(key).map(|(_, value)| value.get_ref()) {
            Some(DeValue::String(_)) => Ok(None),
            _ => self.number(key, |_| true),
        }
    }

    /// The whole number of `key`, from 0 to `max`.
    pub(super) fn count(&self, key: &str, max: usize) -> Result<Option<usize>, ScenarioError> {
        self.read(key, |value| {
            let integer = value.as_integer()?;
            let count = usize::from_str_radix(integer.as_str(), integer.radix()).ok()?;
            (count <= max).then_some(count)
        })
    }

    /// The `N` finite numbers of `key`, all of which `accept` holds for.
    pub(super) fn vector<const N: usize>(
        &self,
        key: &str,
        accept: impl Fn(f64) -> bool,
    ) -> Result<Option<[f64; N]>, ScenarioError> {
        self.read(key, |value| {
            let items = value.as_array()?.iter().map(|v| number(v.get_ref()));
            let numbers: Vec<f64> = items.collect::<Option<_>>()?;
            numbers
                .try_into()
                .ok()
                .filter(|v: &[f64; N]| v.iter().all(|x| accept(*x)))
        })
    }

    /// One finite number of `key`, or a list of them, none of them empty; `accept` holds for all.
    pub(super) fn numbers(
        &self,
        key: &str,
        accept: impl Fn(f64) -> bool,
    ) -> Result<Option<Vec<f64>>, ScenarioError> {
        self.read(key, |value| {
            let numbers: Vec<f64> = match value.as_array() {
                Some(items) => items
                    .iter()
                    .map(|v| number(v.get_ref()))
                    .collect::<Option<_>>()?,
                None => vec![number(value)?],
            };
            let is_accepted = !numbers.is_empty() && numbers.iter().all(|x| accept(*x));
            is_accepted.then_some(numbers)
        })
    }

    /// The list of `N` finite numbers each of `key`.
    pub(super) fn vectors<const N: usize>(
        &self,
        key: &str,
    ) -> Result<Option<Vec<[f64; N]>>, ScenarioError> {
        self.read(key, |value| {
            let vector = |item: &Spanned<DeValue<'_>>| {
                let items = item.get_ref().as_array()?.iter();
                let numbers: Option<Vec<f64>> = items.map(|v| number(v.get_ref())).collect();
                numbers?.try_into().ok()
            };
            value.as_array()?.iter().map(vector).collect()
        })
    }

    /// The value that the text of `key` stands for.
    pub(super) fn choice<T: Clone>(
        &self,
        key: &str,
        choices: &[(&str, T)],
    ) -> Result<Option<T>, ScenarioError> {
        let Some(found) = self.text(key)? else {
            return Ok(None);
        };
        if let Some((_, value)) = choices.iter().find(|(name, _)| *name == found) {
            return Ok(Some(value.clone()));
        }
        let hint = keys::value_hint(key, found, choices.iter().map(|(name, _)| *name));
        let accepted = self.accepted(key);
        Err(self.problem(
            key,
            format!("found \"{}\"{hint} accepted: {accepted}", shown(found)),
        ))
    }

    /// The table of `key`.
    pub(super) fn section(
        &self,
        key: &str,
        keys: &'static [Key],
    ) -> Result<Option<Self>, ScenarioError> {
        let Some((name, value)) = self.get(key) else {
            return Ok(None);
        };
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.unexpected(key));
        };
        let label = match self.label.as_str() {
            "" => format!("[{key}]"),
            label => format!("{label} {key}"),
        };
        let line = self.source.line(name.span().start);
        Self::checked(self.source, label, table, keys, Some(line)).map(Some)
    }

    /// The tables of the list `key`: `[[key]]`, or `key = [{..}, {..}]`.
    pub(super) fn sections(
        &self,
        key: &str,
        keys: &'static [Key],
    ) -> Result<Vec<Self>, ScenarioError> {
        let Some((_, value)) = self.get(key) else {
            return Ok(Vec::new());
        };
        let DeValue::Array(items) = value.get_ref() else {
            return Err(self.unexpected(key));
        };
        items
            .iter()
            .enumerate()
            .map(|(i, item)| {
                let DeValue::Table(table) = item.get_ref() else {
                    return Err(self.unexpected(key));
                };
                let label = match self.label.as_str() {
                    "" => format!("[[{key}]] {i}"),
                    label => format!("{label} {key} {i}"),
                };
                let line = self.source.line(item.span().start);
                Self::checked(self.source, label, table, keys, Some(line))
            })
            .collect()
    }

    /// The tables within the table `key`, each under a name of the user's: `[key.NAME]`. In the order of the file.
    pub(super) fn named_sections(
        &self,
        key: &str,
        keys: &'static [Key],
    ) -> Result<Vec<(&'a str, Self)>, ScenarioError> {
        let Some((_, value)) = self.get(key) else {
            return Ok(Vec::new());
        };
        let DeValue::Table(tables) = value.get_ref() else {
            return Err(self.unexpected(key));
        };
        let mut entries: Vec<_> = tables.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        entries
            .into_iter()
            .map(|(name, value)| {
                let line = self.source.line(name.span().start);
                let label = format!("[{key}.{}]", name.get_ref());
                if has_control(name.get_ref()) {
                    let problem = format!("found {}", not_a_name(name.get_ref()));
                    let file = self.source.file;
                    return Err(ScenarioError::new(file, Some(line), label, problem));
                }
                let DeValue::Table(table) = value.get_ref() else {
                    return Err(ScenarioError::new(
                        self.source.file,
                        Some(line),
                        label,
                        format!("found {}; accepted: a table", described(value.get_ref())),
                    ));
                };
                let section = Self::checked(self.source, label, table, keys, Some(line))?;
                Ok((name.get_ref().as_ref(), section))
            })
            .collect()
    }

    /// The error that `key` is not there.
    pub(super) fn missing(&self, key: &str) -> ScenarioError {
        ScenarioError::new(
            self.source.file,
            self.line,
            self.path(key),
            format!("missing; accepted: {}", self.accepted(key)),
        )
    }

    /// An error about the value of `key`, with what is accepted after it.
    pub(super) fn refuse(&self, key: &str, problem: impl AsRef<str>) -> ScenarioError {
        let problem = problem.as_ref();
        // A suggestion ends as a question.
        let end = if problem.ends_with('?') { "" } else { ";" };
        self.problem(
            key,
            format!("{problem}{end} accepted: {}", self.accepted(key)),
        )
    }

    /// An error about `key`; about the whole section if it is not there.
    pub(super) fn problem(&self, key: &str, problem: impl Into<String>) -> ScenarioError {
        let line = match self.get(key) {
            Some((_, value)) => Some(self.source.line(value.span().start)),
            None => self.line,
        };
        ScenarioError::new(self.source.file, line, self.path(key), problem)
    }

    fn read<T>(
        &self,
        key: &str,
        convert: impl Fn(&'a DeValue<'a>) -> Option<T>,
    ) -> Result<Option<T>, ScenarioError> {
        let Some((_, value)) = self.get(key) else {
            return Ok(None);
        };
        match convert(value.get_ref()) {
            Some(value) => Ok(Some(value)),
            None => Err(self.unexpected(key)),
        }
    }

    /// The error that the value of `key` is not accepted.
    pub(super) fn unexpected(&self, key: &str) -> ScenarioError {
        let found = self
            .get(key)
            .map_or_else(String::new, |(_, value)| described(value.get_ref()));
        self.refuse(key, format!("found {found}"))
    }

    fn get(
        &self,
        key: &str,
    ) -> Option<(
        &'a Spanned<std::borrow::Cow<'a, str>>,
        &'a Spanned<DeValue<'a>>,
    )> {
        assert!(
            self.keys.iter().any(|k| k.name == key),
            "`{key}` is not in the key table of {}",
            self.label
        );
        self.table.get_key_value(key)
    }

    fn accepted(&self, key: &str) -> &'static str {
        keys::accepted(self.keys, key)
    }

    /// `key` as errors name it: `[[tx]] 2 name`.
    pub(super) fn path(&self, key: &str) -> String {
        if self.label.is_empty() {
            key.to_owned()
        } else {
            format!("{} {key}", self.label)
        }
    }
}

/// A finite number, however it is written.
fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .ok()
            .map(|v| v as f64),
        DeValue::Float(float) => float.as_str().parse().ok().filter(|v: &f64| v.is_finite()),
        _ => None,
    }
}

/// What the user wrote, short enough for a message.
fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text \"{}\"", shown(text)),
        DeValue::Integer(integer) => shown(&integer.to_string()),
        DeValue::Float(float) => shown(&float.to_string()),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(date) => format!("the date {date}"),
        DeValue::Array(items) if items.len() > 4 => format!("a list of {} entries", items.len()),
        DeValue::Array(items) => {
            let items: Vec<_> = items.iter().map(|v| described(v.get_ref())).collect();
            format!("[{}]", items.join(", "))
        }
        DeValue::Table(_) => "a table".to_owned(),
    }
}
