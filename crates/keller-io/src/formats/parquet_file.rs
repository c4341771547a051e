//! Opens Parquet tables whose pages hold no more than the file's size allows.
//!
//! The library unpacks a page to the size that its header states, and takes room for as many values as it states; a
//! file of a hundred bytes can state 2 GB. So the headers of all pages are checked first, and nothing is unpacked for
//! that.
//!
//! # Source
//! Apache Parquet, `parquet.thrift`, `PageHeader`; Apache Thrift, compact protocol.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use parquet::basic::Type;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::formats::unpacked::Allowance;

/// The memory of a number with its levels, and of a text of the library, bytes.
const NUMBER_BYTES: u64 = 16;
const TEXT_BYTES: u64 = 40;

/// Structures in structures beyond this depth are refused; those of page headers have three.
const MAX_DEPTH: usize = 16;

/// The reader of a file, and the memory that its contents may still take; or what is wrong with it.
pub(crate) fn open(file: &Path) -> Result<(SerializedFileReader<File>, Allowance), String> {
    let opened = keller_geo::input::open(file).map_err(|error| error.to_string())?;
    let length = opened.metadata().map_err(|error| error.to_string())?.len();
    let mut pages = BufReader::new(opened.try_clone().map_err(|error| error.to_string())?);
    let reader = SerializedFileReader::new(opened).map_err(said)?;
    let mut values = Allowance::of(length);
    for (number, group) in reader.metadata().row_groups().iter().enumerate() {
        for column in group.columns() {
            let checked = check_chunk(&mut pages, column, &mut values, length);
            checked.map_err(|problem| {
                let name = keller_geo::shown::shown(&column.column_path().string());
                format!("group of rows {number}, column {name}: {problem}")
            })?;
        }
    }
    Ok((reader, Allowance::of(length)))
}

/// The library's message, without the kind of its error.
pub(crate) fn said(error: ParquetError) -> String {
    match error {
        ParquetError::General(text) | ParquetError::EOF(text) => text,
        other => other.to_string(),
    }
}

/// Checks the pages of a column in a group of rows.
fn check_chunk(
    file: &mut BufReader<File>,
    column: &ColumnChunkMetaData,
    values: &mut Allowance,
    length: u64,
) -> Result<(), String> {
    let damaged = || "its place in the file makes no sense".to_owned();
    // The library takes it for granted that these are no negative numbers.
    let is_place = |place: i64| u64::try_from(place).is_ok_and(|place| place <= length);
    let places = [column.data_page_offset(), column.compressed_size()];
    let places = places.into_iter().chain(column.dictionary_page_offset());
    if !places.into_iter().all(is_place) {
        return Err(damaged());
    }
    let wanted = u64::try_from(column.num_values()).map_err(|_| damaged())?;
    let each = match column.column_type() {
        Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY | Type::INT96 => TEXT_BYTES,
        _ => NUMBER_BYTES,
    };
    let (start, mut left) = column.byte_range();
    file.seek(SeekFrom::Start(start))
        .map_err(|error| error.to_string())?;
    let mut found = 0_u64;
    while left > 0 && found < wanted {
        let mut reader = Compact {
            reader: &mut *file,
            num_bytes: 0,
        };
        let page = reader.page_header();
        let page = page.map_err(|error| format!("the header of a page: {error}"))?;
        let used = reader.num_bytes.saturating_add(page.compressed);
        left = left
            .checked_sub(used)
            .ok_or("a page goes on behind its column")?;
        Allowance::of(length).take(page.uncompressed, 1)?;
        values.take(page.num_values, each)?;
        if page.is_data {
            found = found.saturating_add(page.num_values);
        }
        let skipped = i64::try_from(page.compressed).map_err(|_| damaged())?;
        file.seek_relative(skipped)
            .map_err(|error| error.to_string())?;
    }
    if found == wanted {
        return Ok(());
    }
    Err(format!("its pages hold {found} values of {wanted}"))
}

/// The content of a page's header.
#[derive(Debug, Default)]
struct PageHeader {
    uncompressed: u64,
    compressed: u64,
    num_values: u64,
    is_data: bool,
}

/// Reads the compact protocol of Thrift.
struct Compact<R> {
    reader: R,
    num_bytes: u64,
}

impl<R: Read> Compact<R> {
    fn page_header(&mut self) -> io::Result<PageHeader> {
        let mut page = PageHeader::default();
        let mut field = 0;
        while let Some(kind) = self.field(&mut field)? {
            match (field, kind) {
                (2, I32) => page.uncompressed = self.size()?,
                (3, I32) => page.compressed = self.size()?,
                // Data pages of both versions, and dictionaries.
                (5 | 7 | 8, STRUCT) => {
                    page.is_data = field != 7;
                    let mut inner = 0;
                    while let Some(kind) = self.field(&mut inner)? {
                        match (inner, kind) {
                            (1, I32) => page.num_values = self.size()?,
                            _ => self.skip(kind, 0)?,
                        }
                    }
                }
                _ => self.skip(kind, 0)?,
            }
        }
        Ok(page)
    }

    /// The kind of the next field, whose number replaces that of the one before; `None` at the end of a structure.
    fn field(&mut self, number: &mut i64) -> io::Result<Option<u8>> {
        let byte = self.byte()?;
        let (step, kind) = (byte >> 4, byte & 15);
        if kind == 0 {
            return Ok(None);
        }
        *number = match step {
            0 => self.whole()?,
            step => *number + i64::from(step),
        };
        Ok(Some(kind))
    }

    /// Passes over a value.
    fn skip(&mut self, kind: u8, depth: usize) -> io::Result<()> {
        if depth > MAX_DEPTH {
            return Err(foreign());
        }
        match kind {
            TRUE | FALSE => Ok(()),
            BYTE => self.byte().map(|_| ()),
            I16 | I32 | I64 => self.varint().map(|_| ()),
            DOUBLE => self.pass(8),
            BINARY => {
                let length = self.varint()?;
                self.pass(length)
            }
            LIST | SET => {
                let head = self.byte()?;
                let count = match head >> 4 {
                    15 => self.varint()?,
                    count => u64::from(count),
                };
                for _ in 0..count {
                    self.skip_item(head & 15, depth + 1)?;
                }
                Ok(())
            }
            MAP => {
                let count = self.varint()?;
                let kinds = if count > 0 { self.byte()? } else { 0 };
                for _ in 0..count {
                    self.skip_item(kinds >> 4, depth + 1)?;
                    self.skip_item(kinds & 15, depth + 1)?;
                }
                Ok(())
            }
            STRUCT => {
                let mut number = 0;
                while let Some(kind) = self.field(&mut number)? {
                    self.skip(kind, depth + 1)?;
                }
                Ok(())
            }
            _ => Err(foreign()),
        }
    }

    /// Passes over a value of a list, in which a boolean has a byte of its own.
    fn skip_item(&mut self, kind: u8, depth: usize) -> io::Result<()> {
        match kind {
            TRUE | FALSE => self.pass(1),
            kind => self.skip(kind, depth),
        }
    }

    /// A number of 0 or more.
    fn size(&mut self) -> io::Result<u64> {
        u64::try_from(self.whole()?).map_err(|_| foreign())
    }

    fn whole(&mut self) -> io::Result<i64> {
        let coded = self.varint()?;
        Ok((coded >> 1).cast_signed() ^ -((coded & 1).cast_signed()))
    }

    fn varint(&mut self) -> io::Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(value);
            }
        }
        Err(foreign())
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.reader.read_exact(&mut byte)?;
        self.num_bytes += 1;
        Ok(byte[0])
    }

    fn pass(&mut self, count: u64) -> io::Result<()> {
        let passed = io::copy(&mut self.reader.by_ref().take(count), &mut io::sink())?;
        self.num_bytes += passed;
        if passed == count {
            Ok(())
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }
}

fn foreign() -> io::Error {
    io::Error::other("it is not as Parquet has it")
}

/// The kinds of values.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;

#[cfg(test)]
mod tests;
