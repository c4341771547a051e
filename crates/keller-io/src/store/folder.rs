//! A folder, on a disk or shared by machines, in which files appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use super::entry::Entry;

/// The extension of writers' temporary files. A writer that is killed leaves its file.
pub(super) const TEMPORARY: &str = ".tmp";

/// Writes a file, in place of one that may be there. A reader sees all of it or nothing.
pub(super) fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    temporary(file, bytes)?.persist(file)?;
    sync_folder(file)
}

/// Writes a file unless there is one. Returns whether it is new.
pub(super) fn create(file: &Path, bytes: &[u8]) -> io::Result<bool> {
    match temporary(file, bytes)?.persist_noclobber(file) {
        Ok(_) => sync_folder(file).map(|()| true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

/// The files in a folder, in order; none if there is no folder.
pub(super) fn entries(folder: &Path) -> io::Result<Vec<Entry>> {
    let listed = match fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut entries = Vec::new();
    for entry in listed {
        let entry = entry?;
        match entry.metadata() {
            Ok(about) => entries.push(Entry {
                name: entry.file_name().to_string_lossy().into_owned(),
                num_bytes: about.len(),
            }),
            // Another worker has just given a temporary file its name.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    entries.sort_unstable();
    Ok(entries)
}

/// Writes the bytes to the disk, under a name that no other writer has.
fn temporary(file: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".").suffix(TEMPORARY);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The permissions are those of any other file; others of a cluster's group may read it.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut temporary = builder.tempfile_in(folder_of(file))?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    Ok(temporary)
}

/// Makes sure that a new name outlives a loss of power, where systems can.
fn sync_folder(file: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder_of(file))?.sync_all()?;
    }
    Ok(())
}

fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}
