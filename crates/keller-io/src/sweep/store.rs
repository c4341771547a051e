//! Reads and writes the files of a store.

use std::io;
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_128;

use super::place::{LocalFile, Place, is_temporary};
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
    /// As it was given.
    name: PathBuf,
    place: Place,
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
    pub temporary: Vec<String>,
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
    /// A store for `plan` in the folder `name`, which is made if need be; or the store that is there, if its plan is the
    /// same. With the feature `object-storage`, `s3://BUCKET/FOLDER` is a folder too.
    ///
    /// # Errors
    /// [`SweepError`], also for a store with another plan.
    ///
    /// # Panics
    /// If the scenario has a name that is not UTF-8.
    pub fn create(name: &Path, plan: Plan) -> Result<Self, SweepError> {
        let text = serde_json::to_vec_pretty(&plan).expect("names are UTF-8");
        let store = Self {
            name: name.to_owned(),
            place: Place::new(name)?,
            plan,
        };
        let system = |source| SweepError::System {
            file: name.to_owned(),
            source,
        };
        store.place.create_folder("").map_err(system)?;
        let created = store.place.create(PLAN, &text);
        let is_new = created.map_err(|source| store.system(PLAN, source))?;
        let found = if is_new {
            store.clone()
        } else {
            Self::open(name)?
        };
        if found.plan.hash == store.plan.hash {
            // Workers find a plan before its folder, and make that as well.
            store.place.create_folder(&store.units()).map_err(system)?;
            return Ok(found);
        }
        Err(SweepError::refused(
            name.join(PLAN),
            format!(
                "this is the plan of another sweep, of {}, or of an earlier state of it: give another name to -o, or remove {}",
                found.plan.scenario.display(),
                name.display()
            ),
        ))
    }

    /// The store in the folder `name`.
    ///
    /// # Errors
    /// [`SweepError`], also for a store of another version of keller.
    pub fn open(name: &Path) -> Result<Self, SweepError> {
        let place = Place::new(name)?;
        let file = name.join(PLAN);
        let read = place.read(PLAN).map_err(|source| SweepError::System {
            file: file.clone(),
            source,
        })?;
        let Some(text) = read else {
            return Err(SweepError::refused(
                name,
                "this is no store of a sweep: it has no plan.json, which `keller sweep plan` writes",
            ));
        };
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
        let plan: Plan = serde_json::from_value(value).map_err(|error| damaged(&error))?;
        plan.check().map_err(|problem| damaged(&problem))?;
        Ok(Self {
            name: name.to_owned(),
            place,
            plan,
        })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Its name, as it was given.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// The file of the prepared scene; `None` if there is none.
    ///
    /// # Errors
    /// [`SweepError::System`]
    pub fn scene(&self) -> Result<Option<LocalFile>, SweepError> {
        let name = self.scene_name();
        self.place
            .local(&name)
            .map_err(|source| self.system(&name, source))
    }

    /// Keeps the prepared scene, which `write` writes to a file, unless it is there.
    ///
    /// # Errors
    /// [`SweepError::System`]
    pub fn put_scene(&self, write: &dyn Fn(&Path) -> io::Result<()>) -> Result<(), SweepError> {
        let name = self.scene_name();
        let put = match self.place.num_bytes(&name) {
            Ok(Some(_)) => Ok(()),
            Ok(None) => self.place.write_local(&name, write),
            Err(error) => Err(error),
        };
        put.map_err(|source| self.system(&name, source))
    }

    fn scene_name(&self) -> String {
        format!("scene-{}.keller", self.plan.hash)
    }

    /// The units that are there.
    ///
    /// # Errors
    /// [`SweepError::System`]
    pub fn finished(&self) -> Result<Finished, SweepError> {
        let folder = self.units();
        let entries = self.place.entries(&folder);
        let entries = entries.map_err(|source| self.system(&folder, source))?;
        let mut finished = Finished {
            units: vec![false; self.plan.units.len()],
            ..Finished::default()
        };
        for entry in entries {
            if is_temporary(&entry.name) {
                finished.temporary.push(entry.name);
                continue;
            }
            let number = entry
                .name
                .strip_suffix(".unit")
                .and_then(|n| n.parse().ok());
            let number = number.filter(|number| unit_name(*number) == entry.name);
            if let Some(is_there) = number.and_then(|number| finished.units.get_mut(number)) {
                // A file system that lost power may have kept the name alone.
                *is_there = entry.num_bytes >= HEADER_BYTES as u64;
                finished.num_bytes += entry.num_bytes;
            }
        }
        Ok(finished)
    }

    /// Whether the file of a unit is there.
    ///
    /// # Errors
    /// [`SweepError::System`]
    pub fn has(&self, number: usize) -> Result<bool, SweepError> {
        let name = self.unit(number);
        let found = self.place.num_bytes(&name);
        let found = found.map_err(|source| self.system(&name, source))?;
        Ok(found.is_some_and(|num_bytes| num_bytes >= HEADER_BYTES as u64))
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
        let name = self.unit(number);
        let put = self.place.write(&name, &bytes);
        put.map_err(|source| self.system(&name, source))
    }

    /// The result of a unit; `None` if there is none, or it is damaged.
    ///
    /// # Errors
    /// [`SweepError::System`]
    ///
    /// # Panics
    /// If the plan has no such unit.
    pub fn get(&self, number: usize) -> Result<Option<UnitResult>, SweepError> {
        let name = self.unit(number);
        let read = self.place.read(&name);
        let Some(bytes) = read.map_err(|source| self.system(&name, source))? else {
            return Ok(None);
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
        self.remove_file(&unit_name(number))
    }

    /// Removes one of the [temporary files](Finished::temporary).
    ///
    /// # Errors
    /// [`SweepError::System`]
    pub fn remove_temporary(&self, name: &str) -> Result<(), SweepError> {
        self.remove_file(name)
    }

    /// Removes a file among the units. It may be gone already.
    fn remove_file(&self, name: &str) -> Result<(), SweepError> {
        let name = format!("{}/{name}", self.units());
        match self.place.remove(&name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(|source| self.system(&name, source)),
        }
    }

    fn unit(&self, number: usize) -> String {
        format!("{}/{}", self.units(), unit_name(number))
    }

    fn units(&self) -> String {
        format!("units-{}", self.plan.hash)
    }

    fn system(&self, name: &str, source: io::Error) -> SweepError {
        SweepError::System {
            file: self.name.join(name),
            source,
        }
    }
}

fn unit_name(number: usize) -> String {
    format!("{number:06}.unit")
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
