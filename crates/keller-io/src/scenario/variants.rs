//! `[variants]`: variants of a scenario, by a grid or a table over any of its keys.
//!
//! A variant is the text of the scenario with other values in it and without `[variants]`. It is read as any scenario
//! is, so every key may vary, and every error names its key.

use std::path::{Path, PathBuf};

use keller_geo::shown::shown;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TableLike, Value};

use super::error::ScenarioError;
use crate::formats::csv_rows;

/// The largest number of variants: more are a mistake.
const MAX_VARIANTS: usize = 1_000_000;

/// The keys of `[variants]`.
const KEYS: [&str; 2] = ["grid", "table"];

/// The variants of a scenario.
#[derive(Debug, Clone)]
pub struct Variants {
    file: PathBuf,
    /// The scenario without `[variants]`.
    document: DocumentMut,
    /// The axes: every combination of their values is a variant. The last one changes first.
    axes: Vec<Axis>,
}

/// Keys whose values change together.
#[derive(Debug, Clone)]
struct Axis {
    keys: Vec<String>,
    /// A value for each of the keys; `None` leaves the key as it is.
    rows: Vec<Vec<Option<Value>>>,
}

impl Variants {
    /// Reads the variants that `text` describes; `None` without `[variants]`. `file` is the origin of the text.
    ///
    /// # Errors
    /// [`ScenarioError`] for a `[variants]` that is not accepted, and a table that cannot be read. Other faults of the
    /// text are found when a variant is read.
    pub fn of(text: &str, file: &Path) -> Result<Option<Self>, ScenarioError> {
        let Ok(mut document) = text.parse::<DocumentMut>() else {
            // The reader of the text reports the fault, with the line.
            return Ok(None);
        };
        let Some(section) = document.remove("variants") else {
            return Ok(None);
        };
        let fail = |key: &str, problem: String| {
            ScenarioError::new(file, line_of(text), format!("[variants] {key}"), problem)
        };
        let Some(section) = section.as_table_like() else {
            return Err(fail("", "accepted: a table: [variants]".to_owned()));
        };
        if let Some((key, _)) = section.iter().find(|(key, _)| !KEYS.contains(key)) {
            let accepted = KEYS.join(", ");
            return Err(fail(key, format!("unknown key; accepted: {accepted}")));
        }
        let mut axes = Vec::new();
        if let Some(grid) = section.get("grid") {
            let Some(grid) = grid.as_table_like() else {
                let accepted = "accepted: a table of keys, each with a list of values";
                return Err(fail("grid", accepted.to_owned()));
            };
            for (key, values) in grid.iter() {
                let values = values.as_array().filter(|values| !values.is_empty());
                let Some(values) = values else {
                    let accepted = "accepted: a list of values; a key with dots in quotes, such as \"tx.0.power_dbm\" = [30, 40]";
                    return Err(fail(&format!("grid {key}"), accepted.to_owned()));
                };
                axes.push(Axis {
                    keys: vec![key.to_owned()],
                    rows: values
                        .iter()
                        .map(|value| vec![Some(value.clone())])
                        .collect(),
                });
            }
        }
        if let Some(table) = section.get("table") {
            let Some(name) = table.as_str() else {
                let accepted = "accepted: the name of a CSV file whose header has the keys";
                return Err(fail("table", accepted.to_owned()));
            };
            let folder = file.parent().unwrap_or(Path::new(""));
            axes.push(Axis::read(&folder.join(name))?);
        }
        if axes.is_empty() {
            return Err(fail(
                "",
                "it varies nothing; accepted: grid, table, or both".to_owned(),
            ));
        }
        if let Some(key) = twice(&axes) {
            let problem = format!("the key {} is varied twice; accepted: once", shown(&key));
            return Err(fail("", problem));
        }
        let count = axes.iter().map(|axis| axis.rows.len());
        let count = count.fold(1_usize, usize::saturating_mul);
        if count > MAX_VARIANTS {
            let problem = format!("{count} variants; accepted: at most {MAX_VARIANTS}");
            return Err(fail("", problem));
        }
        Ok(Some(Self {
            file: file.to_owned(),
            document,
            axes,
        }))
    }

    /// The number of variants.
    pub fn count(&self) -> usize {
        self.axes.iter().map(|axis| axis.rows.len()).product()
    }

    /// The keys of a variant with their values, as a scenario writes them.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn values(&self, number: usize) -> Vec<(String, String)> {
        let values = self.changes(number);
        let told = |(key, value): (&String, &Value)| {
            (key.clone(), value.clone().decorated("", "").to_string())
        };
        values.map(told).collect()
    }

    /// The scenario of a variant.
    ///
    /// # Errors
    /// [`ScenarioError`] for a key that leads nowhere.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn text(&self, number: usize) -> Result<String, ScenarioError> {
        let mut document = self.document.clone();
        for (key, value) in self.changes(number) {
            let steps: Vec<&str> = key.split('.').map(str::trim).collect();
            put(document.as_table_mut(), &steps, value).map_err(|problem| {
                ScenarioError::new(&self.file, None, format!("[variants] {key}"), problem)
            })?;
        }
        Ok(document.to_string())
    }

    /// The scenario of a variant without its Tx.
    ///
    /// # Errors
    /// The errors of [`Self::text`].
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn text_without_tx(&self, number: usize) -> Result<String, ScenarioError> {
        let text = self.text(number)?;
        let mut document: DocumentMut = text.parse().expect("it was a document");
        document.remove("tx");
        Ok(document.to_string())
    }

    fn changes(&self, number: usize) -> impl Iterator<Item = (&String, &Value)> {
        assert!(number < self.count(), "there is no variant {number}");
        let mut rest = number;
        let mut chosen = Vec::new();
        for axis in self.axes.iter().rev() {
            chosen.push((axis, rest % axis.rows.len()));
            rest /= axis.rows.len();
        }
        let rows = chosen.into_iter().rev();
        rows.flat_map(|(axis, row)| {
            let values = axis.keys.iter().zip(&axis.rows[row]);
            values.filter_map(|(key, value)| Some((key, value.as_ref()?)))
        })
    }
}

impl Axis {
    /// The rows of a CSV file whose header has the keys. An empty cell leaves its key as it is.
    fn read(file: &Path) -> Result<Self, ScenarioError> {
        let fail = |line, problem: String| ScenarioError::new(file, line, "", problem);
        let text = csv_rows::read(file).map_err(|error| fail(None, error))?;
        let mut keys: Vec<String> = Vec::new();
        let mut rows = Vec::new();
        let refuse = |line, problem: String| fail(Some(line), format!("the row {problem}"));
        csv_rows::each_row(&text, false, refuse, |line, record| {
            if keys.is_empty() {
                csv_rows::check_names(record).map_err(|problem| fail(Some(line), problem))?;
                keys.extend(record.iter().map(str::to_owned));
            } else {
                rows.push(record.iter().map(value).collect());
            }
            Ok(())
        })?;
        if rows.is_empty() || keys.iter().any(String::is_empty) {
            let accepted = "accepted: a header with a key in every column, such as tx.0.power_dbm, and a row for each variant";
            return Err(fail(None, accepted.to_owned()));
        }
        Ok(Self { keys, rows })
    }
}

/// A key that two axes or columns vary; blanks around its steps do not count.
fn twice(axes: &[Axis]) -> Option<String> {
    let keys = axes.iter().flat_map(|axis| &axis.keys);
    let plain = |key: &String| key.split('.').map(str::trim).collect::<Vec<_>>().join(".");
    let mut keys: Vec<String> = keys.map(plain).collect();
    keys.sort_unstable();
    let pair = keys.windows(2).find(|pair| pair[0] == pair[1])?;
    Some(pair[0].clone())
}

/// The value of a table's cell: as TOML reads it, else a text; `None` if it is empty.
fn value(cell: &str) -> Option<Value> {
    (!cell.is_empty()).then(|| cell.parse().unwrap_or_else(|_| cell.into()))
}

/// Puts a value at the place to which the steps of a key lead. The error says what is wrong with them.
fn put(table: &mut dyn TableLike, steps: &[&str], value: &Value) -> Result<(), String> {
    let [step, rest @ ..] = steps else {
        return Err("a key is missing".to_owned());
    };
    if step.is_empty() {
        return Err("two dots follow each other, or a dot is at an end".to_owned());
    }
    if rest.is_empty() {
        if let Some(Item::Value(old)) = table.get_mut(step) {
            // Comments next to it stay.
            let decor = old.decor().clone();
            *old = value.clone();
            *old.decor_mut() = decor;
        } else {
            table.insert(step, Item::Value(value.clone().decorated(" ", "")));
        }
        return Ok(());
    }
    let is_new = table.get(step).is_none_or(Item::is_none);
    if is_new {
        table.insert(step, Item::Table(Table::new()));
    }
    let found = table.get_mut(step).expect("it was put there");
    if let Some(tables) = found.as_array_of_tables_mut() {
        return put_in_some(tables, step, rest, value);
    }
    match found.as_table_like_mut() {
        Some(inner) => put(inner, rest, value),
        None => Err(format!("`{step}` has no keys in it")),
    }
}

/// Puts a value into one of several tables of a name, or into all of them.
fn put_in_some(
    tables: &mut ArrayOfTables,
    name: &str,
    steps: &[&str],
    value: &Value,
) -> Result<(), String> {
    let [which, rest @ ..] = steps else {
        return Err(format!("which [[{name}]]?"));
    };
    let number: Option<usize> = which.parse().ok();
    let is_it = |place: usize, table: &Table| {
        *which == "*"
            || number == Some(place)
            || table.get("name").and_then(Item::as_str) == Some(which)
    };
    let count = tables.len();
    let mut found = false;
    for (place, table) in tables.iter_mut().enumerate() {
        if is_it(place, table) {
            put(table, rest, value)?;
            found = true;
        }
    }
    if found {
        return Ok(());
    }
    Err(format!(
        "there is no [[{name}]] {which}; accepted: a name, a number from 0 to {}, or * for all",
        count.saturating_sub(1)
    ))
}

/// The line of `[variants]`, from 1.
fn line_of(text: &str) -> Option<usize> {
    let is_it = |line: &str| line.trim_start().starts_with("[variants");
    text.lines().position(is_it).map(|line| line + 1)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const TEXT: &str = r#"# a town
frequency_hz = 1e9
[scene]
file = "a.obj"
[[tx]]
name = "mast" # the only one
position = [0, 0, 3]
[[tx]]
position = [1, 0, 3]
[variants.grid]
"tx.mast.power_dbm" = [30, 40.5]
frequency_hz = [1e9, 2e9, 3e9]
[paths]
max_reflections = 1
"#;

    fn variants(text: &str) -> Result<Option<Variants>, ScenarioError> {
        Variants::of(text, "s.toml".as_ref())
    }

    #[test]
    fn a_grid_has_every_combination() {
        let all = variants(TEXT).unwrap().unwrap();
        assert_eq!(all.count(), 6);
        let values: Vec<_> = (0..6).map(|k| all.values(k)).collect();
        let pair = |power: &str, frequency: &str| {
            vec![
                ("tx.mast.power_dbm".to_owned(), power.to_owned()),
                ("frequency_hz".to_owned(), frequency.to_owned()),
            ]
        };
        assert_eq!(values[0], pair("30", "1e9"));
        assert_eq!(values[1], pair("30", "2e9"));
        assert_eq!(values[5], pair("40.5", "3e9"));
        let text = all.text(4).unwrap();
        assert!(text.starts_with("# a town\nfrequency_hz = 2e9\n"), "{text}");
        assert!(text.contains("name = \"mast\" # the only one\n"), "{text}");
        assert_eq!(text.matches("power_dbm = 40.5\n").count(), 1, "{text}");
        assert!(!text.contains("[variants"), "{text}");
        assert_eq!(
            all.text_without_tx(1).unwrap(),
            all.text_without_tx(4).unwrap()
        );
        assert_ne!(
            all.text_without_tx(1).unwrap(),
            all.text_without_tx(3).unwrap()
        );
        assert!(variants("frequency_hz = 1e9").unwrap().is_none());
    }

    #[test]
    fn a_table_changes_keys_together() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("s.toml");
        let table = "tx.*.position,materials.wall.itu,paths.free_edges,channel.window\n\"[1, 2, 3]\",glass,true,\n\"[4, 5, 6]\",,false,hann\n";
        fs::write(folder.path().join("v.csv"), table).unwrap();
        let text = TEXT.replace(
            "[variants.grid]",
            "[variants]\ntable = \"v.csv\"\n[variants.grid]",
        );
        let all = Variants::of(&text, &file).unwrap().unwrap();
        assert_eq!(all.count(), 12);
        let first = all.text(0).unwrap();
        assert_eq!(first.matches("position = [1, 2, 3]").count(), 2, "{first}");
        assert!(
            first.contains("[materials.wall]\nitu = \"glass\"\n"),
            "{first}"
        );
        assert!(first.contains("free_edges = true"), "{first}");
        assert!(!first.contains("window"), "{first}");
        let second = all.text(1).unwrap();
        assert!(!second.contains("glass"), "{second}");
        assert!(second.contains("window = \"hann\""), "{second}");
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (from, to, told) in [
            (
                "\"tx.mast.power_dbm\" = [30, 40.5]",
                "x = 3",
                "s.toml:10: [variants] grid x: accepted: a list of values",
            ),
            (
                "\"tx.mast.power_dbm\" = [30, 40.5]",
                "x = []",
                "a list of values",
            ),
            (
                "[variants.grid]",
                "[variants]\ntime = 1\n[variants.grid]",
                "unknown key; accepted: grid, table",
            ),
            (
                "[variants.grid]",
                "[variants]\ntable = \"none.csv\"\n[variants.grid]",
                "none.csv",
            ),
        ] {
            let error = variants(&TEXT.replace(from, to)).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
        for (key, told) in [
            (
                "tx.pole.power_dbm",
                "there is no [[tx]] pole; accepted: a name, a number from 0 to 1, or * for all",
            ),
            ("tx.2.power_dbm", "there is no [[tx]] 2"),
            ("tx", "[variants] tx"),
            ("frequency_hz.x", "`frequency_hz` has no keys in it"),
            ("paths..x", "two dots"),
        ] {
            let text = TEXT.replace("tx.mast.power_dbm", key);
            let read = variants(&text).unwrap().unwrap().text(0);
            let error = match read {
                Err(error) => error.to_string(),
                // A scenario reports the fault of a value.
                Ok(text) => {
                    super::super::Scenario::parse(&text, "s.toml".as_ref()).unwrap_err();
                    continue;
                }
            };
            assert!(error.contains(told), "{error}");
        }
    }
}
