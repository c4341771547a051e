//! The finished units of one run: in memory, or in a file from which a stopped run resumes.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use keller_geo::input;

use super::records::{self, Begin, Kind, Record};
use super::{StoreError, Unit};
use crate::formats::pending;
use crate::formats::random_access::{read_up_to, write_at};

/// The kind of container of a run that may stop and go on.
const RUN: Kind = *b"run     ";

/// Finished units, or their [beginnings](Unit::begins_with). Units of one store have the same family.
#[derive(Debug)]
pub struct UnitStore {
    place: Place,
    records: Vec<Record>,
    /// The numbers of records by region, first Tx and begin of the range.
    by_start: HashMap<Start, usize>,
    num_items: usize,
}

type Start = (usize, Option<usize>, usize);

#[derive(Debug)]
enum Place {
    Memory(Vec<Vec<u8>>),
    File {
        name: PathBuf,
        file: Mutex<File>,
        end: u64,
    },
}

/// The place of bytes in the file after the units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beside {
    at: u64,
    length: u64,
}

impl UnitStore {
    /// An empty store in memory.
    pub fn in_memory() -> Self {
        Self::new(Place::Memory(Vec::new()))
    }

    /// Creates a new file of a run with this digest, in place of one in which nothing is finished either.
    ///
    /// # Errors
    /// [`StoreError`], also for a file in which something is finished, of this or of another run, and for a file that
    /// belongs to no run.
    pub fn create(name: &Path, digest: [u8; 16]) -> Result<Self, StoreError> {
        let file = lock(name)?;
        let mut store = Self::of_file(name, file);
        let header = records::header(RUN, digest, &[]);
        let begun = store.read(|read| {
            let begin = records::begin(read)?;
            let length = header.len() as u64;
            Ok((begin, !read(length, 1)?.is_empty()))
        });
        let problem = match begun.map_err(|source| store.system(source))? {
            (Begin::Empty, _) | (Begin::Container { kind: RUN, .. }, false) => None,
            (
                Begin::Container {
                    kind: RUN,
                    digest: of,
                    ..
                },
                true,
            ) if of == digest => Some(
                "finished work of this very run: go on with --resume, or remove the file to begin anew",
            ),
            (Begin::Container { kind: RUN, .. }, true) => Some(
                "finished work of another command, scenario, scene or version of keller: take back the change and go on with --resume, remove the file, or give another name to -o",
            ),
            _ => Some(
                "this is no part file of this keller, or its beginning is lost: remove it, or give another name to -o",
            ),
        };
        if let Some(problem) = problem {
            return Err(StoreError::refused(name, problem));
        }
        let written = store.begin(&header);
        written.map_err(|source| store.system(source))?;
        pending::begin(name);
        Ok(store)
    }

    /// Opens the file of a run with this digest that stopped. Units that are torn or changed count as missing.
    ///
    /// # Errors
    /// [`StoreError`], also for the file of another run.
    pub fn resume(name: &Path, digest: [u8; 16]) -> Result<Self, StoreError> {
        let mut store = Self::of_file(name, lock(name)?);
        let begin = store.read(records::begin);
        match begin.map_err(|source| store.system(source))? {
            Begin::Container {
                kind: RUN,
                digest: of,
                ..
            } if of == digest => {}
            Begin::Container { kind: RUN, .. } => {
                let problem = "what is finished here is of another command, scenario, scene or version of keller: take back the change, or remove the file to begin anew";
                return Err(StoreError::refused(name, problem));
            }
            _ => {
                let problem = "this is no part file of this keller, or its beginning is lost: go on with the version that wrote it, or remove it to begin anew";
                return Err(StoreError::refused(name, problem));
            }
        }
        let scanned = store.read(|read| records::scan(records::HEADER_BYTES, read));
        let scanned = scanned.map_err(|source| store.system(source))?;
        store.cut(scanned.marks.end)?;
        scanned
            .records
            .into_iter()
            .for_each(|record| store.add(record));
        Ok(store)
    }

    /// Opens a whole container of this kind for reading, with its head.
    pub(crate) fn open(name: &Path, kind: Kind) -> Result<(Self, Vec<u8>), Unreadable> {
        let system = |source| {
            Unreadable::System(StoreError::System {
                file: name.to_owned(),
                source,
            })
        };
        let mut store = Self::of_file(name, input::open(name).map_err(system)?);
        let head = match store.read(records::begin).map_err(system)? {
            Begin::Container { kind: of, head, .. } if of == kind => head,
            Begin::Container { .. } | Begin::Other => return Err(Unreadable::Other),
            Begin::Empty | Begin::Cut => return Err(Unreadable::Cut),
            Begin::Damaged => return Err(Unreadable::Damaged),
        };
        let from = records::HEADER_BYTES + head.len() as u64;
        let scanned = store
            .read(|read| records::scan(from, read))
            .map_err(system)?;
        if scanned.is_damaged {
            return Err(Unreadable::Damaged);
        } else if !scanned.marks.is_ended {
            return Err(if scanned.marks.is_torn {
                Unreadable::Cut
            } else {
                Unreadable::Damaged
            });
        }
        scanned
            .records
            .into_iter()
            .for_each(|record| store.add(record));
        Ok((store, head))
    }

    fn of_file(name: &Path, file: File) -> Self {
        Self::new(Place::File {
            name: name.to_owned(),
            file: Mutex::new(file),
            end: records::HEADER_BYTES,
        })
    }

    fn new(place: Place) -> Self {
        Self {
            place,
            records: Vec::new(),
            by_start: HashMap::new(),
            num_items: 0,
        }
    }

    /// Adds a unit with its result.
    ///
    /// # Errors
    /// [`StoreError::System`]
    pub fn put(&mut self, unit: Unit, payload: Vec<u8>) -> Result<(), StoreError> {
        let record = match &mut self.place {
            Place::Memory(all) => {
                let length = payload.len() as u64;
                all.push(payload);
                Record {
                    unit,
                    at: 0,
                    length,
                }
            }
            Place::File { name, file, end } => {
                let file = file.get_mut().unwrap_or_else(PoisonError::into_inner);
                let record = records::put(file, *end, unit, &payload).map_err(|source| {
                    StoreError::System {
                        file: name.clone(),
                        source,
                    }
                })?;
                *end = record.end();
                if self.records.is_empty() {
                    // The file is worth keeping from here on.
                    pending::end(name, || ());
                }
                record
            }
        };
        self.add(record);
        Ok(())
    }

    fn add(&mut self, record: Record) {
        self.num_items += record.unit.num_items();
        let number = self.records.len();
        if let Some(of_before) = self.by_start.insert(start(&record.unit), number) {
            self.num_items -= self.records[of_before].unit.num_items();
        }
        self.records.push(record);
    }

    /// The number of the record with the beginning of a unit, or all of it.
    pub fn beginning_of(&self, unit: &Unit) -> Option<usize> {
        let found = self.by_start.get(&start(unit)).copied()?;
        unit.begins_with(self.unit(found)).then_some(found)
    }

    /// The unit up to the first part of its rest that is there already.
    #[must_use]
    pub fn before_next(&self, mut unit: Unit) -> Unit {
        let (region, tx, first) = start(&unit);
        let of_same = self
            .by_start
            .keys()
            .filter(|key| (key.0, key.1) == (region, tx));
        let next = of_same.map(|key| key.2).filter(|at| *at > first).min();
        unit.range.end = next.map_or(unit.range.end, |next| next.min(unit.range.end));
        unit
    }

    /// Makes a record count as missing from now on: its content is invalid.
    pub fn forget(&mut self, number: usize) {
        let unit = self.unit(number).clone();
        self.by_start.remove(&start(&unit));
        self.num_items -= unit.num_items();
    }

    /// The unit of a record.
    ///
    /// # Panics
    /// If there is no such record.
    pub fn unit(&self, number: usize) -> &Unit {
        &self.records[number].unit
    }

    /// The result of the unit of a record.
    ///
    /// # Errors
    /// [`StoreError::System`]
    ///
    /// # Panics
    /// If there is no such record.
    pub fn payload(&self, number: usize) -> Result<Vec<u8>, StoreError> {
        let mut bytes = Vec::new();
        self.bytes(number, 0, self.records[number].length, &mut bytes)
            .map_err(|source| self.system(source))?;
        Ok(bytes)
    }

    /// Makes `bytes` some of the payload of a record.
    pub(crate) fn bytes(
        &self,
        number: usize,
        at: u64,
        count: u64,
        bytes: &mut Vec<u8>,
    ) -> io::Result<()> {
        bytes.clear();
        if let Place::Memory(all) = &self.place {
            bytes.extend_from_slice(records::in_memory(&all[number], at, count));
            return Ok(());
        }
        let place = Beside {
            at: self.records[number].at + at,
            length: count,
        };
        *bytes = self.beside(place)?;
        Ok(())
    }

    /// Records in use, with their numbers.
    pub fn units(&self) -> impl Iterator<Item = (usize, &Unit)> {
        self.by_start
            .values()
            .map(|number| (*number, self.unit(*number)))
    }

    /// Puts bytes into the file `done` bytes after the units, where no record is looked for; nowhere in memory. Nothing
    /// may be put after that.
    pub(crate) fn put_beside(&self, done: u64, bytes: &[u8]) -> io::Result<Option<Beside>> {
        let Place::File { file, end, .. } = &self.place else {
            return Ok(None);
        };
        let at = *end + done;
        write_at(&mut locked(file), at, bytes)?;
        let length = bytes.len() as u64;
        Ok(Some(Beside { at, length }))
    }

    /// The bytes that [`Self::put_beside`] put at a place.
    pub(crate) fn beside(&self, place: Beside) -> io::Result<Vec<u8>> {
        let Place::File { name, file, .. } = &self.place else {
            return Ok(Vec::new());
        };
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", name.display()));
        let bytes = read_up_to(&mut locked(file), place.at, place.length).map_err(named)?;
        if (bytes.len() as u64) < place.length {
            return Err(named(io::Error::other("it has become shorter")));
        }
        Ok(bytes)
    }

    /// The file.
    pub fn name(&self) -> Option<&Path> {
        match &self.place {
            Place::Memory(_) => None,
            Place::File { name, .. } => Some(name),
        }
    }

    /// The number of items that are there, each with each Tx.
    pub fn num_items(&self) -> usize {
        self.num_items
    }

    /// The length of a file with so many bytes of payload in so many units, each of so many Tx.
    pub fn num_bytes(payload: u64, num_units: u64, num_tx: u64) -> u64 {
        /// The size of the beginning of a record, without the numbers of Tx.
        const RECORD: u64 = 56;
        let of_units = num_units.saturating_mul(RECORD + 8 * num_tx);
        records::HEADER_BYTES
            .saturating_add(payload)
            .saturating_add(of_units)
    }

    /// Removes the file.
    ///
    /// # Errors
    /// [`StoreError::System`]
    pub fn remove(self) -> Result<(), StoreError> {
        let Place::File { name, file, .. } = self.place else {
            return Ok(());
        };
        // Some systems do not remove a file that is still open.
        drop(file);
        pending::end(&name, || fs::remove_file(&name))
            .map_err(|source| StoreError::System { file: name, source })
    }

    fn begin(&mut self, header: &[u8]) -> io::Result<()> {
        let Place::File { file, .. } = &mut self.place else {
            return Ok(());
        };
        let file = file.get_mut().unwrap_or_else(PoisonError::into_inner);
        file.set_len(0)?;
        write_at(file, 0, header)
    }

    /// Drops everything after the records.
    fn cut(&mut self, at: u64) -> Result<(), StoreError> {
        let Place::File { name, file, end } = &mut self.place else {
            return Ok(());
        };
        *end = at;
        locked(file)
            .set_len(at)
            .map_err(|source| StoreError::System {
                file: name.clone(),
                source,
            })
    }

    fn read<T>(&self, all: impl FnOnce(records::Read) -> io::Result<T>) -> io::Result<T> {
        let Place::File { file, .. } = &self.place else {
            return all(&mut |_, _| Ok(Vec::new()));
        };
        let mut file = locked(file);
        all(&mut |at, count| read_up_to(&mut file, at, count))
    }

    fn system(&self, source: io::Error) -> StoreError {
        StoreError::System {
            file: self.name().unwrap_or(Path::new("memory")).to_owned(),
            source,
        }
    }
}

/// The reason why a container cannot be read.
#[derive(Debug)]
pub(crate) enum Unreadable {
    System(StoreError),
    /// The file is something else.
    Other,
    /// The file is cut before its end.
    Cut,
    /// Bytes of the file have changed.
    Damaged,
}

fn start(unit: &Unit) -> Start {
    (unit.region, unit.tx.first().copied(), unit.range.start)
}

/// Opens a file that no other run writes.
fn lock(name: &Path) -> Result<File, StoreError> {
    let file = input::open_or_create(name).map_err(|source| StoreError::System {
        file: name.to_owned(),
        source,
    })?;
    // Not all file systems have locks: only a lock of another run is a reason.
    if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        return Err(StoreError::refused(
            name,
            "another run is writing it: wait for its end, or give another name to -o",
        ));
    }
    Ok(file)
}

/// A thread that panicked left a place in the file, and every user seeks first.
fn locked(file: &Mutex<File>) -> MutexGuard<'_, File> {
    file.lock().unwrap_or_else(PoisonError::into_inner)
}
