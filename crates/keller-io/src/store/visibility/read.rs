//! Maps a visibility file into memory.
//!
//! Mapping lets the rows exceed memory (a city of 10^6 tiles has some 30 GB of them), and a search asks for rows in no
//! order, many millions of times, each for a slice that lives as long as the file is open. It has a price: if another
//! program cuts the file while it is mapped, the system ends this one (SIGBUS), because there is nothing left to read.
//! No file that is foreign or damaged when it is opened can do that: it must be a regular file, and all places in it
//! are checked against its length. All other readers of keller read.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use keller::tiles::VisibilityRows;
use memmap2::Mmap;
use rayon::prelude::*;

use super::rows::Rows;
use super::{BLOCK, Header, VisibilityError};
use crate::store::records::{self, Marked, Marks};

/// The visibility between tiles, in a mapped file; the system brings the requested rows into memory and drops others.
///
/// All blocks are checked when the file is opened, so rows lie in the file and name existing tiles.
pub struct VisibilityFile {
    bytes: Bytes,
    header: Header,
    num_pairs: u64,
    /// The places of the rows of each block.
    blocks: Vec<Range<usize>>,
}

enum Bytes {
    Mapped(Mmap),
    Held(Vec<u8>),
}

impl VisibilityFile {
    /// Opens the file of the tiles that `wanted` describes.
    ///
    /// # Errors
    /// [`VisibilityError`] for a file that is damaged, cut off, of another version, scene or tiling, or something else.
    pub fn open(file: &Path, wanted: &Header) -> Result<Self, VisibilityError> {
        let refused = |problem| refused(file, problem);
        let (found, marks) = Self::open_any(file, Some(wanted))?;
        found.check_blocks(&marks).map_err(refused)?;
        Ok(found)
    }

    /// Opens a file by its header and the beginnings of its blocks: no row is read.
    ///
    /// # Errors
    /// [`VisibilityError`]
    pub fn describe(file: &Path) -> Result<Self, VisibilityError> {
        Self::open_any(file, None).map(|(found, _)| found)
    }

    /// Reads the same from bytes, all of them checked, for any scene.
    ///
    /// # Errors
    /// [`VisibilityError::Refused`], which names `file`.
    pub fn parse(bytes: Vec<u8>, file: &Path) -> Result<Self, VisibilityError> {
        let found = Self::new(Bytes::Held(bytes), None);
        let checked = found.and_then(|(found, marks)| found.check_blocks(&marks).map(|()| found));
        checked.map_err(|problem| refused(file, problem))
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The number of pairs that see each other, each counted twice.
    pub fn num_pairs(&self) -> u64 {
        self.num_pairs
    }

    /// The size of the file, bytes.
    pub fn num_bytes(&self) -> usize {
        self.bytes().len()
    }

    fn open_any(
        file: &Path,
        wanted: Option<&Header>,
    ) -> Result<(Self, Vec<Marked>), VisibilityError> {
        let fail = |source| VisibilityError::Read {
            file: PathBuf::from(file),
            source,
        };
        let opened = keller_geo::input::open(file).map_err(fail)?;
        let length = opened.metadata().map_err(fail)?.len();
        // Some systems do not map an empty file.
        let bytes = if length == 0 {
            Bytes::Held(Vec::new())
        } else {
            Bytes::Mapped(map(&opened).map_err(fail)?)
        };
        Self::new(bytes, wanted).map_err(|problem| refused(file, problem))
    }

    fn new(bytes: Bytes, wanted: Option<&Header>) -> Result<(Self, Vec<Marked>), String> {
        let all = bytes.as_slice();
        let (header, start) = Header::parse(all)?;
        if let Some(wanted) = wanted {
            header.check(wanted)?;
        }
        let marks = records::hop(start, &mut records::reader(all));
        let marks = marks.map_err(|error| error.to_string())?;
        check_marks(&marks, header.num_blocks(), all.len())?;
        let (mut blocks, mut num_pairs) = (Vec::new(), 0_u64);
        for (block, marked) in marks.all.iter().enumerate() {
            let unit = header.unit(block);
            let record = marked.record(all).filter(|record| record.unit == unit);
            let record = record.ok_or_else(|| damaged(block))?;
            // The place lies in the file.
            let place = |at: u64| usize::try_from(at).unwrap_or(all.len());
            let rows = place(record.at)..place(record.end());
            let found = Rows::new(&all[rows.clone()], unit.range.len());
            num_pairs = num_pairs.saturating_add(found.ok_or_else(|| damaged(block))?.num_pairs);
            blocks.push(rows);
        }
        let found = Self {
            bytes,
            header,
            num_pairs,
            blocks,
        };
        Ok((found, marks.all))
    }

    /// Checks that all blocks are as they were written.
    fn check_blocks(&self, marks: &[Marked]) -> Result<(), String> {
        let wrong = marks.par_iter().enumerate().find_first(|(block, marked)| {
            let is_sound = |rows: Rows| rows.are_sound(self.header.num_tiles);
            !marked.is_whole(self.bytes()) || !self.rows(*block).is_some_and(is_sound)
        });
        wrong.map_or(Ok(()), |(block, _)| Err(damaged(block)))
    }

    fn rows(&self, block: usize) -> Option<Rows<'_>> {
        let num_rows = BLOCK.min(self.header.num_tiles - BLOCK * block);
        Rows::new(&self.bytes()[self.blocks[block].clone()], num_rows)
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }
}

impl VisibilityRows for VisibilityFile {
    /// The row of a tile; empty for one that does not exist.
    fn row(&self, tile: usize) -> &[u8] {
        if tile >= self.header.num_tiles {
            return &[];
        }
        let rows = self.rows(tile / BLOCK);
        rows.and_then(|rows| rows.row(tile % BLOCK))
            .unwrap_or_default()
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
    // SAFETY: keller never writes to a whole file: it renames another over it, which leaves the mapped one as it is.
    // Every place that the bytes name is checked against the length of the map. A program that cuts or changes the file
    // meanwhile breaks this.
    unsafe { Mmap::map(file) }
}

/// Checks that there are so many blocks, and nothing else.
fn check_marks(marks: &Marks, num_blocks: usize, length: usize) -> Result<(), String> {
    let found = marks.all.len();
    if marks.is_torn {
        return Err(format!(
            "the file ends after {length} bytes, with {found} of {num_blocks} blocks: it was cut, or is not finished; make it anew, or go on with the command that began it"
        ));
    }
    if found < num_blocks {
        return Err(damaged(found));
    }
    if found > num_blocks || !marks.is_ended {
        return Err("other bytes follow the end of the last block; make it anew".to_owned());
    }
    Ok(())
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
