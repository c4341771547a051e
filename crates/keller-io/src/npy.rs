//! One array of NumPy (`.npy`): reads whole and floating-point numbers of any width, in either order; writes
//! [`NpyWriter`].
//!
//! Source: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays", format version 1.0.

use std::io::{self, Write};

/// Header and data begin at multiples of this, as numpy writes them.
const ALIGNMENT: usize = 64;

/// Writes 32-bit floating-point numbers as an array of numpy, one after the other in the order of C.
///
/// ```
/// use keller_io::NpyWriter;
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
    /// The array of `shape`, all of whose numbers follow.
    ///
    /// # Errors
    /// Those of `writer`.
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
    /// Those of the writer.
    pub fn put(&mut self, values: &[f32]) -> io::Result<()> {
        self.bytes.clear();
        self.bytes
            .extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self.writer.write_all(&self.bytes)
    }
}

/// What stands before the data of a `.npy` file: magic, version, length, and a Python dictionary padded with blanks.
pub(crate) fn header(kind: &str, shape: &[usize]) -> Vec<u8> {
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

/// An array of any number of dimensions, last index fastest.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<f64>,
}

/// The array that `bytes` hold, or what is wrong with them.
pub(crate) fn parse(bytes: &[u8]) -> Result<Array, String> {
    let Raw {
        kind,
        is_fortran,
        shape,
        data,
    } = Raw::new(bytes)?;
    check_size(kind, &shape, width(kind)?, data)?;
    let values = numbers(kind, data)?;
    let values = match (is_fortran, &shape[..]) {
        (false, _) | (true, [] | [_]) => values,
        (true, &[rows, columns]) => (0..rows * columns)
            .map(|i| values[i % columns * rows + i / columns])
            .collect(),
        (true, _) => return Err("more than two dimensions in Fortran order".to_owned()),
    };
    Ok(Array { shape, values })
}

/// The squared magnitudes of the array of complex numbers that `bytes` hold, or what is wrong with it.
pub(crate) fn squares(bytes: &[u8]) -> Result<Array, String> {
    let Raw {
        kind,
        is_fortran,
        shape,
        data,
    } = Raw::new(bytes)?;
    if kind != "<c16" || is_fortran {
        return Err(format!(
            "numbers of the kind `{kind}`; accepted: complex128 as keller writes it"
        ));
    }
    check_size(kind, &shape, 16, data)?;
    let parts = numbers("<f8", data)?;
    let (pairs, _) = parts.as_chunks::<2>();
    let values = pairs.iter().map(|[re, im]| re * re + im * im).collect();
    Ok(Array { shape, values })
}

/// The numbers of `kind` in `data`, one after the other.
pub(crate) fn numbers(kind: &str, data: &[u8]) -> Result<Vec<f64>, String> {
    let chunks = data.chunks_exact(width(kind)?);
    Ok(chunks.map(|chunk| value(kind, chunk)).collect())
}

/// The list of texts that `bytes` hold; `None` for an array of numbers.
pub(crate) fn texts(bytes: &[u8]) -> Result<Option<Vec<String>>, String> {
    let Raw {
        kind, shape, data, ..
    } = Raw::new(bytes)?;
    let found = texts_of(kind, data)?;
    let wanted = shape.iter().product::<usize>();
    match found {
        Some(found) if found.len() != wanted => {
            Err(format!("{} texts for the shape {shape:?}", found.len()))
        }
        found => Ok(found),
    }
}

/// The texts of `kind` in `data`, one after the other; `None` for numbers.
pub(crate) fn texts_of(kind: &str, data: &[u8]) -> Result<Option<Vec<String>>, String> {
    let Some(letters) = kind.strip_prefix("<U") else {
        return Ok(None);
    };
    let width = letters.parse::<usize>().ok();
    let width = width.and_then(|letters| letters.checked_mul(4));
    let width = width
        .filter(|width| *width > 0)
        .ok_or_else(|| format!("texts of the kind `{kind}`"))?;
    let text = |bytes: &[u8]| {
        let codes = bytes.as_chunks().0.iter();
        let codes = codes.map(|code| u32::from_le_bytes(*code));
        let codes = codes.take_while(|code| *code != 0);
        codes
            .map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect::<String>()
    };
    Ok(Some(data.chunks_exact(width).map(text).collect()))
}

/// A file cut into its parts.
struct Raw<'a> {
    kind: &'a str,
    is_fortran: bool,
    shape: Vec<usize>,
    data: &'a [u8],
}

/// Checks that the shape needs as many bytes as there are.
fn check_size(kind: &str, shape: &[usize], width: usize, data: &[u8]) -> Result<(), String> {
    let count = shape
        .iter()
        .try_fold(1_usize, |count, n| count.checked_mul(*n));
    let wanted = count.and_then(|count| count.checked_mul(width));
    if wanted == Some(data.len()) {
        return Ok(());
    }
    Err(format!(
        "{} bytes of data for the shape {shape:?} of `{kind}`",
        data.len()
    ))
}

impl<'a> Raw<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self, String> {
        let rest = bytes
            .strip_prefix(b"\x93NUMPY")
            .ok_or("it does not begin as a .npy file does")?;
        let cut = || "it ends within its header".to_owned();
        let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(cut)?;
        let (length, rest) = if version[0] == 1 {
            let (length, rest) = rest.split_first_chunk::<2>().ok_or_else(cut)?;
            (u32::from(u16::from_le_bytes(*length)), rest)
        } else {
            let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
            (u32::from_le_bytes(*length), rest)
        };
        let length = usize::try_from(length).map_err(|_| cut())?;
        let (header, data) = rest.split_at_checked(length).ok_or_else(cut)?;
        let header =
            std::str::from_utf8(header).map_err(|_| "its header is not text".to_owned())?;
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
            .map(|n| n.parse().map_err(|_| format!("the shape ({shape})")))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            kind,
            is_fortran,
            shape,
            data,
        })
    }
}

/// What follows `'name':` in the header, which is a Python dictionary.
fn entry<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let at = header.find(&format!("'{name}'"))?;
    header[at..].split_once(':').map(|(_, value)| value)
}

/// Bytes of a number of `kind`.
fn width(kind: &str) -> Result<usize, String> {
    match kind.get(1..) {
        Some("f8" | "i8" | "u8") => Ok(8),
        Some("f4" | "i4" | "u4") => Ok(4),
        Some("i2" | "u2") => Ok(2),
        Some("i1" | "u1" | "b1") => Ok(1),
        _ => Err(format!(
            "numbers of the kind `{kind}`; accepted: real numbers, float64 at best"
        )),
    }
}

/// The number in `chunk`, which has the width of `kind`.
fn value(kind: &str, chunk: &[u8]) -> f64 {
    let mut bytes = [0; 8];
    // To little endian, in the low bytes.
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
