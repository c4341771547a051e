//! Files of finished blocks: records one after the other, so that a run may stop and go on.
//!
//! A header with the kind of file and the digest of all that the blocks follow from; then the records, each with its length and
//! checksum. A record that is torn does not agree with its checksum; it and what follows count as missing. Little-endian throughout.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use keller_geo::input;
use twox_hash::XxHash3_64;

use crate::coverage::PartError;
use crate::pending;
use crate::random_access::{read_up_to, write_at};

const HEADER_BYTES: u64 = 32;

/// What the records of a file are of, and what is said where it cannot be used.
#[derive(Debug)]
pub(crate) struct Kind {
    /// How such files begin.
    pub(crate) magic: [u8; 16],
    /// The file is of another kind.
    pub(crate) is_other: &'static str,
    /// It has finished blocks of this run, and a new one was asked for.
    pub(crate) is_same_run: &'static str,
    /// It has finished blocks of another run.
    pub(crate) is_other_run: &'static str,
    /// It is to be gone on with, and is of another run or kind.
    pub(crate) cannot_resume: &'static str,
}

/// A file of records. It stays until it is removed.
#[derive(Debug)]
pub(crate) struct RecordFile {
    name: PathBuf,
    file: File,
    num_records: usize,
    /// Where the next record goes, or is read.
    end: u64,
}

impl RecordFile {
    /// A new file, in place of one in which nothing is finished either.
    pub(crate) fn create(name: &Path, kind: &Kind, digest: [u8; 16]) -> Result<Self, PartError> {
        let mut file = Self::open(name)?;
        match file.begin(kind, digest) {
            Ok(None) => {
                pending::begin(name);
                Ok(file)
            }
            Ok(Some(problem)) => Err(file.unusable(problem)),
            Err(source) => Err(file.system(source)),
        }
    }

    /// Begins the file anew; says why not if that would lose something.
    fn begin(&mut self, kind: &Kind, digest: [u8; 16]) -> io::Result<Option<&'static str>> {
        let header = header(kind, digest);
        let found = read_up_to(&mut self.file, 0, HEADER_BYTES + 1)?;
        if !kind
            .magic
            .starts_with(&found[..kind.magic.len().min(found.len())])
        {
            return Ok(Some(kind.is_other));
        }
        if found.len() > header.len() {
            return Ok(Some(if found.starts_with(&header) {
                kind.is_same_run
            } else {
                kind.is_other_run
            }));
        }
        self.file.set_len(0)?;
        write_at(&mut self.file, 0, &header)?;
        Ok(None)
    }

    /// The file of a run that stopped, before its first record. Read all of them with [`Self::next`], then [`Self::cut`] the rest.
    pub(crate) fn resume(name: &Path, kind: &Kind, digest: [u8; 16]) -> Result<Self, PartError> {
        let mut file = Self::open(name)?;
        let found = read_up_to(&mut file.file, 0, HEADER_BYTES);
        if found.map_err(|source| file.system(source))? != header(kind, digest) {
            return Err(file.unusable(kind.cannot_resume));
        }
        Ok(file)
    }

    /// What `read` makes of the next record, if that is whole.
    pub(crate) fn next<T>(
        &mut self,
        read: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, PartError> {
        self.record(read).map_err(|source| self.system(source))
    }

    fn record<T>(&mut self, read: impl FnOnce(&[u8]) -> Option<T>) -> io::Result<Option<T>> {
        let head = read_up_to(&mut self.file, self.end, 16)?;
        let [length, wanted] = match head.as_chunks::<8>().0 {
            [length, wanted] => [*length, *wanted].map(u64::from_le_bytes),
            _ => return Ok(None),
        };
        let left = self.file.metadata()?.len().saturating_sub(self.end + 16);
        if length > left {
            return Ok(None);
        }
        let content = read_up_to(&mut self.file, self.end + 16, length)?;
        if content.len() as u64 != length || checksum(&content) != wanted {
            return Ok(None);
        }
        let found = read(&content);
        if found.is_some() {
            self.end += 16 + length;
            self.num_records += 1;
        }
        Ok(found)
    }

    /// Drops what follows the records read so far.
    pub(crate) fn cut(&self) -> Result<(), PartError> {
        let cut = self.file.set_len(self.end);
        cut.map_err(|source| self.system(source))
    }

    /// Adds a record.
    pub(crate) fn put(&mut self, content: &[u8]) -> Result<(), PartError> {
        let head = [content.len() as u64, checksum(content)].map(u64::to_le_bytes);
        let at = self.end;
        // A record is there when its head is.
        write_at(&mut self.file, at + 16, content)
            .and_then(|()| write_at(&mut self.file, at, &head.concat()))
            .map_err(|source| self.system(source))?;
        if self.num_records == 0 {
            // From here on it is worth keeping.
            pending::end(&self.name, || ());
        }
        self.num_records += 1;
        self.end = at + 16 + content.len() as u64;
        Ok(())
    }

    pub(crate) fn name(&self) -> &Path {
        &self.name
    }

    /// How many records were read or added.
    pub(crate) fn num_records(&self) -> usize {
        self.num_records
    }

    /// Removes the file.
    pub(crate) fn remove(self) -> Result<(), PartError> {
        let Self { name, file, .. } = self;
        // Some systems do not remove a file that is still open.
        drop(file);
        pending::end(&name, || fs::remove_file(&name))
            .map_err(|source| PartError::System { file: name, source })
    }

    fn open(name: &Path) -> Result<Self, PartError> {
        let file = input::open_or_create(name).map_err(|source| PartError::System {
            file: name.to_owned(),
            source,
        })?;
        // Not all file systems have locks: only a lock of another is a reason.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(PartError::Unusable {
                file: name.to_owned(),
                problem: "another run is writing it: wait for its end, or give another name to -o",
            });
        }
        Ok(Self {
            name: name.to_owned(),
            file,
            num_records: 0,
            end: HEADER_BYTES,
        })
    }

    fn unusable(&self, problem: &'static str) -> PartError {
        PartError::Unusable {
            file: self.name.clone(),
            problem,
        }
    }

    fn system(&self, source: io::Error) -> PartError {
        PartError::System {
            file: self.name.clone(),
            source,
        }
    }
}

fn header(kind: &Kind, digest: [u8; 16]) -> Vec<u8> {
    [&kind.magic[..], &digest].concat()
}

fn checksum(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}
