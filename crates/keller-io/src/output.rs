//! A file that is there whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::pending::PendingFile;
use crate::table::TableError;

/// A file under a temporary name, opened before the work that fills it. Dropped before [`OutputFile::write`] it leaves nothing behind.
#[derive(Debug)]
pub struct OutputFile {
    pending: PendingFile,
    writer: BufWriter<File>,
    name: PathBuf,
}

impl OutputFile {
    /// A file that will be at `name`.
    ///
    /// # Errors
    /// [`TableError::Write`] if the place cannot be written to.
    pub fn create(name: &Path) -> Result<Self, TableError> {
        let fail = |source| TableError::Write {
            file: name.to_owned(),
            source,
        };
        if name.is_dir() {
            return Err(fail(io::Error::other("it is a folder")));
        }
        let (pending, writer) = PendingFile::create(name).map_err(fail)?;
        Ok(Self {
            pending,
            writer,
            name: name.to_owned(),
        })
    }

    /// Fills the file with what `content` writes and gives it its final name.
    ///
    /// # Errors
    /// [`TableError::Write`]
    pub fn write(
        self,
        content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), TableError> {
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
            .map_err(|source| TableError::Write { file: name, source })
    }
}
