//! Tables as Parquet. Only the low-level writer of the `parquet` crate is used: Arrow would double the build for
//! nothing.

use std::fs::File;
use std::io::{self, BufWriter};
use std::sync::Arc;

use keller_geo::crs::Georeference;
use parquet::basic::Compression;
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use super::{Column, Row, Sink, Value};
use crate::formats::{About, VERSION};

/// The number of rows in a group: large enough to compress, small enough to hold in memory.
const GROUP_ROWS: usize = 100_000;

pub(super) struct ParquetSink<R: Row> {
    writer: SerializedFileWriter<BufWriter<File>>,
    columns: Vec<&'static Column<R>>,
    group: Vec<Buffer>,
    rows: usize,
}

/// The values of one column in the group that is being filled.
enum Buffer {
    Indices(Vec<i32>),
    Numbers(Vec<f64>),
    Texts(Vec<ByteArray>),
    /// Lists of `[x, y, z]`, one for each row.
    Points(Lists<f64>),
    /// Lists of numbers, one for each row.
    Ids(Lists<i32>),
}

/// Lists, or lists of lists, in the form of Parquet: all values in a row, and for each its depth and whether a list
/// begins there. A row with an empty list has an entry of depth 0 without a value.
#[derive(Default)]
struct Lists<T> {
    values: Vec<T>,
    definition: Vec<i16>,
    repetition: Vec<i16>,
}

impl<T> Lists<T> {
    fn push(&mut self, value: T, depth: i16, repetition: i16) {
        self.values.push(value);
        self.definition.push(depth);
        self.repetition.push(repetition);
    }

    fn push_nothing(&mut self) {
        self.definition.push(0);
        self.repetition.push(0);
    }

    fn write<D: DataType<T = T>>(
        &mut self,
        column: &mut ColumnWriterImpl<'_, D>,
    ) -> Result<(), ParquetError> {
        let (definition, repetition) = (&self.definition, &self.repetition);
        column.write_batch(&self.values, Some(definition), Some(repetition))?;
        self.values.clear();
        self.definition.clear();
        self.repetition.clear();
        Ok(())
    }
}

impl<R: Row> ParquetSink<R> {
    pub(super) fn new(
        writer: BufWriter<File>,
        columns: Vec<&'static Column<R>>,
        about: &About,
    ) -> io::Result<Self> {
        let schema = parse_message_type(&schema(&columns)).map_err(io::Error::other)?;
        let entry = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
        let mut entries = vec![
            entry("keller", VERSION.to_owned()),
            entry("scenario", about.scenario.clone()),
            entry("units", super::json::units(&columns).to_string()),
        ];
        if let Some(Georeference { crs, origin }) = &about.georeference {
            entries.push(entry("crs", crs.clone()));
            entries.push(entry("origin", serde_json::json!(origin).to_string()));
        }
        let mut properties = WriterProperties::builder()
            .set_created_by(format!("keller {VERSION}"))
            .set_compression(Compression::SNAPPY)
            .set_dictionary_enabled(false)
            .set_key_value_metadata(Some(entries));
        // Columns of few different values use a dictionary.
        let few_values = [
            "tx",
            "rx",
            "types",
            "side",
            "tx_name",
            "rx_name",
            "tx_longitude",
            "tx_latitude",
            "rx_longitude",
            "rx_latitude",
        ];
        for name in columns
            .iter()
            .map(|c| c.name)
            .filter(|n| few_values.contains(n))
        {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(name), true);
        }
        let writer =
            SerializedFileWriter::new(writer, Arc::new(schema), Arc::new(properties.build()))
                .map_err(system)?;
        Ok(Self {
            writer,
            group: columns
                .iter()
                .map(|c| Buffer::for_value((c.value)(&R::default())))
                .collect(),
            columns,
            rows: 0,
        })
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut row_group = self.writer.next_row_group()?;
        for buffer in &mut self.group {
            let Some(mut column) = row_group.next_column()? else {
                let problem = "the schema has fewer columns than a row";
                return Err(ParquetError::General(problem.to_owned()));
            };
            match buffer {
                Buffer::Indices(values) => {
                    column
                        .typed::<Int32Type>()
                        .write_batch(values, None, None)?;
                    values.clear();
                }
                Buffer::Numbers(values) => {
                    column
                        .typed::<DoubleType>()
                        .write_batch(values, None, None)?;
                    values.clear();
                }
                Buffer::Texts(values) => {
                    column
                        .typed::<ByteArrayType>()
                        .write_batch(values, None, None)?;
                    values.clear();
                }
                Buffer::Points(points) => points.write(column.typed::<DoubleType>())?,
                Buffer::Ids(ids) => ids.write(column.typed::<Int32Type>())?,
            }
            column.close()?;
        }
        row_group.close()?;
        self.rows = 0;
        Ok(())
    }
}

impl<R: Row> Sink<R> for ParquetSink<R> {
    fn write(&mut self, row: &R) -> io::Result<()> {
        for (buffer, column) in self.group.iter_mut().zip(&self.columns) {
            buffer.push((column.value)(row));
        }
        self.rows += 1;
        if self.rows == GROUP_ROWS {
            self.write_group().map_err(system)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        if self.rows > 0 {
            self.write_group().map_err(system)?;
        }
        self.writer.finish().map_err(system)?;
        // The writer above flushed its own buffer only.
        io::Write::flush(self.writer.inner_mut())
    }
}

impl Buffer {
    fn for_value(value: Value<'_>) -> Self {
        match value {
            Value::Index(_) => Self::Indices(Vec::new()),
            Value::Number(_) | Value::Maybe(_) => Self::Numbers(Vec::new()),
            Value::Letters(_) | Value::Name(_) => Self::Texts(Vec::new()),
            Value::Points(_) => Self::Points(Lists::default()),
            Value::Ids(_) => Self::Ids(Lists::default()),
        }
    }

    fn push(&mut self, value: Value<'_>) {
        match (self, value) {
            // Parquet stores an unsigned number in the bits of the signed one.
            (Self::Indices(values), Value::Index(index)) => values.push(index.cast_signed()),
            (Self::Numbers(values), Value::Number(number)) => values.push(number),
            (Self::Numbers(values), Value::Maybe(number)) => {
                values.push(number.unwrap_or(f64::NAN));
            }
            (Self::Texts(values), Value::Letters(text) | Value::Name(text)) => {
                values.push(ByteArray::from(text));
            }
            (Self::Points(lists), Value::Points([])) => lists.push_nothing(),
            (Self::Points(lists), Value::Points(points)) => {
                for (k, point) in points.iter().enumerate() {
                    lists.push(point.x, 2, i16::from(k > 0));
                    lists.push(point.y, 2, 2);
                    lists.push(point.z, 2, 2);
                }
            }
            (Self::Ids(lists), Value::Ids([])) => lists.push_nothing(),
            (Self::Ids(lists), Value::Ids(ids)) => {
                for (k, id) in ids.iter().enumerate() {
                    lists.push(id.cast_signed(), 1, i16::from(k > 0));
                }
            }
            (_, value) => unreachable!("a column changed its kind to {value:?}"),
        }
    }
}

fn schema<R: Row>(columns: &[&Column<R>]) -> String {
    // The default row only shows which kind of value each column has.
    let probe = R::default();
    let fields = columns.iter().map(|column| match (column.value)(&probe) {
        Value::Index(_) => format!("required int32 {} (INTEGER(32,false));", column.name),
        Value::Number(_) | Value::Maybe(_) => format!("required double {};", column.name),
        Value::Ids(_) => list(column.name, "required int32 element (INTEGER(32,false));"),
        Value::Points(_) => list(column.name, &list("element", "required double element;")),
        Value::Letters(_) | Value::Name(_) => {
            format!("required binary {} (STRING);", column.name)
        }
    });
    let fields: String = fields.collect();
    format!("message {} {{ {fields} }}", R::TABLE)
}

/// A required list of required elements.
fn list(name: &str, element: &str) -> String {
    format!("required group {name} (LIST) {{ repeated group list {{ {element} }} }}")
}

/// The system's error, without the library's words around it.
fn system(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
