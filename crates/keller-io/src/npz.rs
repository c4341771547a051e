//! The `.npz` format of numpy: a zip archive of one deflated `.npy` file an array.
//!
//! Source: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays", format version 1.0.

use std::io::{self, Seek, SeekFrom, Write};

use keller::Complex64;
use zip::result::ZipError;
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime};

/// Header and data begin at multiples of this, as numpy writes them.
const ALIGNMENT: usize = 64;

/// How hard deflate tries, 1 to 9: numbers with noise in them hardly become smaller beyond this, and take many times as long.
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

    pub(crate) fn complex(
        &mut self,
        name: &str,
        shape: &[usize],
        values: &[Complex64],
    ) -> io::Result<()> {
        self.array(name, "<c16", shape, values.iter().map(complex_bytes))
    }

    pub(crate) fn real(&mut self, name: &str, shape: &[usize], values: &[f64]) -> io::Result<()> {
        self.array(name, "<f8", shape, values.iter().map(|v| v.to_le_bytes()))
    }

    /// In 32 bits: for decibels, and what else has few digits.
    pub(crate) fn short_real(
        &mut self,
        name: &str,
        shape: &[usize],
        values: &[f64],
    ) -> io::Result<()> {
        #[expect(clippy::cast_possible_truncation, reason = "few digits are wanted")]
        let bytes = values.iter().map(|v| (*v as f32).to_le_bytes());
        self.array(name, "<f4", shape, bytes)
    }

    pub(crate) fn counts(
        &mut self,
        name: &str,
        shape: &[usize],
        values: &[usize],
    ) -> io::Result<()> {
        let bytes = values.iter().map(|v| (*v as u64).to_le_bytes());
        self.array(name, "<i8", shape, bytes)
    }

    pub(crate) fn ids(&mut self, name: &str, shape: &[usize], values: &[i32]) -> io::Result<()> {
        self.array(name, "<i4", shape, values.iter().map(|v| v.to_le_bytes()))
    }

    pub(crate) fn codes(&mut self, name: &str, shape: &[usize], values: &[u8]) -> io::Result<()> {
        self.array(name, "|u1", shape, values.iter().map(|v| [*v]))
    }

    pub(crate) fn flags(&mut self, name: &str, shape: &[usize], values: &[bool]) -> io::Result<()> {
        self.array(name, "|b1", shape, values.iter().map(|v| [u8::from(*v)]))
    }

    pub(crate) fn bytes(&mut self, name: &str, text: &str) -> io::Result<()> {
        let bytes = text.as_bytes();
        self.array(name, "|u1", &[bytes.len()], bytes.iter().map(|b| [*b]))
    }

    /// A list of texts, which numpy reads without pickling.
    pub(crate) fn texts(&mut self, name: &str, texts: &[&str]) -> io::Result<()> {
        let (kind, bytes) = unicode(texts);
        let size = bytes.len() / texts.len().max(1);
        self.streamed(name, &kind, size, &[texts.len()], |writer| {
            writer.write_all(&bytes)
        })
    }

    pub(crate) fn finish(self) -> io::Result<()> {
        self.zip.finish().map(|_| ()).map_err(system)
    }

    /// An array of `size` bytes a value in C order, which `write` writes; `kind` is numpy's name of its type.
    pub(crate) fn streamed(
        &mut self,
        name: &str,
        kind: &str,
        size: usize,
        shape: &[usize],
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        self.begin(name, kind, shape, size)?;
        write(&mut self.zip)
    }

    /// The beginning of an array whose values have `size` bytes each.
    fn begin(&mut self, name: &str, kind: &str, shape: &[usize], size: usize) -> io::Result<()> {
        // No time of writing: equal results are equal bytes.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(DEFLATE_LEVEL.into()))
            .last_modified_time(DateTime::default())
            .large_file(shape.iter().product::<usize>() * size > u32::MAX as usize / 2);
        self.zip
            .start_file(format!("{name}.npy"), options)
            .map_err(system)?;
        self.zip.write_all(&header(kind, shape))
    }

    /// One array in C order; `kind` is numpy's name of its type.
    fn array<const N: usize>(
        &mut self,
        name: &str,
        kind: &str,
        shape: &[usize],
        values: impl Iterator<Item = [u8; N]>,
    ) -> io::Result<()> {
        self.begin(name, kind, shape, N)?;
        let mut block = Vec::with_capacity(1 << 16);
        for value in values {
            block.extend_from_slice(&value);
            if block.len() + N > block.capacity() {
                self.zip.write_all(&block)?;
                block.clear();
            }
        }
        self.zip.write_all(&block)
    }
}

/// A writer that tells of a failure once. An archive that is dropped after it tries to end what it began, and would complain to
/// standard error that it cannot.
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

/// What the system said, without the library's words around it.
fn system(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// Texts as numpy has them, all as long as the longest: the name of their type, and four bytes a letter.
pub(crate) fn unicode(texts: &[&str]) -> (String, Vec<u8>) {
    let letters = texts.iter().map(|text| text.chars().count()).max();
    let letters = letters.unwrap_or(0).max(1);
    let padded = |text: &str| {
        let codes = text.chars().map(u32::from).chain(std::iter::repeat(0));
        codes.take(letters).collect::<Vec<u32>>()
    };
    let codes = texts.iter().flat_map(|text| padded(text));
    (
        format!("<U{letters}"),
        codes.flat_map(u32::to_le_bytes).collect(),
    )
}

/// What stands before the data of a `.npy` file: magic, version, length, and a Python dictionary padded with blanks.
fn header(kind: &str, shape: &[usize]) -> Vec<u8> {
    const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
    let lengths: Vec<String> = shape.iter().map(|n| format!("{n},")).collect();
    let shape = lengths.join(" ");
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    let unpadded = MAGIC.len() + 2 + text.len() + 1;
    text.push_str(&" ".repeat(unpadded.next_multiple_of(ALIGNMENT) - unpadded));
    text.push('\n');
    // At most six lengths of twenty digits: far below 2^16.
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
    [MAGIC, &length.to_le_bytes(), text.as_bytes()].concat()
}

/// Bytes of a number as numpy has them.
pub(crate) fn complex_bytes(value: &Complex64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&value.re.to_le_bytes());
    bytes[8..].copy_from_slice(&value.im.to_le_bytes());
    bytes
}
