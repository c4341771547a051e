//! Elements of OpenStreetMap PBF: blocks compressed by zlib, each a message of Google's protocol buffers.
//!
//! # Source
//! OpenStreetMap wiki, PBF Format, 2024; `fileformat.proto` and `osmformat.proto` of OSM-binary. Numbers in the code are the fields
//! of those messages.

use std::io::Read as _;
use std::path::Path;

use flate2::read::ZlibDecoder;
use glam::DVec2;

use super::{Element, Tags, Want};
use crate::place::PlaceError;

/// The format's limits for the head of a block and for its content, bytes.
const MAX_HEAD: usize = 64 * 1024;
const MAX_CONTENT: u64 = 32 * 1024 * 1024;

/// Degrees in the unit of coordinates.
const NANO: f64 = 1e-9;

/// The features that a file may require and the reader understands.
const KNOWN_FEATURES: [&[u8]; 3] = [b"OsmSchema-V0.6", b"DenseNodes", b"HistoricalInformation"];

/// Calls `visit` with every wanted element.
pub(super) fn visit(
    bytes: &[u8],
    file: &Path,
    want: Want,
    visit: &mut dyn FnMut(Element<'_>),
) -> Result<(), PlaceError> {
    let mut rest = bytes;
    if rest.is_empty() {
        return Err(PlaceError::malformed(file, "", "the file is empty"));
    }
    while !rest.is_empty() {
        let at = bytes.len() - rest.len();
        block(&mut rest, want, visit).map_err(|problem| {
            PlaceError::malformed(file, format!("the block at byte {at}"), problem)
        })?;
    }
    Ok(())
}

/// Takes one block off `rest`.
fn block(
    rest: &mut &[u8],
    want: Want,
    visit: &mut dyn FnMut(Element<'_>),
) -> Result<(), &'static str> {
    const SHORT: &str = "the file ends within it, or it is no OpenStreetMap PBF";
    let length = take(rest, 4).ok_or(SHORT)?;
    let length = u32::from_be_bytes([length[0], length[1], length[2], length[3]]) as usize;
    if length > MAX_HEAD {
        return Err("its head is longer than the format allows: no OpenStreetMap PBF");
    }
    let (mut kind, mut size) = (&b""[..], 0);
    each(take(rest, length).ok_or(SHORT)?, |field, value| {
        match (field, value) {
            (1, Value::Bytes(bytes)) => kind = bytes,
            (3, Value::Number(number)) => size = number,
            _ => {}
        }
        Ok(())
    })?;
    let size = usize::try_from(size).map_err(|_| SHORT)?;
    let blob = take(rest, size).ok_or(SHORT)?;
    match kind {
        b"OSMHeader" => header(&content(blob)?),
        b"OSMData" => primitives(&content(blob)?, want, visit),
        _ => Ok(()),
    }
}

/// The bytes of a blob, decompressed.
fn content(blob: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut found = Err("it holds no data");
    each(blob, |field, value| {
        match (field, value) {
            (1, Value::Bytes(raw)) => found = Ok(raw.to_vec()),
            (3, Value::Bytes(packed)) => {
                let mut out = Vec::new();
                // One byte more than allowed shows that there is more; no memory is taken on the word of the file.
                let mut decoder = ZlibDecoder::new(packed).take(MAX_CONTENT + 1);
                found = match decoder.read_to_end(&mut out) {
                    Err(_) => Err("its compressed data are damaged"),
                    Ok(_) if out.len() as u64 > MAX_CONTENT => {
                        Err("it is larger than the format allows")
                    }
                    Ok(_) => Ok(out),
                };
            }
            (4..=7, Value::Bytes(_)) => {
                found = Err("it is compressed by another method than zlib; convert it with osmium");
            }
            _ => {}
        }
        Ok(())
    })?;
    found
}

fn header(message: &[u8]) -> Result<(), &'static str> {
    each(message, |field, value| match (field, value) {
        (4, Value::Bytes(feature)) if !KNOWN_FEATURES.contains(&feature) => {
            Err("the file requires a feature that is not supported here; convert it with osmium")
        }
        _ => Ok(()),
    })
}

/// The data that the elements of one block share.
struct Shared<'a> {
    strings: Vec<&'a [u8]>,
    granularity: i64,
    lat_offset: i64,
    lon_offset: i64,
}

fn primitives(
    message: &[u8],
    want: Want,
    visit: &mut dyn FnMut(Element<'_>),
) -> Result<(), &'static str> {
    let mut shared = Shared {
        strings: Vec::new(),
        granularity: 100,
        lat_offset: 0,
        lon_offset: 0,
    };
    let mut groups = Vec::new();
    each(message, |field, value| {
        match (field, value) {
            (1, Value::Bytes(table)) => each(table, |field, value| {
                if let (1, Value::Bytes(text)) = (field, value) {
                    shared.strings.push(text);
                }
                Ok(())
            })?,
            (2, Value::Bytes(group)) => groups.push(group),
            (17, Value::Number(number)) => shared.granularity = number.cast_signed(),
            (19, Value::Number(number)) => shared.lat_offset = number.cast_signed(),
            (20, Value::Number(number)) => shared.lon_offset = number.cast_signed(),
            _ => {}
        }
        Ok(())
    })?;
    for group in groups {
        each(group, |field, value| {
            match (field, value, want) {
                (1, Value::Bytes(node), Want::Nodes) => visit(shared.node(node)?),
                (2, Value::Bytes(nodes), Want::Nodes) => shared.dense(nodes, visit)?,
                (3, Value::Bytes(way), Want::Ways) => visit(shared.way(way)?),
                (4, Value::Bytes(relation), Want::Relations) => visit(shared.relation(relation)?),
                _ => {}
            }
            Ok(())
        })?;
    }
    Ok(())
}

impl<'a> Shared<'a> {
    fn position(&self, lat: i64, lon: i64) -> DVec2 {
        let degrees = |offset: i64, value: i64| {
            NANO * (offset.wrapping_add(self.granularity.wrapping_mul(value))) as f64
        };
        DVec2::new(degrees(self.lon_offset, lon), degrees(self.lat_offset, lat))
    }

    fn node(&self, message: &[u8]) -> Result<Element<'a>, &'static str> {
        let (mut id, mut lat, mut lon) = (0, 0, 0);
        each(message, |field, value| {
            match (field, value) {
                (1, Value::Number(number)) => id = zigzag(number),
                (8, Value::Number(number)) => lat = zigzag(number),
                (9, Value::Number(number)) => lon = zigzag(number),
                _ => {}
            }
            Ok(())
        })?;
        let at = self.position(lat, lon);
        Ok(Element::Node { id, at })
    }

    /// Nodes as three columns of differences.
    fn dense(
        &self,
        message: &[u8],
        visit: &mut dyn FnMut(Element<'_>),
    ) -> Result<(), &'static str> {
        let [mut ids, mut lats, mut lons] = [const { Vec::new() }; 3];
        each(message, |field, value| match field {
            1 => numbers(value, &mut ids),
            8 => numbers(value, &mut lats),
            9 => numbers(value, &mut lons),
            _ => Ok(()),
        })?;
        if ids.len() != lats.len() || ids.len() != lons.len() {
            return Err("its nodes have not as many ids as coordinates");
        }
        let (mut id, mut lat, mut lon) = (0_i64, 0_i64, 0_i64);
        for i in 0..ids.len() {
            id = id.wrapping_add(zigzag(ids[i]));
            lat = lat.wrapping_add(zigzag(lats[i]));
            lon = lon.wrapping_add(zigzag(lons[i]));
            let at = self.position(lat, lon);
            visit(Element::Node { id, at });
        }
        Ok(())
    }

    fn way(&self, message: &[u8]) -> Result<Element<'a>, &'static str> {
        let (mut id, mut tags) = (0_u64, TagIndices::default());
        let mut nodes = Vec::new();
        each(message, |field, value| {
            match (field, value) {
                (1, Value::Number(number)) => id = number,
                (8, value) => numbers(value, &mut nodes)?,
                (field, value) => tags.field(field, value)?,
            }
            Ok(())
        })?;
        Ok(Element::Way {
            id: id.cast_signed(),
            nodes: sums(&nodes),
            tags: self.tags(&tags)?,
        })
    }

    fn relation(&self, message: &[u8]) -> Result<Element<'a>, &'static str> {
        let (mut id, mut tags) = (0_u64, TagIndices::default());
        let [mut roles, mut members, mut kinds] = [const { Vec::new() }; 3];
        each(message, |field, value| {
            match (field, value) {
                (1, Value::Number(number)) => id = number,
                (8, value) => numbers(value, &mut roles)?,
                (9, value) => numbers(value, &mut members)?,
                (10, value) => numbers(value, &mut kinds)?,
                (field, value) => tags.field(field, value)?,
            }
            Ok(())
        })?;
        if roles.len() != members.len() || kinds.len() != members.len() {
            return Err("a relation has not as many roles as members");
        }
        let members = sums(&members);
        let mut ways = Vec::new();
        for (i, &member) in members.iter().enumerate() {
            // 0 is a node, 2 a relation.
            if kinds[i] == 1 {
                ways.push((member, self.string(roles[i])?));
            }
        }
        Ok(Element::Relation {
            id: id.cast_signed(),
            ways,
            tags: self.tags(&tags)?,
        })
    }

    fn tags(&self, indices: &TagIndices) -> Result<Tags<'a>, &'static str> {
        let pairs = indices.keys.iter().zip(&indices.values);
        pairs
            .map(|(&key, &value)| Ok((self.string(key)?, self.string(value)?)))
            .collect()
    }

    fn string(&self, index: u64) -> Result<&'a str, &'static str> {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        let text = self.strings.get(index);
        let text = text.ok_or("a text is named that it does not have")?;
        std::str::from_utf8(text).map_err(|_| "a text is not UTF-8")
    }
}

/// The keys and values of an element's tags, as numbers of strings.
#[derive(Default)]
struct TagIndices {
    keys: Vec<u64>,
    values: Vec<u64>,
}

impl TagIndices {
    fn field(&mut self, field: u64, value: Value<'_>) -> Result<(), &'static str> {
        match field {
            2 => numbers(value, &mut self.keys),
            3 => numbers(value, &mut self.values),
            _ => Ok(()),
        }
    }
}

/// The value of a field of a message.
#[derive(Clone, Copy)]
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// Calls `visit` with the number and the value of every field of a message.
fn each<'a>(
    mut message: &'a [u8],
    mut visit: impl FnMut(u64, Value<'a>) -> Result<(), &'static str>,
) -> Result<(), &'static str> {
    const BAD: &str = "its data are damaged";
    while !message.is_empty() {
        let tag = varint(&mut message).ok_or(BAD)?;
        let value = match tag & 7 {
            0 => Value::Number(varint(&mut message).ok_or(BAD)?),
            1 => Value::Bytes(take(&mut message, 8).ok_or(BAD)?),
            2 => {
                let length = varint(&mut message).ok_or(BAD)?;
                let length = usize::try_from(length).map_err(|_| BAD)?;
                Value::Bytes(take(&mut message, length).ok_or(BAD)?)
            }
            5 => Value::Bytes(take(&mut message, 4).ok_or(BAD)?),
            _ => return Err(BAD),
        };
        visit(tag >> 3, value)?;
    }
    Ok(())
}

/// Adds the numbers of a repeated field, packed or not.
fn numbers(value: Value<'_>, out: &mut Vec<u64>) -> Result<(), &'static str> {
    match value {
        Value::Number(number) => out.push(number),
        Value::Bytes(mut packed) => {
            while !packed.is_empty() {
                out.push(varint(&mut packed).ok_or("its data are damaged")?);
            }
        }
    }
    Ok(())
}

/// The running sums of zigzag differences.
fn sums(differences: &[u64]) -> Vec<i64> {
    let mut sum = 0_i64;
    let add = |&difference: &u64| {
        sum = sum.wrapping_add(zigzag(difference));
        sum
    };
    differences.iter().map(add).collect()
}

/// 0, -1, 1, -2, … for 0, 1, 2, 3, …
fn zigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}
