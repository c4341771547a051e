//! FlatGeobuf: features one after the other in FlatBuffers, behind an index that is passed over.
//!
//! # Source
//! FlatGeobuf specification, version 3: its file layout, and the tables of `header.fbs` and `feature.fbs`.

mod buffer;

use std::path::Path;

use glam::DVec2;

use crate::shown::shown;

use super::attributes::Attributes;
use super::features::{self, Features, ONLY_POLYGONS};
use super::notes::Notes;
use super::{Place, PlaceError, Polygon, ReadOptions, read_file, rings};
use buffer::Table;

/// Parts in parts beyond this depth are refused.
const MAX_DEPTH: usize = 16;

/// The buildings in the file at `path`.
///
/// # Errors
/// [`PlaceError`], which names the file and the place in it.
pub fn read(path: &Path) -> Result<Place, PlaceError> {
    read_file(path, |bytes, _| parse(bytes, path, &ReadOptions::default()))
}

/// The buildings in the bytes of `file`.
///
/// # Errors
/// [`PlaceError::Malformed`] for what is no FlatGeobuf of version 3, or ends too early.
pub fn parse(bytes: &[u8], file: &Path, options: &ReadOptions) -> Result<Place, PlaceError> {
    /// The last byte is the patch of the version.
    const MAGIC: &[u8] = b"fgb\x03fgb";
    let malformed = |place: String, problem: &str| PlaceError::malformed(file, place, problem);
    let content = bytes.strip_prefix(MAGIC).and_then(|rest| rest.get(1..));
    let Some(mut rest) = content else {
        return Err(malformed(
            String::new(),
            "not FlatGeobuf of version 3: it does not begin as such a file does",
        ));
    };
    let header = sized(&mut rest).and_then(Header::parse);
    let header =
        header.ok_or_else(|| malformed("the header".to_owned(), "it is damaged or cut off"))?;
    let index = header.index_bytes().filter(|length| *length <= rest.len());
    let Some(index) = index else {
        return Err(malformed("the index".to_owned(), "the file ends in it"));
    };
    rest = &rest[index..];
    let mut notes = Notes::new(file);
    let mut features = Features::new(options);
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        let place = || format!("feature {number}");
        let Some(feature) = sized(&mut rest).and_then(Table::root) else {
            return Err(malformed(place(), "it is damaged, or the file ends in it"));
        };
        let Some(attributes) = header.attributes(feature) else {
            return Err(malformed(place(), "its properties are damaged"));
        };
        let id = features::id(&attributes);
        let found_at = id.map_or_else(place, |id| format!("feature {number} (`{}`)", shown(id)));
        let mut outline = Vec::new();
        let geometry = feature.table(0);
        // Parts may be named twice, but a file in earnest does not do that.
        let left = &mut feature.num_bytes();
        let kind = geometry.and_then(|all| polygons(all, header.geometry, &mut outline, left, 0));
        match kind {
            Some(_) if !outline.is_empty() => {
                let name = id.map_or_else(|| number.to_string(), str::to_owned);
                features.add(name, &found_at, outline, &attributes, &mut notes);
            }
            Some(kind) => notes.add(&format!("{found_at} ({})", name_of(kind)), ONLY_POLYGONS),
            None => notes.add(
                &found_at,
                "its geometry is missing or damaged; it is left out",
            ),
        }
    }
    if header.num_features > number {
        let problem = format!(
            "the file ends after {number} of {} features",
            header.num_features
        );
        return Err(malformed(String::new(), &problem));
    }
    let mut place = features.place(header.crs);
    place.warnings = notes.finish();
    Ok(place)
}

/// Takes bytes that begin with their number.
fn sized<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (size, behind) = rest.split_first_chunk()?;
    let size = usize::try_from(u32::from_le_bytes(*size)).ok()?;
    let (taken, behind) = behind.split_at_checked(size)?;
    *rest = behind;
    Some(taken)
}

struct Header {
    /// The type of all geometries; 0 if each states its own.
    geometry: u8,
    columns: Vec<Column>,
    /// 0 where nobody counted.
    num_features: u64,
    /// Children of a node of the index; 0 without one.
    node_size: u64,
    crs: Option<String>,
}

struct Column {
    name: String,
    kind: u8,
}

impl Header {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let table = Table::root(bytes)?;
        Some(Self {
            geometry: table.byte(2),
            columns: columns(table, 7)?,
            num_features: table.number(8, 8).unwrap_or(0),
            node_size: table.number(9, 2).unwrap_or(16),
            crs: table.table(10).and_then(crs),
        })
    }

    /// The length of the index: a packed R-tree with 40 bytes a node.
    fn index_bytes(&self) -> Option<usize> {
        const NODE_BYTES: u64 = 40;
        let mut level = self.num_features;
        if self.node_size == 0 || level == 0 {
            return Some(0);
        }
        let children = self.node_size.max(2);
        let mut num_nodes = level;
        // One feature alone has a root too.
        loop {
            level = level.div_ceil(children);
            num_nodes = num_nodes.checked_add(level)?;
            if level == 1 {
                break;
            }
        }
        usize::try_from(num_nodes.checked_mul(NODE_BYTES)?).ok()
    }

    /// The texts and numbers of a feature, which may have columns of its own; `None` if they are damaged.
    fn attributes(&self, feature: Table<'_>) -> Option<Attributes> {
        let own = columns(feature, 2)?;
        let columns = if own.is_empty() { &self.columns } else { &own };
        let mut rest = feature.bytes(1)?;
        let mut found = Vec::new();
        // Some writers leave a byte behind the last value.
        while let Some((index, behind)) = rest.split_first_chunk() {
            rest = behind;
            let column = columns.get(usize::from(u16::from_le_bytes(*index)))?;
            found.push((column.name.clone(), value(column.kind, &mut rest)?));
            if found.len() > columns.len() {
                return None;
            }
        }
        Some(Attributes(found))
    }
}

/// The columns in a field of a table; `None` if they are damaged, or name more than the buffer has room for.
fn columns(table: Table<'_>, field: usize) -> Option<Vec<Column>> {
    let mut left = table.num_bytes();
    let mut columns = Vec::new();
    for column in table.tables(field)? {
        let column = column?;
        let name = column.text(0)?;
        left = left.checked_sub(name.len())?;
        columns.push(Column {
            name,
            kind: column.byte(1),
        });
    }
    Some(columns)
}

/// Takes a value, as text: an empty one if it is neither text nor number.
fn value(kind: u8, rest: &mut &[u8]) -> Option<String> {
    let mut take = |length: usize| {
        let (taken, behind) = rest.split_at_checked(length)?;
        *rest = behind;
        Some(taken)
    };
    macro_rules! number {
        ($kind:ty) => {
            <$kind>::from_le_bytes(take(size_of::<$kind>())?.try_into().ok()?).to_string()
        };
    }
    Some(match kind {
        0 => number!(i8),
        1 => number!(u8),
        2 => if take(1)? == [0] { "no" } else { "yes" }.to_owned(),
        3 => number!(i16),
        4 => number!(u16),
        5 => number!(i32),
        6 => number!(u32),
        7 => number!(i64),
        8 => number!(u64),
        9 => number!(f32),
        10 => number!(f64),
        11..=14 => {
            let length = u32::from_le_bytes(take(4)?.try_into().ok()?);
            let bytes = take(usize::try_from(length).ok()?)?;
            if kind != 11 {
                return Some(String::new());
            }
            String::from_utf8_lossy(bytes).into_owned()
        }
        _ => return None,
    })
}

/// The system that the header names.
fn crs(table: Table<'_>) -> Option<String> {
    let organization = table.text(0).unwrap_or_default();
    let code = table.number(1, 4).filter(|code| *code > 0);
    match code {
        Some(code) if organization.is_empty() || organization.eq_ignore_ascii_case("epsg") => {
            Some(format!("EPSG:{code}"))
        }
        _ => table.text(4).filter(|definition| !definition.is_empty()),
    }
}

/// Adds the polygons of a geometry to `out`, and gives its kind; `None` if it is damaged, or if all parts together have more bytes than
/// are `left`.
fn polygons(
    geometry: Table<'_>,
    all: u8,
    out: &mut Vec<Polygon>,
    left: &mut usize,
    depth: usize,
) -> Option<u8> {
    /// Bytes of a geometry at least, and of a position.
    const MIN_BYTES: usize = 8;
    const POSITION_BYTES: usize = 16;
    const POLYGON: u8 = 3;
    const MULTI_POLYGON: u8 = 6;
    const COLLECTION: u8 = 7;
    *left = left.checked_sub(MIN_BYTES)?;
    let own = geometry.byte(6);
    let kind = if own == 0 { all } else { own };
    match kind {
        POLYGON => {
            let coordinates = geometry.numbers(1, 8)?.map(f64::from_bits);
            let coordinates: Vec<f64> = coordinates.collect();
            let (points, rest) = coordinates.as_chunks::<2>();
            *left = left.checked_sub(POSITION_BYTES * points.len())?;
            let points: Vec<DVec2> = points.iter().copied().map(DVec2::from).collect();
            if !rest.is_empty() || !points.iter().all(|point| point.is_finite()) {
                return None;
            }
            // The end of every ring; without this list there is one.
            let mut ends: Vec<usize> = Vec::new();
            for end in geometry.numbers(0, 4)? {
                ends.push(usize::try_from(end).ok()?);
            }
            if ends.is_empty() {
                ends.push(points.len());
            }
            let mut start = 0;
            let mut polygon = Polygon::default();
            for (index, end) in ends.into_iter().enumerate() {
                let ring = rings::open(points.get(start..end)?.to_vec());
                start = end;
                match index {
                    0 => polygon.outer = ring,
                    _ => polygon.holes.push(ring),
                }
            }
            out.push(polygon);
        }
        MULTI_POLYGON | COLLECTION if depth < MAX_DEPTH => {
            let part_kind = if kind == MULTI_POLYGON { POLYGON } else { 0 };
            for part in geometry.tables(7)? {
                polygons(part?, part_kind, out, left, depth + 1)?;
            }
        }
        MULTI_POLYGON | COLLECTION => return None,
        _ => {}
    }
    Some(kind)
}

fn name_of(kind: u8) -> &'static str {
    match kind {
        1 | 4 => "points",
        2 | 5 => "lines",
        3 | 6 | 7 => "empty",
        _ => "no polygons",
    }
}

#[cfg(test)]
mod tests;
