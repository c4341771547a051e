//! The file of paths (`.paths`): every path of a run with its points to the last bit, to be read again.
//!
//! It begins with [`MAGIC`]. Then come records, each with its length and its checksum (XXH3): a head, the blocks in order,
//! and an end that counts them, so that a file that was cut anywhere is known as such. The head says which version of
//! keller wrote the file, and for which scene, devices and search the paths hold. Little-endian throughout. Fields are not
//! kept: they follow from the paths, with any materials, antennas and frequencies.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path as FilePath, PathBuf};

use thiserror::Error;
use twox_hash::XxHash3_64;

use super::{PathBlock, read, write};
use crate::bytes::{ByteReader, ByteWriter};
use crate::pending::Pending;
use crate::table::{About, TableError, VERSION};

/// How such files begin.
const MAGIC: &[u8; 16] = b"keller path file";

/// What is first in a record.
const HEAD: u8 = 0;
const BLOCK: u8 = 1;
const END: u8 = 2;

/// What paths hold for: digests of what determines them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathDigests {
    /// The scene: its triangles and the names of its materials.
    pub scene: [u8; 16],
    /// The points of Tx and Rx between which paths run.
    pub devices: [u8; 16],
    /// Which paths were asked for: search, limits, thresholds, and which walls waves pass.
    pub search: [u8; 16],
}

/// Why a file of paths cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PathFileError {
    /// What the system says.
    #[error("{}: {source}", file.display())]
    System {
        /// The file.
        file: PathBuf,
        /// Its reason.
        source: io::Error,
    },
    /// It is something else.
    #[error("{}: this is no file of paths; accepted: what `keller paths -o FILE.paths` writes", file.display())]
    Kind {
        /// The file.
        file: PathBuf,
    },
    /// Another version of keller wrote it.
    #[error(
        "{}: keller {found} wrote these paths, and this is keller {VERSION}: find them again with `keller paths`",
        file.display()
    )]
    Version {
        /// The file.
        file: PathBuf,
        /// That version.
        found: String,
    },
    /// It ends before its end.
    #[error("{}: the file ends too early: copy it again, or find its paths again with `keller paths`", file.display())]
    Cut {
        /// The file.
        file: PathBuf,
    },
    /// Bytes in it have changed.
    #[error("{}: the file is damaged: copy it again, or find its paths again with `keller paths`", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
    },
}

/// A file of paths that is being written. Dropped before [`Self::finish`] it leaves nothing behind.
#[derive(Debug)]
pub struct PathFileWriter {
    pending: Pending,
    writer: BufWriter<File>,
    name: PathBuf,
    num_blocks: usize,
    num_paths: usize,
}

impl PathFileWriter {
    /// A file that will be at `name`.
    ///
    /// # Errors
    /// [`TableError::Write`] if the place cannot be written to.
    pub fn create(name: &FilePath) -> Result<Self, TableError> {
        let fail = |source| TableError::Write {
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
            num_blocks: 0,
            num_paths: 0,
        })
    }

    /// Writes what the paths hold for. It comes before the first block.
    ///
    /// # Errors
    /// [`TableError::Write`]
    pub fn begin(&mut self, digests: &PathDigests, about: &About) -> Result<(), TableError> {
        let mut head = ByteWriter::default();
        text(&mut head, VERSION);
        for digest in [digests.scene, digests.devices, digests.search] {
            head.raw(&digest);
        }
        text(&mut head, &about.scenario);
        head.flag(about.georeference.is_some());
        if let Some(georeference) = &about.georeference {
            text(&mut head, &georeference.crs);
            head.reals(&georeference.origin);
        }
        let written = self.writer.write_all(MAGIC);
        written.map_err(|source| self.fail(source))?;
        self.record(HEAD, &head)
    }

    /// Adds a block.
    ///
    /// # Errors
    /// [`TableError::Write`]
    pub fn put(&mut self, block: &PathBlock) -> Result<(), TableError> {
        let mut content = ByteWriter::default();
        write(&mut content, block);
        self.num_blocks += 1;
        self.num_paths += block.paths.len();
        self.record(BLOCK, &content)
    }

    /// Ends the file and gives it its name.
    ///
    /// # Errors
    /// [`TableError::Write`]
    pub fn finish(mut self) -> Result<(), TableError> {
        let mut end = ByteWriter::default();
        end.count(self.num_blocks);
        end.count(self.num_paths);
        self.record(END, &end)?;
        let flushed = self.writer.flush();
        flushed.map_err(|source| self.fail(source))?;
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
            .map_err(|source| TableError::Write { file: name, source })
    }

    fn record(&mut self, kind: u8, content: &ByteWriter) -> Result<(), TableError> {
        let content = [&[kind][..], content.bytes()].concat();
        let head = [content.len() as u64, XxHash3_64::oneshot(&content)].map(u64::to_le_bytes);
        let written = self
            .writer
            .write_all(head.as_flattened())
            .and_then(|()| self.writer.write_all(&content));
        written.map_err(|source| self.fail(source))
    }

    fn fail(&self, source: io::Error) -> TableError {
        TableError::Write {
            file: self.name.clone(),
            source,
        }
    }
}

/// An open file of paths: an iterator over its blocks.
#[derive(Debug)]
pub struct PathFile {
    name: PathBuf,
    reader: BufReader<File>,
    /// Bytes that were not read yet.
    left: u64,
    digests: PathDigests,
    scenario: String,
    num_blocks: usize,
    num_paths: usize,
    is_done: bool,
}

impl PathFile {
    /// Opens a file and reads its head.
    ///
    /// # Errors
    /// [`PathFileError`]
    pub fn open(name: &FilePath) -> Result<Self, PathFileError> {
        let system = |source| PathFileError::System {
            file: name.to_owned(),
            source,
        };
        let file = keller_geo::input::open(name).map_err(system)?;
        let metadata = file.metadata().map_err(system)?;
        let mut opened = Self {
            name: name.to_owned(),
            reader: BufReader::new(file),
            left: metadata.len(),
            digests: PathDigests {
                scene: [0; 16],
                devices: [0; 16],
                search: [0; 16],
            },
            scenario: String::new(),
            num_blocks: 0,
            num_paths: 0,
            is_done: false,
        };
        let is_ours = opened.bytes(MAGIC.len() as u64);
        if is_ours.map_err(system)?.as_deref() != Some(&MAGIC[..]) {
            return Err(PathFileError::Kind {
                file: name.to_owned(),
            });
        }
        let content = opened.record()?;
        let mut head = ByteReader::new(&content);
        let version = head.take(1).filter(|kind| *kind == [HEAD]);
        let version = version.and_then(|_| read_text(&mut head));
        let version = version.ok_or_else(|| opened.damaged())?;
        // Heads of other versions may go on otherwise.
        if version != VERSION {
            return Err(PathFileError::Version {
                file: name.to_owned(),
                found: version,
            });
        }
        let rest = read_head(&mut head);
        (opened.digests, opened.scenario) = rest.ok_or_else(|| opened.damaged())?;
        Ok(opened)
    }

    /// What its paths hold for.
    pub fn digests(&self) -> &PathDigests {
        &self.digests
    }

    /// The text of the scenario for which they were found.
    pub fn scenario(&self) -> &str {
        &self.scenario
    }

    /// Its name.
    pub fn name(&self) -> &FilePath {
        &self.name
    }

    /// That its contents make no sense.
    pub fn damaged(&self) -> PathFileError {
        PathFileError::Damaged {
            file: self.name.clone(),
        }
    }

    fn step(&mut self) -> Result<Option<PathBlock>, PathFileError> {
        let content = self.record()?;
        let mut reader = ByteReader::new(&content);
        match reader.take(1) {
            Some([BLOCK]) => {
                let block = read(&mut reader).filter(|_| reader.is_at_end());
                let block = block.ok_or_else(|| self.damaged())?;
                self.num_blocks += 1;
                self.num_paths += block.paths.len();
                Ok(Some(block))
            }
            Some([END]) => {
                let found = reader.count().zip(reader.count());
                let is_end = found == Some((self.num_blocks, self.num_paths)) && self.left == 0;
                is_end.then_some(None).ok_or_else(|| self.damaged())
            }
            _ => Err(self.damaged()),
        }
    }

    /// The content of the next record.
    fn record(&mut self) -> Result<Vec<u8>, PathFileError> {
        let system = |source, file: &FilePath| PathFileError::System {
            file: file.to_owned(),
            source,
        };
        let cut = PathFileError::Cut {
            file: self.name.clone(),
        };
        let head = self
            .bytes(16)
            .map_err(|source| system(source, &self.name))?;
        let head = head.as_ref().map(|head| head.as_chunks::<8>().0);
        let Some([length, wanted]) = head else {
            return Err(cut);
        };
        let [length, wanted] = [*length, *wanted].map(u64::from_le_bytes);
        let content = self.bytes(length);
        let content = content.map_err(|source| system(source, &self.name))?;
        let content = content.ok_or(cut)?;
        if XxHash3_64::oneshot(&content) == wanted {
            Ok(content)
        } else {
            Err(self.damaged())
        }
    }

    /// The next bytes; `None` if there are fewer.
    fn bytes(&mut self, length: u64) -> io::Result<Option<Vec<u8>>> {
        if length > self.left {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let read = (&mut self.reader).take(length).read_to_end(&mut bytes)?;
        self.left -= read as u64;
        Ok((read as u64 == length).then_some(bytes))
    }
}

impl Iterator for PathFile {
    type Item = Result<PathBlock, PathFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let block = self.step().transpose();
        self.is_done = !matches!(block, Some(Ok(_)));
        block
    }
}

fn text(writer: &mut ByteWriter, text: &str) {
    writer.count(text.len());
    writer.raw(text.as_bytes());
}

fn read_text(reader: &mut ByteReader) -> Option<String> {
    let length = reader.count()?;
    String::from_utf8(reader.take(length)?.to_vec()).ok()
}

/// What follows the version in a head.
fn read_head(head: &mut ByteReader) -> Option<(PathDigests, String)> {
    let mut digest = || head.take(16)?.try_into().ok();
    let digests = PathDigests {
        scene: digest()?,
        devices: digest()?,
        search: digest()?,
    };
    Some((digests, read_text(head)?))
}

#[cfg(test)]
mod tests;
