//! A parsed TOML file that knows its line numbers: typed access to its keys, each with one clear error.

use std::path::Path;

use keller_geo::shown::{has_control, not_a_name, shown};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::ScenarioError;
use super::key_types::{Key, Shape, finite_number, whole_number};
use super::keys;

/// The text of a TOML file and the offsets of its lines.
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
    /// The name as the user writes it: `[paths]`, `[[tx]] 2`; empty at the top.
    label: String,
    table: &'a DeTable<'a>,
    keys: &'static [Key],
    /// The line at which it begins; `None` for the file itself.
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
        let text = self.read(key, Shape::is_text, |value| value.as_str())?;
        self.check_name(key, text).map(|()| text)
    }

    /// The list of texts of `key`.
    pub(super) fn texts(&self, key: &str) -> Result<Option<Vec<&'a str>>, ScenarioError> {
        let is_it = |shape: &Shape| matches!(shape, Shape::List(item) if item.is_text());
        let texts = self.read(key, is_it, |value| {
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

    /// The value `true` or `false` of `key`.
    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, ScenarioError> {
        self.read(key, |shape| matches!(shape, Shape::Flag), DeValue::as_bool)
    }

    /// The number of `key`.
    pub(super) fn number(&self, key: &str) -> Result<Option<f64>, ScenarioError> {
        self.read(key, Shape::is_number, finite_number)
    }

    /// The finite number that `key` has, accepted or not.
    pub(super) fn number_found(&self, key: &str) -> Option<f64> {
        finite_number(self.get(key)?.1.get_ref())
    }

    /// The whole number of `key`.
    pub(super) fn whole(&self, key: &str) -> Result<Option<usize>, ScenarioError> {
        self.read(key, |shape| matches!(shape, Shape::Whole(..)), whole_number)
    }

    /// The `N` numbers of `key`.
    pub(super) fn vector<const N: usize>(
        &self,
        key: &str,
    ) -> Result<Option<[f64; N]>, ScenarioError> {
        self.read(key, Shape::is_vector_of::<N>, |value| {
            numbers(value)?.try_into().ok()
        })
    }

    /// The number of `key`, or its list of them, which is not empty.
    pub(super) fn numbers(&self, key: &str) -> Result<Option<Vec<f64>>, ScenarioError> {
        let is_it = |shape: &Shape| match shape {
            Shape::Vector(..) => true,
            Shape::List(item) => item.is_number(),
            one => one.is_number(),
        };
        self.read(key, is_it, |value| match finite_number(value) {
            Some(number) => Some(vec![number]),
            None => numbers(value).filter(|numbers| !numbers.is_empty()),
        })
    }

    /// The list of `N` numbers each of `key`.
    pub(super) fn vectors<const N: usize>(
        &self,
        key: &str,
    ) -> Result<Option<Vec<[f64; N]>>, ScenarioError> {
        let is_it = |shape: &Shape| matches!(shape, Shape::List(item) if item.is_vector_of::<N>());
        self.read(key, is_it, |value| {
            let items = value.as_array()?.iter();
            let vectors = items.map(|item| numbers(item.get_ref())?.try_into().ok());
            vectors.collect()
        })
    }

    /// The value that the text of `key` stands for.
    pub(super) fn choice<T: Clone>(
        &self,
        key: &str,
        choices: &[(&str, T)],
    ) -> Result<Option<T>, ScenarioError> {
        let is_it = |shape: &Shape| match shape {
            Shape::Choice(words) => words.iter().eq(choices.iter().map(|(word, _)| word)),
            _ => false,
        };
        self.check_reader(key, is_it);
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
    pub(super) fn section(&self, key: &str) -> Result<Option<Self>, ScenarioError> {
        let keys = self.keys_in(key, |shape| matches!(shape, Shape::Table(..)));
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
    pub(super) fn sections(&self, key: &str) -> Result<Vec<Self>, ScenarioError> {
        let keys = self.keys_in(key, |shape| matches!(shape, Shape::Tables(..)));
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

    /// The tables within the table `key`, each under a name of the user's: `[key.NAME]`. They come in the order of the
    /// file.
    pub(super) fn named_sections(&self, key: &str) -> Result<Vec<(&'a str, Self)>, ScenarioError> {
        let keys = self.keys_in(key, |shape| matches!(shape, Shape::Named(..)));
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

    /// An error about the value of `key`, which ends with the accepted values.
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

    /// The value of `key` if its type accepts it. One of the shapes of the type is the one that is read.
    fn read<T>(
        &self,
        key: &str,
        is_it: impl Fn(&Shape) -> bool,
        convert: impl Fn(&'a DeValue<'a>) -> Option<T>,
    ) -> Result<Option<T>, ScenarioError> {
        self.check_reader(key, is_it);
        let Some((_, value)) = self.get(key) else {
            return Ok(None);
        };
        let is_accepted = self.key(key).kind.shape.accepts(value.get_ref());
        match convert(value.get_ref()).filter(|_| is_accepted) {
            Some(value) => Ok(Some(value)),
            None => Err(self.unexpected(key)),
        }
    }

    /// Compares the reader of a key with the key's type.
    fn check_reader(&self, key: &str, is_it: impl Fn(&Shape) -> bool) {
        let shapes = self.key(key).kind.shape.alternatives();
        assert!(
            shapes.iter().any(is_it),
            "`{key}` of {} is read as another type than it has",
            self.label
        );
    }

    /// The keys of the tables in `key`.
    fn keys_in(&self, key: &str, is_it: impl Fn(&Shape) -> bool) -> &'static [Key] {
        self.check_reader(key, is_it);
        let keys = self.key(key).kind.shape.keys();
        keys.unwrap_or_default()
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
        self.table.get_key_value(self.key(key).name)
    }

    fn key(&self, name: &str) -> &'static Key {
        keys::find(self.keys, name)
    }

    fn accepted(&self, key: &str) -> String {
        self.key(key).accepted()
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

/// The finite numbers of a list.
fn numbers(value: &DeValue<'_>) -> Option<Vec<f64>> {
    let items = value.as_array()?.iter();
    items.map(|item| finite_number(item.get_ref())).collect()
}

/// The user's value, short enough for a message.
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
