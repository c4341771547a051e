//! Tables that were written before, read back column by column.

mod parquet_columns;
mod text_columns;

use std::path::{Path, PathBuf};

use keller::DVec3;
use thiserror::Error;

use self::parquet_columns::ParquetColumns;
use self::text_columns::{CsvColumns, JsonColumns};

/// The reason why a table cannot be read.
#[derive(Debug, Error)]
#[error("{}: {problem}; accepted: a .csv, .parquet or .json that keller wrote", file.display())]
pub struct StoredTableError {
    file: PathBuf,
    problem: String,
}

/// The lists of a column: those of row `i` are the items from `starts[i]` to `starts[i + 1]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Lists<T> {
    /// The beginning of each row's list and the end of the last: one more than there are rows.
    pub starts: Vec<usize>,
    /// All items, row after row.
    pub items: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self {
            starts: vec![0],
            items: Vec::new(),
        }
    }
}

impl<T> Lists<T> {
    /// Ends the list of a row.
    fn end_row(&mut self) {
        self.starts.push(self.items.len());
    }
}

/// A table in a file.
#[derive(Debug)]
pub struct StoredTable {
    file: PathBuf,
    num_rows: usize,
    columns: Box<dyn Columns>,
}

/// The columns of one format.
trait Columns: std::fmt::Debug {
    fn names(&self) -> Vec<String>;

    /// The numbers of a column; NaN for an absent one.
    fn numbers(&self, name: &str) -> Result<Vec<f64>, String>;

    fn texts(&self, name: &str) -> Result<Vec<String>, String>;

    fn points(&self, name: &str) -> Result<Lists<DVec3>, String>;

    fn ids(&self, name: &str) -> Result<Lists<u32>, String>;
}

impl StoredTable {
    /// Opens the table in `file`; its extension gives the format.
    ///
    /// # Errors
    /// [`StoredTableError`] for a file that cannot be read, or is no table.
    pub fn open(file: &Path) -> Result<Self, StoredTableError> {
        let extension = file.extension().unwrap_or_default().to_ascii_lowercase();
        let found: Result<(usize, Box<dyn Columns>), String> = match extension.to_str() {
            Some("csv") => CsvColumns::read(file).map(|c| (c.num_rows(), Box::new(c) as _)),
            Some("json") => JsonColumns::read(file).map(|c| (c.num_rows(), Box::new(c) as _)),
            Some("parquet") => ParquetColumns::open(file).map(|c| (c.num_rows(), Box::new(c) as _)),
            _ => Err("no table has such an extension".to_owned()),
        };
        let (num_rows, columns) = found.map_err(|problem| StoredTableError {
            file: file.to_owned(),
            problem,
        })?;
        Ok(Self {
            file: file.to_owned(),
            num_rows,
            columns,
        })
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.num_rows
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.num_rows == 0
    }

    /// The names of all columns.
    pub fn names(&self) -> Vec<String> {
        self.columns.names()
    }

    /// Whether all of some columns are there.
    pub fn has(&self, names: &[&str]) -> bool {
        let known = self.names();
        names.iter().all(|name| known.iter().any(|own| own == name))
    }

    /// A column of numbers; NaN for an absent one.
    ///
    /// # Errors
    /// [`StoredTableError`] for a column that is not there or holds anything else.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>, StoredTableError> {
        self.column(name, self.columns.numbers(name), Vec::len)
    }

    /// A column of 0-based indices.
    ///
    /// # Errors
    /// [`StoredTableError`] for a column that is not there or holds anything else.
    pub fn indices(&self, name: &str) -> Result<Vec<u32>, StoredTableError> {
        let index = |number: &f64| {
            whole(*number).ok_or_else(|| format!("column {name} holds {number}, which is no index"))
        };
        let numbers = self.numbers(name)?;
        let indices: Result<Vec<u32>, String> = numbers.iter().map(index).collect();
        indices.map_err(|problem| self.refuse(problem))
    }

    /// A column of texts.
    ///
    /// # Errors
    /// [`StoredTableError`] for a column that is not there or holds anything else.
    pub fn texts(&self, name: &str) -> Result<Vec<String>, StoredTableError> {
        self.column(name, self.columns.texts(name), Vec::len)
    }

    /// A column of lists of points, metres.
    ///
    /// # Errors
    /// [`StoredTableError`] for a column that is not there or holds anything else.
    pub fn points(&self, name: &str) -> Result<Lists<DVec3>, StoredTableError> {
        self.column(name, self.columns.points(name), |all| all.starts.len() - 1)
    }

    /// A column of lists of ids.
    ///
    /// # Errors
    /// [`StoredTableError`] for a column that is not there or holds anything else.
    pub fn ids(&self, name: &str) -> Result<Lists<u32>, StoredTableError> {
        self.column(name, self.columns.ids(name), |all| all.starts.len() - 1)
    }

    /// The error that something is wrong with this file.
    pub(crate) fn refuse(&self, problem: String) -> StoredTableError {
        StoredTableError {
            file: self.file.clone(),
            problem,
        }
    }

    fn column<T>(
        &self,
        name: &str,
        found: Result<T, String>,
        len: impl Fn(&T) -> usize,
    ) -> Result<T, StoredTableError> {
        let column = found.map_err(|problem| self.refuse(format!("column {name}: {problem}")))?;
        let found = len(&column);
        if found != self.num_rows {
            let problem = format!("column {name} has {found} of {} rows", self.num_rows);
            return Err(self.refuse(problem));
        }
        Ok(column)
    }
}

/// A number as a whole one, if it is one.
fn whole(number: f64) -> Option<u32> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be one"
    )]
    let whole = number as u32;
    (f64::from(whole) == number).then_some(whole)
}

#[cfg(test)]
mod tests;
