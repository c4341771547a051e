//! The container of what keller keeps for itself: records, each of a unit, one after the other.
//!
//! | bytes | |
//! |---|---|
//! | 16 | how all containers begin, with the version of the container |
//! | 8 | what it is of: a run, a unit of a sweep, paths |
//! | 16 | a digest of all that the records follow from |
//! | 8, 8 | the length of a head that says more, and its checksum |
//! | 8 | a checksum of these |
//!
//! Then the head, and the records. A record begins with the length of its content and its checksum, and with a checksum of both; its
//! content begins with its [`Unit`]. A record without content ends the container: its checksum is the number of records. So a record
//! that is torn or changed is known as such, and those that follow are found; and a container that was cut is known as well, if it had
//! ended. Little-endian throughout.

use std::hash::Hasher as _;
use std::io;

use twox_hash::XxHash3_64;
use twox_hash::xxhash3_64::Hasher;

use super::Unit;
use crate::formats::bytes::{ByteReader, ByteWriter};

const MAGIC: [u8; 16] = *b"keller records\0\x01";

/// Bytes before the head.
pub(crate) const HEADER_BYTES: u64 = 64;

/// Bytes before the content of a record.
const MARK_BYTES: u64 = 24;

/// Bytes that are read at a time.
const AT_ONCE: u64 = 1 << 20;

/// What a container is of.
pub(crate) type Kind = [u8; 8];

/// The header of a container, with its head.
pub(crate) fn header(kind: Kind, digest: [u8; 16], head: &[u8]) -> Vec<u8> {
    let of_head = [head.len() as u64, XxHash3_64::oneshot(head)].map(u64::to_le_bytes);
    let mut bytes = [&MAGIC[..], &kind, &digest, of_head.as_flattened()].concat();
    let sum = XxHash3_64::oneshot(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes.extend_from_slice(head);
    bytes
}

/// A record but its last bytes, `payload`, which follow these.
pub(crate) fn record(unit: &Unit, payload: &[u8]) -> Vec<u8> {
    let mut key = ByteWriter::default();
    unit.write(&mut key);
    let key = key.into_bytes();
    let mut sum = Hasher::new();
    sum.write(&key);
    sum.write(payload);
    let length = (key.len() + payload.len()) as u64;
    [mark(length, sum.finish()).as_slice(), &key].concat()
}

/// What ends a container of so many records.
pub(crate) fn end(num_records: usize) -> Vec<u8> {
    mark(0, num_records as u64).to_vec()
}

fn mark(length: u64, sum: u64) -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[..8].copy_from_slice(&length.to_le_bytes());
    bytes[8..16].copy_from_slice(&sum.to_le_bytes());
    let own = XxHash3_64::oneshot(&bytes[..16]);
    bytes[16..].copy_from_slice(&own.to_le_bytes());
    bytes
}

/// The mark of a record that may not be.
#[cfg(test)]
pub(super) fn mark_of(length: u64, sum: u64) -> [u8; 24] {
    mark(length, sum)
}

/// The beginning of a container.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Begin {
    /// Nothing, or less than a header that would be one.
    Empty,
    /// Something else, or a header that is damaged.
    Other,
    /// A whole header.
    Container {
        kind: Kind,
        digest: [u8; 16],
        head: Vec<u8>,
    },
}

/// Where the payload of a record is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) unit: Unit,
    pub(crate) at: u64,
    pub(crate) length: u64,
}

/// All records of a container.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    /// Those that are whole, in order.
    pub(crate) records: Vec<Record>,
    /// Where the next record goes.
    pub(crate) end: u64,
    /// Whether the container was ended, and nothing follows.
    pub(crate) is_ended: bool,
    /// Whether the container ends amid a record.
    pub(crate) is_torn: bool,
    /// Whether a record has changed.
    pub(crate) is_damaged: bool,
}

/// Reads a container: at most so many bytes from a place on.
pub(crate) type Read<'r> = &'r mut dyn FnMut(u64, u64) -> io::Result<Vec<u8>>;

pub(crate) fn begin(read: Read) -> io::Result<Begin> {
    let found = read(0, HEADER_BYTES)?;
    let magic = &found[..found.len().min(MAGIC.len())];
    if !MAGIC.starts_with(magic) {
        return Ok(Begin::Other);
    }
    let Some((start, sum)) = found.split_last_chunk::<8>().filter(|_| is_whole(&found)) else {
        return Ok(Begin::Empty);
    };
    if *sum != XxHash3_64::oneshot(start).to_le_bytes() {
        return Ok(Begin::Other);
    }
    let mut reader = ByteReader::new(&start[MAGIC.len()..]);
    let fields = (|| {
        let kind = reader.take(8)?.try_into().ok()?;
        let digest = reader.take(16)?.try_into().ok()?;
        Some((kind, digest, reader.count()? as u64, reader.count()? as u64))
    })();
    let (kind, digest, length, sum) = fields.expect("a header has these");
    let head = read(HEADER_BYTES, length)?;
    if head.len() as u64 != length || XxHash3_64::oneshot(&head) != sum {
        return Ok(Begin::Other);
    }
    Ok(Begin::Container { kind, digest, head })
}

fn is_whole(found: &[u8]) -> bool {
    found.len() as u64 == HEADER_BYTES
}

/// Finds the records from a place on, and checks every byte of them.
pub(crate) fn scan(from: u64, read: Read) -> io::Result<Scanned> {
    let mut found = Scanned {
        end: from,
        ..Scanned::default()
    };
    loop {
        let bytes = read(found.end, MARK_BYTES)?;
        let Ok(bytes) = <[u8; 24]>::try_from(bytes) else {
            found.is_torn = true;
            return Ok(found);
        };
        let [length, sum] = [0, 8].map(|at| {
            let word = bytes[at..at + 8].try_into().expect("eight bytes");
            u64::from_le_bytes(word)
        });
        if bytes != mark(length, sum) {
            return Ok(found);
        }
        let at = found.end + MARK_BYTES;
        if length == 0 {
            found.is_ended = sum == found.records.len() as u64 && read(at, 1)?.is_empty();
            return Ok(found);
        }
        let Some(record) = content(at, length, sum, read)? else {
            // A record that ends too early is the last one.
            if read(at.saturating_add(length - 1), 1)?.is_empty() {
                found.is_torn = true;
                return Ok(found);
            }
            found.is_damaged = true;
            found.end = at + length;
            continue;
        };
        found.records.push(record);
        found.end = at + length;
    }
}

/// A record with this content, if that is whole.
fn content(at: u64, length: u64, wanted: u64, read: Read) -> io::Result<Option<Record>> {
    let mut sum = Hasher::new();
    let mut key = None;
    let mut done = 0;
    while done < length {
        let piece = read(at + done, AT_ONCE.min(length - done))?;
        if piece.is_empty() {
            return Ok(None);
        }
        if done == 0 {
            let mut reader = ByteReader::new(&piece);
            key = Unit::read(&mut reader).map(|unit| (unit, reader.left() as u64));
            key = key.map(|(unit, left)| (unit, piece.len() as u64 - left));
        }
        sum.write(&piece);
        done += piece.len() as u64;
    }
    let key = key.filter(|_| sum.finish() == wanted);
    Ok(key.map(|(unit, key_bytes)| Record {
        unit,
        at: at + key_bytes,
        length: length - key_bytes,
    }))
}

/// Reads bytes in memory as containers are read.
pub(crate) fn in_memory(bytes: &[u8], at: u64, count: u64) -> &[u8] {
    let place = |at: u64| usize::try_from(at).map_or(bytes.len(), |at| at.min(bytes.len()));
    &bytes[place(at)..place(at.saturating_add(count))]
}
