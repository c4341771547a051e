//! The file of paths (`.paths`): every path of a run with its points to the last bit, to be read again.
//!
//! It has the form of [stores](crate::store): blocks in order. Its head names the version of keller that wrote the
//! file, and the scene, devices and search for which the paths are valid. The ends of blocks follow from the paths
//! alone. Fields are not kept: they follow from the paths, with any materials, antennas and frequencies.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path as FilePath, PathBuf};

use super::PathBlock;
use crate::formats::VERSION;
use crate::formats::bytes::{ByteReader, ByteWriter};
use crate::formats::pending::Pending;
use crate::formats::{About, OutputError};
use crate::store::{StoreError, UnitStore, Unreadable, records};

const KIND: records::Kind = *b"paths   ";

/// The number of paths and receivers of a block; it may have a few more.
const BLOCK: usize = 1 << 14;

/// Digests of everything that determines the paths of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathDigests {
    /// The scene: its triangles and the names of its materials.
    pub scene: [u8; 16],
    /// The points of Tx and Rx between which paths run.
    pub devices: [u8; 16],
    /// The settings of the search: its kind, limits, thresholds, and which walls waves pass.
    pub search: [u8; 16],
}

/// A file of paths that is being written. It leaves nothing behind if it is dropped before [`Self::finish`].
#[derive(Debug)]
pub struct PathFileWriter {
    pending: Pending,
    writer: BufWriter<File>,
    name: PathBuf,
    /// The paths that are not written yet.
    rest: Option<PathBlock>,
    num_blocks: usize,
}

impl PathFileWriter {
    /// Creates a file that will be at `name`.
    ///
    /// # Errors
    /// [`OutputError::Write`] if the place cannot be written to.
    pub fn create(name: &FilePath) -> Result<Self, OutputError> {
        let fail = |source| OutputError::Write {
            file: name.to_owned(),
            source,
        };
        if name.is_dir() {
            return Err(fail(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a folder",
            )));
        }
        let (pending, writer) = Pending::file(name).map_err(fail)?;
        Ok(Self {
            pending,
            writer,
            name: name.to_owned(),
            rest: None,
            num_blocks: 0,
        })
    }

    /// Writes the digests for which the paths are valid, before the first block.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    pub fn begin(&mut self, digests: &PathDigests, about: &About) -> Result<(), OutputError> {
        let mut head = ByteWriter::default();
        head.text(VERSION);
        for digest in [digests.scene, digests.devices, digests.search] {
            head.raw(&digest);
        }
        head.text(&about.scenario);
        head.flag(about.georeference.is_some());
        if let Some(georeference) = &about.georeference {
            head.text(&georeference.crs);
            head.reals(&georeference.origin);
        }
        let header = records::header(KIND, [0; 16], head.bytes());
        let written = self.writer.write_all(&header);
        written.map_err(|source| self.fail(source))
    }

    /// Adds the next block.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    pub fn put(&mut self, block: &PathBlock) -> Result<(), OutputError> {
        match &mut self.rest {
            Some(rest) if rest.tx == block.tx => rest.append(block.clone()),
            _ => {
                self.put_rest()?;
                self.rest = Some(block.clone());
            }
        }
        while let Some(mut block) = self.rest.take() {
            let mut count = 0;
            let is_end = |paths: &usize| {
                count += 1 + paths;
                count >= BLOCK
            };
            let Some(last) = block.counts.iter().position(is_end) else {
                self.rest = Some(block);
                break;
            };
            self.rest = Some(block.split_off(block.rx.start + last + 1));
            self.record(&block)?;
        }
        Ok(())
    }

    /// Ends the file and gives it its name.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    pub fn finish(mut self) -> Result<(), OutputError> {
        self.put_rest()?;
        let written = self
            .writer
            .write_all(&records::end(self.num_blocks))
            .and_then(|()| self.writer.flush());
        written.map_err(|source| self.fail(source))?;
        let Self {
            pending,
            writer,
            name,
            ..
        } = self;
        // Some systems do not rename a file that is still open.
        drop(writer);
        pending
            .keep()
            .map_err(|source| OutputError::Write { file: name, source })
    }

    fn put_rest(&mut self) -> Result<(), OutputError> {
        match self.rest.take() {
            Some(rest) if !rest.rx.is_empty() => self.record(&rest),
            _ => Ok(()),
        }
    }

    fn record(&mut self, block: &PathBlock) -> Result<(), OutputError> {
        let payload = block.to_bytes();
        let written = self
            .writer
            .write_all(&records::record(&block.unit(), &payload))
            .and_then(|()| self.writer.write_all(&payload));
        self.num_blocks += 1;
        written.map_err(|source| self.fail(source))
    }

    fn fail(&self, source: io::Error) -> OutputError {
        OutputError::Write {
            file: self.name.clone(),
            source,
        }
    }
}

/// An open file of paths, all of which was checked.
#[derive(Debug)]
pub struct PathFile {
    store: UnitStore,
    name: PathBuf,
    digests: PathDigests,
    scenario: String,
}

impl PathFile {
    /// Opens a file, and reads its head.
    ///
    /// # Errors
    /// [`StoreError`], also for a file that is cut or damaged, and for one of another version of keller.
    pub fn open(name: &FilePath) -> Result<Self, StoreError> {
        let refused = |problem: &str| Err(StoreError::refused(name, problem));
        let (store, head) = match UnitStore::open(name, KIND) {
            Ok(opened) => opened,
            Err(Unreadable::System(_)) if !name.exists() => {
                return refused("there is no such file");
            }
            Err(Unreadable::System(error)) => return Err(error),
            Err(Unreadable::Other) => {
                return refused(
                    "this is no file of paths; accepted: what `keller paths -o FILE.paths` writes",
                );
            }
            Err(Unreadable::Cut) => {
                return refused(
                    "the file ends too early: copy it again, or find its paths again with `keller paths`",
                );
            }
            Err(Unreadable::Damaged) => return refused(DAMAGED),
        };
        let mut head = ByteReader::new(&head);
        // Heads of other versions may differ after the version.
        match head.text() {
            Some(version) if version == VERSION => {}
            Some(version) => {
                return refused(&format!(
                    "keller {version} wrote these paths, and this is keller {VERSION}: find them again with `keller paths`"
                ));
            }
            None => return refused(DAMAGED),
        }
        let Some((digests, scenario)) = read_head(&mut head) else {
            return refused(DAMAGED);
        };
        Ok(Self {
            store,
            name: name.to_owned(),
            digests,
            scenario,
        })
    }

    /// The digests for which its paths are valid.
    pub fn digests(&self) -> &PathDigests {
        &self.digests
    }

    /// The text of the scenario of its paths.
    pub fn scenario(&self) -> &str {
        &self.scenario
    }

    /// The error that its contents are invalid.
    pub fn damaged(&self) -> StoreError {
        StoreError::refused(&self.name, DAMAGED)
    }

    /// Its blocks, each a [`PathBlock`] as bytes.
    pub fn into_store(self) -> UnitStore {
        self.store
    }
}

const DAMAGED: &str =
    "the file is damaged: copy it again, or find its paths again with `keller paths`";

/// The part of a head after the version.
fn read_head(head: &mut ByteReader) -> Option<(PathDigests, String)> {
    let mut digest = || head.take(16)?.try_into().ok();
    let digests = PathDigests {
        scene: digest()?,
        devices: digest()?,
        search: digest()?,
    };
    Some((digests, head.text()?))
}

#[cfg(test)]
mod tests;
