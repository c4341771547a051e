//! The columns of a Parquet table, read one at a time. As for writing, Arrow is not needed.

use std::fs::File;
use std::path::Path;

use keller::DVec3;
use parquet::basic::Type as PhysicalType;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::{Columns, Lists};

/// An open file.
pub(super) struct ParquetColumns(SerializedFileReader<File>);

impl std::fmt::Debug for ParquetColumns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ParquetColumns").finish_non_exhaustive()
    }
}

/// Values, and of each how deep it is and where a list begins.
struct Levels<T> {
    values: Vec<T>,
    definition: Vec<i16>,
    repetition: Vec<i16>,
}

impl ParquetColumns {
    pub(super) fn open(file: &Path) -> Result<Self, String> {
        let opened = keller_geo::input::open(file).map_err(|error| error.to_string())?;
        let reader = SerializedFileReader::new(opened).map_err(said)?;
        Ok(Self(reader))
    }

    pub(super) fn num_rows(&self) -> usize {
        usize::try_from(self.0.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// The place of the column, and how it is stored.
    fn place(&self, name: &str) -> Result<(usize, PhysicalType), String> {
        let schema = self.0.metadata().file_metadata().schema_descr();
        let mut columns = schema.columns().iter().enumerate();
        let found =
            columns.find(|(_, column)| column.path().parts().first().is_some_and(|p| p == name));
        let (place, column) = found.ok_or("it is missing")?;
        Ok((place, column.physical_type()))
    }

    /// All values of a column, from every group of rows.
    fn values<D: DataType>(
        &self,
        place: usize,
        typed: impl Fn(ColumnReader) -> Option<ColumnReaderImpl<D>>,
    ) -> Result<Levels<D::T>, String> {
        let mut all = Levels {
            values: Vec::new(),
            definition: Vec::new(),
            repetition: Vec::new(),
        };
        for group in 0..self.0.num_row_groups() {
            let group = self.0.get_row_group(group).map_err(said)?;
            let column = group.get_column_reader(place).map_err(said)?;
            let mut column = typed(column).ok_or("it holds values of another kind")?;
            loop {
                let (records, ..) = column
                    .read_records(
                        usize::MAX >> 1,
                        Some(&mut all.definition),
                        Some(&mut all.repetition),
                        &mut all.values,
                    )
                    .map_err(said)?;
                if records == 0 {
                    break;
                }
            }
        }
        Ok(all)
    }

    fn doubles(&self, place: usize) -> Result<Levels<f64>, String> {
        self.values::<DoubleType>(place, |column| match column {
            ColumnReader::DoubleColumnReader(column) => Some(column),
            _ => None,
        })
    }

    fn wholes(&self, place: usize) -> Result<Levels<i32>, String> {
        self.values::<Int32Type>(place, |column| match column {
            ColumnReader::Int32ColumnReader(column) => Some(column),
            _ => None,
        })
    }
}

impl Columns for ParquetColumns {
    fn names(&self) -> Vec<String> {
        let schema = self.0.metadata().file_metadata().schema_descr();
        let fields = schema.root_schema().get_fields().iter();
        fields.map(|field| field.name().to_owned()).collect()
    }

    fn numbers(&self, name: &str) -> Result<Vec<f64>, String> {
        let (place, kind) = self.place(name)?;
        Ok(match kind {
            PhysicalType::DOUBLE => self.doubles(place)?.values,
            PhysicalType::FLOAT => {
                let floats = self.values::<FloatType>(place, |column| match column {
                    ColumnReader::FloatColumnReader(column) => Some(column),
                    _ => None,
                });
                floats?.values.into_iter().map(f64::from).collect()
            }
            PhysicalType::INT32 => {
                // Written without a sign.
                let wholes = self.wholes(place)?.values.into_iter();
                wholes
                    .map(|whole| f64::from(whole.cast_unsigned()))
                    .collect()
            }
            PhysicalType::INT64 => {
                let wholes = self.values::<Int64Type>(place, |column| match column {
                    ColumnReader::Int64ColumnReader(column) => Some(column),
                    _ => None,
                });
                wholes?
                    .values
                    .into_iter()
                    .map(|whole| whole as f64)
                    .collect()
            }
            _ => return Err("it holds no numbers".to_owned()),
        })
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let (place, _) = self.place(name)?;
        let texts = self.values::<ByteArrayType>(place, |column| match column {
            ColumnReader::ByteArrayColumnReader(column) => Some(column),
            _ => None,
        })?;
        let text = |bytes: &parquet::data_type::ByteArray| bytes.as_utf8().map(str::to_owned);
        let texts: Result<_, _> = texts.values.iter().map(text).collect();
        texts.map_err(said)
    }

    fn points(&self, name: &str) -> Result<Lists<DVec3>, String> {
        let (place, _) = self.place(name)?;
        let all = self.doubles(place)?;
        let (points, rest) = all.values.as_chunks::<3>();
        if !rest.is_empty() {
            return Err("it holds points of other than three coordinates".to_owned());
        }
        let starts = starts(&all).map(|coordinate| coordinate / 3).collect();
        let items = points.iter().map(|point| DVec3::from(*point)).collect();
        Ok(Lists { starts, items })
    }

    fn ids(&self, name: &str) -> Result<Lists<u32>, String> {
        let (place, _) = self.place(name)?;
        let all = self.wholes(place)?;
        let starts = starts(&all).collect();
        let items = all.values.into_iter().map(i32::cast_unsigned).collect();
        Ok(Lists { starts, items })
    }
}

/// Where the values of each row begin, and the end of the last. A row begins at every repetition of 0; it has no value where the
/// definition is 0.
fn starts<T>(all: &Levels<T>) -> impl Iterator<Item = usize> {
    let mut num_values = 0;
    let both = all.definition.iter().zip(&all.repetition);
    let begins = both.filter_map(move |(definition, repetition)| {
        let start = num_values;
        num_values += usize::from(*definition > 0);
        (*repetition == 0).then_some(start)
    });
    begins.chain([all.values.len()])
}

fn said(error: ParquetError) -> String {
    match error {
        ParquetError::General(text) | ParquetError::EOF(text) => text,
        other => other.to_string(),
    }
}
