//! The `.npz` format of numpy: a zip archive of one deflated `.npy` file an array.
//!
//! Source: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays", format version 1.0.

use std::io::{self, Seek, SeekFrom, Write};

use zip::result::ZipError;
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime};

use crate::formats::arrays::ArraySink;
use crate::formats::npy::header;

/// The level of deflate, 1 to 9: numbers with noise in them hardly become smaller at higher ones, and take many times
/// as long.
pub(crate) const DEFLATE_LEVEL: u8 = 1;

/// An archive that is being written.
pub(crate) struct NpzWriter<W: Write + Seek> {
    zip: ZipWriter<Latch<W>>,
}

impl<W: Write + Seek> NpzWriter<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self {
            zip: ZipWriter::new(Latch {
                writer,
                has_failed: false,
            }),
        }
    }

    /// Adds a file of the archive that is no array, by its whole name.
    pub(crate) fn file(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.start(name.to_owned(), bytes.len())?;
        self.zip.write_all(bytes)
    }

    pub(crate) fn finish(self) -> io::Result<()> {
        self.zip.finish().map(|_| ()).map_err(system)
    }

    /// Begins an array whose values have `size` bytes each.
    fn begin(&mut self, name: &str, kind: &str, shape: &[usize], size: usize) -> io::Result<()> {
        let bytes = shape.iter().product::<usize>() * size;
        self.start(format!("{name}.npy"), bytes)?;
        self.zip.write_all(&header(kind, shape))
    }

    /// Begins a file of about so many bytes.
    fn start(&mut self, name: String, bytes: usize) -> io::Result<()> {
        // No time is stored: equal results are equal bytes.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(DEFLATE_LEVEL.into()))
            .last_modified_time(DateTime::default())
            .large_file(bytes > u32::MAX as usize / 2);
        self.zip.start_file(name, options).map_err(system)
    }
}

impl<W: Write + Seek> ArraySink for NpzWriter<W> {
    fn array(
        &mut self,
        name: &str,
        kind: &str,
        size: usize,
        shape: &[usize],
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        self.begin(name, kind, shape, size)?;
        write(&mut self.zip)
    }
}

/// A writer that reports a failure once. An archive that is dropped after it tries to end what it began, and would
/// complain to standard error that it cannot.
struct Latch<W> {
    writer: W,
    has_failed: bool,
}

impl<W> Latch<W> {
    fn once<T>(&mut self, after: T, act: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if self.has_failed {
            return Ok(after);
        }
        let result = act(&mut self.writer);
        let is_final = |error: &io::Error| error.kind() != io::ErrorKind::Interrupted;
        self.has_failed = result.as_ref().is_err_and(is_final);
        result
    }
}

impl<W: Write> Write for Latch<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.once(bytes.len(), |writer| writer.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.once((), Write::flush)
    }
}

impl<W: Seek> Seek for Latch<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.once(0, |writer| writer.seek(to))
    }
}

/// The system's error, without the library's words around it.
fn system(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        other => io::Error::other(other),
    }
}
