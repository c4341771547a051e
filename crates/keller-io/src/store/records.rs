//! The container of keller's own files: records, each of a unit, one after the other.
//!
//! | bytes | |
//! |---|---|
//! | 16 | the beginning of all containers, with the version of the container |
//! | 8 | the kind: a run, a unit of a batch, paths, visibility, a scene |
//! | 16 | a digest of everything from which the records follow |
//! | 8, 8 | the length of a head with further data, and its checksum |
//! | 8 | a checksum of these |
//!
//! Then come the head and the records. A record begins with the length of its content and its checksum, and with a
//! checksum of both; its content begins with its [`Unit`]. A record without content ends the container: its checksum is
//! the number of records. So a record that is torn or changed is recognised, and the next ones are found; a container
//! that was cut is recognised as well, if it had ended. All numbers are little-endian.
//!
//! Marks alone give the places of all records: [`hop`] reads nothing else, and [`scan`] checks every byte.

use std::fs::File;
use std::hash::Hasher as _;
use std::io;

use twox_hash::XxHash3_64;
use twox_hash::xxhash3_64::Hasher;

use super::Unit;
use crate::formats::bytes::{ByteReader, ByteWriter};
use crate::formats::random_access::write_at;

const MAGIC: [u8; 16] = *b"keller records\0\x01";

/// The number of bytes before the head.
pub(crate) const HEADER_BYTES: u64 = 64;

/// The number of bytes before the content of a record.
const MARK_BYTES: u64 = 24;

/// The number of bytes that are read at a time.
const AT_ONCE: u64 = 1 << 20;

/// The kind of a container's contents.
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

/// Whether bytes begin as a container of this kind, maybe a damaged one.
pub(crate) fn is_of(bytes: &[u8], kind: Kind) -> bool {
    bytes
        .strip_prefix(&MAGIC)
        .is_some_and(|rest| rest.starts_with(&kind))
}

/// The bytes of a record before its last ones, `payload`.
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

/// Writes a record at a place of a file.
pub(crate) fn put(file: &mut File, at: u64, unit: Unit, payload: &[u8]) -> io::Result<Record> {
    let begin = record(&unit, payload);
    let record = Record {
        unit,
        at: at + begin.len() as u64,
        length: payload.len() as u64,
    };
    // A record exists once its beginning is written.
    write_at(file, record.at, payload)?;
    write_at(file, at, &begin)?;
    Ok(record)
}

/// The mark that ends a container of so many records.
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

/// A mark that no valid record has.
#[cfg(test)]
pub(super) fn mark_of(length: u64, sum: u64) -> [u8; 24] {
    mark(length, sum)
}

/// The beginning of a container.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Begin {
    /// The container is empty, or shorter than a header.
    Empty,
    /// The bytes are of something else.
    Other,
    /// The head of the header is cut.
    Cut,
    /// The checksum of the header, or that of its head, differs.
    Damaged,
    /// The header is whole.
    Container {
        kind: Kind,
        digest: [u8; 16],
        head: Vec<u8>,
    },
}

/// The place of a record's payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) unit: Unit,
    pub(crate) at: u64,
    pub(crate) length: u64,
}

impl Record {
    /// The place at which the next record begins.
    pub(crate) fn end(&self) -> u64 {
        self.at + self.length
    }
}

/// A record as its mark announces it, before its content is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Marked {
    at: u64,
    length: u64,
    sum: u64,
}

impl Marked {
    /// The record in a container in memory, whose content may have changed; `None` if it has no unit.
    pub(crate) fn record(&self, container: &[u8]) -> Option<Record> {
        let mut reader = ByteReader::new(self.content(container));
        let unit = Unit::read(&mut reader)?;
        let length = reader.left() as u64;
        Some(Record {
            unit,
            at: self.at + self.length - length,
            length,
        })
    }

    /// Whether the content in a container in memory is as it was written.
    pub(crate) fn is_whole(&self, container: &[u8]) -> bool {
        XxHash3_64::oneshot(self.content(container)) == self.sum
    }

    fn content<'c>(&self, container: &'c [u8]) -> &'c [u8] {
        in_memory(container, self.at, self.length)
    }
}

/// The marks of a container.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// The records that are not torn, in order.
    pub(crate) all: Vec<Marked>,
    /// The place of the next record.
    pub(crate) end: u64,
    /// Whether the container was ended, and nothing follows.
    pub(crate) is_ended: bool,
    /// Whether the container ends amid a record, or before its end.
    pub(crate) is_torn: bool,
}

/// All records of a container.
#[derive(Debug)]
pub(crate) struct Scanned {
    /// The records that are whole, in order.
    pub(crate) records: Vec<Record>,
    /// Whether a record has changed.
    pub(crate) is_damaged: bool,
    pub(crate) marks: Marks,
}

/// A function that reads a container: at most so many bytes from a place on.
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
        return Ok(Begin::Damaged);
    }
    let mut reader = ByteReader::new(&start[MAGIC.len()..]);
    let fields = (|| {
        let kind = reader.take(8)?.try_into().ok()?;
        let digest = reader.take(16)?.try_into().ok()?;
        Some((kind, digest, reader.count()? as u64, reader.count()? as u64))
    })();
    let (kind, digest, length, sum) = fields.expect("a header has these");
    let head = read(HEADER_BYTES, length)?;
    if head.len() as u64 != length {
        return Ok(Begin::Cut);
    }
    if XxHash3_64::oneshot(&head) != sum {
        return Ok(Begin::Damaged);
    }
    Ok(Begin::Container { kind, digest, head })
}

fn is_whole(found: &[u8]) -> bool {
    found.len() as u64 == HEADER_BYTES
}

/// Finds the records from a place on by their marks: no content is read.
pub(crate) fn hop(from: u64, read: Read) -> io::Result<Marks> {
    let mut found = Marks {
        end: from,
        ..Marks::default()
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
            found.is_ended = sum == found.all.len() as u64 && read(at, 1)?.is_empty();
            return Ok(found);
        }
        // A record that ends too early is the last one.
        if read(at.saturating_add(length - 1), 1)?.is_empty() {
            found.is_torn = true;
            return Ok(found);
        }
        found.all.push(Marked { at, length, sum });
        found.end = at + length;
    }
}

/// Finds the records from a place on, and checks every byte of them.
pub(crate) fn scan(from: u64, read: Read) -> io::Result<Scanned> {
    let marks = hop(from, read)?;
    let mut records = Vec::with_capacity(marks.all.len());
    for marked in &marks.all {
        records.extend(whole(marked, read)?);
    }
    Ok(Scanned {
        is_damaged: records.len() < marks.all.len(),
        records,
        marks,
    })
}

/// The record of a mark, if its content is as it was written.
fn whole(marked: &Marked, read: Read) -> io::Result<Option<Record>> {
    let Marked { at, length, .. } = *marked;
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
    let key = key.filter(|_| sum.finish() == marked.sum);
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

/// A container in memory, to be read.
pub(crate) fn reader(bytes: &[u8]) -> impl FnMut(u64, u64) -> io::Result<Vec<u8>> {
    |at, count| Ok(in_memory(bytes, at, count).to_vec())
}
