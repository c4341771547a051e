//! The part file of a coverage of surfaces: what is finished of every Tx, so that a run may stop and go on.
//!
//! A [`RecordFile`] with a record a Tx, in their order: the fields of all tiles, how much may be missing, and the rows of its rays if they
//! were asked for.

use std::path::Path;

use super::record::FinishedTx;
use crate::coverage::PartError;
use crate::record_file::{Kind, RecordFile};

const KIND: Kind = Kind {
    magic: *b"keller surfaces\x02",
    is_other: "this is no part file of surfaces: remove it, or give another name to -o",
    is_same_run: "finished Tx of this very coverage: go on with --resume, or remove the file to begin anew",
    is_other_run: "finished Tx of another scenario, scene or version of keller: take back the change and go on with --resume, remove the file, or give another name to -o",
    cannot_resume: "what is finished here is of another scenario, scene or version of keller, or is no part file of surfaces: take back the change, or remove the file to begin anew",
};

/// A part file. It stays until it is removed.
#[derive(Debug)]
pub struct SurfacePart(RecordFile);

impl SurfacePart {
    /// A new part file, in place of one in which nothing is finished either.
    ///
    /// # Errors
    /// [`PartError`], also for a file that something is finished in, of this or of another run, and for what is no part file at all.
    pub fn create(name: &Path, digest: [u8; 16]) -> Result<Self, PartError> {
        RecordFile::create(name, &KIND, digest).map(Self)
    }

    /// The part file of a run that stopped, and what it had finished: Tx after Tx, from the first.
    ///
    /// # Errors
    /// [`PartError`], also for the part file of another scenario or scene.
    pub fn resume(name: &Path, digest: [u8; 16]) -> Result<(Self, Vec<FinishedTx>), PartError> {
        let mut file = RecordFile::resume(name, &KIND, digest)?;
        let mut finished = Vec::new();
        while let Some(tx) = file.next(FinishedTx::from_bytes)? {
            finished.push(tx);
        }
        file.cut()?;
        Ok((Self(file), finished))
    }

    /// Its name.
    pub fn name(&self) -> &Path {
        self.0.name()
    }

    /// Of how many Tx it has all.
    pub fn num_done(&self) -> usize {
        self.0.num_records()
    }

    /// Adds the next Tx.
    ///
    /// # Errors
    /// [`PartError::System`]
    pub fn put(&mut self, finished: &FinishedTx) -> Result<(), PartError> {
        self.0.put(&finished.to_bytes())
    }

    /// Removes the file.
    ///
    /// # Errors
    /// [`PartError::System`]
    pub fn remove(self) -> Result<(), PartError> {
        self.0.remove()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};

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
            omitted_gain: 1e-13,
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
                unfollowed_power: 1e-4 * number,
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
        // Killed halfway through the third.
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
