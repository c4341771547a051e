//! The part file of a coverage of surfaces: what is finished of every Tx, so that a run may stop and go on.
//!
//! A header with the fingerprint of all that the fields follow from; then a record a Tx, in their order: its length and checksum, the fields
//! of all tiles, how much may be missing, and the rows of its rays if they were asked for. A record that is torn does not agree with its
//! checksum; it and what follows count as missing. Little-endian throughout.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use super::record::{FinishedTx, Reader, Writer};
use crate::coverage::PartError;
use crate::pending;
use crate::random_access::{read_up_to, write_at};

const MAGIC: &[u8; 16] = b"keller surfaces\x01";
const HEADER_BYTES: u64 = 32;

/// A part file. It stays until it is removed.
#[derive(Debug)]
pub struct SurfacePart {
    name: PathBuf,
    file: File,
    num_done: usize,
    /// Where the next record goes.
    end: u64,
}

impl SurfacePart {
    /// A new part file, in place of one in which nothing is finished either.
    ///
    /// # Errors
    /// [`PartError`], also for a file that something is finished in, of this or of another run, and for what is no part file at all.
    pub fn create(name: &Path, fingerprint: [u8; 16]) -> Result<Self, PartError> {
        let mut part = Self::open(name)?;
        match part.begin(fingerprint) {
            Ok(None) => {
                pending::begin(name);
                Ok(part)
            }
            Ok(Some(problem)) => {
                let file = name.to_owned();
                Err(PartError::Unusable { file, problem })
            }
            Err(source) => Err(part.system(source)),
        }
    }

    /// Begins the file anew; says why not if that would lose something.
    fn begin(&mut self, fingerprint: [u8; 16]) -> io::Result<Option<&'static str>> {
        let header = header(fingerprint);
        let found = read_up_to(&mut self.file, 0, HEADER_BYTES + 1)?;
        if !MAGIC.starts_with(&found[..MAGIC.len().min(found.len())]) {
            return Ok(Some(
                "this is no part file of surfaces: remove it, or give another name to -o",
            ));
        }
        if found.len() > header.len() {
            return Ok(Some(if found.starts_with(&header) {
                "finished Tx of this very coverage: go on with --resume, or remove the file to begin anew"
            } else {
                "finished Tx of another scenario, scene or version of keller: take back the change and go on with --resume, remove the file, or give another name to -o"
            }));
        }
        self.file.set_len(0)?;
        write_at(&mut self.file, 0, &header)?;
        Ok(None)
    }

    /// The part file of a run that stopped, and what it had finished: Tx after Tx, from the first.
    ///
    /// # Errors
    /// [`PartError`], also for the part file of another scenario or scene.
    pub fn resume(
        name: &Path,
        fingerprint: [u8; 16],
    ) -> Result<(Self, Vec<FinishedTx>), PartError> {
        let mut part = Self::open(name)?;
        let found = read_up_to(&mut part.file, 0, HEADER_BYTES);
        if found.map_err(|source| part.system(source))? != header(fingerprint) {
            return Err(PartError::Unusable {
                file: name.to_owned(),
                problem: "what is finished here is of another scenario, scene or version of keller, or is no part file of surfaces: take back the change, or remove the file to begin anew",
            });
        }
        let mut finished = Vec::new();
        while let Some(tx) = part.record().map_err(|source| part.system(source))? {
            finished.push(tx);
            part.num_done += 1;
        }
        let end = part.end;
        let cut = part.file.set_len(end);
        cut.map_err(|source| part.system(source))?;
        Ok((part, finished))
    }

    /// Its name.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Of how many Tx it has all.
    pub fn num_done(&self) -> usize {
        self.num_done
    }

    /// Adds the next Tx.
    ///
    /// # Errors
    /// [`PartError::System`]
    pub fn put(&mut self, finished: &FinishedTx) -> Result<(), PartError> {
        let mut writer = Writer::default();
        writer.finished(finished);
        let content = writer.bytes();
        let head = [content.len() as u64, checksum(content)].map(u64::to_le_bytes);
        let at = self.end;
        // A record is there when its head is.
        write_at(&mut self.file, at + 16, content)
            .and_then(|()| write_at(&mut self.file, at, &head.concat()))
            .map_err(|source| self.system(source))?;
        if self.num_done == 0 {
            // From here on it is worth keeping.
            pending::end(&self.name, || ());
        }
        self.num_done += 1;
        self.end = at + 16 + content.len() as u64;
        Ok(())
    }

    /// Removes the file.
    ///
    /// # Errors
    /// [`PartError::System`]
    pub fn remove(self) -> Result<(), PartError> {
        let Self { name, file, .. } = self;
        // Some systems do not remove a file that is still open.
        drop(file);
        pending::end(&name, || fs::remove_file(&name))
            .map_err(|source| PartError::System { file: name, source })
    }

    fn open(name: &Path) -> Result<Self, PartError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(name).map_err(|source| PartError::System {
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
            num_done: 0,
            end: HEADER_BYTES,
        })
    }

    /// The record at the end of those read so far, if it is whole.
    fn record(&mut self) -> io::Result<Option<FinishedTx>> {
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
        let finished = Reader::new(&content).finished();
        if finished.is_some() {
            self.end += 16 + length;
        }
        Ok(finished)
    }

    fn system(&self, source: io::Error) -> PartError {
        PartError::System {
            file: self.name.clone(),
            source,
        }
    }
}

fn header(fingerprint: [u8; 16]) -> Vec<u8> {
    [&MAGIC[..], &fingerprint].concat()
}

fn checksum(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

#[cfg(test)]
mod tests {
    use keller::coverage::CellPaths;
    use keller::coverage::tiles::{Recall, StrongestPath, TileField};
    use keller::{Complex64, DVec3, Direction};

    use super::*;
    use crate::table::PathRow;
    use crate::table::RayRow;

    const RUN: [u8; 16] = [7; 16];

    fn finished(tx: u32) -> FinishedTx {
        let number = f64::from(tx);
        let strongest = StrongestPath {
            delay: 1e-7,
            arrival: Direction {
                zenith: 1.0,
                azimuth: -0.3,
            },
        };
        let field = TileField {
            path_gain: 1e-9 * number,
            paths: CellPaths {
                num_paths: tx,
                has_line_of_sight: true,
                ..CellPaths::default()
            },
            strongest: Some(strongest),
            mean_delay: Some(2e-7),
            ..TileField::default()
        };
        let path = PathRow {
            tx,
            types: "RD".to_owned(),
            points: vec![DVec3::new(1.0, 2.0, number), DVec3::ZERO],
            gain_db: f64::NEG_INFINITY,
            coefficient: [[Complex64::new(0.1, -0.2); 2]; 2],
            objects: vec![3, 14],
            ..PathRow::default()
        };
        FinishedTx {
            fields: vec![[field, TileField::default()]; 5],
            recall: Recall {
                reflections: Some(0.5),
                all_gain: number,
                ..Recall::default()
            },
            rays: vec![RayRow {
                side: "back",
                path,
                ..RayRow::default()
            }],
        }
    }

    #[test]
    fn what_is_finished_is_there_again_and_what_is_torn_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("a.npz.part");
        drop(SurfacePart::create(&name, [8; 16]).unwrap());
        let mut part = SurfacePart::create(&name, RUN).unwrap();
        part.put(&finished(0)).unwrap();
        part.put(&finished(1)).unwrap();
        drop(part);
        let length = fs::metadata(&name).unwrap().len();
        let (mut part, found) = SurfacePart::resume(&name, RUN).unwrap();
        assert_eq!(found, [finished(0), finished(1)]);
        part.put(&finished(2)).unwrap();
        drop(part);
        // Killed in the middle of the third.
        let file = OpenOptions::new().write(true).open(&name).unwrap();
        file.set_len(length + 50).unwrap();
        let (part, found) = SurfacePart::resume(&name, RUN).unwrap();
        assert_eq!((part.num_done(), found.len()), (2, 2));
        drop(part);
        for (run, told) in [(RUN, "this very coverage"), ([8; 16], "another scenario")] {
            let error = SurfacePart::create(&name, run).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
        assert!(SurfacePart::resume(&name, [8; 16]).is_err());
        fs::write(&name, "mine").unwrap();
        assert!(SurfacePart::create(&name, RUN).is_err());
        assert_eq!(fs::read_to_string(&name).unwrap(), "mine");
    }
}
