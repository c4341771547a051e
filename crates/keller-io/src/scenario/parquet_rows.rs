//! Rows of Parquet tables, read as those of CSV files: fields are texts, and the header is the first row.

use std::path::Path;

use parquet::errors::ParquetError;
use parquet::file::reader::FileReader;
use parquet::record::Field;

use super::error::ScenarioError;
use crate::formats::parquet_file;

/// Gives the header and every row of `file` to `take`, with a number: 1 for the header, 2 for the first row.
pub(super) fn each_row(
    file: &Path,
    mut take: impl FnMut(usize, &csv::StringRecord) -> Result<(), ScenarioError>,
) -> Result<(), ScenarioError> {
    let refuse = |problem: String| ScenarioError::new(file, None, "", problem);
    let unreadable = |error: ParquetError| refuse(format!("not Parquet that can be read: {error}"));
    let opened = parquet_file::open(file);
    let (reader, _) =
        opened.map_err(|problem| refuse(format!("not Parquet that can be read: {problem}")))?;
    let schema = reader.metadata().file_metadata().schema();
    let header = schema.get_fields().iter().map(|field| field.name());
    take(1, &header.collect())?;
    for (number, row) in reader.get_row_iter(None).map_err(unreadable)?.enumerate() {
        let row = row.map_err(unreadable)?;
        let fields = row.get_column_iter().map(|(_, field)| text(field));
        take(number + 2, &fields.collect())?;
    }
    Ok(())
}

/// A field as CSV writes it.
fn text(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        Field::Double(number) => format!("{number:?}"),
        Field::Float(number) => format!("{number:?}"),
        other => other.to_string(),
    }
}
