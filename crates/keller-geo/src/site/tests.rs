mod antimeridian;

use std::path::Path;

use glam::DVec3;
use keller::scene::Scene;

use super::*;
use crate::crs::{Crs, Frame};
use crate::place::{self, ReadOptions};

/// A square house of 20 m with its south-western corner at the given place, in the given form.
fn house(
    file: &str,
    corner: [f64; 2],
    side: f64,
    attributes: &str,
    crs: Option<&str>,
) -> (PathBuf, Place) {
    let [x, y] = corner;
    let (e, n) = (x + side, y + side);
    let text = format!(
        r#"{{"type": "Feature", "id": "h", "properties": {{{attributes}}}, "geometry": {{"type": "Polygon",
            "coordinates": [[[{x}, {y}], [{e}, {y}], [{e}, {n}], [{x}, {n}]]]}}}}"#
    );
    let options = ReadOptions {
        crs: crs.map(str::to_owned),
        ..ReadOptions::default()
    };
    let none = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
    let place = place::parse(text.as_bytes(), file.as_ref(), &options, &none).unwrap();
    (file.into(), place)
}

fn slope(origin: [f64; 2], crs: Option<&str>) -> Raster {
    const SIZE: usize = 41;
    let height = |column: u16| 500.0 + 0.2 * 10.0 * f32::from(column);
    Raster {
        file: "slope.asc".into(),
        width: SIZE,
        height: SIZE,
        values: (0..SIZE).flat_map(|_| (0..41).map(height)).collect(),
        geotransform: [origin[0] - 5.0, 10.0, 0.0, origin[1] + 405.0, 0.0, -10.0],
        crs: crs.map(|crs| Crs::parse(crs).unwrap()),
    }
}

fn of(places: Vec<(PathBuf, Place)>, rasters: Vec<Raster>) -> Result<Site, SiteError> {
    assemble(Sources { places, rasters }, &SiteOptions::default())
}

#[test]
fn a_house_on_a_slope_reaches_into_it_and_keeps_its_height() {
    let site = of(
        vec![house(
            "h.geojson",
            [691_200.0, 5_334_200.0],
            20.0,
            "\"height\": 9",
            Some("EPSG:25832"),
        )],
        vec![slope([691_000.0, 5_334_000.0], Some("EPSG:25832"))],
    )
    .unwrap();
    assert!(site.warnings.is_empty(), "{:?}", site.warnings);
    assert_eq!(site.georeference.as_ref().unwrap().crs, "EPSG:25832");
    // The slope is a plane, and cut at the region's border.
    assert!(
        matches!(
            site.ground,
            Some(GroundKind::Terrain {
                nodes: 625,
                triangles: 2..=4
            })
        ),
        "{:?}",
        site.ground
    );
    let corners = |part: usize| {
        let triangles = &site.mesh.triangles[site.parts[part].1.clone()];
        triangles
            .iter()
            .flat_map(|t| t.vertices)
            .map(|v| site.mesh.vertices[v as usize])
    };
    let low = corners(0).fold(f64::INFINITY, |low, p| low.min(p.z));
    let high = corners(0).fold(f64::NEG_INFINITY, |high, p| high.max(p.z));
    // The lowest ground under the house is that of its western wall, 540 m.
    assert!(
        (low - 539.0).abs() < 1e-4 && (high - 549.0).abs() < 1e-4,
        "{low} {high}"
    );
    let scene = Scene::new(&site.mesh).unwrap();
    assert_eq!(scene.defects(), keller::scene::Defects::default());
    // There is no gap: a line to the house along the ground meets a wall.
    for k in 0..200 {
        let along = -12.0 + 0.12 * f64::from(k);
        let (from, to) = (DVec3::new(-30.0, along, 0.0), DVec3::new(30.0, along, 0.0));
        let ground = |p: DVec3| {
            p.with_z(
                500.0
                    + 0.2 * (p.x + site.georeference.as_ref().unwrap().origin[0] - 691_000.0)
                    + 1e-3,
            )
        };
        let mut crossings = Vec::new();
        let _ = scene.crossings(ground(from), ground(to), &[], usize::MAX, &mut crossings);
        let is_in_house = along.abs() < 10.0 - 1e-6;
        assert_eq!(crossings.len(), if is_in_house { 2 } else { 0 }, "{along}");
    }
}

#[test]
fn files_in_different_systems_meet_in_one_frame() {
    let utm = Crs::parse("EPSG:25832").unwrap();
    let corner = DVec2::new(691_200.0, 5_334_200.0);
    let at = utm.to_lon_lat(corner + 5.0).unwrap();
    let site = of(
        vec![
            house(
                "metres.geojson",
                corner.to_array(),
                20.0,
                "\"height\": 9",
                Some("EPSG:25832"),
            ),
            house(
                "degrees.geojson",
                at.to_array(),
                1e-4,
                "\"height\": 9",
                None,
            ),
        ],
        Vec::new(),
    )
    .unwrap();
    assert_eq!(
        site.num_buildings, 1,
        "one lies in the other: {:?}",
        site.warnings
    );
    assert_eq!(site.ground, Some(GroundKind::Plane(0.0)));
}

#[test]
fn without_any_system_coordinates_stay_as_they_are() {
    let site = of(
        vec![house(
            "h.geojson",
            [3000.0, 2000.0],
            20.0,
            "\"height\": 9, \"ground\": 515",
            Some("local"),
        )],
        Vec::new(),
    )
    .unwrap();
    assert_eq!(
        (site.georeference, site.ground),
        (None, Some(GroundKind::Plane(515.0)))
    );
    let least = site
        .mesh
        .vertices
        .iter()
        .fold(DVec3::INFINITY, |low, v| low.min(*v));
    assert_eq!(least, DVec3::new(2900.0, 1900.0, 515.0));
}

#[test]
fn feet_at_different_elevations_make_a_terrain() {
    let place = |x: f64, ground: f64| {
        let attributes = format!("\"height\": 9, \"ground\": {ground}");
        house("h.geojson", [x, 0.0], 20.0, &attributes, Some("local"))
    };
    let site = of(
        vec![place(0.0, 500.0), place(200.0, 510.0), place(90.0, 502.0)],
        Vec::new(),
    )
    .unwrap();
    assert!(
        matches!(site.ground, Some(GroundKind::Feet { .. })),
        "{:?}",
        site.ground
    );
    assert_eq!(site.num_buildings, 3);
    // Roofs stand 9 m above the elevation that the file gives.
    let roofs: Vec<f64> = site.parts[..3]
        .iter()
        .map(|(_, triangles)| {
            let corners = site.mesh.triangles[triangles.clone()]
                .iter()
                .flat_map(|t| t.vertices);
            corners
                .map(|v| site.mesh.vertices[v as usize].z)
                .fold(0.0, f64::max)
        })
        .collect();
    assert_eq!(roofs, [509.0, 519.0, 511.0]);
}

#[test]
fn bounds_crop_and_say_when_nothing_is_left() {
    let houses = || {
        vec![
            house("a.geojson", [11.5, 48.1], 1e-4, "\"height\": 9", None),
            house("b.geojson", [11.6, 48.1], 1e-4, "\"height\": 9", None),
        ]
    };
    let sources = |bounds| {
        let sources = Sources {
            places: houses(),
            rasters: Vec::new(),
        };
        let options = SiteOptions {
            bounds: Some(bounds),
            ..SiteOptions::default()
        };
        assemble(sources, &options)
    };
    let near = [DVec2::new(11.49, 48.09), DVec2::new(11.51, 48.11)];
    assert_eq!(sources(near).unwrap().num_buildings, 1);
    let error = sources([DVec2::ZERO, DVec2::ONE]).unwrap_err().to_string();
    assert!(error.contains("11.5") && error.contains("48.1"), "{error}");
}

#[test]
fn what_cannot_be_right_is_named() {
    let far = vec![
        house("munich.geojson", [11.5, 48.1], 1e-4, "\"height\": 9", None),
        house("nantes.geojson", [-1.5, 47.2], 1e-4, "\"height\": 9", None),
    ];
    let error = of(far, Vec::new()).unwrap_err().to_string();
    assert!(
        error.contains("nantes.geojson") && error.contains("EPSG:4326"),
        "{error}"
    );

    let degrees = house(
        "d.geojson",
        [11.5, 48.1],
        1e-4,
        "\"height\": 9",
        Some("EPSG:25832"),
    );
    let error = of(vec![degrees], Vec::new()).unwrap_err().to_string();
    assert!(
        error.contains("d.geojson") && error.contains("degrees"),
        "{error}"
    );

    let unknown = vec![house(
        "x.geojson",
        [1.0, 1.0],
        1e-4,
        "\"height\": 9",
        Some("EPSG:99999"),
    )];
    let error = of(unknown, Vec::new()).unwrap_err().to_string();
    assert!(
        error.contains("x.geojson") && error.contains("99999"),
        "{error}"
    );

    let outside = of(
        vec![house(
            "h.geojson",
            [695_000.0, 5_334_200.0],
            20.0,
            "\"height\": 9",
            Some("EPSG:25832"),
        )],
        vec![slope([691_000.0, 5_334_000.0], Some("EPSG:25832"))],
    );
    let error = outside.unwrap_err().to_string();
    assert!(
        error.contains("slope.asc") && error.contains("[69"),
        "{error}"
    );

    assert!(matches!(
        of(Vec::new(), Vec::new()),
        Err(SiteError::Nothing)
    ));

    let mut voids = slope([691_000.0, 5_334_000.0], Some("EPSG:25832"));
    voids.values.fill(f32::NAN);
    let message = of(Vec::new(), vec![voids]).unwrap_err().to_string();
    assert_eq!(message, "there is no height in `slope.asc`");
}

#[test]
fn terrain_without_a_system_is_taken_to_be_in_the_others() {
    let site = of(
        vec![house(
            "h.geojson",
            [691_200.0, 5_334_200.0],
            20.0,
            "\"height\": 9",
            Some("EPSG:25832"),
        )],
        vec![slope([691_000.0, 5_334_000.0], None)],
    )
    .unwrap();
    assert_eq!(site.warnings.len(), 1, "{:?}", site.warnings);
    assert!(site.warnings[0].contains("slope.asc") && site.warnings[0].contains("EPSG:25832"));
}

/// Houses along a country road of 60 km, few of which say how high they are, in a forest of as many kilometres.
fn country(crs: Option<&str>, origin: [f64; 2], unit: f64) -> (PathBuf, Place) {
    let ring = |x: f64, y: f64, width: f64, height: f64| {
        let [x, y, width, height] = [x, y, width, height].map(|metres| metres * unit);
        let (w, s) = (origin[0] + x, origin[1] + y);
        let (e, n) = (w + width, s + height);
        format!("[[[{w}, {s}], [{e}, {s}], [{e}, {n}], [{w}, {n}]]]")
    };
    let feature = |id: &str, properties: &str, ring: &str| {
        format!(
            r#"{{"type": "Feature", "id": "{id}", "properties": {{{properties}}},
                "geometry": {{"type": "Polygon", "coordinates": {ring}}}}}"#
        )
    };
    let mut features = vec![feature(
        "forest",
        r#""landuse": "forest", "height": 20"#,
        &ring(-31e3, -29e3, 62e3, 60e3),
    )];
    for k in 0..301 {
        let properties = if k % 2 == 0 { r#""height": 9"# } else { "" };
        let at = -30e3 + 200.0 * f64::from(k);
        features.push(feature(
            &format!("h{k}"),
            properties,
            &ring(at, 40.0, 14.0, 11.0),
        ));
    }
    let text = format!(
        r#"{{"type": "FeatureCollection", "features": [{}]}}"#,
        features.join(",")
    );
    let options = ReadOptions {
        crs: crs.map(str::to_owned),
        ..ReadOptions::default()
    };
    let none = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
    let file = "country.geojson";
    let place = place::parse(text.as_bytes(), file.as_ref(), &options, &none).unwrap();
    (file.into(), place)
}

#[test]
fn within_bounds_the_origin_is_their_centre_and_warnings_are_about_what_they_hold() {
    let utm = Crs::parse("EPSG:25832").unwrap();
    let metres = [691_200.0, 5_334_200.0];
    let degrees = utm.to_lon_lat(DVec2::from(metres)).unwrap().to_array();
    for (crs, origin, unit) in [(Some("EPSG:25832"), metres, 1.0), (None, degrees, 1.1e-5)] {
        let place = country(crs, origin, unit);
        let wanted =
            "`country.geojson`, feature 2 (`h1`) and 149 more: no height is given; 10 m is used";
        assert!(
            place.1.warnings.iter().any(|w| *w == wanted),
            "{:?}",
            place.1.warnings
        );
        // The bounds lie around a few houses in the far east, 22 km from the centre of the file.
        let centre = DVec2::from(origin) + unit * DVec2::new(22_040.0, 30.0);
        let ends = [-1.0, 1.0].map(|side| centre + side * unit * DVec2::new(450.0, 300.0));
        let bounds = ends.map(|end| match crs {
            Some(_) => utm.to_lon_lat(end).unwrap(),
            None => end,
        });
        let options = SiteOptions {
            bounds: Some(bounds),
            ..SiteOptions::default()
        };
        let sources = Sources {
            places: vec![place],
            rasters: Vec::new(),
        };
        let site = assemble(sources, &options).unwrap();
        let frame = Frame::new(site.georeference.as_ref().unwrap()).unwrap();
        let centre = frame.from_lon_lat(0.5 * (bounds[0] + bounds[1])).unwrap();
        assert!(centre.length() < 2.0, "{crs:?}: {centre}");
        assert!(
            (2..=5).contains(&site.num_buildings),
            "{}",
            site.num_buildings
        );
        let about_heights: Vec<&String> = site
            .warnings
            .iter()
            .filter(|w| w.contains("no height is given; 10 m"))
            .collect();
        assert_eq!(about_heights.len(), 1, "{:?}", site.warnings);
        let of_kept = site.parts.iter().filter(|(id, _)| {
            id.strip_prefix('h')
                .and_then(|k| k.parse::<u32>().ok())
                .is_some_and(|k| k % 2 == 1)
        });
        let count = of_kept.count();
        let more = if count > 1 {
            format!(" and {} more", count - 1)
        } else {
            String::new()
        };
        assert!(
            about_heights[0].contains(&format!("{more}: ")) && !about_heights[0].contains("(`h1`)"),
            "{count}: {about_heights:?}"
        );
    }
}
