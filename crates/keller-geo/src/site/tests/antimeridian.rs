//! Places on both sides of the antimeridian.

use super::*;

/// Two houses of 10 m about the antimeridian, 120 m apart, and one at Greenwich.
fn fiji(crs_of_degrees: Option<&str>) -> Place {
    let metre = 1.0 / (111_320.0 * 16.8_f64.to_radians().cos());
    let squares = [-60.0, 50.0].map(|x: f64| {
        let west = 180.0 + x * metre;
        [west, -16.8, west + 10.0 * metre, -16.7999]
    });
    let wrapped = |lon: f64| if lon > 180.0 { lon - 360.0 } else { lon };
    let features = squares.iter().chain([&[-0.0001, -16.8, 0.0001, -16.7999]]);
    let features: Vec<String> = features
        .map(|[west, south, east, north]| {
            let (west, east) = (wrapped(*west), wrapped(*east));
            format!(
                r#"{{"type": "Feature", "properties": {{"height": 7}}, "geometry": {{"type": "Polygon",
                   "coordinates": [[[{west}, {south}], [{east}, {south}], [{east}, {north}], [{west}, {north}]]]}}}}"#
            )
        })
        .collect();
    let text = format!(
        r#"{{"type": "FeatureCollection", "features": [{}]}}"#,
        features.join(",")
    );
    let options = ReadOptions {
        crs: crs_of_degrees.map(str::to_owned),
        ..ReadOptions::default()
    };
    let none = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
    place::parse(text.as_bytes(), "f.geojson".as_ref(), &options, &none).unwrap()
}

#[test]
fn places_across_the_antimeridian_have_a_frame_and_bounds() {
    let mut two = fiji(None);
    two.buildings.pop();
    let assembled = |place: &Place, bounds: Option<[DVec2; 2]>| {
        let options = SiteOptions {
            bounds,
            ..SiteOptions::default()
        };
        let sources = Sources {
            places: vec![("f.geojson".into(), place.clone())],
            rasters: Vec::new(),
        };
        assemble(sources, &options)
    };
    let centres = |site: &Site| -> Vec<f64> {
        let centre = |(_, triangles): &(String, Range<usize>)| {
            let corners = site.mesh.triangles[triangles.clone()].iter();
            let corners =
                corners.flat_map(|t| t.vertices.map(|v| site.mesh.vertices[v as usize].x));
            let corners: Vec<f64> = corners.collect();
            let low = corners.iter().copied().fold(f64::INFINITY, f64::min);
            0.5 * (low + corners.iter().copied().fold(f64::NEG_INFINITY, f64::max))
        };
        site.parts[..site.num_buildings]
            .iter()
            .map(centre)
            .collect()
    };
    let site = assembled(&two, None).unwrap();
    let found = centres(&site);
    // A metre of the UTM zone is 1.0002 m there, one of the sphere 0.999.
    assert!((found[1] - found[0] - 110.0).abs() < 0.3, "{found:?}");
    let frame = site.georeference.as_ref().unwrap();
    assert!(
        frame.crs == "EPSG:32701" || frame.crs == "EPSG:32760",
        "{frame:?}"
    );

    let corners = |west: f64, east: f64| Some([DVec2::new(west, -17.0), DVec2::new(east, -16.0)]);
    let three = fiji(None);
    let across = assembled(&three, corners(179.9, -179.9)).unwrap();
    assert_eq!(centres(&across).len(), 2);
    let west = assembled(&three, corners(179.9, 180.0)).unwrap();
    let east = assembled(&three, corners(-180.0, -179.9)).unwrap();
    assert_eq!([centres(&west).len(), centres(&east).len()], [1, 1]);
    let greenwich = assembled(&three, corners(-1.0, 1.0)).unwrap();
    assert_eq!(centres(&greenwich).len(), 1);
    assert!(matches!(
        assembled(&three, corners(170.0, 171.0)),
        Err(SiteError::Bounds { .. })
    ));
    assert!(matches!(
        assembled(&three, None),
        Err(SiteError::Far { .. } | SiteError::Crs { .. })
    ));
    let local = fiji(Some("local"));
    assert!(matches!(
        assembled(&local, corners(179.9, -179.9)),
        Err(SiteError::BoundsInMetres { .. })
    ));
}

#[test]
fn terrain_in_degrees_has_no_gap_at_the_antimeridian() {
    let raster = |west: f64| Raster {
        file: "t.hgt".into(),
        width: 100,
        height: 100,
        values: vec![12.0; 10_000],
        geotransform: [west, 1e-4, 0.0, -16.795, 0.0, -1e-4],
        crs: Some(Crs::parse("EPSG:4326").unwrap()),
    };
    let mut two = fiji(None);
    two.buildings.pop();
    let site = of(
        vec![("f.geojson".into(), two)],
        vec![raster(179.99), raster(-180.0)],
    )
    .unwrap();
    assert!(site.warnings.is_empty(), "{:?}", site.warnings);
    let ground = &site.parts.last().unwrap().1;
    let area: f64 = site.mesh.triangles[ground.clone()]
        .iter()
        .map(|t| {
            let [a, b, c] = t
                .vertices
                .map(|v| site.mesh.vertices[v as usize].truncate());
            0.5 * (b - a).perp_dot(c - a).abs()
        })
        .sum();
    // The houses span 120 by 11 m, and the ground reaches 100 m beyond.
    assert!((area - 320.0 * 211.0).abs() < 0.02 * area, "{area}");
}
