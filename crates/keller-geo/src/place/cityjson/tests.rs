use super::*;
use crate::place::{Prism, Roof};
use SurfaceKind::{Ground, Roof as RoofSurface, Wall};

/// A cube of 10 m at (100, 200, 30), its surfaces in the order ground, roof, four walls.
const CUBE: &str = "[[[[0,3,2,1]],[[4,5,6,7]],[[0,1,5,4]],[[1,2,6,5]],[[2,3,7,6]],[[3,0,4,7]]]]";
const VERTICES: &str =
    "[[0,0,0],[100,0,0],[100,100,0],[0,100,0],[0,0,100],[100,0,100],[100,100,100],[0,100,100]]";
const HEAD: &str = r#""type": "CityJSON", "version": "2.0",
    "metadata": {"referenceSystem": "https://www.opengis.net/def/crs/EPSG/0/7415"},
    "transform": {"scale": [0.1, 0.1, 0.1], "translate": [100, 200, 30]}"#;

fn city(objects: &str) -> String {
    format!("{{{HEAD}, \"CityObjects\": {{{objects}}}, \"vertices\": {VERTICES}}}")
}

fn cube(semantics: &str) -> String {
    format!(
        r#"{{"type": "Building", "geometry": [
            {{"type": "MultiSurface", "lod": "0", "boundaries": [[[0,1,2,3]]]}},
            {{"type": "Solid", "lod": "2.2", "boundaries": {CUBE} {semantics}}}]}}"#
    )
}

fn parse_text(text: &str) -> Result<Place, PlaceError> {
    parse(
        text.as_bytes(),
        Path::new("a.city.json"),
        &ReadOptions::default(),
    )
}

fn kinds(place: &Place) -> Vec<SurfaceKind> {
    match &place.buildings[0].shape {
        Shape::Surfaces(surfaces) => surfaces.iter().map(|surface| surface.kind).collect(),
        other @ Shape::Prism(_) => panic!("{other:?}"),
    }
}

#[test]
fn the_finest_level_is_taken_in_the_coordinates_of_the_file() {
    let place = parse_text(&city(&format!("\"b\": {}", cube("")))).unwrap();
    assert!(place.warnings.is_empty(), "{:?}", place.warnings);
    assert_eq!(
        place.crs.as_deref(),
        Some("https://www.opengis.net/def/crs/EPSG/0/7415")
    );
    let bounds = place.bounds().unwrap();
    assert_eq!(bounds, [DVec2::new(100.0, 200.0), DVec2::new(110.0, 210.0)]);
    assert_eq!(kinds(&place), [Ground, RoofSurface, Wall, Wall, Wall, Wall]);
}

#[test]
fn semantics_overrule_normals() {
    let semantics = r#", "semantics": {"surfaces": [{"type": "RoofSurface"}, {"type": "WallSurface"}],
        "values": [[1, 0, 0, null, 7]]}"#;
    let place = parse_text(&city(&format!("\"b\": {}", cube(semantics)))).unwrap();
    assert_eq!(
        kinds(&place),
        [Wall, RoofSurface, RoofSurface, Wall, Wall, Wall]
    );
}

#[test]
fn ground_plans_become_prisms_and_parents_are_left_to_their_parts() {
    let plan = r#""type": "Building", "attributes": {"measuredHeight": 7.5}, "geometry":
        [{"type": "MultiSurface", "lod": 0, "boundaries": [[[0,1,2,3]]]}]"#;
    let place = parse_text(&city(&format!("\"b\": {{{plan}}}"))).unwrap();
    let Shape::Prism(Prism { roof, ground, .. }) = &place.buildings[0].shape else {
        panic!("{:?}", place.buildings[0])
    };
    assert_eq!((*roof, *ground), (Roof::Height(7.5), Some(30.0)));

    let parent = format!("\"b\": {{{plan}, \"children\": [\"p\"]}}");
    let place = parse_text(&city(&format!("{parent}, \"p\": {}", cube("")))).unwrap();
    assert_eq!(place.buildings.len(), 1);
    assert_eq!(place.buildings[0].id, "p");
}

#[test]
fn lines_are_features_under_one_head() {
    let head = format!("{{{HEAD}, \"CityObjects\": {{}}, \"vertices\": []}}");
    let feature = format!(
        "{{\"type\": \"CityJSONFeature\", \"id\": \"f\", \"CityObjects\": {{\"b\": {}}}, \"vertices\": {VERTICES}}}",
        cube("")
    )
    .replace('\n', " ");
    let place = parse_text(&format!("{head}\n{feature}\n{feature}\n")).unwrap();
    assert_eq!(place.buildings.len(), 2);
    let error = parse_text(&format!("{head}\n{{\"type\": \"Feature\"}}\n")).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("`a.city.json`, line 2: the type is `Feature`"),
        "{error}"
    );
}

#[test]
fn what_is_left_out_is_named() {
    let bad = r#"{"type": "Building", "geometry": [{"type": "Solid", "lod": 1, "boundaries": [[[[0, 99, 1]]]]}]}"#;
    let place = parse_text(&city(&format!(
        "\"bad\": {bad}, \"good\": {}, \"tree\": {{\"type\": \"PlantCover\"}}, \"empty\": {{\"type\": \"Building\"}}",
        cube("")
    )))
    .unwrap();
    assert_eq!(place.buildings.len(), 1);
    let wanted = [
        "`a.city.json`, object `bad`: vertex 99 is named, but there are 8: the object is left out",
        "`a.city.json`, object `empty`: it has no surfaces and is left out",
        "`a.city.json`, object `tree`: the type PlantCover is no building; it is left out",
    ];
    assert_eq!(place.warnings, wanted);
}

#[test]
fn corrupt_files_are_errors() {
    let whole = city(&format!("\"b\": {}", cube("")));
    for length in (0..whole.len()).filter(|&length| length > 0) {
        assert!(parse_text(&whole[..length]).is_err(), "{length}");
    }
    for (text, wanted) in [
        ("{\"type\": \"CityJSON\"}", "no object `CityObjects`"),
        (
            "{\"type\": \"CityJSON\", \"CityObjects\": {}, \"vertices\": [[1, 2]]}",
            "vertex 0 is not three finite numbers",
        ),
        (
            "{\"type\": \"CityJSON\", \"transform\": {\"scale\": [1, 1]}}",
            "transform.scale",
        ),
        ("{\"type\": \"CityJSON\"", "line 1 column"),
    ] {
        let error = parse_text(text).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}
