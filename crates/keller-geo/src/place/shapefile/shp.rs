//! The shapes of a Shapefile. Numbers of heads are big-endian, those of shapes little-endian; lengths count 16-bit words.

use std::path::Path;

use glam::DVec2;

use crate::place::notes::Notes;
use crate::place::{PlaceError, rings};

/// Bytes of the file's head and of a record's.
const FILE_HEAD: usize = 100;
const RECORD_HEAD: usize = 8;

/// Bytes of a polygon before its parts: type, box, number of parts, number of points.
const POLYGON_HEAD: usize = 44;

/// One record.
#[derive(Debug)]
pub(super) enum Record {
    /// The rings of a polygon, open.
    Rings(Vec<Vec<DVec2>>),
    /// A shape of another kind.
    Other(&'static str),
}

/// All records of `bytes`.
pub(super) fn parse(
    bytes: &[u8],
    file: &Path,
    notes: &mut Notes,
) -> Result<Vec<Record>, PlaceError> {
    let malformed = |place: String, problem: &str| PlaceError::malformed(file, place, problem);
    if be_u32(bytes, 0) != Some(9994) {
        return Err(malformed(
            String::new(),
            "not a Shapefile: it does not begin with the number 9994",
        ));
    }
    let stated = be_u32(bytes, 24).map(|words| 2 * words as usize);
    if bytes.len() < FILE_HEAD || stated.is_some_and(|stated| bytes.len() < stated) {
        return Err(malformed(
            String::new(),
            &format!(
                "the file ends after {} of {} bytes",
                bytes.len(),
                stated.unwrap_or(FILE_HEAD).max(FILE_HEAD)
            ),
        ));
    }
    let mut records = Vec::new();
    let mut rest = &bytes[FILE_HEAD..];
    while !rest.is_empty() {
        let place = format!("record {}", records.len() + 1);
        let words = be_u32(rest, 4).unwrap_or(u32::MAX) as usize;
        let Some(content) = rest.get(RECORD_HEAD..RECORD_HEAD + 2 * words) else {
            return Err(malformed(place, "the record ends after the file does"));
        };
        let record = record(content).map_err(|problem| malformed(place.clone(), problem))?;
        records.push(match record {
            Record::Rings(rings) => Record::Rings(finite(rings, &place, notes)),
            other @ Record::Other(_) => other,
        });
        rest = &rest[RECORD_HEAD + 2 * words..];
    }
    Ok(records)
}

/// The rings whose coordinates are numbers.
fn finite(mut rings: Vec<Vec<DVec2>>, place: &str, notes: &mut Notes) -> Vec<Vec<DVec2>> {
    let count = rings.len();
    rings.retain(|ring| ring.iter().all(|point| point.is_finite()));
    if rings.len() < count {
        notes.add(
            place,
            "coordinates must be finite; rings with others are left out",
        );
    }
    rings
}

fn record(content: &[u8]) -> Result<Record, &'static str> {
    let kind = le_u32(content, 0).ok_or("the record has no shape type")?;
    Ok(match kind {
        5 | 15 | 25 => Record::Rings(polygon(content)?),
        0 => Record::Other("no shape"),
        1 | 11 | 21 => Record::Other("a point"),
        3 | 13 | 23 => Record::Other("a line"),
        8 | 18 | 28 => Record::Other("several points"),
        31 => Record::Other("a multipatch"),
        _ => return Err("the shape type is unknown"),
    })
}

fn polygon(content: &[u8]) -> Result<Vec<Vec<DVec2>>, &'static str> {
    let too_short = "the polygon's counts do not fit its length";
    let counts = (le_u32(content, 36), le_u32(content, 40));
    let (Some(parts), Some(points)) = counts else {
        return Err(too_short);
    };
    let (parts, points) = (parts as usize, points as usize);
    // No sum overflows: counts have 32 bits, and sizes 64 on every machine that holds such a file.
    let points_at = parts.saturating_mul(4).saturating_add(POLYGON_HEAD);
    if content.len() < points.saturating_mul(16).saturating_add(points_at) {
        return Err(too_short);
    }
    let start = |part: usize| le_u32(content, POLYGON_HEAD + 4 * part).map(|start| start as usize);
    (0..parts)
        .map(|part| {
            let from = start(part).ok_or(too_short)?;
            let to = if part + 1 < parts {
                start(part + 1).ok_or(too_short)?
            } else {
                points
            };
            if from > to || to > points {
                return Err("the polygon's rings are out of order");
            }
            let ring = (from..to).map(|i| {
                let at = points_at + 16 * i;
                DVec2::new(le_f64(content, at), le_f64(content, at + 8))
            });
            Ok(rings::open(ring.collect()))
        })
        .collect()
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

fn be_u32(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_be_bytes)
}

fn le_u32(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_le_bytes)
}

/// NaN behind the end, which callers have excluded.
fn le_f64(bytes: &[u8], at: usize) -> f64 {
    array(bytes, at).map_or(f64::NAN, f64::from_le_bytes)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A file of polygons, each a list of closed rings.
    pub(in crate::place::shapefile) fn file(polygons: &[Vec<Vec<DVec2>>]) -> Vec<u8> {
        let mut body = Vec::new();
        for (index, rings) in polygons.iter().enumerate() {
            let points: Vec<DVec2> = rings.iter().flatten().copied().collect();
            let mut content = 5_u32.to_le_bytes().to_vec();
            content.extend([0; 32]);
            content.extend(u32::try_from(rings.len()).unwrap().to_le_bytes());
            content.extend(u32::try_from(points.len()).unwrap().to_le_bytes());
            let mut start = 0;
            for ring in rings {
                content.extend(u32::try_from(start).unwrap().to_le_bytes());
                start += ring.len();
            }
            for point in points {
                content.extend(point.x.to_le_bytes());
                content.extend(point.y.to_le_bytes());
            }
            body.extend(u32::try_from(index + 1).unwrap().to_be_bytes());
            body.extend(u32::try_from(content.len() / 2).unwrap().to_be_bytes());
            body.extend(content);
        }
        let mut file = vec![0; FILE_HEAD];
        file[..4].copy_from_slice(&9994_u32.to_be_bytes());
        let words = u32::try_from(FILE_HEAD / 2 + body.len() / 2).unwrap();
        file[24..28].copy_from_slice(&words.to_be_bytes());
        file.extend(body);
        file
    }

    #[test]
    fn counts_beyond_the_file_are_refused() {
        let mut bytes = file(&[vec![vec![DVec2::ZERO; 4]]]);
        let parts_at = FILE_HEAD + RECORD_HEAD + 36;
        bytes[parts_at..parts_at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        let mut notes = Notes::without_file();
        let error = parse(&bytes, Path::new("a.shp"), &mut notes).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`a.shp`, record 1: the polygon's counts do not fit its length"
        );
    }
}
