//! Reads and writes the files of a store.

use std::io;
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_128;

use super::place::{LocalFile, Place, is_temporary};
use super::plan::FORMAT;
use super::records::{self, Begin};
use super::{Part, Plan, StoreError};
use crate::formats::VERSION;

/// The kind of container of a unit's file.
const UNIT: records::Kind = *b"unit    ";

const PLAN: &str = "plan.json";

/// A store with a plan.
#[derive(Debug, Clone)]
pub struct BatchStore {
    /// The name, as it was given.
    name: PathBuf,
    place: Place,
    plan: Plan,
}

/// The contents of the folder of units.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finished {
    /// Whether the file of each unit is there.
    pub units: Vec<bool>,
    /// The size of all these files, bytes.
    pub num_bytes: u64,
    /// The temporary files of workers that still write or were killed.
    pub temporary: Vec<String>,
}

impl Finished {
    /// The number of units that are there.
    pub fn count(&self) -> usize {
        self.units.iter().filter(|is| **is).count()
    }

    /// The numbers of the units that are missing.
    pub fn missing(&self) -> Vec<usize> {
        let numbered = self.units.iter().enumerate();
        numbered.filter(|(_, is)| !**is).map(|(k, _)| k).collect()
    }
}

impl BatchStore {
    /// Creates a store for `plan` in the folder `name`, which is made if need be; or opens the store that is there, if
    /// its plan is the same. With the feature `object-storage`, `s3://BUCKET/FOLDER` is a folder too.
    ///
    /// # Errors
    /// [`StoreError`], also for a store with another plan.
    ///
    /// # Panics
    /// If the scenario has a name that is not UTF-8.
    pub fn create(name: &Path, plan: Plan) -> Result<Self, StoreError> {
        let text = serde_json::to_vec_pretty(&plan).expect("names are UTF-8");
        let store = Self {
            name: name.to_owned(),
            place: Place::new(name)?,
            plan,
        };
        let system = |source| StoreError::System {
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
        Err(StoreError::refused(
            name.join(PLAN),
            format!(
                "this is the plan of another batch, of {}, or of an earlier state of it: give another name to -o, or remove {}",
                found.plan.scenario.display(),
                name.display()
            ),
        ))
    }

    /// Opens the store in the folder `name`.
    ///
    /// # Errors
    /// [`StoreError`], also for a store of another version of keller.
    pub fn open(name: &Path) -> Result<Self, StoreError> {
        let place = Place::new(name)?;
        let file = name.join(PLAN);
        let read = place.read(PLAN).map_err(|source| StoreError::System {
            file: file.clone(),
            source,
        })?;
        let Some(text) = read else {
            return Err(StoreError::refused(
                name,
                "this is no store of a batch: it has no plan.json, which `keller batch plan` writes",
            ));
        };
        let damaged = |problem: &dyn std::fmt::Display| {
            let problem = format!(
                "this plan is damaged: {problem}; remove it, and plan again: units of the same plan are kept"
            );
            StoreError::refused(&file, problem)
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
            return Err(StoreError::refused(file, problem));
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
    /// [`StoreError::System`]
    pub fn scene(&self) -> Result<Option<LocalFile>, StoreError> {
        let name = self.scene_name();
        self.place
            .local(&name)
            .map_err(|source| self.system(&name, source))
    }

    /// Keeps the prepared scene, which `write` writes to a file, unless it is there.
    ///
    /// # Errors
    /// [`StoreError::System`]
    pub fn put_scene(&self, write: &dyn Fn(&Path) -> io::Result<()>) -> Result<(), StoreError> {
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
    /// [`StoreError::System`]
    pub fn finished(&self) -> Result<Finished, StoreError> {
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
                *is_there = entry.num_bytes >= records::HEADER_BYTES;
                finished.num_bytes += entry.num_bytes;
            }
        }
        Ok(finished)
    }

    /// Whether the file of a unit is there.
    ///
    /// # Errors
    /// [`StoreError::System`]
    pub fn has(&self, number: usize) -> Result<bool, StoreError> {
        let name = self.unit(number);
        let found = self.place.num_bytes(&name);
        let found = found.map_err(|source| self.system(&name, source))?;
        Ok(found.is_some_and(|num_bytes| num_bytes >= records::HEADER_BYTES))
    }

    /// Keeps a unit: all of its [parts](super::Unit::consists_of), in order, each with its result.
    ///
    /// # Errors
    /// [`StoreError::System`]
    ///
    /// # Panics
    /// If the plan has no such unit.
    pub fn put(&self, number: usize, parts: &[Part]) -> Result<(), StoreError> {
        let mut bytes = records::header(UNIT, self.digest(number), &[]);
        for (part, payload) in parts {
            bytes.extend(records::record(part, payload));
            bytes.extend_from_slice(payload);
        }
        bytes.extend(records::end(parts.len()));
        let name = self.unit(number);
        let put = self.place.write(&name, &bytes);
        put.map_err(|source| self.system(&name, source))
    }

    /// The parts of a unit; `None` if there are none, or they are damaged.
    ///
    /// # Errors
    /// [`StoreError::System`]
    ///
    /// # Panics
    /// If the plan has no such unit.
    pub fn get(&self, number: usize) -> Result<Option<Vec<Part>>, StoreError> {
        let name = self.unit(number);
        let read = self.place.read(&name);
        let Some(bytes) = read.map_err(|source| self.system(&name, source))? else {
            return Ok(None);
        };
        let parts = parts(&bytes, self.digest(number));
        let parts = parts.map_err(|source| self.system(&name, source))?;
        let unit = &self.plan.units[number];
        Ok(parts.filter(|parts| unit.consists_of(parts.iter().map(|(part, _)| part))))
    }

    /// The digest to which the file of a unit is bound: of its plan and its number.
    fn digest(&self, number: usize) -> [u8; 16] {
        let bound = format!("{} {number}", self.plan.hash);
        XxHash3_128::oneshot(bound.as_bytes()).to_le_bytes()
    }

    /// Removes a unit, so that it is computed again.
    ///
    /// # Errors
    /// [`StoreError::System`]
    pub fn remove(&self, number: usize) -> Result<(), StoreError> {
        self.remove_file(&unit_name(number))
    }

    /// Removes one of the [temporary files](Finished::temporary).
    ///
    /// # Errors
    /// [`StoreError::System`]
    pub fn remove_temporary(&self, name: &str) -> Result<(), StoreError> {
        self.remove_file(name)
    }

    /// Removes a file among the units. It may be gone already.
    fn remove_file(&self, name: &str) -> Result<(), StoreError> {
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

    fn system(&self, name: &str, source: io::Error) -> StoreError {
        StoreError::System {
            file: self.name.join(name),
            source,
        }
    }
}

fn unit_name(number: usize) -> String {
    format!("{number:06}.unit")
}

/// The parts in the file of a unit, if all of it is there.
fn parts(bytes: &[u8], digest: [u8; 16]) -> io::Result<Option<Vec<Part>>> {
    let read = &mut records::reader(bytes);
    let wanted = Begin::Container {
        kind: UNIT,
        digest,
        head: Vec::new(),
    };
    if records::begin(read)? != wanted {
        return Ok(None);
    }
    let scanned = records::scan(records::HEADER_BYTES, read)?;
    if !scanned.marks.is_ended || scanned.is_damaged {
        return Ok(None);
    }
    let part = |record: records::Record| {
        let payload = records::in_memory(bytes, record.at, record.length);
        (record.unit, payload.to_vec())
    };
    Ok(Some(scanned.records.into_iter().map(part).collect()))
}
