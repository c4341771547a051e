//! Files and folders under temporary names until they are whole, and their removal if a run does not end well.
//!
//! A temporary name is `.NAME.PID.tmp` in the folder of NAME. Its writer holds a lock on it, which the system releases
//! when the process is gone: so the next run that writes NAME recognises the file of a killed one, and removes it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// All outputs that this process has not finished.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes every output of this process that is not finished, for a program that ends without unwinding. From now on
/// none gets its name: a thread that wants to finish one waits for ever.
pub fn discard_unfinished() {
    // The caller may have been stopped while it held the list: then waiting for it would never end.
    for _ in 0..100 {
        let list = match UNFINISHED.try_lock() {
            Ok(list) => list,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
        };
        list.iter().for_each(|name| remove(name));
        std::mem::forget(list);
        return;
    }
}

/// Adds an output to those that [`discard_unfinished`] removes.
pub(crate) fn begin(name: &Path) {
    unfinished().push(name.to_owned());
}

/// Takes an output that is finished or gone off the list: `then` makes it so.
pub(crate) fn end<T>(name: &Path, then: impl FnOnce() -> T) -> T {
    let mut list = unfinished();
    let result = then();
    list.retain(|other| other != name);
    result
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove(name: &Path) {
    // Nobody is left to hear of an error.
    if name.is_dir() {
        fs::remove_dir_all(name).ok();
    } else {
        fs::remove_file(name).ok();
    }
}

/// A file or folder under a temporary name. It is removed unless it is kept.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) temporary: PathBuf,
    name: PathBuf,
    is_kept: bool,
    /// The lock, which says that a process is still writing it.
    #[allow(dead_code, reason = "it is held, not read")]
    lock: Option<File>,
}

impl Pending {
    /// A new file in the folder of `name`, and its writer. Leftovers of dead runs of the same file are removed.
    pub(crate) fn file(name: &Path) -> io::Result<(Self, BufWriter<File>)> {
        let (mut pending, file) = Self::claim(name, |temporary| {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true).open(temporary)
        })?;
        // Other systems may not rename a file that is still open.
        if cfg!(unix) {
            pending.lock = file.try_clone().ok();
        }
        Ok((pending, BufWriter::with_capacity(1 << 18, file)))
    }

    /// A new folder in the folder of `name`, likewise.
    pub(crate) fn folder(name: &Path) -> io::Result<Self> {
        let (mut pending, lock) = Self::claim(name, |temporary| {
            fs::create_dir(temporary)?;
            // Some systems do not open folders.
            Ok(File::open(temporary).ok())
        })?;
        pending.lock = lock;
        Ok(pending)
    }

    fn claim<L: Lock>(
        name: &Path,
        create: impl Fn(&Path) -> io::Result<L>,
    ) -> io::Result<(Self, L)> {
        remove_leftovers(name);
        let mut number = 0;
        loop {
            let temporary = temporary(name, number);
            number += 1;
            let lock = match create(&temporary) {
                Ok(lock) => lock,
                // Another machine that shares the folder, or another output of this process, may have it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => {
                    continue;
                }
                Err(error) => return Err(error),
            };
            let is_ours = match lock.file().map(File::try_lock) {
                Some(Err(fs::TryLockError::WouldBlock)) => false,
                // Another run may have taken it for a leftover before it was locked.
                _ => temporary.exists(),
            };
            if is_ours {
                begin(&temporary);
                let pending = Self {
                    temporary,
                    name: name.to_owned(),
                    is_kept: false,
                    lock: None,
                };
                return Ok((pending, lock));
            }
        }
    }

    /// Gives it its name, in place of a file that had it.
    pub(crate) fn keep(mut self) -> io::Result<()> {
        end(&self.temporary, || fs::rename(&self.temporary, &self.name))?;
        self.is_kept = true;
        Ok(())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.is_kept {
            end(&self.temporary, || remove(&self.temporary));
        }
    }
}

/// A lock that says that a temporary name is in use.
trait Lock {
    fn file(&self) -> Option<&File>;
}

impl Lock for File {
    fn file(&self) -> Option<&File> {
        Some(self)
    }
}

impl Lock for Option<File> {
    fn file(&self) -> Option<&File> {
        self.as_ref()
    }
}

fn temporary(name: &Path, number: usize) -> PathBuf {
    let mut temporary = start(name);
    temporary.push(std::process::id().to_string());
    if number > 0 {
        temporary.push(format!("-{number}"));
    }
    temporary.push(END);
    name.with_file_name(temporary)
}

fn start(name: &Path) -> OsString {
    let mut start = OsString::from(".");
    start.push(name.file_name().unwrap_or_default());
    start.push(".");
    start
}

const END: &str = ".tmp";

/// The name of a folder while another takes its place: see [`crate::formats::OutputFolder`].
pub(crate) fn old(temporary: &Path) -> PathBuf {
    temporary.with_extension("old")
}

/// Removes the leftovers of dead runs of the output `name`. A folder that a run was about to replace gets its name
/// back.
fn remove_leftovers(name: &Path) {
    let folder = match name.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    // A folder that cannot be read gives its error when it is written to.
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let start = start(name);
    for entry in entries.flatten() {
        let own = entry.file_name();
        let own = own.as_encoded_bytes();
        let is_temporary = |end: &str| {
            let centre = own
                .strip_prefix(start.as_encoded_bytes())
                .and_then(|rest| rest.strip_suffix(end.as_bytes()));
            centre.is_some_and(|centre| {
                let is_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'-';
                !centre.is_empty() && centre.iter().all(is_number)
            })
        };
        let left = entry.path();
        if is_temporary(END) && is_dead(&left) {
            if old(&left).exists() && !name.exists() {
                fs::rename(old(&left), name).ok();
            }
            remove(&left);
        } else if is_temporary(".old") && name.exists() && !left.with_extension("tmp").exists() {
            remove(&left);
        }
    }
}

/// Whether no process holds the lock on it.
fn is_dead(temporary: &Path) -> bool {
    let is_ours = unfinished().iter().any(|name| name == temporary);
    !is_ours && File::open(temporary).is_ok_and(|file| file.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_run_removes_what_a_dead_one_left() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        // The names of a dead run, of one that lives, of another output, and of another program.
        let names = [
            ".a.csv.7.tmp",
            ".a.csv.8.tmp",
            ".b.csv.7.tmp",
            ".a.csv.x.tmp",
        ];
        for name in names {
            fs::write(at(name), "1,2").unwrap();
        }
        let living = File::open(at(names[1])).unwrap();
        living.try_lock().unwrap();
        let (pending, writer) = Pending::file(&at("a.csv")).unwrap();
        let is_there = names.map(|name| at(name).exists());
        assert_eq!(is_there, [false, true, true, true]);
        // Our own is not taken for a leftover.
        drop(Pending::file(&at("a.csv")).unwrap());
        assert!(pending.temporary.exists());
        drop(writer);
        pending.keep().unwrap();
        assert!(at("a.csv").exists());
    }

    #[test]
    fn a_folder_that_was_about_to_be_replaced_gets_its_name_back() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [".a.zarr.7.tmp", ".a.zarr.7.old"] {
            fs::create_dir(at(name)).unwrap();
        }
        fs::write(at(".a.zarr.7.old").join("kept"), "").unwrap();
        drop(Pending::folder(&at("a.zarr")).unwrap());
        assert!(at("a.zarr").join("kept").exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
