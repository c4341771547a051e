use super::*;
use crate::place::Shape;

fn read_text(text: &str) -> Result<Place, PlaceError> {
    parse(
        text.as_bytes(),
        Path::new("town.geojson"),
        &ReadOptions::default(),
    )
}

fn feature(properties: &str, kind: &str, coordinates: &str) -> String {
    format!(
        r#"{{"type": "Feature", "properties": {properties},
            "geometry": {{"type": "{kind}", "coordinates": {coordinates}}}}}"#
    )
}

fn collection(features: &[String]) -> String {
    format!(
        r#"{{"type": "FeatureCollection", "features": [{}]}}"#,
        features.join(",")
    )
}

const SQUARE: &str = "[[[8,50],[9,50],[9,51],[8,51],[8,50]]]";

fn prism(place: &Place, index: usize) -> &super::super::Prism {
    match &place.buildings[index].shape {
        Shape::Prism(prism) => prism,
        other @ Shape::Surfaces(_) => panic!("{other:?}"),
    }
}

#[test]
fn polygons_with_holes_and_several_parts_are_buildings() {
    let holed = "[[[0,0],[9,0],[9,9],[0,9],[0,0]],[[3,3],[3,6],[6,6],[6,3],[3,3]]]";
    let place = read_text(&collection(&[
        feature(
            r#"{"height": 12, "name": "hall", "material": "brick"}"#,
            "Polygon",
            holed,
        ),
        feature(
            r#"{"levels": "4"}"#,
            "MultiPolygon",
            &format!("[{SQUARE},{holed}]"),
        ),
    ]))
    .unwrap();
    assert_eq!(place.crs.as_deref(), Some("EPSG:4326"));
    assert!(place.warnings.is_empty(), "{:?}", place.warnings);
    assert_eq!(place.buildings[0].id, "hall");
    assert_eq!(place.buildings[0].found_at, "feature 0 (`hall`)");
    assert_eq!(place.buildings[0].wall_material.as_deref(), Some("brick"));
    assert_eq!(prism(&place, 0).outline[0].area(), 72.0);
    assert_eq!(prism(&place, 0).outline[0].outer.len(), 4);
    assert_eq!(prism(&place, 1).outline.len(), 2);
    assert_eq!(prism(&place, 1).roof, super::super::Roof::Height(12.0));
}

#[test]
fn features_that_cannot_be_used_are_named() {
    let place = read_text(&collection(&[
        feature("{}", "Point", "[8, 50]"),
        feature("{}", "Polygon", r#"[[[8,50],[9,"x"],[9,51]]]"#),
        r#"{"type": "Feature", "properties": null, "geometry": null}"#.to_owned(),
        "7".to_owned(),
        feature(r#"{"height": "12 m"}"#, "Polygon", SQUARE),
    ]))
    .unwrap();
    assert_eq!(place.buildings.len(), 1);
    let wanted = [
        "`town.geojson`, feature 0 (counted from 0) (Point): only polygons can be buildings or vegetation; it is left out",
        "`town.geojson`, feature 1 (counted from 0): position 1 of ring 0 is [9,\"x\"], not two finite numbers: the feature is \
         left out",
        "`town.geojson`, feature 2 (counted from 0): it has no geometry and is left out",
        "`town.geojson`, feature 3 (counted from 0): this is not a Feature; it is left out",
    ];
    assert_eq!(place.warnings, wanted);
}

#[test]
fn swapped_axes_are_an_error_and_metres_need_a_crs() {
    let tokyo = "[[[35.6,139.7],[35.7,139.7],[35.7,139.8]]]";
    let error = read_text(&feature("{}", "Polygon", tokyo)).unwrap_err();
    assert!(error.to_string().contains("seem to be swapped"), "{error}");
    assert!(
        error.to_string().starts_with("`town.geojson`, feature 0"),
        "{error}"
    );
    let utm = "[[[691000,5334000],[691010,5334000],[691010,5334010]]]";
    let place = read_text(&feature(r#"{"height": 5}"#, "Polygon", utm)).unwrap();
    assert_eq!(place.crs, None);
    assert!(
        place.warnings[0].to_string().contains("state it"),
        "{:?}",
        place.warnings
    );
    let options = ReadOptions {
        crs: Some("EPSG:25832".to_owned()),
        ..ReadOptions::default()
    };
    let text = feature(r#"{"height": 5}"#, "Polygon", utm);
    let file = Path::new("town.geojson");
    let no_file = |_: &Path| Err(std::io::Error::other("none"));
    let place = super::super::parse(text.as_bytes(), file, &options, &no_file).unwrap();
    assert_eq!(place.crs.as_deref(), Some("EPSG:25832"));
    assert!(place.warnings.is_empty(), "{:?}", place.warnings);
}

#[test]
fn the_old_member_crs_is_kept() {
    let with = |crs: &str| {
        let polygon = format!(r#"{{"type": "Polygon", "crs": {crs}, "coordinates": {SQUARE}}}"#);
        read_text(&polygon).unwrap().crs
    };
    let named = r#"{"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::25832"}}"#;
    assert_eq!(with(named).as_deref(), Some("urn:ogc:def:crs:EPSG::25832"));
    let crs84 = r#"{"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}"#;
    assert_eq!(with(crs84).as_deref(), Some("EPSG:4326"));
}

#[test]
fn corrupt_files_are_errors() {
    for (text, wanted) in [
        ("", "not valid JSON"),
        ("{\"type\": \"FeatureCollection\"", "line 1 column"),
        ("[1, 2]", "not GeoJSON"),
        ("{\"type\": \"Topology\"}", "the type is `Topology`"),
        ("{\"type\": \"FeatureCollection\"}", "no array `features`"),
    ] {
        let error = read_text(text).unwrap_err().to_string();
        assert!(error.starts_with("`town.geojson`: "), "{error}");
        assert!(error.contains(wanted), "{error}");
    }
    let deep = "[".repeat(100_000);
    assert!(read_text(&deep).is_err());
}

#[test]
fn vegetation_is_no_building() {
    let text = r#"{"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"landuse": "forest", "height": 15, "attenuation_db_per_m": 0.4, "max_attenuation_db": 30},
         "geometry": {"type": "Polygon", "coordinates": [[[8, 50], [8.1, 50], [8.1, 50.1], [8, 50]]]}}]}"#;
    let place = read_text(text).unwrap();
    assert!(place.buildings.is_empty());
    let [wood] = &place.clutter[..] else {
        panic!("{:?}", place.clutter)
    };
    assert_eq!(wood.height, 15.0);
    assert_eq!(wood.attenuation_db_per_m, 0.4);
    assert_eq!(wood.max_attenuation_db, Some(30.0));
    assert_eq!(place.bounds().unwrap()[0], DVec2::new(8.0, 50.0));
    assert!(place.warnings.is_empty(), "{:?}", place.warnings);

    let swapped = text.replace("50", "150");
    let error = read_text(&swapped).unwrap_err().to_string();
    assert!(error.contains("feature 0"), "{error}");
}

/// A ring without corners lies nowhere: it must not become a building on which no later message can put a file's name.
#[test]
fn empty_rings_are_left_out_and_the_file_is_named() {
    let empty = feature("{\"height\": 9}", "Polygon", "[[]]");
    let place = read_text(&collection(&[
        empty.clone(),
        feature("{}", "Polygon", SQUARE),
    ]));
    let place = place.unwrap();
    assert_eq!(place.buildings.len(), 1);
    let message = place.warnings[0].to_string();
    assert!(
        message.starts_with("`town.geojson`, feature 0 (counted from 0): ring 0 has no positions"),
        "{message}"
    );
    let none = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
    let text = collection(&[empty]);
    let file = Path::new("town.geojson");
    let parsed = super::super::parse(text.as_bytes(), file, &ReadOptions::default(), &none);
    let message = parsed.unwrap_err().to_string();
    assert!(
        message.starts_with("`town.geojson`: there are no buildings"),
        "{message}"
    );
}

#[test]
fn control_characters_in_names_become_blanks() {
    let text = feature("{\"name\": \"a\\u001b[2J\\nb\"}", "Polygon", SQUARE);
    let none = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
    let file = Path::new("town.geojson");
    let options = ReadOptions::default();
    let place = super::super::parse(text.as_bytes(), file, &options, &none).unwrap();
    let building = &place.buildings[0];
    assert_eq!(building.id, "a [2J b");
    assert!(
        !building.found_at.contains(char::is_control),
        "{}",
        building.found_at
    );
}
