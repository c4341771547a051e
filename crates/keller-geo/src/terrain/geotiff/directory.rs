//! The directories of a TIFF, which describe its tiles: written before the tiles, as a Cloud Optimized GeoTIFF has
//! them.
//!
//! # Source
//! Adobe, TIFF revision 6.0, 1992, section 2; the `BigTIFF` proposal of the libtiff community, 2008.

use std::collections::BTreeMap;

/// The widths of offsets in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// 32 bits: a TIFF.
    Classic,
    /// 64 bits: a `BigTIFF`.
    Big,
}

impl Width {
    /// The size of an offset, bytes.
    fn bytes(self) -> usize {
        match self {
            Self::Classic => 4,
            Self::Big => 8,
        }
    }

    /// A number of this width, little-endian as the whole file.
    fn number(self, value: u64) -> Vec<u8> {
        value.to_le_bytes()[..self.bytes()].to_vec()
    }

    /// The beginning of a file; its first directory follows at once.
    pub(super) fn header(self) -> Vec<u8> {
        match self {
            Self::Classic => [&b"II*\0"[..], &8_u32.to_le_bytes()].concat(),
            Self::Big => [&b"II+\0\x08\0\0\0"[..], &16_u64.to_le_bytes()].concat(),
        }
    }
}

/// The value of a tag.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Shorts(Vec<u16>),
    Longs(Vec<u32>),
    Doubles(Vec<f64>),
    Text(String),
    /// Places in the file.
    Offsets(Vec<u64>),
}

impl From<u16> for Value {
    fn from(value: u16) -> Self {
        Self::Shorts(vec![value])
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Longs(vec![value])
    }
}

impl Value {
    /// The number of its type, how many values there are, and their bytes.
    fn encoded(&self, width: Width) -> (u16, usize, Vec<u8>) {
        match self {
            Self::Text(text) => (2, text.len() + 1, [text.as_bytes(), &[0]].concat()),
            Self::Shorts(values) => {
                let bytes = values.iter().flat_map(|v| v.to_le_bytes());
                (3, values.len(), bytes.collect())
            }
            Self::Longs(values) => {
                let bytes = values.iter().flat_map(|v| v.to_le_bytes());
                (4, values.len(), bytes.collect())
            }
            Self::Doubles(values) => {
                let bytes = values.iter().flat_map(|v| v.to_le_bytes());
                (12, values.len(), bytes.collect())
            }
            Self::Offsets(values) => {
                let kind = if width == Width::Classic { 4 } else { 16 };
                let bytes = values.iter().flat_map(|v| width.number(*v));
                (kind, values.len(), bytes.collect())
            }
        }
    }
}

/// One directory: values by the numbers of their tags.
pub(super) type Directory = BTreeMap<u16, Value>;

/// Header and directories, one after the other, each with its values behind it. Their length depends only on the number
/// of values.
pub(super) fn head(directories: &[Directory], width: Width) -> Vec<u8> {
    let mut bytes = width.header();
    for (index, directory) in directories.iter().enumerate() {
        let is_last = index + 1 == directories.len();
        add(&mut bytes, directory, width, is_last);
    }
    bytes
}

fn add(bytes: &mut Vec<u8>, directory: &Directory, width: Width, is_last: bool) {
    let small = |value: usize| u16::try_from(value).expect("tags are few");
    // A classic entry is number, type, count of 4 bytes and 4 bytes of value; in a big one the last two have 8.
    let (count_bytes, entry) = match width {
        Width::Classic => (2, 12),
        Width::Big => (8, 20),
    };
    let end = bytes.len() + count_bytes + entry * directory.len() + width.bytes();
    let mut values = Vec::new();
    let count = small(directory.len());
    bytes.extend(&u64::from(count).to_le_bytes()[..count_bytes]);
    for (tag, value) in directory {
        let (kind, count, mut own) = value.encoded(width);
        bytes.extend(tag.to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        bytes.extend(width.number(count as u64));
        if own.len() <= width.bytes() {
            own.resize(width.bytes(), 0);
            bytes.extend(own);
        } else {
            bytes.extend(width.number((end + values.len()) as u64));
            values.extend(own);
            // Values begin at even bytes, and doubles in memory at multiples of eight.
            values.resize(values.len().next_multiple_of(8), 0);
        }
    }
    let next = if is_last { 0 } else { end + values.len() };
    bytes.extend(width.number(next as u64));
    bytes.extend(values);
}
