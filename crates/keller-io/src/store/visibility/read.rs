//! Maps a visibility file into memory.
//!
//! Mapping is what lets the rows exceed memory (a city of 10^6 tiles has some 30 GB of them), and a search asks for rows in no
//! order, many millions of times, each for a slice that lives as long as the file is open. It has a price: if another program
//! cuts the file while it is mapped, the system ends this one (SIGBUS), because there is nothing left to read. No file that
//! is foreign or damaged when it is opened can do that: it must be a regular file, and all places in it are checked against
//! its length. All other readers of keller read.

use std::fs::File;
use std::path::{Path, PathBuf};

use keller::tiles::VisibilityRows;
use memmap2::Mmap;
use rayon::prelude::*;

use super::index::{ENTRY_BYTES, Entry, is_sound, row_in};
use super::{BLOCK, Header, VisibilityError};

/// What tiles see of each other, as it lies in a file; the system brings the rows that are asked for into memory and drops others.
///
/// All blocks are checked when it is opened, so rows lie in the file and name tiles that there are.
pub struct VisibilityFile {
    bytes: Bytes,
    header: Header,
    num_pairs: u64,
    /// Where every block begins, and the last one ends.
    places: Vec<usize>,
}

enum Bytes {
    Mapped(Mmap),
    Held(Vec<u8>),
}

impl VisibilityFile {
    /// The file of the tiles that `wanted` tells of.
    ///
    /// # Errors
    /// [`VisibilityError`] for a file that is damaged, cut off, of another version, scene or tiling, or something else.
    pub fn open(file: &Path, wanted: &Header) -> Result<Self, VisibilityError> {
        let refused = |problem| refused(file, problem);
        let found = Self::open_any(file, Some(wanted))?;
        found.check_blocks().map_err(refused)?;
        Ok(found)
    }

    /// What a file is of, by its header and index alone: no block is looked at.
    ///
    /// # Errors
    /// [`VisibilityError`]
    pub fn describe(file: &Path) -> Result<Self, VisibilityError> {
        Self::open_any(file, None)
    }

    /// The same from bytes, all of them checked, of any scene.
    ///
    /// # Errors
    /// [`VisibilityError::Refused`], which names `file`.
    pub fn parse(bytes: Vec<u8>, file: &Path) -> Result<Self, VisibilityError> {
        let found = Self::new(Bytes::Held(bytes), None);
        let checked = found.and_then(|found| found.check_blocks().map(|()| found));
        checked.map_err(|problem| refused(file, problem))
    }

    /// What it is of.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How many pairs see each other, each counted twice.
    pub fn num_pairs(&self) -> u64 {
        self.num_pairs
    }

    /// Of the file.
    pub fn num_bytes(&self) -> usize {
        self.bytes().len()
    }

    fn open_any(file: &Path, wanted: Option<&Header>) -> Result<Self, VisibilityError> {
        let fail = |source| VisibilityError::Read {
            file: PathBuf::from(file),
            source,
        };
        let opened = keller_geo::input::open(file).map_err(fail)?;
        let length = opened.metadata().map_err(fail)?.len();
        // Some systems do not map nothing.
        let bytes = if length == 0 {
            Bytes::Held(Vec::new())
        } else {
            Bytes::Mapped(map(&opened).map_err(fail)?)
        };
        Self::new(bytes, wanted).map_err(|problem| refused(file, problem))
    }

    fn new(bytes: Bytes, wanted: Option<&Header>) -> Result<Self, String> {
        let all = bytes.as_slice();
        if all.is_empty() {
            return Err("the file is empty".to_owned());
        }
        let header = Header::parse(all)?;
        if let Some(wanted) = wanted {
            header.check(wanted)?;
        }
        let length = all.len();
        let cut = |wanted: u64| {
            format!("the file ends after {length} bytes of at least {wanted}; make it anew")
        };
        if header.num_tiles > u64::from(u32::MAX) {
            return Err(format!(
                "{} tiles; fewer than 2^32 are accepted",
                header.num_tiles
            ));
        }
        let start = usize::try_from(header.blocks_at()).map_err(|error| error.to_string())?;
        let index = all.get(Header::BYTES..start);
        let index = index.ok_or_else(|| cut(header.blocks_at()))?;
        let (mut places, mut num_pairs) = (vec![start], 0_u64);
        for (block, entry) in index.chunks_exact(ENTRY_BYTES).enumerate() {
            let Some(entry) = Entry::parse(entry) else {
                return Err(format!(
                    "block {block} of {} is missing: the file is not finished; the command that began it goes on with it",
                    header.num_blocks()
                ));
            };
            if entry.end > length as u64 {
                return Err(cut(entry.end));
            }
            // It is no farther than the file.
            let end = usize::try_from(entry.end).unwrap_or(length);
            if end < places[block] {
                return Err(damaged(block));
            }
            places.push(end);
            num_pairs = num_pairs.saturating_add(entry.num_pairs);
        }
        let end = places[places.len() - 1];
        if end < length {
            return Err(format!(
                "{} bytes follow the end of the last block; make it anew",
                length - end
            ));
        }
        Ok(Self {
            bytes,
            header,
            num_pairs,
            places,
        })
    }

    /// Checks that all blocks are as they were written.
    fn check_blocks(&self) -> Result<(), String> {
        let blocks = 0..self.places.len() - 1;
        let wrong = blocks.into_par_iter().find_first(|block| {
            let entry = &self.bytes()[Header::BYTES + ENTRY_BYTES * block..];
            let content = self.block(*block);
            let is_written = Entry::parse(entry).is_some_and(|entry| entry.is_of(content));
            !is_written || !is_sound(content, self.num_rows(*block), self.header.num_tiles)
        });
        wrong.map_or(Ok(()), |block| Err(damaged(block)))
    }

    fn block(&self, block: usize) -> &[u8] {
        &self.bytes()[self.places[block]..self.places[block + 1]]
    }

    fn num_rows(&self, block: usize) -> usize {
        let tiles = usize::try_from(self.header.num_tiles).unwrap_or(usize::MAX);
        tiles.saturating_sub(BLOCK * block).min(BLOCK)
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }
}

impl VisibilityRows for VisibilityFile {
    /// Nothing of a tile that there is not.
    fn row(&self, tile: usize) -> &[u8] {
        let (block, row) = (tile / BLOCK, tile % BLOCK);
        if tile as u64 >= self.header.num_tiles {
            return &[];
        }
        let content = self.block(block);
        let row = row_in(content, row, self.num_rows(block));
        row.map_or(&[], |row| &content[row])
    }
}

impl Bytes {
    fn as_slice(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Held(bytes) => bytes,
        }
    }
}

impl std::fmt::Debug for VisibilityFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VisibilityFile")
            .field("header", &self.header)
            .field("num_pairs", &self.num_pairs)
            .finish_non_exhaustive()
    }
}

#[allow(
    unsafe_code,
    reason = "mapping is what lets rows exceed memory; the system has no safe call for it"
)]
fn map(file: &File) -> std::io::Result<Mmap> {
    // SAFETY: keller never writes to a whole file: it renames another over it, which leaves the mapped one as it is. Every place that
    // the bytes name is checked against the length of what is mapped. A program that cuts or changes the file meanwhile breaks this.
    unsafe { Mmap::map(file) }
}

fn damaged(block: usize) -> String {
    format!("block {block} is damaged (its checksum or its rows are wrong); make the file anew")
}

fn refused(file: &Path, problem: String) -> VisibilityError {
    VisibilityError::Refused {
        file: file.to_owned(),
        problem,
    }
}
