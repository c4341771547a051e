//! Writes a visibility file block by block, and resumes where another run stopped.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use keller::tiles::{Earlier, RowBuilder};
use keller_geo::input;

use super::rows::Rows;
use super::{BLOCK, Header, VisibilityError, rows_as_bytes};
use crate::formats::random_access::{read_up_to, write_at};
use crate::store::records::{self, Record};

/// A visibility file that grows. It is `FILE.part` until [`VisibilityWriter::finish`], and stays if this is dropped.
#[derive(Debug)]
pub struct VisibilityWriter {
    name: PathBuf,
    part: PathBuf,
    file: File,
    header: Header,
    /// The blocks that are written.
    blocks: Vec<Record>,
    /// The place of the next one.
    end: u64,
    num_pairs: u64,
}

impl VisibilityWriter {
    /// Opens a file that will be at `name`. If there is a part of the very same file, it begins after its last whole
    /// block.
    ///
    /// # Errors
    /// [`VisibilityError`], also for a part of another scene or tiling.
    pub fn open(name: &Path, header: Header) -> Result<Self, VisibilityError> {
        let mut part = OsString::from(name);
        part.push(".part");
        let part = PathBuf::from(part);
        let fail = |source| VisibilityError::Write {
            file: part.clone(),
            source,
        };
        if name.is_dir() {
            return Err(VisibilityError::Write {
                file: name.to_owned(),
                source: io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"),
            });
        }
        let file = input::open_or_create(&part).map_err(fail)?;
        // Not all file systems have locks: only a lock of another run is a reason.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(fail(io::Error::other(
                "another run is writing it: wait for its end, or give another name to -o",
            )));
        }
        let mut writer = Self {
            name: name.to_owned(),
            part: part.clone(),
            file,
            blocks: Vec::new(),
            end: header.bytes().len() as u64,
            header,
            num_pairs: 0,
        };
        match writer.header_of_part().map_err(fail)? {
            Some(Ok(())) => writer.find_whole_blocks().map_err(fail)?,
            Some(Err(problem)) => {
                let remove = "remove it to begin anew";
                return Err(VisibilityError::Refused {
                    file: part,
                    problem: format!("this part cannot be gone on with: {problem}; {remove}"),
                });
            }
            None => writer.begin().map_err(fail)?,
        }
        Ok(writer)
    }

    pub(super) fn num_tiles(&self) -> usize {
        self.header.num_tiles
    }

    /// The number of written rows.
    pub fn num_done(&self) -> usize {
        (BLOCK * self.blocks.len()).min(self.header.num_tiles)
    }

    /// The number of tiles that the rows so far name.
    pub fn num_pairs(&self) -> u64 {
        self.num_pairs
    }

    /// The part file.
    pub fn part(&self) -> &Path {
        &self.part
    }

    /// The rows that are wanted next, about so many at most; `None` if all are there.
    pub(super) fn wanted(&self, most: usize) -> Option<Range<usize>> {
        let all = self.num_tiles();
        let most = most.div_ceil(BLOCK).max(1) * BLOCK;
        let done = self.num_done();
        Some(done..all.min(done + most)).filter(|rows| !rows.is_empty())
    }

    /// The statements of all rows so far about those that are wanted next.
    ///
    /// # Errors
    /// [`VisibilityError::Write`], if the part file cannot be read.
    ///
    /// # Panics
    /// If there are 2^32 tiles.
    pub(super) fn earlier(&mut self, wanted: Range<usize>) -> Result<Earlier, VisibilityError> {
        let mut earlier = Earlier::new(wanted);
        self.tell(&mut earlier)
            .map_err(|source| self.fail(source))?;
        Ok(earlier)
    }

    /// Writes the rows of the tiles that come next.
    ///
    /// # Errors
    /// [`VisibilityError::Write`]
    ///
    /// # Panics
    /// If they are not whole blocks, apart from the last one.
    pub fn put(&mut self, rows: &RowBuilder) -> Result<(), VisibilityError> {
        let num_rows = rows.ends.len();
        let done = self.num_done() + num_rows;
        assert!(
            done == self.header.num_tiles || done.is_multiple_of(BLOCK),
            "whole blocks"
        );
        for first in (0..num_rows).step_by(BLOCK) {
            let mut block = RowBuilder::default();
            for row in first..num_rows.min(first + BLOCK) {
                block.push_row(rows, row);
            }
            self.put_block(&block).map_err(|source| self.fail(source))?;
        }
        Ok(())
    }

    /// Gives the file its name, in place of a file that had it. Returns its length in bytes.
    ///
    /// # Errors
    /// [`VisibilityError::Write`]
    ///
    /// # Panics
    /// If rows are missing.
    pub fn finish(mut self) -> Result<u64, VisibilityError> {
        let num_blocks = self.blocks.len();
        assert_eq!(num_blocks, self.header.num_blocks(), "all rows");
        let end = records::end(num_blocks);
        let written = write_at(&mut self.file, self.end, &end);
        written
            .and_then(|()| self.file.sync_all())
            .map_err(|source| self.fail(source))?;
        let length = self.end + end.len() as u64;
        let Self {
            name, part, file, ..
        } = self;
        // Some systems do not rename a file that is still open.
        drop(file);
        fs::rename(&part, &name).map_err(|source| VisibilityError::Write { file: name, source })?;
        Ok(length)
    }

    /// Whether the header that is there is the wanted one, and if not why; `None` for an empty file.
    fn header_of_part(&mut self) -> io::Result<Option<Result<(), String>>> {
        /// The largest length of a header, also for another tiling, bytes.
        const MAX_BYTES: u64 = 4096;
        let wanted = self.header.bytes();
        let found = read_up_to(&mut self.file, 0, MAX_BYTES)?;
        // A run was killed before the header was whole: nothing is lost.
        if found.len() < wanted.len() && wanted.starts_with(&found) {
            return Ok(None);
        }
        let header = Header::parse(&found);
        Ok(Some(
            header.and_then(|(header, _)| header.check(&self.header)),
        ))
    }

    fn begin(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        write_at(&mut self.file, 0, &self.header.bytes())
    }

    /// Finds the blocks that are whole, up to the first that is not, and cuts off the rest.
    fn find_whole_blocks(&mut self) -> io::Result<()> {
        let file = &mut self.file;
        let scanned = records::scan(self.end, &mut |at, count| read_up_to(file, at, count))?;
        for (block, record) in scanned.records.into_iter().enumerate() {
            if block == self.header.num_blocks() || record.unit != self.header.unit(block) {
                break;
            }
            // The rows themselves are not needed.
            let start = record.length.min(8 + 8 * BLOCK as u64);
            let start = read_up_to(&mut self.file, record.at, start)?;
            let Some(rows) = Rows::new(&start, record.unit.range.len()) else {
                break;
            };
            self.num_pairs += rows.num_pairs;
            self.end = record.end();
            self.blocks.push(record);
        }
        self.file.set_len(self.end)
    }

    fn put_block(&mut self, rows: &RowBuilder) -> io::Result<()> {
        let unit = self.header.unit(self.blocks.len());
        let block = records::put(&mut self.file, self.end, unit, &rows_as_bytes(rows))?;
        self.end = block.end();
        self.blocks.push(block);
        self.num_pairs += rows.num_pairs;
        Ok(())
    }

    /// Adds all rows that are written.
    fn tell(&mut self, earlier: &mut Earlier) -> io::Result<()> {
        for block in &self.blocks {
            let lost = || io::Error::other("what was written to it is no longer there");
            let tiles = block.unit.range.clone();
            let bytes = read_up_to(&mut self.file, block.at, block.length)?;
            let rows = Rows::new(&bytes, tiles.len()).ok_or_else(lost)?;
            for (row, tile) in tiles.enumerate() {
                let tile = u32::try_from(tile).expect("fewer than 2^32 tiles");
                earlier.add(tile, rows.row(row).ok_or_else(lost)?);
            }
        }
        Ok(())
    }

    fn fail(&self, source: io::Error) -> VisibilityError {
        VisibilityError::Write {
            file: self.part.clone(),
            source,
        }
    }
}
