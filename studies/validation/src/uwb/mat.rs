//! Reads the needed parts of MATLAB's version 5 files: real and complex arrays and structures of one element,
//! compressed or not.
//!
//! Source: `MathWorks`, "MAT-File Format", chapter 1, level 5.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use flate2::read::ZlibDecoder;
use keller::Complex64;

/// A variable or a field of a structure.
#[derive(Debug)]
pub(crate) enum Value {
    /// An array, column after column.
    Array(Vec<Complex64>),
    /// A structure.
    Struct(BTreeMap<String, Self>),
    /// Text and whatever else is not needed.
    Other,
}

impl Value {
    /// The array under a path of field names.
    pub(crate) fn array(&self, fields: &[&str]) -> Result<&[Complex64]> {
        match (self, fields) {
            (Self::Array(values), []) => Ok(values),
            (Self::Struct(entries), [first, rest @ ..]) => entries
                .get(*first)
                .with_context(|| format!("there is no field {first}"))?
                .array(rest),
            _ => bail!("there is no array at {fields:?}"),
        }
    }
}

/// All variables of `file`, as one structure.
pub(crate) fn read(file: &Path) -> Result<Value> {
    const HEADER: usize = 128;
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    ensure!(
        bytes.len() > HEADER && &bytes[126..128] == b"IM",
        "{}: no little-endian MAT-file of version 5",
        file.display()
    );
    let mut rest = &bytes[HEADER..];
    let mut variables = BTreeMap::new();
    while !rest.is_empty() {
        let (kind, data) = element(&mut rest)?;
        let inflated;
        let matrix = match kind {
            COMPRESSED => {
                let mut out = Vec::new();
                ZlibDecoder::new(data).read_to_end(&mut out)?;
                inflated = out;
                let mut inner = &inflated[..];
                element(&mut inner)?.1
            }
            MATRIX => data,
            _ => continue,
        };
        let (name, value) = matrix_value(matrix)?;
        variables.insert(name, value);
    }
    Ok(Value::Struct(variables))
}

const MATRIX: u32 = 14;
const COMPRESSED: u32 = 15;

/// Takes one element off `bytes`: its type and data.
fn element<'a>(bytes: &mut &'a [u8]) -> Result<(u32, &'a [u8])> {
    let word = |at: usize| -> Result<u32> {
        let word = bytes.get(at..at + 4).context("the file ends too early")?;
        Ok(u32::from_le_bytes(word.try_into()?))
    };
    let tag = word(0)?;
    // A small element has its size in the upper half of the tag and its data in the tag's second word.
    let (kind, start, size) = if tag >> 16 == 0 {
        (tag, 8, word(4)? as usize)
    } else {
        (tag & 0xffff, 4, (tag >> 16) as usize)
    };
    let data = bytes
        .get(start..start + size)
        .context("the file ends too early")?;
    let padded = if kind == COMPRESSED {
        start + size
    } else {
        (start + size).next_multiple_of(8)
    };
    *bytes = &bytes[padded.min(bytes.len())..];
    Ok((kind, data))
}

/// The name and value of a matrix element.
fn matrix_value(mut bytes: &[u8]) -> Result<(String, Value)> {
    const STRUCT: u8 = 2;
    const NUMERIC: std::ops::RangeInclusive<u8> = 6..=15;
    const IS_COMPLEX: u8 = 0x08;
    if bytes.is_empty() {
        return Ok((String::new(), Value::Other));
    }
    let (_, flags) = element(&mut bytes)?;
    let (_, dimensions) = element(&mut bytes)?;
    let (_, name) = element(&mut bytes)?;
    let name = String::from_utf8_lossy(name).into_owned();
    let [class, bits, ..] = *flags else {
        bail!("{name}: an array without flags");
    };
    if class == STRUCT {
        let dimensions = numbers(5, dimensions)?;
        ensure!(
            dimensions.iter().all(|n| *n == 1.0),
            "{name}: a structure of more than one element"
        );
        let (kind, length) = element(&mut bytes)?;
        let length = numbers(kind, length)?[0];
        let (_, names) = element(&mut bytes)?;
        let mut fields = BTreeMap::new();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small whole number"
        )]
        for field in names.chunks((length as usize).max(1)) {
            let field = field.split(|b| *b == 0).next().unwrap_or_default();
            let (_, inner) = element(&mut bytes)?;
            let (_, value) = matrix_value(inner)?;
            fields.insert(String::from_utf8_lossy(field).into_owned(), value);
        }
        return Ok((name, Value::Struct(fields)));
    }
    if !NUMERIC.contains(&class) {
        return Ok((name, Value::Other));
    }
    let (kind, data) = element(&mut bytes)?;
    let re = numbers(kind, data)?;
    let im = if bits & IS_COMPLEX == 0 {
        vec![0.0; re.len()]
    } else {
        let (kind, data) = element(&mut bytes)?;
        numbers(kind, data)?
    };
    ensure!(re.len() == im.len(), "{name}: parts of different lengths");
    let values = re
        .into_iter()
        .zip(im)
        .map(|(re, im)| Complex64::new(re, im));
    Ok((name, Value::Array(values.collect())))
}

/// The numbers of an element: whole ones may be stored shorter than their array's class.
fn numbers(kind: u32, data: &[u8]) -> Result<Vec<f64>> {
    fn convert<const N: usize>(data: &[u8], number: fn([u8; N]) -> f64) -> Vec<f64> {
        let chunks = data.as_chunks().0.iter();
        chunks.map(|bytes| number(*bytes)).collect()
    }
    Ok(match kind {
        1 => convert(data, |b| f64::from(i8::from_le_bytes(b))),
        2 => convert(data, |b| f64::from(u8::from_le_bytes(b))),
        3 => convert(data, |b| f64::from(i16::from_le_bytes(b))),
        4 => convert(data, |b| f64::from(u16::from_le_bytes(b))),
        5 => convert(data, |b| f64::from(i32::from_le_bytes(b))),
        6 => convert(data, |b| f64::from(u32::from_le_bytes(b))),
        7 => convert(data, |b| f64::from(f32::from_le_bytes(b))),
        9 => convert(data, f64::from_le_bytes),
        _ => bail!("numbers of the unknown type {kind}"),
    })
}
