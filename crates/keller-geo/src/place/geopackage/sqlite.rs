//! Tables in a file of SQLite, read row by row.
//!
//! A library would bring a compiler of C into the build for what are two kinds of pages: inner ones, which name others, and leaves,
//! whose cells are rows. Indices, which a GeoPackage has many of, are passed over.
//!
//! # Source
//! "Database File Format", sqlite.org, sections 1.3 (header), 1.6 (b-tree pages), 2.1 (records).

use super::columns::{Columns, columns};

/// Bytes of the head of the file, which the first page begins with.
const FILE_HEAD: usize = 100;

/// Pages above a leaf: with two children each they would name more pages than a file can have.
const MAX_DEPTH: usize = 40;

/// A file of SQLite in memory.
pub(super) struct Database<'a> {
    bytes: &'a [u8],
    page_size: usize,
    /// Bytes of a page that SQLite uses.
    usable: usize,
}

/// The value of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

/// A row of a table.
pub(super) struct Row<'a> {
    /// The number that SQLite knows it by.
    pub(super) id: i64,
    columns: &'a Columns,
    values: Vec<Value>,
}

impl Row<'_> {
    /// The value of a column, whose name is compared without regard to case.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        let mut names = self.columns.names.iter();
        let column = names.position(|column| column.eq_ignore_ascii_case(name));
        self.values.get(column?)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn integer(&self, name: &str) -> Option<i64> {
        match self.get(name)? {
            Value::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// The columns that hold texts and numbers, by name, but for the number of the row.
    pub(super) fn texts(&self) -> impl Iterator<Item = (String, String)> {
        let pairs = self.columns.names.iter().zip(&self.values).enumerate();
        let pairs = pairs.filter(|(column, _)| Some(*column) != self.columns.row_id);
        pairs.filter_map(|(_, (name, value))| {
            let text = match value {
                Value::Text(text) => text.clone(),
                Value::Integer(number) => number.to_string(),
                Value::Real(number) => number.to_string(),
                Value::Null | Value::Blob(_) => return None,
            };
            Some((name.clone(), text))
        })
    }
}

impl<'a> Database<'a> {
    /// The file with these bytes.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, String> {
        if !bytes.starts_with(b"SQLite format 3\0") {
            return Err("not a GeoPackage: it does not begin as a file of SQLite does".to_owned());
        }
        let page_size = match number(bytes, 16, 2) {
            Some(1) => 1 << 16,
            Some(size) if size >= 512 && size.is_power_of_two() => size,
            _ => return Err("its page size is none that SQLite has".to_owned()),
        };
        let reserved = number(bytes, 20, 1).unwrap_or_default();
        // The head says how many pages there are, where its two counters of changes agree.
        let pages = number(bytes, 28, 4).filter(|_| bytes.get(24..28) == bytes.get(92..96));
        if let Some(pages) = pages.filter(|pages| pages.saturating_mul(page_size) > bytes.len()) {
            return Err(format!(
                "the file ends after {} bytes of {}",
                bytes.len(),
                pages.saturating_mul(page_size)
            ));
        }
        match number(bytes, 56, 4) {
            Some(0 | 1) => {}
            _ => return Err("its texts are not UTF-8; accepted: a file with UTF-8".to_owned()),
        }
        Ok(Self {
            bytes,
            page_size,
            usable: page_size - reserved,
        })
    }

    /// Passes every row of a table to `visit`; returns whether there is such a table.
    pub(super) fn rows(&self, table: &str, mut visit: impl FnMut(Row<'_>)) -> Result<bool, String> {
        let schema = Columns {
            names: ["type", "name", "tbl_name", "rootpage", "sql"]
                .map(str::to_owned)
                .to_vec(),
            row_id: None,
        };
        let mut found = None;
        self.walk(1, &schema, &mut |row| {
            let is_it = row
                .text("name")
                .is_some_and(|name| name.eq_ignore_ascii_case(table));
            if is_it && row.text("type") == Some("table") {
                let root = row
                    .integer("rootpage")
                    .and_then(|page| usize::try_from(page).ok());
                found = root.zip(row.text("sql").map(columns));
            }
        })?;
        let Some((root, columns)) = found else {
            return Ok(false);
        };
        self.walk(root, &columns, &mut visit)?;
        Ok(true)
    }

    /// Hands every row below the page `root` to `visit`.
    fn walk(
        &self,
        root: usize,
        columns: &Columns,
        visit: &mut dyn FnMut(Row<'_>),
    ) -> Result<(), String> {
        const INNER: usize = 5;
        const LEAF: usize = 13;
        let mut left = self.bytes.len();
        let mut pages_left = self.bytes.len() / self.page_size;
        let mut ahead = vec![(root, 0)];
        while let Some((page, depth)) = ahead.pop() {
            // No page and no byte belongs to two rows, so no file keeps this busy for longer than its size.
            pages_left = pages_left.checked_sub(1).ok_or("its pages go in circles")?;
            let damaged = || format!("page {page} is damaged");
            let bytes = self.page(page).ok_or_else(damaged)?;
            let head = if page == 1 { FILE_HEAD } else { 0 };
            let num_cells = number(bytes, head + 3, 2).ok_or_else(damaged)?;
            let kind = number(bytes, head, 1).ok_or_else(damaged)?;
            let pointers = head + if kind == INNER { 12 } else { 8 };
            let cell = |index: usize| number(bytes, pointers + 2 * index, 2);
            match kind {
                INNER if depth < MAX_DEPTH => {
                    let last = number(bytes, head + 8, 4).ok_or_else(damaged)?;
                    ahead.push((last, depth + 1));
                    for index in (0..num_cells).rev() {
                        let child = cell(index).and_then(|at| number(bytes, at, 4));
                        ahead.push((child.ok_or_else(damaged)?, depth + 1));
                    }
                }
                LEAF => {
                    for index in 0..num_cells {
                        let at = cell(index).ok_or_else(damaged)?;
                        let (id, payload) =
                            self.payload(bytes, at, &mut left).ok_or_else(damaged)?;
                        let mut values = record(&payload).ok_or_else(damaged)?;
                        if let Some(value) =
                            columns.row_id.and_then(|column| values.get_mut(column))
                        {
                            *value = Value::Integer(id);
                        }
                        visit(Row {
                            id,
                            columns,
                            values,
                        });
                    }
                }
                _ => return Err(damaged()),
            }
        }
        Ok(())
    }

    /// A page, counted from 1.
    fn page(&self, page: usize) -> Option<&'a [u8]> {
        let start = page.checked_sub(1)?.checked_mul(self.page_size)?;
        let rest = self.bytes.get(start..)?;
        Some(&rest[..self.usable.min(rest.len())])
    }

    /// The number and the content of the row in a cell. `left` is how many bytes rows may still have.
    fn payload(&self, page: &[u8], at: usize, left: &mut usize) -> Option<(i64, Vec<u8>)> {
        let mut rest = page.get(at..)?;
        let size = usize::try_from(varint(&mut rest)?).ok()?;
        let id = varint(&mut rest)?;
        *left = left.checked_sub(size)?;
        let max_here = self.usable.checked_sub(35)?;
        if size <= max_here {
            return Some((id, rest.get(..size)?.to_vec()));
        }
        let min_here = (self.usable - 12) * 32 / 255 - 23;
        let here = min_here + (size - min_here) % (self.usable - 4);
        let here = if here <= max_here { here } else { min_here };
        let mut payload = Vec::with_capacity(size);
        payload.extend_from_slice(rest.get(..here)?);
        let mut next = number(rest, here, 4)?;
        while payload.len() < size {
            let more = self.page(next)?;
            next = number(more, 0, 4)?;
            let length = (size - payload.len()).min(more.len() - 4);
            payload.extend_from_slice(&more[4..4 + length]);
            if length == 0 {
                return None;
            }
        }
        Some((id, payload))
    }
}

/// The values of a record.
fn record(payload: &[u8]) -> Option<Vec<Value>> {
    let mut types = payload;
    let head = usize::try_from(varint(&mut types)?).ok()?;
    let mut types = payload.get(payload.len() - types.len()..head)?;
    let mut rest = payload.get(head..)?;
    let mut values = Vec::new();
    while !types.is_empty() {
        let kind = varint(&mut types)?;
        let length = match kind {
            0 | 8 | 9 => 0,
            1..=4 => usize::try_from(kind).ok()?,
            5 => 6,
            6 | 7 => 8,
            12.. => usize::try_from((kind - 12) / 2).ok()?,
            _ => return None,
        };
        let (bytes, behind) = rest.split_at_checked(length)?;
        rest = behind;
        values.push(match kind {
            0 => Value::Null,
            8 | 9 => Value::Integer(kind - 8),
            1..=6 => Value::Integer(signed(bytes)),
            7 => Value::Real(f64::from_be_bytes(bytes.try_into().ok()?)),
            _ if kind % 2 == 0 => Value::Blob(bytes.to_vec()),
            _ => Value::Text(String::from_utf8_lossy(bytes).into_owned()),
        });
    }
    Some(values)
}

/// The number of two's complement in up to eight bytes.
fn signed(bytes: &[u8]) -> i64 {
    let start = if bytes[0] & 0x80 == 0 { 0 } else { -1 };
    bytes
        .iter()
        .fold(start, |sum, byte| sum << 8 | i64::from(*byte))
}

/// A number of so many bytes, the highest first.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(
        bytes
            .iter()
            .fold(0, |sum, byte| sum << 8 | usize::from(*byte)),
    )
}

/// Takes a number of one to nine bytes of which all but the last begin with a one.
fn varint(rest: &mut &[u8]) -> Option<i64> {
    let mut sum = 0_i64;
    for index in 0..9 {
        let (byte, behind) = rest.split_first()?;
        *rest = behind;
        if index == 8 {
            return Some(sum << 8 | i64::from(*byte));
        }
        sum = sum << 7 | i64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some(sum);
        }
    }
    None
}
