//! A table column by column, for programs that hold tables in this form.

use keller::DVec3;

use super::column::{Column, Row, Value};

/// A column of a table with the values of all rows.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedColumn {
    /// Its name.
    pub name: &'static str,
    /// Its unit or meaning, in words.
    pub unit: &'static str,
    /// The value of each row.
    pub values: ColumnValues,
}

/// The values of a column. In lists, the values of row `i` are those from `offsets[i]` to `offsets[i + 1]`.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnValues {
    /// 0-based indices.
    Indices(Vec<u32>),
    /// Numbers; NaN for an unknown one.
    Numbers(Vec<f64>),
    /// Texts.
    Texts(Vec<String>),
    /// Lists of points, metres.
    Points {
        /// The beginning of each row's list and the end of the last: one more than there are rows.
        offsets: Vec<i64>,
        /// All points, row after row.
        points: Vec<[f64; 3]>,
    },
    /// Lists of ids of faces and edges.
    Ids {
        /// The beginning of each row's list and the end of the last: one more than there are rows.
        offsets: Vec<i64>,
        /// All ids, row after row.
        ids: Vec<u32>,
    },
}

/// All columns of rows that come in blocks, in the order of tables. One block is held at a time.
pub fn columns<R: Row>(blocks: impl IntoIterator<Item = Vec<R>>) -> Vec<NamedColumn> {
    chosen_columns(&R::COLUMNS.iter().collect::<Vec<_>>(), blocks)
}

/// The `chosen` columns of rows that come in blocks.
pub fn chosen_columns<R: Row>(
    chosen: &[&'static Column<R>],
    blocks: impl IntoIterator<Item = Vec<R>>,
) -> Vec<NamedColumn> {
    let example = R::default();
    let none = chosen.iter().map(|column| NamedColumn {
        name: column.name,
        unit: column.unit,
        values: ColumnValues::like(&(column.value)(&example)),
    });
    let mut all: Vec<NamedColumn> = none.collect();
    for rows in blocks {
        for (column, named) in chosen.iter().zip(&mut all) {
            for row in &rows {
                named.values.push(&(column.value)(row));
            }
        }
    }
    all
}

impl ColumnValues {
    /// An empty column of the type of `value`.
    fn like(value: &Value<'_>) -> Self {
        let offsets = vec![0];
        match value {
            Value::Index(_) => Self::Indices(Vec::new()),
            Value::Number(_) | Value::Maybe(_) => Self::Numbers(Vec::new()),
            Value::Letters(_) | Value::Name(_) => Self::Texts(Vec::new()),
            Value::Points(_) => Self::Points {
                offsets,
                points: Vec::new(),
            },
            Value::Ids(_) => Self::Ids {
                offsets,
                ids: Vec::new(),
            },
        }
    }

    /// # Panics
    /// If the value is of another type: every column has one.
    fn push(&mut self, value: &Value<'_>) {
        let end = |count: usize| i64::try_from(count).expect("lists fit in memory");
        match (self, value) {
            (Self::Indices(all), Value::Index(index)) => all.push(*index),
            (Self::Numbers(all), Value::Number(number)) => all.push(*number),
            (Self::Numbers(all), Value::Maybe(number)) => all.push(number.unwrap_or(f64::NAN)),
            (Self::Texts(all), Value::Letters(text) | Value::Name(text)) => {
                all.push((*text).to_owned());
            }
            (Self::Points { offsets, points }, Value::Points(more)) => {
                points.extend(more.iter().map(DVec3::to_array));
                offsets.push(end(points.len()));
            }
            (Self::Ids { offsets, ids }, Value::Ids(more)) => {
                ids.extend_from_slice(more);
                offsets.push(end(ids.len()));
            }
            (column, value) => panic!("{value:?} in a column of {column:?}"),
        }
    }
}
