//! Comparisons with the GeoJSON from which GDAL made the file; see `tests/data`.

use std::io;

use super::*;
use crate::place::{Building, Polygon, Shape, geojson};

const HOUSES: &[u8] = include_bytes!("../../../tests/data/houses.gpkg");
const SOURCE: &[u8] = include_bytes!("../../../tests/data/houses.geojson");

fn read_bytes(bytes: &[u8]) -> Result<Place, PlaceError> {
    let nothing = |_: &Path| Err(io::ErrorKind::NotFound.into());
    parse(
        bytes,
        Path::new("houses.gpkg"),
        &ReadOptions::default(),
        &nothing,
    )
}

/// The properties that do not depend on the format.
fn facts(building: &Building) -> (&str, &Shape, &Option<String>) {
    (&building.id, &building.shape, &building.wall_material)
}

#[test]
fn a_file_of_gdal_has_the_buildings_of_its_source() {
    let found = read_bytes(HOUSES).unwrap();
    let source = geojson::parse(SOURCE, Path::new("a.geojson"), &ReadOptions::default()).unwrap();
    let [ours, theirs] = [&found, &source].map(|place| place.buildings.iter().map(facts));
    assert_eq!(ours.collect::<Vec<_>>(), theirs.collect::<Vec<_>>());
    assert_eq!(found.buildings.len(), 2);
    assert_eq!(found.crs.as_deref(), Some("EPSG:4326"));
    assert_eq!(found.buildings[0].found_at, "feature 1 (`Höfe`)");
    let message: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        message,
        [
            "`houses.gpkg`, feature 3 (`a point`) (points): only polygons can be buildings or vegetation; it is left out",
            "`houses.gpkg`, feature 4 (`nothing`): it has no geometry; it is left out",
        ]
    );
}

#[test]
fn a_cut_or_changed_file_is_an_error_or_a_place() {
    for length in (0..HOUSES.len()).step_by(61) {
        assert!(read_bytes(&HOUSES[..length]).is_err(), "{length}");
    }
    let mut bytes = HOUSES.to_vec();
    // Every place in its turn would take a minute.
    for at in (0..bytes.len()).step_by(11) {
        for flip in [0xff, 0x01, 0x80] {
            bytes[at] ^= flip;
            if let Ok(place) = read_bytes(&bytes) {
                let polygons = place
                    .buildings
                    .iter()
                    .flat_map(|building| match &building.shape {
                        Shape::Prism(prism) => &prism.outline[..],
                        Shape::Surfaces(_) => &[],
                    });
                let is_finite = |p: &Polygon| p.outer.iter().all(|corner| corner.is_finite());
                assert!({ polygons }.all(is_finite), "{at} {flip:x}");
            }
            bytes[at] ^= flip;
        }
    }
}

#[test]
fn changes_that_are_not_in_the_file_yet_are_no_silent_loss() {
    let sibling = |file: &Path| {
        assert_eq!(file, Path::new("houses.GPKG-wal"));
        Ok(b"changes".to_vec())
    };
    let found = parse(
        HOUSES,
        Path::new("houses.GPKG"),
        &ReadOptions::default(),
        &sibling,
    );
    let message = found.unwrap_err().to_string();
    assert!(
        message.contains("another program has changes to it in `houses.GPKG-wal`"),
        "{message}"
    );
}

#[test]
fn a_database_of_something_else_is_no_geopackage() {
    let mut bytes = HOUSES.to_vec();
    let name = b"gpkg_geometry_columns";
    for at in 0..bytes.len() - name.len() {
        if bytes[at..].starts_with(name) {
            bytes[at] = b'x';
        }
    }
    let message = read_bytes(&bytes).unwrap_err().to_string();
    assert_eq!(
        message,
        "`houses.gpkg`: not a GeoPackage: it has no table `gpkg_geometry_columns`"
    );
}
