//! The places of this module's tests, and tests of a whole file's way.

use super::*;

pub(super) fn ring(corners: &[(f64, f64)]) -> Vec<DVec2> {
    corners.iter().copied().map(DVec2::from).collect()
}

pub(super) fn square(x: f64, y: f64, size: f64) -> Vec<DVec2> {
    let corner = DVec2::new(x, y);
    let corners = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
    corners.map(|offset| corner + size * offset).into()
}

pub(super) fn building(id: &str, outer: Vec<DVec2>, height: f64) -> Building {
    let polygon = Polygon {
        outer,
        holes: Vec::new(),
    };
    Building {
        id: id.to_owned(),
        found_at: format!("building {id}"),
        shape: Shape::Prism(Prism {
            outline: vec![polygon],
            roof: Roof::Height(height),
            pitched: None,
            min_height: 0.0,
            ground: None,
        }),
        wall_material: None,
        roof_material: None,
    }
}

#[test]
fn files_are_known_by_extension_and_content() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let polygon = r#"{"type": "Polygon", "coordinates": [[[0,0],[1,0],[1,1],[0,0]]]}"#;
    for name in ["a.json", "a.geojson", "A.GeoJSON"] {
        assert_eq!(
            read(&write(name, polygon)).unwrap().buildings.len(),
            1,
            "{name}"
        );
    }
    let city = r#"{"type": "CityJSON", "CityObjects": {}, "vertices": []}"#;
    let error = read(&write("c.city.json", city)).unwrap_err().to_string();
    assert!(
        error.contains("c.city.json`: there are no buildings and no vegetation in it ("),
        "{error}"
    );
    let error = read(&write("a.dwg", "")).unwrap_err().to_string();
    assert!(
        error.contains("`.dwg` is no known format of buildings; accepted are"),
        "{error}"
    );
    let error = read(&folder.path().join("none.osm"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("none.osm`: cannot be read"), "{error}");
    for name in [
        "e.json",
        "e.geojson",
        "e.shp",
        "e.osm",
        "e.pbf",
        "e.res",
        "e.jsonl",
    ] {
        assert!(read(&write(name, "")).is_err(), "{name}");
    }
}

#[test]
fn mapping_names_the_building_that_cannot_be_placed() {
    let mut place = Place {
        buildings: vec![
            building("1", square(0.0, 0.0, 1.0), 9.0),
            building("2", square(90.0, 0.0, 1.0), 9.0),
        ],
        ..Place::default()
    };
    place.map(|p| Ok::<_, String>(2.0 * p)).unwrap();
    assert_eq!(place.bounds(), Some([DVec2::ZERO, DVec2::new(182.0, 2.0)]));
    let near = |p: DVec2| {
        if p.x < 100.0 {
            Ok(p)
        } else {
            Err("too far east")
        }
    };
    let error = place.map(near).unwrap_err();
    assert_eq!(
        error.to_string(),
        "building 2: the coordinates (180, 0) cannot be placed: too far east"
    );
    assert_eq!(Place::default().bounds(), None);
}

#[test]
fn raising_moves_what_counts_from_the_zero_of_the_file() {
    let mut low = building("1", square(0.0, 0.0, 1.0), 9.0);
    if let Shape::Prism(prism) = &mut low.shape {
        prism.ground = Some(515.0);
    }
    let mut place = Place {
        buildings: vec![low],
        ..Place::default()
    };
    place.raise(-500.0);
    let Shape::Prism(prism) = &place.buildings[0].shape else {
        panic!("{:?}", place.buildings[0])
    };
    assert_eq!((prism.ground, prism.roof), (Some(15.0), Roof::Height(9.0)));
}

#[test]
fn vegetation_is_mapped_and_mended_as_buildings_are() {
    let wood = |found_at: &str, corners: &[(f64, f64)]| Clutter {
        id: found_at.to_owned(),
        found_at: found_at.to_owned(),
        outline: vec![Polygon {
            outer: corners.iter().copied().map(DVec2::from).collect(),
            holes: Vec::new(),
        }],
        height: 9.0,
        attenuation_db_per_m: 0.3,
        max_attenuation_db: None,
    };
    let bow_tie = [(0.0, 0.0), (10.0, 10.0), (10.0, 0.0), (0.0, 10.0)];
    let line = [(0.0, 0.0), (10.0, 0.0), (5.0, 0.0)];
    let mut place = Place {
        clutter: vec![wood("way 1", &bow_tie), wood("way 2", &line)],
        ..Place::default()
    };
    place.map(|p| Ok::<_, String>(p + 5.0)).unwrap();
    assert_eq!(
        place.bounds(),
        Some([DVec2::splat(5.0), DVec2::splat(15.0)])
    );
    let refused = place.clone().map(|_| Err("too far")).unwrap_err();
    assert!(refused.to_string().starts_with("way 1:"), "{refused}");

    repair::repair(&mut place, &repair::RepairOptions::default());
    let [mended] = &place.clutter[..] else {
        panic!("{:?}", place.clutter)
    };
    assert_eq!(mended.outline.len(), 2);
    let area: f64 = mended.outline.iter().map(Polygon::area).sum();
    assert!((area - 50.0).abs() < 1e-6, "{area}");
    assert_eq!(place.warnings.len(), 2, "{:?}", place.warnings);
    assert!(
        place.warnings[1].to_string().starts_with("way 2:"),
        "{:?}",
        place.warnings
    );
}
