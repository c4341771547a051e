//! The columns of a Parquet table, read one at a time. Arrow is needed no more than for writing.

use std::fs::File;
use std::path::Path;

use keller::DVec3;
use parquet::basic::Type as PhysicalType;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{
    ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::SchemaDescriptor;

use super::{Columns, Lists, whole};
use crate::formats::parquet_file::{self, said};
use crate::formats::unpacked::Allowance;

/// An open file.
pub(super) struct ParquetColumns(SerializedFileReader<File>, Allowance);

impl std::fmt::Debug for ParquetColumns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ParquetColumns").finish_non_exhaustive()
    }
}

/// The values, and for each entry its depth and whether a list begins there. An entry that is less deep than values has
/// none: it is an empty list, or nothing.
struct Levels<T> {
    values: Vec<T>,
    definition: Vec<i16>,
    repetition: Vec<i16>,
    /// The depth of values; without any level all entries have values, one a row.
    deepest: i16,
}

impl ParquetColumns {
    pub(super) fn open(file: &Path) -> Result<Self, String> {
        let (reader, allowance) = parquet_file::open(file)?;
        Ok(Self(reader, allowance))
    }

    pub(super) fn num_rows(&self) -> usize {
        usize::try_from(self.0.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    fn schema(&self) -> &SchemaDescriptor {
        self.0.metadata().file_metadata().schema_descr()
    }

    /// The index of the column, and its stored type.
    fn place(&self, name: &str) -> Result<(usize, PhysicalType), String> {
        let mut columns = self.schema().columns().iter().enumerate();
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
            deepest: self.schema().column(place).max_def_level(),
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

    /// The numbers of a column of any stored type.
    fn reals(&self, name: &str) -> Result<Levels<f64>, String> {
        let (place, kind) = self.place(name)?;
        match kind {
            PhysicalType::DOUBLE => self.values::<DoubleType>(place, |column| match column {
                ColumnReader::DoubleColumnReader(column) => Some(column),
                _ => None,
            }),
            PhysicalType::FLOAT => {
                let floats = self.values::<FloatType>(place, |column| match column {
                    ColumnReader::FloatColumnReader(column) => Some(column),
                    _ => None,
                });
                floats.map(|floats| floats.map(f64::from))
            }
            PhysicalType::INT32 => {
                let wholes = self.values::<Int32Type>(place, |column| match column {
                    ColumnReader::Int32ColumnReader(column) => Some(column),
                    _ => None,
                });
                // The numbers were written without a sign.
                wholes.map(|wholes| wholes.map(|whole| f64::from(whole.cast_unsigned())))
            }
            PhysicalType::INT64 => {
                let wholes = self.values::<Int64Type>(place, |column| match column {
                    ColumnReader::Int64ColumnReader(column) => Some(column),
                    _ => None,
                });
                wholes.map(|wholes| wholes.map(|whole| whole as f64))
            }
            _ => Err("it holds no numbers".to_owned()),
        }
    }
}

impl<T> Levels<T> {
    fn map<U>(self, change: impl Fn(T) -> U) -> Levels<U> {
        Levels {
            values: self.values.into_iter().map(change).collect(),
            definition: self.definition,
            repetition: self.repetition,
            deepest: self.deepest,
        }
    }

    /// A value for each row, `nothing` if there is none.
    fn of_rows(self, nothing: &T) -> Vec<T>
    where
        T: Clone,
    {
        if self.deepest == 0 {
            return self.values;
        }
        let mut values = self.values.into_iter();
        let of_entry = |definition: i16| {
            let value = (definition == self.deepest).then(|| values.next());
            value.flatten().unwrap_or_else(|| nothing.clone())
        };
        self.definition.into_iter().map(of_entry).collect()
    }

    /// The beginning of each row's values, and the end of the last. A row begins at every repetition of 0.
    fn starts(&self) -> impl Iterator<Item = usize> + '_ {
        let mut num_values = 0;
        let both = self.definition.iter().zip(&self.repetition);
        let begins = both.filter_map(move |(definition, repetition)| {
            let start = num_values;
            num_values += usize::from(*definition == self.deepest);
            (*repetition == 0).then_some(start)
        });
        begins.chain([self.values.len()])
    }
}

impl Columns for ParquetColumns {
    fn names(&self) -> Vec<String> {
        let fields = self.schema().root_schema().get_fields().iter();
        fields.map(|field| field.name().to_owned()).collect()
    }

    fn numbers(&self, name: &str) -> Result<Vec<f64>, String> {
        Ok(self.reals(name)?.of_rows(&f64::NAN))
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let (place, _) = self.place(name)?;
        let texts = self.values::<ByteArrayType>(place, |column| match column {
            ColumnReader::ByteArrayColumnReader(column) => Some(column),
            _ => None,
        })?;
        let texts = texts.of_rows(&ByteArray::from(""));
        // Many rows may share a long text of a dictionary.
        let length = texts.iter().map(|text| text.len() as u64);
        self.1.clone().take(length.sum(), 1)?;
        let text = |bytes: &ByteArray| bytes.as_utf8().map(str::to_owned);
        texts
            .iter()
            .map(text)
            .collect::<Result<_, _>>()
            .map_err(said)
    }

    fn points(&self, name: &str) -> Result<Lists<DVec3>, String> {
        let all = self.reals(name)?;
        let (points, rest) = all.values.as_chunks::<3>();
        if !rest.is_empty() {
            return Err("it holds points of other than three coordinates".to_owned());
        }
        Ok(Lists {
            starts: all.starts().map(|coordinate| coordinate / 3).collect(),
            items: points.iter().map(|point| DVec3::from(*point)).collect(),
        })
    }

    fn ids(&self, name: &str) -> Result<Lists<u32>, String> {
        let all = self.reals(name)?;
        let id = |number: &f64| {
            whole(*number).ok_or_else(|| format!("it holds {number}, which is no id"))
        };
        Ok(Lists {
            starts: all.starts().collect(),
            items: all.values.iter().map(id).collect::<Result<_, _>>()?,
        })
    }
}
