//! An output file or folder, which appears under its name whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::formats::pending::{self, Pending};

/// The reason why a file could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The name of a table whose extension is of no kind of table.
    #[error("{}: {found}; accepted: a name that ends in .csv, .parquet or .json", file.display())]
    Extension {
        /// The name.
        file: PathBuf,
        /// The fault that was found.
        found: String,
    },
    /// A file that cannot be written.
    #[error("{}: cannot be written: {source}", file.display())]
    Write {
        /// Its final name.
        file: PathBuf,
        /// The reason that the system gives.
        source: io::Error,
    },
}

/// A file under a temporary name, opened before the work that fills it. It leaves nothing behind if it is dropped
/// before [`OutputFile::write`].
#[derive(Debug)]
pub struct OutputFile {
    pending: Pending,
    writer: BufWriter<File>,
    name: PathBuf,
}

impl OutputFile {
    /// Creates a file that will be at `name`.
    ///
    /// # Errors
    /// [`OutputError::Write`] if the place cannot be written to.
    pub fn create(name: &Path) -> Result<Self, OutputError> {
        let fail = |source| OutputError::Write {
            file: name.to_owned(),
            source,
        };
        if name.is_dir() {
            return Err(fail(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a folder",
            )));
        }
        let (pending, writer) = Pending::file(name).map_err(fail)?;
        Ok(Self {
            pending,
            writer,
            name: name.to_owned(),
        })
    }

    /// Creates a second file in the same folder, whose name ends in `suffix` after the name of this one.
    ///
    /// # Errors
    /// [`OutputError::Write`] if the place cannot be written to.
    pub(crate) fn beside(&self, suffix: &str) -> Result<Self, OutputError> {
        let mut name = self.name.clone().into_os_string();
        name.push(suffix);
        Self::create(Path::new(&name))
    }

    /// Fills the file by `content` and gives it its final name.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    pub fn write(
        self,
        content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        let Self {
            pending,
            mut writer,
            name,
        } = self;
        let written = content(&mut writer).and_then(|()| writer.flush());
        // Some systems do not rename a file that is still open.
        drop(writer);
        written
            .and_then(|()| pending.keep())
            .map_err(|source| OutputError::Write { file: name, source })
    }
}

/// A folder under a temporary name. It leaves nothing behind if it is dropped before [`OutputFolder::write`].
#[derive(Debug)]
pub struct OutputFolder {
    pending: Pending,
    name: PathBuf,
}

/// The file that marks a folder as a Zarr store.
const STORE: &str = ".zgroup";

impl OutputFolder {
    /// Creates a folder that will be at `name`, in place of a store that may be there.
    ///
    /// # Errors
    /// [`OutputError::Write`] if the place cannot be written to, or holds something else.
    pub fn create(name: &Path) -> Result<Self, OutputError> {
        let fail = |source| OutputError::Write {
            file: name.to_owned(),
            source,
        };
        if name.exists() && !name.join(STORE).is_file() {
            let problem = "there is something else than a Zarr store, which is not removed";
            return Err(fail(io::Error::other(problem)));
        }
        Ok(Self {
            pending: Pending::folder(name).map_err(fail)?,
            name: name.to_owned(),
        })
    }

    /// Fills the folder by `content` and gives it its final name.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    pub fn write(self, content: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), OutputError> {
        let Self { pending, name } = self;
        let old = pending::old(&pending.temporary);
        content(&pending.temporary)
            .and_then(|()| {
                if name.exists() {
                    fs::rename(&name, &old)?;
                }
                pending.keep()?;
                if old.exists() {
                    fs::remove_dir_all(&old)?;
                }
                Ok(())
            })
            .map_err(|source| OutputError::Write { file: name, source })
    }
}
