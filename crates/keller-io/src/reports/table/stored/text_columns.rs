//! The columns of tables that are text: CSV and JSON.

use std::path::Path;

use csv::StringRecord;
use keller::DVec3;
use keller_geo::shown::shown;
use serde_json::Value;

use super::{Columns, Lists};
use crate::formats::csv_rows;

/// A CSV table, its values as they are written.
#[derive(Debug)]
pub(super) struct CsvColumns {
    names: StringRecord,
    rows: Vec<CsvRow>,
}

/// A row and its line.
#[derive(Debug)]
struct CsvRow {
    line: usize,
    values: StringRecord,
}

impl CsvColumns {
    pub(super) fn read(file: &Path) -> Result<Self, String> {
        let text = csv_rows::read(file)?;
        let mut names = StringRecord::new();
        let mut rows = Vec::new();
        let refuse = |line: usize, problem: String| format!("line {line} {problem}");
        csv_rows::each_row(&text, false, refuse, |line, record| {
            if names.is_empty() {
                csv_rows::check_names(record)?;
                names = record.clone();
            } else {
                let values = record.clone();
                rows.push(CsvRow { line, values });
            }
            Ok(())
        })?;
        Ok(Self { names, rows })
    }

    pub(super) fn num_rows(&self) -> usize {
        self.rows.len()
    }

    /// The results of `value` for the texts of a column, or the line of the first that it refuses.
    fn each<T>(&self, name: &str, value: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, String> {
        let place = self.names.iter().position(|own| own == name);
        let place = place.ok_or("it is missing")?;
        let of_row = |row: &CsvRow| {
            let text = row.values.get(place).unwrap_or_default();
            value(text).ok_or_else(|| format!("line {}: found `{}`", row.line, shown(text)))
        };
        self.rows.iter().map(of_row).collect()
    }

    fn lists<T>(&self, name: &str, item: impl Fn(&str) -> Option<T>) -> Result<Lists<T>, String> {
        let of_row = |text: &str| {
            let parts = text.split(';').filter(|part| !part.is_empty());
            parts.map(&item).collect::<Option<Vec<T>>>()
        };
        let mut lists = Lists::default();
        for items in self.each(name, of_row)? {
            lists.items.extend(items);
            lists.end_row();
        }
        Ok(lists)
    }
}

impl Columns for CsvColumns {
    fn names(&self) -> Vec<String> {
        self.names.iter().map(str::to_owned).collect()
    }

    fn numbers(&self, name: &str) -> Result<Vec<f64>, String> {
        self.each(name, |text| match text {
            "" => Some(f64::NAN),
            text => text.parse().ok(),
        })
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        self.each(name, |text| Some(text.to_owned()))
    }

    fn points(&self, name: &str) -> Result<Lists<DVec3>, String> {
        self.lists(name, |text| {
            let numbers: Option<Vec<f64>> =
                text.split(' ').map(|number| number.parse().ok()).collect();
            <[f64; 3]>::try_from(numbers?).ok().map(DVec3::from)
        })
    }

    fn ids(&self, name: &str) -> Result<Lists<u32>, String> {
        self.lists(name, |text| text.parse().ok())
    }
}

/// A JSON table: the names of its columns, and the list of its rows.
#[derive(Debug)]
pub(super) struct JsonColumns {
    names: Vec<String>,
    rows: Vec<Value>,
}

impl JsonColumns {
    pub(super) fn read(file: &Path) -> Result<Self, String> {
        let bytes = keller_geo::input::read(file).map_err(|error| error.to_string())?;
        let mut all: Value = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
        // Without rows, the units of the columns give their names.
        let names = |row: &Value| {
            let object = row.as_object();
            object.map_or_else(Vec::new, |object| object.keys().cloned().collect())
        };
        let of_units = names(&all["units"]);
        // The rows are the only list apart from the origin of the table.
        let entries = all
            .as_object_mut()
            .ok_or("it holds no object")?
            .values_mut();
        let rows = entries
            .filter(|value| {
                value
                    .as_array()
                    .is_some_and(|rows| rows.iter().all(Value::is_object))
            })
            .max_by_key(|value| value.as_array().map_or(0, Vec::len));
        match rows.map(Value::take) {
            Some(Value::Array(rows)) => Ok(Self {
                names: rows.first().map_or(of_units, names),
                rows,
            }),
            _ => Err("it holds no list of rows".to_owned()),
        }
    }

    pub(super) fn num_rows(&self) -> usize {
        self.rows.len()
    }

    fn each<T>(&self, name: &str, value: impl Fn(&Value) -> Option<T>) -> Result<Vec<T>, String> {
        let of_row = |(row, object): (usize, &Value)| {
            let found = object.get(name).ok_or("it is missing")?;
            value(found).ok_or_else(|| format!("row {row}: found {}", shown(&found.to_string())))
        };
        self.rows.iter().enumerate().map(of_row).collect()
    }

    fn lists<T>(&self, name: &str, item: impl Fn(&Value) -> Option<T>) -> Result<Lists<T>, String> {
        let of_row = |value: &Value| {
            value
                .as_array()?
                .iter()
                .map(&item)
                .collect::<Option<Vec<T>>>()
        };
        let mut lists = Lists::default();
        for items in self.each(name, of_row)? {
            lists.items.extend(items);
            lists.end_row();
        }
        Ok(lists)
    }
}

impl Columns for JsonColumns {
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn numbers(&self, name: &str) -> Result<Vec<f64>, String> {
        self.each(name, |value| match value {
            Value::Null => Some(f64::NAN),
            value => value.as_f64(),
        })
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        self.each(name, |value| value.as_str().map(str::to_owned))
    }

    fn points(&self, name: &str) -> Result<Lists<DVec3>, String> {
        self.lists(name, |point| {
            let numbers: Option<Vec<f64>> = point.as_array()?.iter().map(Value::as_f64).collect();
            <[f64; 3]>::try_from(numbers?).ok().map(DVec3::from)
        })
    }

    fn ids(&self, name: &str) -> Result<Lists<u32>, String> {
        self.lists(name, |id| u32::try_from(id.as_u64()?).ok())
    }
}
