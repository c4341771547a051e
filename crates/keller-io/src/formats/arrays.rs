//! Named arrays: results in numpy's terms, wherever they go: into an archive, or to another language.

use std::io::{self, Write};

use keller::Complex64;

use crate::formats::{About, VERSION};

/// Takes named arrays in C order.
pub trait ArraySink {
    /// Takes an array of `shape`, whose values have `size` bytes each and the type that numpy calls `kind`; `write`
    /// writes them, little endian.
    ///
    /// # Errors
    /// The errors of the place that the array goes to, and of `write`.
    fn array(
        &mut self,
        name: &str,
        kind: &str,
        size: usize,
        shape: &[usize],
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()>;
}

/// Arrays of one type each.
pub(crate) trait TypedArrays: ArraySink {
    fn complex(&mut self, name: &str, shape: &[usize], values: &[Complex64]) -> io::Result<()> {
        self.values(name, "<c16", shape, values.iter().map(complex_bytes))
    }

    fn real(&mut self, name: &str, shape: &[usize], values: &[f64]) -> io::Result<()> {
        self.values(name, "<f8", shape, values.iter().map(|v| v.to_le_bytes()))
    }

    /// An array of 32-bit numbers: for decibels and other values of few digits.
    fn short_real(&mut self, name: &str, shape: &[usize], values: &[f64]) -> io::Result<()> {
        #[expect(clippy::cast_possible_truncation, reason = "few digits are wanted")]
        let bytes = values.iter().map(|v| (*v as f32).to_le_bytes());
        self.values(name, "<f4", shape, bytes)
    }

    fn counts(&mut self, name: &str, shape: &[usize], values: &[usize]) -> io::Result<()> {
        let bytes = values.iter().map(|v| (*v as u64).to_le_bytes());
        self.values(name, "<i8", shape, bytes)
    }

    fn ids(&mut self, name: &str, shape: &[usize], values: &[i32]) -> io::Result<()> {
        self.values(name, "<i4", shape, values.iter().map(|v| v.to_le_bytes()))
    }

    fn codes(&mut self, name: &str, shape: &[usize], values: &[u8]) -> io::Result<()> {
        self.values(name, "|u1", shape, values.iter().map(|v| [*v]))
    }

    fn flags(&mut self, name: &str, shape: &[usize], values: &[bool]) -> io::Result<()> {
        self.values(name, "|b1", shape, values.iter().map(|v| [u8::from(*v)]))
    }

    /// Adds what every archive says of its run: version, scenario, and the scene's place on earth, if that is known.
    fn about(&mut self, about: &About) -> io::Result<()> {
        if let Some(georeference) = &about.georeference {
            self.bytes("crs", &georeference.crs)?;
            self.real("origin", &[3], &georeference.origin)?;
        }
        self.bytes("keller", VERSION)?;
        self.bytes("scenario", &about.scenario)
    }

    fn bytes(&mut self, name: &str, text: &str) -> io::Result<()> {
        let bytes = text.as_bytes();
        self.values(name, "|u1", &[bytes.len()], bytes.iter().map(|b| [*b]))
    }

    /// A list of texts, which numpy reads without pickling.
    fn texts(&mut self, name: &str, texts: &[&str]) -> io::Result<()> {
        let (kind, bytes) = unicode(texts);
        let size = bytes.len() / texts.len().max(1);
        self.array(name, &kind, size, &[texts.len()], &mut |writer| {
            writer.write_all(&bytes)
        })
    }

    /// An array of values of `N` bytes.
    fn values<const N: usize>(
        &mut self,
        name: &str,
        kind: &str,
        shape: &[usize],
        values: impl Iterator<Item = [u8; N]> + Clone,
    ) -> io::Result<()> {
        self.array(name, kind, N, shape, &mut |writer| {
            let mut block = Vec::with_capacity(1 << 16);
            for value in values.clone() {
                block.extend_from_slice(&value);
                if block.len() + N > block.capacity() {
                    writer.write_all(&block)?;
                    block.clear();
                }
            }
            writer.write_all(&block)
        })
    }
}

impl<S: ArraySink + ?Sized> TypedArrays for S {}

/// Texts as numpy stores them, all as long as the longest: the name of their type, and four bytes a letter.
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

/// The bytes of a complex number as numpy stores it.
pub(crate) fn complex_bytes(value: &Complex64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&value.re.to_le_bytes());
    bytes[8..].copy_from_slice(&value.im.to_le_bytes());
    bytes
}
