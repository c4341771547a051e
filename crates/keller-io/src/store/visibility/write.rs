//! Writes a visibility file block by block, and resumes where another run stopped.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use keller::tiles::{Earlier, RowBuilder};
use keller_geo::input;

use super::index::{ENTRY_BYTES, Entry, row_in};
use super::{BLOCK, Header, VisibilityError};
use crate::formats::random_access::{read_up_to, write_at};

/// A visibility file that grows. Until [`VisibilityWriter::finish`] it is `FILE.part`, which stays if this is dropped.
#[derive(Debug)]
pub struct VisibilityWriter {
    name: PathBuf,
    part: PathBuf,
    file: File,
    header: Header,
    /// Of the blocks that are written.
    end: u64,
    num_blocks: u64,
    num_pairs: u64,
}

impl VisibilityWriter {
    /// A file that will be at `name`. If there is a part of the very same file, it begins after its last whole block.
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
        // Not all file systems have locks: only a lock of another is a reason.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(fail(io::Error::other(
                "another run is writing it: wait for its end, or give another name to -o",
            )));
        }
        let mut writer = Self {
            name: name.to_owned(),
            part: part.clone(),
            file,
            end: header.blocks_at(),
            header,
            num_blocks: 0,
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
        usize::try_from(self.header.num_tiles).expect("tiles fit in memory")
    }

    /// How many rows are written.
    ///
    /// # Panics
    /// If they are more than memory has places.
    pub fn num_done(&self) -> usize {
        let done = (self.num_blocks * BLOCK as u64).min(self.header.num_tiles);
        usize::try_from(done).expect("tiles fit in memory")
    }

    /// How many tiles the rows so far name.
    pub fn num_pairs(&self) -> u64 {
        self.num_pairs
    }

    /// The part file.
    pub fn part(&self) -> &Path {
        &self.part
    }

    /// Which rows are wanted next, about so many at most; `None` if all are there.
    ///
    /// # Panics
    /// If there are more than memory has places.
    pub(super) fn wanted(&self, most: usize) -> Option<Range<usize>> {
        let all = self.num_tiles();
        let most = most.div_ceil(BLOCK).max(1) * BLOCK;
        let done = self.num_done();
        Some(done..all.min(done + most)).filter(|rows| !rows.is_empty())
    }

    /// What all rows so far say of those that are wanted next.
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
        let done = self.num_done() as u64 + rows.ends.len() as u64;
        assert!(
            done == self.header.num_tiles || done.is_multiple_of(BLOCK as u64),
            "whole blocks"
        );
        let mut start = 0;
        let put = rows.ends.chunks(BLOCK).try_for_each(|ends| {
            let first = 8 * ends.len() as u64;
            let end = ends[ends.len() - 1];
            let place = |at: u64| usize::try_from(at).expect("rows are in memory");
            let rows = &rows.bytes[place(start)..place(end)];
            let mut block = Vec::with_capacity(8 * ends.len() + rows.len());
            block.extend(
                ends.iter()
                    .flat_map(|end| (first + end - start).to_le_bytes()),
            );
            block.extend_from_slice(rows);
            start = end;
            self.put_block(&block, ends.len())
        });
        put.map_err(|source| self.fail(source))
    }

    /// Gives the file its name, in place of whatever had it. Returns its length in bytes.
    ///
    /// # Errors
    /// [`VisibilityError::Write`]
    ///
    /// # Panics
    /// If rows are missing.
    pub fn finish(self) -> Result<u64, VisibilityError> {
        assert_eq!(self.num_blocks, self.header.num_blocks(), "all rows");
        self.file.sync_all().map_err(|source| self.fail(source))?;
        let Self {
            name,
            part,
            file,
            end,
            ..
        } = self;
        // Some systems do not rename a file that is still open.
        drop(file);
        fs::rename(&part, &name).map_err(|source| VisibilityError::Write { file: name, source })?;
        Ok(end)
    }

    /// Whether the header that is there is the one that is wanted, and if not why; `None` of an empty file.
    fn header_of_part(&mut self) -> io::Result<Option<Result<(), String>>> {
        let found = read_up_to(&mut self.file, 0, Header::BYTES as u64)?;
        // Killed before the header was whole: nothing is lost.
        if found.len() < Header::BYTES && self.header.bytes().starts_with(&found) {
            return Ok(None);
        }
        let header = Header::parse(&found);
        Ok(Some(header.and_then(|header| header.check(&self.header))))
    }

    fn begin(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        write_at(&mut self.file, 0, &self.header.bytes())?;
        self.file.set_len(self.header.blocks_at())
    }

    /// Finds the blocks that agree with the index, up to the first that does not, and cuts off the rest.
    fn find_whole_blocks(&mut self) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        let index = self.header.blocks_at() - Header::BYTES as u64;
        let index = read_up_to(&mut self.file, Header::BYTES as u64, index)?;
        for entry in index.chunks_exact(ENTRY_BYTES) {
            let Some(entry) = Entry::parse(entry) else {
                break;
            };
            if entry.end < self.end || entry.end > length {
                break;
            }
            let block = read_up_to(&mut self.file, self.end, entry.end - self.end)?;
            if !entry.is_of(&block) {
                break;
            }
            self.end = entry.end;
            self.num_blocks += 1;
            self.num_pairs += entry.num_pairs;
        }
        let at = entry_at(self.num_blocks);
        let missing = usize::try_from(self.header.blocks_at() - at).expect("an index is small");
        write_at(&mut self.file, at, &vec![0; missing])?;
        self.file.set_len(self.end)
    }

    fn put_block(&mut self, block: &[u8], num_rows: usize) -> io::Result<()> {
        let num_pairs = super::index::num_pairs(block, num_rows);
        let entry = Entry::new(self.end + block.len() as u64, num_pairs, block);
        write_at(&mut self.file, self.end, block)?;
        write_at(&mut self.file, entry_at(self.num_blocks), &entry.bytes())?;
        self.end = entry.end;
        self.num_blocks += 1;
        self.num_pairs += num_pairs;
        Ok(())
    }

    /// Adds all rows that are written.
    fn tell(&mut self, earlier: &mut Earlier) -> io::Result<()> {
        let index = read_up_to(
            &mut self.file,
            entry_at(0),
            entry_at(self.num_blocks) - entry_at(0),
        )?;
        let mut start = self.header.blocks_at();
        let mut tile = 0;
        for entry in index.chunks_exact(ENTRY_BYTES) {
            let lost = || io::Error::other("what was written to it is no longer there");
            let entry = Entry::parse(entry).ok_or_else(lost)?;
            let block = read_up_to(&mut self.file, start, entry.end - start)?;
            start = entry.end;
            for row in 0..BLOCK.min(self.num_done() - tile as usize) {
                let row = row_in(&block, row, BLOCK).ok_or_else(lost)?;
                earlier.add(tile, &block[row]);
                tile += 1;
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

/// Where the index speaks of a block.
fn entry_at(block: u64) -> u64 {
    Header::BYTES as u64 + ENTRY_BYTES as u64 * block
}
