//! A file under a temporary name until it is whole.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Removes its temporary file unless it is kept.
#[derive(Debug)]
pub(crate) struct PendingFile {
    temporary: PathBuf,
    name: PathBuf,
    is_kept: bool,
}

impl PendingFile {
    /// A new file in the folder of `name`, and what writes to it.
    pub(crate) fn create(name: &Path) -> io::Result<(Self, BufWriter<File>)> {
        let mut temporary = OsString::from(".");
        temporary.push(name.file_name().unwrap_or_default());
        temporary.push(format!(".{}.tmp", std::process::id()));
        let temporary = name.with_file_name(temporary);
        let file = File::create(&temporary)?;
        let pending = Self {
            temporary,
            name: name.to_owned(),
            is_kept: false,
        };
        Ok((pending, BufWriter::with_capacity(1 << 18, file)))
    }

    /// Gives the file its name, in place of whatever had it.
    pub(crate) fn keep(mut self) -> io::Result<()> {
        fs::rename(&self.temporary, &self.name)?;
        self.is_kept = true;
        Ok(())
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        if !self.is_kept {
            // There is nobody left to tell.
            fs::remove_file(&self.temporary).ok();
        }
    }
}
