//! One array of NumPy (`.npy`): reads whole and floating-point numbers of any width, in either order; writes
//! [`NpyWriter`].
//!
//! Source: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays", format version 1.0.

use std::io::{self, Read, Write};

use keller_geo::shown::shown;

use crate::formats::unpacked::Allowance;

/// Header and data begin at multiples of this number of bytes, as numpy writes them.
const ALIGNMENT: usize = 64;

/// Writes 32-bit floating-point numbers as an array of numpy, one after the other in the order of C.
///
/// ```
/// use keller_io::formats::NpyWriter;
///
/// let mut bytes = Vec::new();
/// let mut array = NpyWriter::begin(&mut bytes, &[2, 3])?;
/// array.put(&[1.0, 2.0, 3.0])?;
/// array.put(&[4.0, 5.0, 6.0])?;
/// assert_eq!(bytes.len(), 128 + 4 * 6);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct NpyWriter<W> {
    writer: W,
    bytes: Vec<u8>,
}

impl<W: Write> NpyWriter<W> {
    /// Begins the array of `shape`, all of whose numbers follow.
    ///
    /// # Errors
    /// The errors of `writer`.
    pub fn begin(mut writer: W, shape: &[usize]) -> io::Result<Self> {
        writer.write_all(&header("<f4", shape))?;
        Ok(Self {
            writer,
            bytes: Vec::new(),
        })
    }

    /// Writes the next numbers.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn put(&mut self, values: &[f32]) -> io::Result<()> {
        self.bytes.clear();
        self.bytes
            .extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self.writer.write_all(&self.bytes)
    }
}

/// The header before the data of a `.npy` file: magic, version, length, and a Python dictionary padded with blanks.
pub(crate) fn header(kind: &str, shape: &[usize]) -> Vec<u8> {
    const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
    let lengths: Vec<String> = shape.iter().map(|n| format!("{n},")).collect();
    let shape = lengths.join(" ");
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    let unpadded = MAGIC.len() + 2 + text.len() + 1;
    text.push_str(&" ".repeat(unpadded.next_multiple_of(ALIGNMENT) - unpadded));
    text.push('\n');
    // Six lengths of twenty digits at most: far below 2^16.
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
    [MAGIC, &length.to_le_bytes(), text.as_bytes()].concat()
}

/// An array of any number of dimensions, last index fastest.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<f64>,
}

/// The type of complex numbers, as keller writes them.
const COMPLEX: &str = "<c16";

/// The largest number of letters of a text: names have some dozens.
const MAX_LETTERS: usize = 1 << 16;

/// The largest length of a header, bytes: numpy's have 118, and more only for arrays of records.
const MAX_HEADER: u32 = 1 << 16;

/// The memory of a text in addition to its letters, bytes.
const TEXT_BYTES: u64 = 40;

/// The number of bytes that are read at once: a whole number of values of any width up to 16.
const PIECE: usize = 1 << 16;

/// The array that `bytes` hold, or what is wrong with them.
#[cfg(test)]
pub(crate) fn parse(mut bytes: &[u8]) -> Result<Array, String> {
    let header = Header::read(&mut bytes)?;
    header.check_length(bytes.len() as u64)?;
    header.array(&mut bytes)
}

/// The description of a file's array before the data.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Header {
    kind: String,
    is_fortran: bool,
    pub(crate) shape: Vec<usize>,
    /// The length of the header itself.
    length: u64,
}

impl Header {
    /// Reads the header from the beginning of a file.
    pub(crate) fn read(reader: &mut dyn Read) -> Result<Self, String> {
        let cut = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => "it ends within its header".to_owned(),
            _ => error.to_string(),
        };
        let mut start = [0; 8];
        let mut magic = reader.take(6);
        let mut found = Vec::new();
        magic.read_to_end(&mut found).map_err(cut)?;
        if found != b"\x93NUMPY" {
            return Err("it does not begin as a .npy file does".to_owned());
        }
        reader.read_exact(&mut start[..2]).map_err(cut)?;
        let width = if start[0] == 1 { 2 } else { 4 };
        let mut length = [0; 4];
        reader.read_exact(&mut length[..width]).map_err(cut)?;
        let length = u32::from_le_bytes(length);
        if length > MAX_HEADER {
            return Err(format!(
                "its header has {length} bytes; accepted: at most {MAX_HEADER}"
            ));
        }
        let mut header = vec![0; length as usize];
        reader.read_exact(&mut header).map_err(cut)?;
        let header =
            std::str::from_utf8(&header).map_err(|_| "its header is not text".to_owned())?;
        let kind = entry(header, "descr")
            .and_then(|v| v.trim_start().strip_prefix('\'')?.split('\'').next())
            .ok_or("its header has no `descr`")?;
        let is_fortran =
            entry(header, "fortran_order").is_some_and(|v| v.trim_start().starts_with("True"));
        let shape = entry(header, "shape")
            .and_then(|v| v.trim_start().strip_prefix('(')?.split(')').next())
            .ok_or("its header has no `shape`")?;
        let shape: Vec<usize> = shape
            .split(',')
            .map(str::trim)
            .filter(|n| !n.is_empty())
            .map(|n| {
                n.parse()
                    .map_err(|_| format!("the shape ({})", shown(shape)))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            kind: kind.to_owned(),
            is_fortran,
            shape,
            length: 6 + 2 + width as u64 + u64::from(length),
        })
    }

    /// Whether the values are texts.
    pub(crate) fn is_text(&self) -> bool {
        self.kind.starts_with("<U")
    }

    /// The number of values; the largest countable one if there are more.
    pub(crate) fn count(&self) -> u64 {
        count_of(&self.shape)
    }

    /// Takes the memory of the values.
    pub(crate) fn take_from(&self, allowance: &mut Allowance) -> Result<(), String> {
        take_from(&self.kind, self.count(), allowance)
    }

    /// Checks that the whole file, this header and the data, has as many bytes as the shape needs.
    pub(crate) fn check_file(&self, length: u64) -> Result<(), String> {
        self.check_length(length.saturating_sub(self.length))
    }

    fn check_length(&self, found: u64) -> Result<(), String> {
        let width = width_of(&self.kind)? as u64;
        if self.count().checked_mul(width) == Some(found) {
            return Ok(());
        }
        Err(format!(
            "{found} bytes of data for the shape {:?} of `{}`",
            self.shape,
            shown(&self.kind)
        ))
    }

    /// The numbers that follow the header, whose memory was taken.
    pub(crate) fn array(self, data: &mut dyn Read) -> Result<Array, String> {
        let is_fortran = self.is_fortran;
        let count = usize::try_from(self.count()).map_err(|_| "it is too large")?;
        let values = numbers(&self.kind, count, data)?;
        at_end(data)?;
        let shape = self.shape;
        let values = match (is_fortran, &shape[..]) {
            (false, _) | (true, [] | [_]) => values,
            (true, &[rows, columns]) => (0..rows * columns)
                .map(|i| values[i % columns * rows + i / columns])
                .collect(),
            (true, _) => return Err("more than two dimensions in Fortran order".to_owned()),
        };
        Ok(Array { shape, values })
    }

    /// The squared magnitudes of the complex numbers that follow the header, whose memory was taken.
    pub(crate) fn squares(self, data: &mut dyn Read) -> Result<Array, String> {
        if self.kind != COMPLEX || self.is_fortran {
            return Err(format!(
                "numbers of the kind `{}`; accepted: complex128 as keller writes it",
                shown(&self.kind)
            ));
        }
        let count = usize::try_from(self.count()).map_err(|_| "it is too large")?;
        let mut values = Vec::with_capacity(count);
        in_pieces(16, count, data, |chunk| {
            let (re, im) = chunk.split_at(8);
            values.push(value("<f8", re).powi(2) + value("<f8", im).powi(2));
        })?;
        at_end(data)?;
        Ok(Array {
            shape: self.shape,
            values,
        })
    }

    /// The texts that follow the header, whose memory was taken.
    pub(crate) fn texts(&self, data: &mut dyn Read) -> Result<Vec<String>, String> {
        let count = usize::try_from(self.count()).map_err(|_| "it is too large")?;
        let found = texts(&self.kind, count, data)?;
        at_end(data)?;
        Ok(found)
    }
}

/// The number of values of an array of a shape; the largest countable one if there are more.
pub(crate) fn count_of(shape: &[usize]) -> u64 {
    let sizes = shape.iter().map(|n| *n as u64);
    // A product with zero is zero, however large the other numbers are.
    if shape.contains(&0) {
        return 0;
    }
    sizes.fold(1, u64::saturating_mul)
}

/// Takes the memory of so many values of `kind`.
pub(crate) fn take_from(kind: &str, count: u64, allowance: &mut Allowance) -> Result<(), String> {
    let each = match kind.strip_prefix("<U") {
        Some(_) => width_of(kind)? as u64 + TEXT_BYTES,
        None => 8,
    };
    allowance.take(count, each)
}

/// The next numbers of `kind`.
pub(crate) fn numbers(kind: &str, count: usize, data: &mut dyn Read) -> Result<Vec<f64>, String> {
    let width = width(kind)?;
    let mut values = Vec::with_capacity(count);
    in_pieces(width, count, data, |chunk| values.push(value(kind, chunk)))?;
    Ok(values)
}

/// The next texts of `kind`.
pub(crate) fn texts(kind: &str, count: usize, data: &mut dyn Read) -> Result<Vec<String>, String> {
    let mut all = Vec::with_capacity(count);
    let width = width_of(kind)?;
    in_pieces(width, count, data, |bytes| {
        let codes = bytes.as_chunks().0.iter();
        let codes = codes.map(|code| u32::from_le_bytes(*code));
        let codes = codes.take_while(|code| *code != 0);
        let text = codes.map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        all.push(text.collect::<String>());
    })?;
    Ok(all)
}

/// Refuses data that are longer than the array.
pub(crate) fn at_end(data: &mut dyn Read) -> Result<(), String> {
    match data.read(&mut [0]) {
        Ok(0) => Ok(()),
        Ok(_) => Err("more data follow than its shape needs".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Gives the next `count` values of `width` bytes to `take`, without holding all their bytes.
fn in_pieces(
    width: usize,
    count: usize,
    data: &mut dyn Read,
    mut take: impl FnMut(&[u8]),
) -> Result<(), String> {
    let at_once = (PIECE / width).max(1);
    let mut piece = vec![0; width * at_once.min(count)];
    let mut left = count;
    while left > 0 {
        let now = left.min(at_once);
        let bytes = &mut piece[..now * width];
        data.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => "its data end too early".to_owned(),
            _ => error.to_string(),
        })?;
        bytes.chunks_exact(width).for_each(&mut take);
        left -= now;
    }
    Ok(())
}

/// The text after `'name':` in the header, which is a Python dictionary.
fn entry<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let at = header.find(&format!("'{name}'"))?;
    header[at..].split_once(':').map(|(_, value)| value)
}

/// The width of a value of `kind`, bytes: of a number, a text, or a complex number.
fn width_of(kind: &str) -> Result<usize, String> {
    if kind == COMPLEX {
        return Ok(16);
    }
    let Some(letters) = kind.strip_prefix("<U") else {
        return width(kind);
    };
    let letters = letters.parse().ok();
    let letters = letters.filter(|letters| (1..=MAX_LETTERS).contains(letters));
    letters
        .map(|letters: usize| 4 * letters)
        .ok_or_else(|| format!("texts of the kind `{}`", shown(kind)))
}

/// The width of a number of `kind`, bytes.
fn width(kind: &str) -> Result<usize, String> {
    match kind.get(1..) {
        Some("f8" | "i8" | "u8") => Ok(8),
        Some("f4" | "i4" | "u4") => Ok(4),
        Some("i2" | "u2") => Ok(2),
        Some("i1" | "u1" | "b1") => Ok(1),
        _ => Err(format!(
            "numbers of the kind `{}`; accepted: real numbers, float64 at best",
            shown(kind)
        )),
    }
}

/// The number in `chunk`, which has the width of `kind`.
fn value(kind: &str, chunk: &[u8]) -> f64 {
    let mut bytes = [0; 8];
    // Puts the bytes into little-endian order, in the low bytes.
    if kind.starts_with('>') {
        for (to, from) in bytes.iter_mut().zip(chunk.iter().rev()) {
            *to = *from;
        }
    } else {
        bytes[..chunk.len()].copy_from_slice(chunk);
    }
    let unsigned = u64::from_le_bytes(bytes);
    let shift = 64 - 8 * chunk.len();
    match kind.as_bytes().get(1) {
        Some(b'f') if chunk.len() == 4 => {
            f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        }
        Some(b'f') => f64::from_le_bytes(bytes),
        Some(b'i') => ((unsigned << shift).cast_signed() >> shift) as f64,
        _ => unsigned as f64,
    }
}
