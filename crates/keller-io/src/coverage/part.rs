//! The part file of a coverage: numbers of the blocks that are finished, so that a run may stop and go on, and no run holds all of them.
//!
//! A header with a [`super::Digest`] of what the numbers follow from; a checksum a chunk of cells and row, zero while it is missing;
//! the rows of a [`Store`], 8 bytes a cell each; what cells receive from all Tx, 32 bytes a cell. A chunk is written before its checksum, so one that
//! is torn, or that never reached the disk, does not agree with it and counts as missing. Little-endian throughout.

mod servers;

use std::fs::{self, File, TryLockError};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use keller::coverage::layers::Servers;
use keller_geo::input;
use thiserror::Error;
use twox_hash::XxHash3_64;

use self::servers::{SERVERS_BYTES, servers_bytes, servers_of};
use super::Store;
use crate::random_access::{read_up_to, write_at};

const MAGIC: &[u8; 16] = b"keller coverage\x01";
const HEADER_BYTES: u64 = 48;
const VALUE_BYTES: usize = 8;

/// Why a part file cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PartError {
    /// What the system says.
    #[error("{}: {source}", file.display())]
    System {
        /// The part file.
        file: PathBuf,
        /// Its reason.
        source: io::Error,
    },
    /// A file that this run cannot go on with.
    #[error("{}: {problem}", file.display())]
    Unusable {
        /// The file.
        file: PathBuf,
        /// What it is, and what may be done about it.
        problem: &'static str,
    },
}

/// A part file. It stays until it is removed.
#[derive(Debug)]
pub struct Part {
    name: PathBuf,
    file: Mutex<File>,
    num_rows: usize,
    num_cells: usize,
    /// Chunk by chunk, row by row.
    is_finished: Vec<bool>,
    has_servers: AtomicBool,
    /// Whether this run has put a block.
    has_blocks: bool,
}

impl Part {
    /// Cells of one checksum. Blocks begin at multiples of it, and end at one or with the region.
    pub const CHUNK: usize = 1 << 14;

    /// A new part file of so many rows without a finished block, in place of one that has none either.
    ///
    /// # Errors
    /// [`PartError`], also for a file with finished blocks, of this or of another run, and for what is no part file at all.
    pub fn create(
        name: &Path,
        digest: [u8; 16],
        num_rows: usize,
        num_cells: usize,
    ) -> Result<Self, PartError> {
        let part = Self::open(name, num_rows, num_cells)?;
        let kept = part.kept(digest).map_err(|source| part.system(source))?;
        if let Some(problem) = kept {
            let file = name.to_owned();
            return Err(PartError::Unusable { file, problem });
        }
        part.begin(digest).map_err(|source| part.system(source))?;
        crate::pending::begin(&part.name);
        Ok(part)
    }

    /// The part file of a run that stopped. Blocks that are torn count as missing.
    ///
    /// # Errors
    /// [`PartError`], also for the part file of another scenario or scene.
    pub fn resume(
        name: &Path,
        digest: [u8; 16],
        num_rows: usize,
        num_cells: usize,
    ) -> Result<Self, PartError> {
        let mut part = Self::open(name, num_rows, num_cells)?;
        let header = part.header(digest);
        let found = part.read_up_to(0, header.len());
        let found = found.map_err(|source| part.system(source))?;
        let unusable = |problem| {
            let file = name.to_owned();
            Err(PartError::Unusable { file, problem })
        };
        if !found.starts_with(MAGIC) {
            return unusable(
                "this is no part file of a coverage, or its beginning is lost: remove it to begin anew",
            );
        }
        if found != header {
            return unusable(
                "these blocks are of another scenario, scene or version of keller: take back the change, or remove the file to begin anew",
            );
        }
        part.check_chunks().map_err(|source| part.system(source))?;
        Ok(part)
    }

    /// What the file holds that must not be lost, and what may be done about it; nothing of a new file, or of one that was begun and no more.
    fn kept(&self, digest: [u8; 16]) -> io::Result<Option<&'static str>> {
        let header = self.header(digest);
        let found = self.read_up_to(0, header.len())?;
        let is_begun =
            found.len() < header.len() && MAGIC.starts_with(&found[..MAGIC.len().min(found.len())]);
        if is_begun {
            return Ok(None);
        }
        let Some(counts) = found
            .strip_prefix(MAGIC)
            .and_then(|rest| rest.get(digest.len()..)?.as_chunks::<8>().0.try_into().ok())
        else {
            return Ok(Some(
                "this is no part file of a coverage, or its beginning is lost: remove it, or give another name to -o",
            ));
        };
        let [num_rows, num_cells]: [[u8; 8]; 2] = counts;
        let [num_rows, num_cells] = [num_rows, num_cells].map(u64::from_le_bytes);
        let num_marks = num_rows.saturating_mul(num_cells.div_ceil(Self::CHUNK as u64));
        if !self.has_mark(num_marks)? {
            return Ok(None);
        }
        Ok(Some(if found == header {
            "finished blocks of this very coverage: go on with --resume, or remove the file to begin anew"
        } else {
            "finished blocks of another scenario, scene or version of keller: take back the change and go on with --resume, remove the file, or give another name to -o"
        }))
    }

    /// Whether any of so many checksums is there.
    fn has_mark(&self, count: u64) -> io::Result<bool> {
        const AT_ONCE: u64 = 1 << 16;
        let mut at = HEADER_BYTES;
        let end = HEADER_BYTES.saturating_add(count.saturating_mul(8));
        while at < end {
            let wanted = AT_ONCE.min(end - at);
            let bytes = self.read_up_to(at, usize::try_from(wanted).unwrap_or(0))?;
            if bytes.iter().any(|byte| *byte != 0) {
                return Ok(true);
            }
            if (bytes.len() as u64) < wanted {
                break;
            }
            at += wanted;
        }
        Ok(false)
    }

    /// How long such a file is, bytes; what cells receive from all Tx are beside the rows where `has_servers`.
    pub fn num_bytes(num_rows: usize, num_cells: usize, has_servers: bool) -> u64 {
        let [num_rows, num_cells] = [num_rows as u64, num_cells as u64];
        let servers = if has_servers { SERVERS_BYTES as u64 } else { 0 };
        let marks = num_rows.saturating_mul(8 * num_cells.div_ceil(Self::CHUNK as u64));
        let values = num_rows.saturating_mul(VALUE_BYTES as u64) + servers;
        HEADER_BYTES + marks.saturating_add(values.saturating_mul(num_cells))
    }

    /// Its name.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// How much is finished, 0 to 1.
    pub fn done(&self) -> f64 {
        let finished = self.is_finished.iter().filter(|finished| **finished);
        finished.count() as f64 / self.is_finished.len() as f64
    }

    /// The cells that are missing of any of these rows, as blocks in order that each have `most` cells at most, or one chunk. A block
    /// may be put as it is.
    pub fn missing(&self, rows: &[usize], most: usize) -> Vec<Range<usize>> {
        let most = (most / Self::CHUNK).max(1) * Self::CHUNK;
        let mut blocks: Vec<Range<usize>> = Vec::new();
        for chunk in 0..self.num_chunks() {
            let is_finished = |row: &usize| self.is_finished[self.place(*row, chunk)];
            if rows.iter().all(is_finished) {
                continue;
            }
            let cells = self.cells(chunk);
            match blocks.last_mut() {
                Some(last) if last.end == cells.start && last.len() < most => last.end = cells.end,
                _ => blocks.push(cells),
            }
        }
        blocks
    }

    /// Puts down a block of a row.
    ///
    /// # Errors
    /// [`PartError::System`]
    ///
    /// # Panics
    /// If the block is none of [`Self::missing`], or has not one value a cell.
    pub fn put(
        &mut self,
        row: usize,
        cells: Range<usize>,
        values: &[f64],
    ) -> Result<(), PartError> {
        assert_eq!(values.len(), cells.len(), "one value a cell");
        assert_eq!(cells.start % Self::CHUNK, 0, "blocks begin with a chunk");
        let first = cells.start / Self::CHUNK;
        for (chunk, values) in (first..).zip(values.chunks(Self::CHUNK)) {
            assert_eq!(values.len(), self.cells(chunk).len(), "whole chunks");
            self.put_chunk(row, chunk, values)
                .map_err(|source| self.system(source))?;
            if !self.has_blocks {
                // From here on it is worth keeping.
                crate::pending::end(&self.name, || ());
                self.has_blocks = true;
            }
            let place = self.place(row, chunk);
            self.is_finished[place] = true;
        }
        Ok(())
    }

    /// Puts down what cells receive from all Tx. They are read once they are there for all cells, which [`Self::keep_servers`] says.
    ///
    /// # Errors
    /// As [`Store`].
    pub(super) fn put_servers(&self, first: usize, servers: &[Servers]) -> io::Result<()> {
        let bytes: Vec<u8> = servers.iter().flat_map(servers_bytes).collect();
        self.write(self.servers_at(first), &bytes)
    }

    /// From now on [`Store::servers`] are read.
    pub(super) fn keep_servers(&self) {
        self.has_servers.store(true, Ordering::Release);
    }

    /// Removes the file.
    ///
    /// # Errors
    /// [`PartError::System`]
    pub fn remove(self) -> Result<(), PartError> {
        let Self { name, file, .. } = self;
        // Some systems do not remove a file that is still open.
        drop(file);
        crate::pending::end(&name, || fs::remove_file(&name))
            .map_err(|source| PartError::System { file: name, source })
    }

    fn open(name: &Path, num_rows: usize, num_cells: usize) -> Result<Self, PartError> {
        let system = |source| PartError::System {
            file: name.to_owned(),
            source,
        };
        let file = input::open_or_create(name).map_err(system)?;
        // Not all file systems have locks: only a lock of another is a reason.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(PartError::Unusable {
                file: name.to_owned(),
                problem: "another run is writing it: wait for its end, or give another name to -o",
            });
        }
        let chunks = num_cells.div_ceil(Self::CHUNK);
        Ok(Self {
            name: name.to_owned(),
            file: Mutex::new(file),
            num_rows,
            num_cells,
            is_finished: vec![false; num_rows * chunks],
            has_servers: AtomicBool::new(false),
            has_blocks: false,
        })
    }

    fn begin(&self, digest: [u8; 16]) -> io::Result<()> {
        self.file().set_len(0)?;
        self.write(0, &self.header(digest))?;
        self.file().set_len(self.servers_at(0))
    }

    fn header(&self, digest: [u8; 16]) -> Vec<u8> {
        let counts = [self.num_rows, self.num_cells].map(|count| (count as u64).to_le_bytes());
        [&MAGIC[..], &digest, &counts.concat()].concat()
    }

    /// Finds out which chunks agree with their checksums.
    fn check_chunks(&mut self) -> io::Result<()> {
        let marks = self.read_up_to(HEADER_BYTES, 8 * self.is_finished.len())?;
        for (place, mark) in marks.chunks_exact(8).enumerate() {
            if mark == [0; 8] {
                continue;
            }
            let (row, chunk) = (place / self.num_chunks(), place % self.num_chunks());
            let cells = self.cells(chunk);
            let bytes =
                self.read_up_to(self.values_at(row, cells.start), VALUE_BYTES * cells.len())?;
            self.is_finished[place] =
                bytes.len() == VALUE_BYTES * cells.len() && checksum(&bytes) == mark;
        }
        // What was cut off is there again, as holes.
        self.file().set_len(self.servers_at(0))
    }

    fn put_chunk(&self, row: usize, chunk: usize, values: &[f64]) -> io::Result<()> {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        self.write(self.values_at(row, self.cells(chunk).start), &bytes)?;
        let mark = HEADER_BYTES + 8 * self.place(row, chunk) as u64;
        self.write(mark, &checksum(&bytes))
    }

    fn num_chunks(&self) -> usize {
        self.num_cells.div_ceil(Self::CHUNK)
    }

    fn cells(&self, chunk: usize) -> Range<usize> {
        chunk * Self::CHUNK..((chunk + 1) * Self::CHUNK).min(self.num_cells)
    }

    fn place(&self, row: usize, chunk: usize) -> usize {
        row * self.num_chunks() + chunk
    }

    fn values_at(&self, row: usize, cell: usize) -> u64 {
        let marks = 8 * self.is_finished.len();
        HEADER_BYTES + (marks + VALUE_BYTES * (row * self.num_cells + cell)) as u64
    }

    fn servers_at(&self, cell: usize) -> u64 {
        self.values_at(self.num_rows, 0) + (SERVERS_BYTES * cell) as u64
    }

    fn read_up_to(&self, at: u64, count: usize) -> io::Result<Vec<u8>> {
        read_up_to(&mut self.file(), at, count as u64)
    }

    fn read(&self, at: u64, count: usize) -> io::Result<Vec<u8>> {
        let name = self.name.display();
        let bytes = self
            .read_up_to(at, count)
            .map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
        if bytes.len() < count {
            let problem = format!("{name}: it has become shorter");
            return Err(io::Error::other(problem));
        }
        Ok(bytes)
    }

    fn write(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        write_at(&mut self.file(), at, bytes)
    }

    fn file(&self) -> std::sync::MutexGuard<'_, File> {
        // Whoever panicked left a place in the file, and everybody seeks first.
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn system(&self, source: io::Error) -> PartError {
        PartError::System {
            file: self.name.clone(),
            source,
        }
    }
}

impl Store for Part {
    fn row(&self, row: usize, cells: Range<usize>, values: &mut Vec<f64>) -> io::Result<()> {
        let bytes = self.read(self.values_at(row, cells.start), VALUE_BYTES * cells.len())?;
        values.clear();
        values.extend(bytes.as_chunks().0.iter().copied().map(f64::from_le_bytes));
        Ok(())
    }

    fn servers(&self, cells: Range<usize>) -> io::Result<Option<Vec<Servers>>> {
        if !self.has_servers.load(Ordering::Acquire) {
            return Ok(None);
        }
        let bytes = self.read(self.servers_at(cells.start), SERVERS_BYTES * cells.len())?;
        Ok(Some(bytes.as_chunks().0.iter().map(servers_of).collect()))
    }
}

/// Never zero, which says that a chunk is missing.
fn checksum(bytes: &[u8]) -> [u8; 8] {
    XxHash3_64::oneshot(bytes).max(1).to_le_bytes()
}

#[cfg(test)]
mod tests;
