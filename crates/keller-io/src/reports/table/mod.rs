//! Tables: one row for each path, link, cell or tile, as CSV, Parquet or JSON, with the scenario and the version.
//!
//! A table is written to a temporary name in the folder of its final one and renamed when it is whole, so that no half
//! table is ever found under the final name. Rows are streamed; Parquet holds back one row group. Numbers are written
//! with the fewest digits that read back to the same number, so equal results are equal bytes.

mod cell;
mod column;
mod columns;
mod csv;
mod device;
mod json;
mod link;
mod located;
mod measured;
mod parquet;
mod ray;
mod reference;
mod row;
mod stored;
mod tile;

pub use cell::{CellRow, MultipathRow};
pub use column::{Column, Row, Value};
pub use columns::{ColumnValues, NamedColumn, chosen_columns, columns};
pub use device::Device;
pub use link::{LinkColumns, LinkRow};
pub use located::LocatedRow;
pub use measured::MeasuredRow;
pub use ray::RayRow;
pub use reference::reference;
pub use row::{COLUMNS, PathRow};
pub use stored::{Lists, StoredTable, StoredTableError};
pub use tile::TileRow;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::formats::pending::Pending;
use crate::formats::{About, OutputError};

/// A table of paths.
pub type PathTable<'w> = Table<'w, PathRow>;

/// A table that is being written. It leaves nothing behind if it is dropped before [`Table::finish`].
///
/// ```
/// use keller_io::formats::About;
/// use keller_io::reports::table::PathTable;
///
/// let out = std::env::temp_dir().join("keller-doc-paths.csv");
/// let about = About { scenario: "frequency_hz = 3.5e9".to_owned(), georeference: None };
/// PathTable::create(&out, &about)?.finish()?;
/// assert!(std::fs::read_to_string(&out)?.starts_with("tx,rx,types,points,length_m,delay_s,a_vv_re,"));
/// # std::fs::remove_file(&out)?;
/// # std::fs::remove_file(out.with_file_name("keller-doc-paths.csv.meta.json"))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Table<'w, R: Row> {
    sink: Box<dyn Sink<R> + 'w>,
    /// The files to rename at the end; the table itself is the last.
    files: Vec<Pending>,
    name: PathBuf,
}

/// One format of tables.
trait Sink<R> {
    /// Adds a row.
    fn write(&mut self, row: &R) -> io::Result<()>;

    /// Adds the part after the last row and hands everything over to the system.
    fn finish(&mut self) -> io::Result<()>;
}

/// The place of a future table: its files are open before their contents are known. It leaves nothing behind if it is
/// dropped before [`TableFile::begin`].
#[derive(Debug)]
pub struct TableFile {
    format: Format,
    file: Pending,
    writer: BufWriter<File>,
    /// The file `OUT.meta.json` next to a CSV table, which cannot carry an [`About`].
    about: Option<(Pending, BufWriter<File>)>,
    name: PathBuf,
}

impl TableFile {
    /// The place of a table that will be at `out`; its extension gives the format.
    ///
    /// # Errors
    /// [`OutputError`] if the extension is none of the three or the place cannot be written to.
    pub fn create(out: &Path) -> Result<Self, OutputError> {
        let fail = |source| OutputError::Write {
            file: out.to_owned(),
            source,
        };
        let format = Format::of(out)?;
        if out.is_dir() {
            return Err(fail(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a folder",
            )));
        }
        let about = if format == Format::Csv {
            let mut name = out.as_os_str().to_owned();
            name.push(".meta.json");
            Some(Pending::file(Path::new(&name)).map_err(fail)?)
        } else {
            None
        };
        let (file, writer) = Pending::file(out).map_err(fail)?;
        Ok(Self {
            format,
            file,
            writer,
            about,
            name: out.to_owned(),
        })
    }

    /// The table with all columns, without rows yet.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    pub fn begin<R: Row>(self, about: &About) -> Result<Table<'static, R>, OutputError> {
        self.begin_with(R::COLUMNS.iter().collect(), about)
    }

    /// The table with these columns alone, without rows yet.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    pub fn begin_with<R: Row>(
        self,
        columns: Vec<&'static Column<R>>,
        about: &About,
    ) -> Result<Table<'static, R>, OutputError> {
        let Self {
            format,
            file,
            writer,
            about: beside,
            name,
        } = self;
        let fail = |source| write_error(&name, source);
        let mut files = Vec::new();
        if let Some((file, mut writer)) = beside {
            json::write_about(&mut writer, &columns, about)
                .and_then(|()| writer.flush())
                .map_err(fail)?;
            files.push(file);
        }
        files.push(file);
        let sink: Box<dyn Sink<R>> = match format {
            Format::Csv => Box::new(csv::CsvSink::new(writer, columns).map_err(fail)?),
            Format::Parquet => {
                Box::new(parquet::ParquetSink::new(writer, columns, about).map_err(fail)?)
            }
            Format::Json => Box::new(json::JsonSink::new(writer, columns, about).map_err(fail)?),
        };
        Ok(Table { sink, files, name })
    }
}

impl<R: Row> Table<'static, R> {
    /// A table that will be at `out`; its extension gives the format. A CSV table cannot carry `about`: that goes to
    /// `OUT.meta.json`.
    ///
    /// # Errors
    /// [`OutputError`] if the extension is none of the three or the place cannot be written to.
    pub fn create(out: &Path, about: &About) -> Result<Self, OutputError> {
        TableFile::create(out)?.begin(about)
    }
}

impl<'w, R: Row> Table<'w, R> {
    /// A JSON table with all columns written to `writer`, called `name` in errors.
    ///
    /// # Errors
    /// [`OutputError::Write`] if `writer` fails.
    pub fn json(writer: impl Write + 'w, name: &str, about: &About) -> Result<Self, OutputError> {
        Self::json_with(R::COLUMNS.iter().collect(), writer, name, about)
    }

    /// A JSON table with these columns alone, written to `writer`.
    ///
    /// # Errors
    /// [`OutputError::Write`] if `writer` fails.
    pub fn json_with(
        columns: Vec<&'static Column<R>>,
        writer: impl Write + 'w,
        name: &str,
        about: &About,
    ) -> Result<Self, OutputError> {
        let name = PathBuf::from(name);
        match json::JsonSink::new(writer, columns, about) {
            Ok(sink) => Ok(Self {
                sink: Box::new(sink),
                files: Vec::new(),
                name,
            }),
            Err(source) => Err(OutputError::Write { file: name, source }),
        }
    }

    /// Adds a row. Rows are written in the order they come.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    pub fn write(&mut self, row: &R) -> Result<(), OutputError> {
        self.write_row(row)
            .map_err(|source| write_error(&self.name, source))
    }

    /// Writes a row; the error is the system's alone: see [`Self::failure`].
    pub(crate) fn write_row(&mut self, row: &R) -> io::Result<()> {
        self.sink.write(row)
    }

    /// The error that this table could not be written.
    pub(crate) fn failure(&self, source: io::Error) -> OutputError {
        write_error(&self.name, source)
    }

    /// Completes the table and gives it its final name.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    pub fn finish(mut self) -> Result<(), OutputError> {
        let result = self.sink.finish();
        // Some systems do not rename a file that is still open.
        self.sink = Box::new(Closed);
        let files = std::mem::take(&mut self.files);
        result
            .and_then(|()| files.into_iter().try_for_each(Pending::keep))
            .map_err(|source| write_error(&self.name, source))
    }
}

impl<R: Row> std::fmt::Debug for Table<'_, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The sink of a finished table.
struct Closed;

impl<R> Sink<R> for Closed {
    fn write(&mut self, _row: &R) -> io::Result<()> {
        Err(io::Error::other("the table is finished"))
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Csv,
    Parquet,
    Json,
}

impl Format {
    fn of(out: &Path) -> Result<Self, OutputError> {
        let extension = out.extension().and_then(OsStr::to_str).unwrap_or_default();
        match extension.to_lowercase().as_str() {
            "csv" => Ok(Self::Csv),
            "parquet" => Ok(Self::Parquet),
            "json" => Ok(Self::Json),
            _ => Err(OutputError::Extension {
                file: out.to_owned(),
                found: match extension {
                    "" => "no extension says which format is wanted".to_owned(),
                    _ => format!("no format for the extension .{extension}"),
                },
            }),
        }
    }
}

fn write_error(file: &Path, source: io::Error) -> OutputError {
    OutputError::Write {
        file: file.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests;
