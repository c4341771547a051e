//! The `.npz` format of numpy: a zip archive, not compressed, of one `.npy` file an array.
//!
//! Source: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays", format version 1.0.

use std::io::{self, Seek, Write};

use keller::Complex64;
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime};

/// Header and data begin at multiples of this, as numpy writes them.
const ALIGNMENT: usize = 64;

/// An archive that is being written.
pub(crate) struct NpzWriter<W: Write + Seek> {
    zip: ZipWriter<W>,
}

impl<W: Write + Seek> NpzWriter<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self {
            zip: ZipWriter::new(writer),
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

    pub(crate) fn counts(
        &mut self,
        name: &str,
        shape: &[usize],
        values: &[usize],
    ) -> io::Result<()> {
        let bytes = values.iter().map(|v| (*v as u64).to_le_bytes());
        self.array(name, "<i8", shape, bytes)
    }

    pub(crate) fn flags(&mut self, name: &str, shape: &[usize], values: &[bool]) -> io::Result<()> {
        self.array(name, "|b1", shape, values.iter().map(|v| [u8::from(*v)]))
    }

    pub(crate) fn bytes(&mut self, name: &str, text: &str) -> io::Result<()> {
        let bytes = text.as_bytes();
        self.array(name, "|u1", &[bytes.len()], bytes.iter().map(|b| [*b]))
    }

    pub(crate) fn finish(self) -> io::Result<()> {
        self.zip.finish().map(|_| ()).map_err(io::Error::other)
    }

    /// An array of 8 bytes a value in C order, which `write` writes; `kind` is numpy's name of its type.
    pub(crate) fn streamed(
        &mut self,
        name: &str,
        kind: &str,
        shape: &[usize],
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        self.begin(name, kind, shape, 8)?;
        write(&mut self.zip)
    }

    /// The beginning of an array whose values have `size` bytes each.
    fn begin(&mut self, name: &str, kind: &str, shape: &[usize], size: usize) -> io::Result<()> {
        // No time of writing: equal results are equal bytes.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(DateTime::default())
            .large_file(shape.iter().product::<usize>() * size > u32::MAX as usize / 2);
        self.zip
            .start_file(format!("{name}.npy"), options)
            .map_err(io::Error::other)?;
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
