use glam::DVec3;

use super::*;

fn crs(text: &str) -> Crs {
    Crs::parse(text).unwrap()
}

#[expect(clippy::unreadable_literal, reason = "coordinates as published")]
#[test]
fn published_points_are_met() {
    let at = |code: u32, lon_lat: [f64; 2]| {
        let crs = Crs::from_epsg(code).unwrap();
        crs.from_lon_lat(DVec2::from(lon_lat)).unwrap()
    };
    // The CN Tower, of the article on UTM in Wikipedia: 43 38 33.24 N, 79 23 13.7 W is 17T 630084 4833438, to the metre.
    let tower = at(
        32617,
        [
            -(79.0 + 23.0 / 60.0 + 13.7 / 3600.0),
            43.0 + 38.0 / 60.0 + 33.24 / 3600.0,
        ],
    );
    assert!(
        (tower - DVec2::new(630_084.0, 4_833_438.0)).length() < 1.5,
        "{tower}"
    );
    // IOGP Guidance Note 373-7-2, example of Lambert azimuthal equal area.
    let laea = at(3035, [5.0, 50.0]);
    assert!(
        (laea - DVec2::new(3_962_799.45, 2_999_718.85)).length() < 0.01,
        "{laea}"
    );
    // swisstopo, "Approximate formulas for the transformation between Swiss projection coordinates and WGS84": 46 2 38.87 N, 8 43 49.79 E.
    let swiss = at(
        2056,
        [
            8.0 + 43.0 / 60.0 + 49.79 / 3600.0,
            46.0 + 2.0 / 60.0 + 38.87 / 3600.0,
        ],
    );
    assert!(
        (swiss - DVec2::new(2_700_000.0, 1_100_000.0)).length() < 1.5,
        "{swiss}"
    );
    // RDNAPTRANS 2018, points of the official test: what the missing grid costs.
    for (lon_lat, rd) in [
        ([4.824761912, 53.160753042], [117380.12, 575040.34]),
        ([6.776726674, 53.419482050], [247380.56, 604580.78]),
        ([5.387203657, 52.155172897], [155000.0, 463000.0]),
        ([3.397588595, 51.368607152], [16460.91, 377380.23]),
    ] {
        let error = at(28992, lon_lat) - DVec2::from(rd);
        assert!(error.length() < 0.25, "{error}");
    }
}

/// Longitude, latitude and coordinates by PROJ 9.5 without grids, easting and northing.
#[expect(clippy::unreadable_literal, reason = "as PROJ prints them")]
#[rustfmt::skip]
const BY_PROJ: &[(u32, [f64; 2], [f64; 2])] = &[
    (32632, [11.5755, 48.1374], [691603.0320, 5334780.0309]),
    (32632, [9.0, 0.0], [500000.0000, 0.0000]),
    (32632, [6.2, 52.0], [307796.9388, 5764740.3319]),
    (3035, [10.0, 52.0], [4321000.0000, 3210000.0000]),
    (3035, [5.38, 52.15], [4005013.0445, 3236714.2803]),
    (3035, [-9.1, 38.7], [2668283.4406, 1943501.0236]),
    (28992, [5.3872, 52.1562], [154999.7598, 463114.3426]),
    (28992, [4.9, 52.37], [121819.3652, 487013.7615]),
    (2056, [7.4386, 46.9511], [2599997.5325, 1200001.9164]),
    (2056, [8.54, 47.37], [2683186.2856, 1247156.7441]),
    (21781, [7.4386, 46.9511], [599997.5325, 200001.9164]),
    (31467, [9.18, 48.78], [3513304.5125, 5404737.5973]),
    (31467, [11.5755, 48.1374], [3691756.2623, 5336476.2100]),
    (27700, [-0.1276, 51.5072], [530043.1950, 180358.2086]),
    (2154, [2.3522, 48.8566], [652469.0227, 6862035.2594]),
    (3857, [11.5755, 48.1374], [1288578.7657, 6129743.8152]),
    (2263, [-73.98, 40.75], [989791.4573, 212522.5192]),
    (31370, [4.35, 50.85], [148679.4474, 171066.8103]),
    (2193, [174.78, -41.29], [1749045.8029, 5427521.3834]),
    (32733, [16.0, -23.0], [602485.1664, 7456130.7611]),
    (3413, [-45.0, 75.0], [0.0000, -1633879.4975]),
    (2046, [15.5, -30.0], [-48243.4486, 3320218.6505]),
    (5514, [14.42, 50.09], [-742860.0835, -1042721.3635]),
    (5514, [16.6, 49.2], [-598682.8129, -1160149.6523]),
    (5514, [18.3, 49.8], [-469691.3311, -1105609.7458]),
];

#[test]
fn projections_agree_with_proj_and_come_back() {
    for &(code, lon_lat, expected) in BY_PROJ {
        let (crs, lon_lat) = (Crs::from_epsg(code).unwrap(), DVec2::from(lon_lat));
        let at = crs.from_lon_lat(lon_lat).unwrap();
        // The parameters of the shift differ in their last digits, and heights are dropped on one side or the other of it.
        let tolerance = if [28992, 27700].contains(&code) {
            0.006
        } else {
            0.002
        };
        assert!(
            (at - DVec2::from(expected)).length() < tolerance,
            "EPSG:{code}: {at}"
        );
        let back = crs.to_lon_lat(at).unwrap();
        let again = crs.from_lon_lat(back).unwrap();
        assert!((again - at).length() < 1e-6, "EPSG:{code}: {}", again - at);
        // 1e-11 degrees are 1e-6 m.
        assert!(
            (back - lon_lat).length() < 1e-11,
            "EPSG:{code}: {}",
            back - lon_lat
        );
        crs.check(at).unwrap();
    }
}

#[test]
fn there_and_back_between_systems_of_a_place() {
    let munich = DVec2::new(11.5755, 48.1374);
    let codes = [25832, 3035, 31467, 31468, 2056, 28992, 4326, 4314, 3857];
    for from in codes.map(|code| Crs::from_epsg(code).unwrap()) {
        for to in codes.map(|code| Crs::from_epsg(code).unwrap()) {
            let at = from.from_lon_lat(munich).unwrap();
            let there = to.from_lon_lat(from.to_lon_lat(at).unwrap()).unwrap();
            let back = from.from_lon_lat(to.to_lon_lat(there).unwrap()).unwrap();
            let metre = if from.is_geographic() { 1e-5 } else { 1.0 };
            assert!(
                (back - at).length() < 1e-6 * metre,
                "{from:?} {to:?}: {}",
                back - at
            );
        }
    }
}

#[test]
fn texts_of_one_system_are_one_system() {
    for text in [
        "EPSG:25832",
        " epsg:25832\n",
        "25832",
        "urn:ogc:def:crs:EPSG::25832",
        "urn:ogc:def:crs:EPSG:9.8.6:25832",
        "urn:ogc:def:crs,crs:EPSG::25832,crs:EPSG::5783",
        "http://www.opengis.net/def/crs/EPSG/0/25832",
        "https://www.opengis.net/def/crs/EPSG/0/5555",
        "EPSG:25832+7837",
        "+init=epsg:25832",
    ] {
        assert_eq!(crs(text).name(), "EPSG:25832", "{text}");
    }
    assert_eq!(crs("urn:ogc:def:crs:EPSG::7415").name(), "EPSG:28992");
    assert_eq!(crs("urn:ogc:def:crs:OGC:1.3:CRS84").name(), "EPSG:4326");
    assert_eq!(crs("EPSG:6349").height_unit(), 1.0);
    assert!((crs("EPSG:8700").height_unit() - 0.3048).abs() < 1e-12);
    assert!((crs("EPSG:2263").unit() - 1200.0 / 3937.0).abs() < 1e-12);
}

const ESRI_GK: &str = concat!(
    r#"PROJCS["DHDN_3_Degree_Gauss_Zone_3",GEOGCS["GCS_Deutsches_Hauptdreiecksnetz",DATUM["D_Deutsches_Hauptdreiecksnetz","#,
    r#"SPHEROID["Bessel_1841",6377397.155,299.1528128]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],"#,
    r#"PROJECTION["Gauss_Kruger"],PARAMETER["False_Easting",3500000.0],PARAMETER["False_Northing",0.0],"#,
    r#"PARAMETER["Central_Meridian",9.0],PARAMETER["Scale_Factor",1.0],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]"#,
);

#[test]
fn a_prj_without_a_shift_gets_that_of_its_datum() {
    let (prj, code) = (crs(ESRI_GK), crs("EPSG:31467"));
    let stuttgart = DVec2::new(9.18, 48.78);
    let apart = prj.from_lon_lat(stuttgart).unwrap() - code.from_lon_lat(stuttgart).unwrap();
    assert!(apart.length() < 1e-3, "{apart}");
    assert_eq!(prj.caveat(), None);
    assert!(crs(prj.name()).is_same_as(&prj));
    let nameless = crs(&ESRI_GK.replace("D_Deutsches", "D_Other"));
    assert!(nameless.caveat().unwrap().contains("100 m"), "{nameless:?}");
}

#[test]
fn a_code_in_wkt_counts() {
    let text = r#"PROJCS["x",GEOGCS["y",DATUM["z",SPHEROID["GRS 1980",6378137,298.257222101]],AUTHORITY["EPSG","4258"]],
        PROJECTION["Transverse_Mercator"],UNIT["metre",1],AUTHORITY["EPSG","25833"]]"#;
    assert_eq!(crs(text).name(), "EPSG:25833");
}

#[test]
fn what_is_no_system_is_refused_with_its_reason() {
    let error = |text: &str| Crs::parse(text).unwrap_err().to_string();
    assert!(error("EPSG:5783").contains("heights alone"));
    assert!(
        error(r#"VERT_CS["DHHN92",VERT_DATUM["x",2005],UNIT["metre",1]]"#)
            .contains("heights alone")
    );
    assert!(error("EPSG:99999").contains("EPSG:99999 is not known"));
    assert!(error("EPSG:4978").contains("no easting"));
    assert!(error("here").contains("accepted are EPSG codes"));
    assert!(error("").contains("accepted are EPSG codes"));
    assert!(error("+proj=nonsense").contains("+proj=nonsense"));
    assert!(error("+proj=cass +lat_0=\u{e9}\"").contains("ASCII"));
    assert!(error("PROJCS[").contains("brackets"));
    assert!(error(&"A[".repeat(100_000)).contains("brackets"));
    assert!(
        error(&format!("{}{}", "A[".repeat(5_000), "]".repeat(5_000))).contains("nested too deep")
    );
}

#[test]
fn swapped_axes_are_named() {
    let check = |code: u32, x: f64, y: f64| Crs::from_epsg(code).unwrap().check(DVec2::new(x, y));
    for (code, x, y) in [
        (4326, 11.5, 148.1),
        (25832, 5_334_760.0, 691_600.0),
        (31467, 5_404_737.0, 3_513_304.0),
        (28992, 463_000.0, 121_000.0),
        (2056, 1_200_000.0, 2_600_000.0),
    ] {
        let error = check(code, x, y).unwrap_err();
        if code == 4326 {
            assert!(matches!(error, CrsError::SwappedAxes { .. }), "{error}");
        }
        assert!(error.to_string().contains("swapped"), "{error}");
        check(code, y, x).unwrap();
    }
    assert!(matches!(
        check(4326, 200.0, 95.0),
        Err(CrsError::Outside { .. })
    ));
    assert!(matches!(
        check(25832, f64::NAN, 0.0),
        Err(CrsError::Outside { .. })
    ));
    assert!(
        check(28992, 691_600.0, 5_334_760.0)
            .unwrap_err()
            .to_string()
            .contains("is used from")
    );
}

#[test]
fn a_frame_keeps_true_metres_and_leaves_others() {
    let around = |code: u32, lon: f64, lat: f64| {
        let crs = Crs::from_epsg(code).unwrap();
        let at = crs.from_lon_lat(DVec2::new(lon, lat)).unwrap();
        let half = if crs.is_geographic() { 0.005 } else { 500.0 };
        Frame::around(&crs, at - half, at + half, 100.4)
    };
    let name = |code, lon, lat| around(code, lon, lat).unwrap().georeference().crs;
    assert_eq!(name(25832, 11.6, 48.1), "EPSG:25832");
    assert_eq!(name(28992, 5.0, 52.0), "EPSG:28992");
    assert_eq!(name(3035, 10.0, 50.0), "EPSG:3035");
    // Its north is 10 degrees off.
    assert_eq!(name(3035, -2.0, 52.0), "EPSG:32630");
    assert_eq!(name(3857, 11.6, 48.1), "EPSG:32632");
    assert_eq!(name(2263, -74.0, 40.7), "EPSG:32618");
    assert_eq!(name(2046, 15.5, -30.0), "EPSG:32733");
    assert_eq!(name(4326, 5.3, 60.4), "EPSG:32632");
    assert_eq!(name(4326, 179.9, -17.0), "EPSG:32760");
    let frame = around(25832, 11.6, 48.1).unwrap();
    assert_eq!(frame.origin().z, 100.0);
    let local = DVec2::new(123.25, -7.5);
    let back = frame.to_local(frame.crs(), frame.to_crs(local)).unwrap();
    assert_eq!(back, local);
    let back = frame
        .from_lon_lat(frame.to_lon_lat(local).unwrap())
        .unwrap();
    assert!((back - local).length() < 1e-6, "{back}");
    let again = Frame::new(&frame.georeference()).unwrap();
    assert_eq!(again.georeference(), frame.georeference());
}

#[test]
fn places_without_a_frame_are_refused() {
    let wgs84 = crs("EPSG:4326");
    let around = |west, south, east, north| {
        Frame::around(
            &wgs84,
            DVec2::new(west, south),
            DVec2::new(east, north),
            0.0,
        )
        .unwrap_err()
    };
    assert!(matches!(
        around(-179.99, -17.0, 179.99, -16.9),
        CrsError::Antimeridian { .. }
    ));
    assert!(matches!(around(10.0, 86.0, 10.1, 86.1), CrsError::Polar(_)));
    assert!(matches!(
        around(48.1, 111.5, 48.2, 111.6),
        CrsError::SwappedAxes { .. }
    ));
    let georeference = |crs: &str| Georeference {
        crs: crs.to_owned(),
        origin: [0.0; 3],
    };
    assert!(matches!(
        Frame::new(&georeference("EPSG:4326")),
        Err(CrsError::Frame { .. })
    ));
    let at = DVec3::new(f64::NAN, 0.0, 0.0).to_array();
    let broken = Georeference {
        origin: at,
        ..georeference("EPSG:25832")
    };
    assert!(Frame::new(&broken).is_err());
}
