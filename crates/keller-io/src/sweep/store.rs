//! Reads and writes the files of a store.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_128;

use super::folder::{self, TEMPORARY};
use super::plan::FORMAT;
use super::{Plan, SweepError, UnitResult};
use crate::table::VERSION;

const MAGIC: &[u8; 16] = b"keller unit    \x01";

/// Magic, the number of the unit, the number of bytes that follow, their checksum.
const HEADER_BYTES: usize = 48;

const PLAN: &str = "plan.json";

/// A store with a plan.
#[derive(Debug, Clone)]
pub struct SweepStore {
    place: PathBuf,
    plan: Plan,
}

/// What is in the folder of units.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finished {
    /// Of each unit, whether its file is there.
    pub units: Vec<bool>,
    /// Bytes of all these files.
    pub num_bytes: u64,
    /// Temporary files, of workers that still write or were killed.
    pub temporary: Vec<PathBuf>,
}

impl Finished {
    /// How many units are there.
    pub fn count(&self) -> usize {
        self.units.iter().filter(|is| **is).count()
    }

    /// The numbers of the units that are missing.
    pub fn missing(&self) -> Vec<usize> {
        let numbered = self.units.iter().enumerate();
        numbered.filter(|(_, is)| !**is).map(|(k, _)| k).collect()
    }
}

impl SweepStore {
    /// A store for `plan` in the folder `place`, which is made if need be; or the store that is there, if its plan is the
    /// same.
    ///
    /// # Errors
    /// [`SweepError`], also for a store with another plan.
    ///
    /// # Panics
    /// If the scenario has a name that is not UTF-8.
    pub fn create(place: &Path, plan: Plan) -> Result<Self, SweepError> {
        let file = place.join(PLAN);
        let system = |source| SweepError::System {
            file: file.clone(),
            source,
        };
        let text = serde_json::to_vec_pretty(&plan).expect("names are UTF-8");
        let store = Self {
            place: place.to_owned(),
            plan,
        };
        fs::create_dir_all(store.units()).map_err(|source| SweepError::System {
            file: place.to_owned(),
            source,
        })?;
        if folder::create(&file, &text).map_err(system)? {
            return Ok(store);
        }
        let found = Self::open(place)?;
        if found.plan.hash == store.plan.hash {
            return Ok(found);
        }
        Err(SweepError::refused(
            file,
            format!(
                "this is the plan of another sweep, of {}, or of an earlier state of it: give another name to -o, or remove {}",
                found.plan.scenario.display(),
                place.display()
            ),
        ))
    }

    /// The store in the folder `place`.
    ///
    /// # Errors
    /// [`SweepError`], also for a store of another version of keller.
    pub fn open(place: &Path) -> Result<Self, SweepError> {
        let file = place.join(PLAN);
        let text = fs::read(&file).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => SweepError::refused(
                place,
                "this is no store of a sweep: it has no plan.json, which `keller sweep plan` writes",
            ),
            _ => SweepError::System {
                file: file.clone(),
                source,
            },
        })?;
        let damaged = |problem: &dyn std::fmt::Display| {
            let problem = format!(
                "this plan is damaged: {problem}; remove it, and plan again: units of the same plan are kept"
            );
            SweepError::refused(&file, problem)
        };
        // Other versions may have other keys.
        let value: serde_json::Value =
            serde_json::from_slice(&text).map_err(|error| damaged(&error))?;
        let (format, keller) = (&value["format"], &value["keller"]);
        if format.as_u64() != Some(FORMAT.into()) || keller.as_str() != Some(VERSION) {
            let problem = format!(
                "this plan is of keller {}, format {format}, and this is keller {VERSION}, format {FORMAT}: run that version, or plan again in another store",
                keller.as_str().unwrap_or("unknown"),
            );
            return Err(SweepError::refused(file, problem));
        }
        let plan = serde_json::from_value(value).map_err(|error| damaged(&error))?;
        Ok(Self {
            place: place.to_owned(),
            plan,
        })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The folder.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// The file of the prepared scene.
    pub fn scene(&self) -> PathBuf {
        self.place.join(format!("scene-{}.keller", self.plan.hash))
    }

    /// The units that are there.
    ///
    /// # Errors
    /// [`SweepError::System`]
    pub fn finished(&self) -> Result<Finished, SweepError> {
        let folder = self.units();
        let entries = folder::entries(&folder).map_err(|source| SweepError::System {
            file: folder.clone(),
            source,
        })?;
        let mut finished = Finished {
            units: vec![false; self.plan.units.len()],
            ..Finished::default()
        };
        for entry in entries {
            if entry.name.ends_with(TEMPORARY) {
                finished.temporary.push(folder.join(entry.name));
                continue;
            }
            let number = entry
                .name
                .strip_suffix(".unit")
                .and_then(|n| n.parse().ok());
            let number = number.filter(|number: &usize| self.unit(*number).ends_with(&entry.name));
            if let Some(is_there) = number.and_then(|number| finished.units.get_mut(number)) {
                // A file system that lost power may have kept the name alone.
                *is_there = entry.num_bytes >= HEADER_BYTES as u64;
                finished.num_bytes += entry.num_bytes;
            }
        }
        Ok(finished)
    }

    /// Whether the file of a unit is there.
    pub fn has(&self, number: usize) -> bool {
        fs::metadata(self.unit(number)).is_ok_and(|about| about.len() >= HEADER_BYTES as u64)
    }

    /// Keeps the result of a unit.
    ///
    /// # Errors
    /// [`SweepError::System`]
    pub fn put(&self, number: usize, result: &UnitResult) -> Result<(), SweepError> {
        let content = result.bytes();
        let mut bytes = Vec::with_capacity(HEADER_BYTES + content.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&(number as u64).to_le_bytes());
        bytes.extend_from_slice(&(content.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&XxHash3_128::oneshot(&content).to_le_bytes());
        bytes.extend_from_slice(&content);
        let file = self.unit(number);
        folder::write(&file, &bytes).map_err(|source| SweepError::System { file, source })
    }

    /// The result of a unit; `None` if there is none, or it is damaged.
    ///
    /// # Errors
    /// [`SweepError::System`]
    ///
    /// # Panics
    /// If the plan has no such unit.
    pub fn get(&self, number: usize) -> Result<Option<UnitResult>, SweepError> {
        let file = self.unit(number);
        let bytes = match fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(SweepError::System { file, source }),
        };
        let content = content(&bytes, number);
        let (work, unit) = (self.plan.work, &self.plan.units[number]);
        Ok(content.and_then(|content| UnitResult::parse(content, work, unit)))
    }

    /// Removes a unit, so that it is computed again.
    ///
    /// # Errors
    /// [`SweepError::System`]
    pub fn remove(&self, number: usize) -> Result<(), SweepError> {
        let file = self.unit(number);
        fs::remove_file(&file).map_err(|source| SweepError::System { file, source })
    }

    /// The file of a unit.
    pub fn unit(&self, number: usize) -> PathBuf {
        self.units().join(format!("{number:06}.unit"))
    }

    fn units(&self) -> PathBuf {
        self.place.join(format!("units-{}", self.plan.hash))
    }
}

/// What follows the header, if it is the unit's and whole.
fn content(bytes: &[u8], number: usize) -> Option<&[u8]> {
    let (header, content) = bytes.split_at_checked(HEADER_BYTES)?;
    let wanted = [
        &MAGIC[..],
        &(number as u64).to_le_bytes(),
        &(content.len() as u64).to_le_bytes(),
        &XxHash3_128::oneshot(content).to_le_bytes(),
    ];
    (header == wanted.concat()).then_some(content)
}
