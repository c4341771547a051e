//! Comparisons with the GeoJSON from which GDAL made the file; see `tests/data`.

use super::*;
use crate::place::{Shape, geojson};

const HOUSES: &[u8] = include_bytes!("../../../tests/data/houses.fgb");
const SOURCE: &[u8] = include_bytes!("../../../tests/data/houses.geojson");

fn read_bytes(bytes: &[u8]) -> Result<Place, PlaceError> {
    parse(bytes, Path::new("houses.fgb"), &ReadOptions::default())
}

/// The properties that do not depend on the format, in an order of its own: that of the file follows the index.
fn facts(place: &Place) -> Vec<(&str, &Shape, &Option<String>)> {
    let mut all: Vec<_> = place
        .buildings
        .iter()
        .map(|building| (&building.id[..], &building.shape, &building.wall_material))
        .collect();
    all.sort_unstable_by_key(|fact| fact.0);
    all
}

#[test]
fn a_file_of_gdal_has_the_buildings_of_its_source() {
    let found = read_bytes(HOUSES).unwrap();
    let source = geojson::parse(SOURCE, Path::new("a.geojson"), &ReadOptions::default()).unwrap();
    assert_eq!(facts(&found), facts(&source));
    assert_eq!(found.buildings.len(), 2);
    assert_eq!(found.crs.as_deref(), Some("EPSG:4326"));
    let message: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
    let points =
        "(`a point`) (points): only polygons can be buildings or vegetation; it is left out";
    assert!(
        message.iter().any(|message| message.contains(points)),
        "{message:?}"
    );
}

#[test]
fn a_cut_or_changed_file_is_an_error_or_a_place() {
    for length in 0..HOUSES.len() - 1 {
        assert!(read_bytes(&HOUSES[..length]).is_err(), "{length}");
    }
    let mut bytes = HOUSES.to_vec();
    for at in 0..bytes.len() {
        for flip in [0xff, 0x01, 0x80] {
            bytes[at] ^= flip;
            if let Ok(place) = read_bytes(&bytes) {
                let prisms = place
                    .buildings
                    .iter()
                    .filter_map(|building| match &building.shape {
                        Shape::Prism(prism) => Some(prism),
                        Shape::Surfaces(_) => None,
                    });
                let mut corners = prisms.flat_map(|p| &p.outline).flat_map(|p| &p.outer);
                assert!(corners.all(|corner| corner.is_finite()), "{at} {flip:x}");
            }
            bytes[at] ^= flip;
        }
    }
}

/// A node for each feature and one above each sixteen; one feature has a root too.
#[test]
fn an_index_has_a_root_above_its_features() {
    for (num_features, num_nodes) in [(0, 0), (1, 2), (2, 3), (16, 17), (17, 20), (257, 277)] {
        let header = Header {
            geometry: 0,
            columns: Vec::new(),
            num_features,
            node_size: 16,
            crs: None,
        };
        assert_eq!(header.index_bytes(), Some(40 * num_nodes), "{num_features}");
    }
}

/// Sixteen levels of collections, each of which names the next one a hundred times, would be 10^32 polygons.
#[test]
fn parts_that_are_named_again_and_again_cost_no_more_than_the_file_is_long() {
    let mut bytes: Vec<u8> = Vec::new();
    let mut child: Option<usize> = None;
    // A table of fields 6 (kind) and 7 (parts) behind its list of fields; children are behind their parents, so that they are written
    // from the end: here each level is laid out in front of the ones before.
    for _ in 0..MAX_DEPTH {
        let mut level: Vec<u8> = Vec::new();
        let num_parts = if child.is_some() { 100_u32 } else { 0 };
        // The list of fields: its length, that of the table, then the places of fields 0 to 7.
        for n in [20_u16, 9, 0, 0, 0, 0, 0, 0, 8, 4] {
            level.extend(n.to_le_bytes());
        }
        // The table: back to its list, on to the parts, the kind, and three bytes that fill up.
        level.extend(20_i32.to_le_bytes());
        level.extend(8_u32.to_le_bytes());
        level.extend([7, 0, 0, 0]);
        level.extend(num_parts.to_le_bytes());
        let start = level.len();
        let length = start + 4 * num_parts as usize;
        for part in 0..num_parts as usize {
            let table = length + child.unwrap_or_default();
            let offset = u32::try_from(table - start - 4 * part).unwrap();
            level.extend(offset.to_le_bytes());
        }
        level.extend(bytes);
        bytes = level;
        child = Some(20);
    }
    let mut feature = 24_u32.to_le_bytes().to_vec();
    feature.extend(bytes);
    let geometry = Table::root(&feature).unwrap();
    let mut left = feature.len();
    let found = polygons(geometry, 0, &mut Vec::new(), &mut left, 0);
    assert_eq!(found, None);
}
