use super::*;

const HEADER: &str =
    "ncols 3\nnrows 2\nxllcorner 691000\nyllcorner 5335000\ncellsize 10\nNODATA_value -9999\n";

fn asc(text: &str) -> Result<RasterRead, TerrainError> {
    Raster::parse_asc(
        text.as_bytes(),
        Path::new("hill.asc"),
        Some(b"EPSG:25832"),
        None,
    )
}

#[test]
fn an_ascii_grid_is_read_from_the_north() {
    let read = asc(&format!("{HEADER}1 2 3\n4 5 -9999\n")).unwrap();
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);
    let raster = read.raster;
    assert_eq!((raster.width, raster.height), (3, 2));
    assert_eq!(
        raster.height_at(DVec2::new(691_005.0, 5_335_015.0)),
        Some(1.0)
    );
    assert_eq!(
        raster.height_at(DVec2::new(691_015.0, 5_335_005.0)),
        Some(5.0)
    );
    assert_eq!(
        raster.height_at(DVec2::new(691_010.0, 5_335_010.0)),
        Some(3.0)
    );
    // There is no height there; next to it, the others count; half a cell beyond the centres their own; then none.
    assert_eq!(raster.height_at(DVec2::new(691_025.0, 5_335_005.0)), None);
    assert_eq!(
        raster
            .height_at(DVec2::new(691_020.0, 5_335_010.1))
            .map(f64::round),
        Some(3.0)
    );
    assert_eq!(
        raster.height_at(DVec2::new(691_000.0, 5_335_020.0)),
        Some(1.0)
    );
    assert_eq!(raster.height_at(DVec2::new(690_999.0, 5_335_020.0)), None);
}

#[test]
fn an_ascii_grid_may_give_its_corner_as_a_centre() {
    let text =
        "NCOLS 1 NROWS 1 XLLCENTER 691000 YLLCENTER 5335000 DX 10 DY 20 NODATA_VALUE nan\n7,5";
    let raster = asc(text).unwrap().raster;
    assert_eq!(
        raster.geotransform,
        [690_995.0, 10.0, 0.0, 5_335_010.0, 0.0, -20.0]
    );
    assert_eq!(raster.values, [7.5]);
}

#[test]
fn a_grid_without_a_prj_says_what_is_assumed() {
    let text = format!("{HEADER}1 2 3 4 5 6");
    let read = Raster::parse_asc(text.as_bytes(), Path::new("hill.asc"), None, None).unwrap();
    assert!(read.raster.crs.is_none());
    assert!(
        read.warnings[0].contains("`hill.asc`: it does not tell its coordinate reference system"),
        "{:?}",
        read.warnings
    );
    let utm = Crs::parse("EPSG:25833").unwrap();
    let read = Raster::parse_asc(
        text.as_bytes(),
        Path::new("hill.asc"),
        Some(b"nonsense"),
        Some(&utm),
    )
    .unwrap();
    assert_eq!(read.raster.crs.unwrap().name(), "EPSG:25833");
}

#[test]
fn broken_ascii_grids_are_refused_with_their_line() {
    for (text, expected) in [
        (
            format!("{HEADER}1 2 3\n4 5\n"),
            "ends after 5 of the 3 x 2 heights",
        ),
        (
            format!("{HEADER}1 2 3\n4 5 6 7\n"),
            "line 8: there are more than the 3 x 2",
        ),
        (
            format!("{HEADER}1 2 x\n4 5 6\n"),
            "line 7: `x` is no height",
        ),
        (
            HEADER.replace("ncols 3", "ncols 3.5"),
            "ncols = 3.5 is no number of cells",
        ),
        (
            HEADER.replace("ncols 3", "ncols x"),
            "line 1: ncols = `x` is no number",
        ),
        (
            HEADER.replace("nrows 2", "nrows 2000000"),
            "the file has only",
        ),
        (
            HEADER.replace("cellsize 10", "cellsize -1") + "1 2 3 4 5 6",
            "cellsize = -1",
        ),
        (HEADER.replace("cellsize 10", ""), "no cellsize"),
        (
            HEADER.replace("xllcorner 691000", ""),
            "neither xllcorner nor xllcenter",
        ),
        ("<html>".to_owned(), "no ncols"),
        ("version 1".to_owned(), "line 1: `version` is no key"),
        (String::new(), "no ncols"),
    ] {
        let error = asc(&text).unwrap_err().to_string();
        assert!(
            error.starts_with("`hill.asc`: ") && error.contains(expected),
            "{error}"
        );
    }
    let error = Raster::parse_asc(
        format!("{HEADER}1 2 3 4 5 6").as_bytes(),
        Path::new("a.asc"),
        Some(b"what"),
        None,
    );
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("`a.prj`: `what` is no coordinate")
    );
    let swapped = "ncols 2 nrows 1 xllcorner 5335000 yllcorner 691000 cellsize 10 1 2".to_owned();
    assert!(
        asc(&swapped)
            .unwrap_err()
            .to_string()
            .contains("the axes are swapped")
    );
}

#[test]
fn an_srtm_tile_lies_where_its_name_says() {
    let mut bytes = vec![0; 2 * 1201 * 1201];
    let mut put = |column: usize, row: usize, height: i16| {
        bytes[2 * (row * 1201 + column)..][..2].copy_from_slice(&height.to_be_bytes());
    };
    put(0, 0, 300);
    put(1200, 1200, -5);
    put(600, 600, i16::MIN);
    let raster = Raster::parse_hgt(&bytes, Path::new("x/S23W044.hgt"))
        .unwrap()
        .raster;
    assert_eq!(raster.height_at(DVec2::new(-44.0, -22.0)), Some(300.0));
    let corner = raster.height_at(DVec2::new(-43.0, -23.0)).unwrap();
    assert!((corner + 5.0).abs() < 1e-6, "{corner}");
    assert_eq!(raster.height_at(DVec2::new(-43.5, -22.5)), None);
    let error = |bytes: &[u8], name: &str| {
        Raster::parse_hgt(bytes, Path::new(name))
            .unwrap_err()
            .to_string()
    };
    assert!(error(&bytes[1..], "S23W044.hgt").contains("it has 2884801 bytes"));
    assert!(error(&[], "S23W044.hgt").contains("it has 0 bytes"));
    for name in [
        "tile.hgt",
        "N9E11.hgt",
        "N48X011.hgt",
        "N95E011.hgt",
        "\u{fc}48E011.hgt",
        "N+8E011.hgt",
    ] {
        assert!(error(&bytes, name).contains("no such name"), "{name}");
    }
}

#[test]
fn files_are_known_by_their_extension() {
    let error = |name: &str| Raster::read(Path::new(name), None).unwrap_err().to_string();
    assert!(error("no/such.tif").contains("cannot be read"));
    assert!(error("hill.png").contains("`.png` is no known format of terrain"));
    assert!(error("hill").contains("(none)"));
}

#[test]
fn tiles_of_one_survey_keep_their_heights() {
    let slope = |at: DVec2| 500.0 + 0.1 * (at.x - 691_000.0) - 0.05 * (at.y - 5_335_000.0);
    let tile = |x: f64, y: f64| raster(20, 10, DVec2::new(x, y), 5.0, Some("EPSG:25832"), slope);
    let tiles = [
        tile(691_000.0, 5_335_050.0),
        tile(691_100.0, 5_335_050.0),
        tile(691_000.0, 5_335_000.0),
    ];
    let grid = HeightGrid::from_rasters(&tiles, &frame(), None).unwrap();
    assert_eq!((grid.columns, grid.rows()), (40, 20));
    assert_eq!(grid.origin, DVec2::new(2.5, -47.5));
    for row in 0..20 {
        for column in 0..40 {
            let node = grid.node(column, row);
            let height = grid.heights[row * 40 + column];
            if column >= 20 && row < 10 {
                assert!(height.is_nan(), "no tile lies there");
            } else {
                let expected = slope(frame().to_crs(node)) - 500.0;
                assert!(
                    (f64::from(height) - expected).abs() < 1e-4,
                    "{node}: {height}"
                );
            }
        }
    }
    let region = [DVec2::new(30.0, 10.0), DVec2::new(61.0, 21.0)];
    let grid = HeightGrid::from_rasters(&tiles, &frame(), Some(region)).unwrap();
    assert!(grid.origin.x <= 30.0 && grid.node(grid.columns - 1, grid.rows() - 1).x >= 61.0);
    assert!(grid.columns < 12 && grid.rows() < 7);
    let far = [DVec2::splat(1e6), DVec2::splat(1.1e6)];
    let error = HeightGrid::from_rasters(&tiles, &frame(), Some(far)).unwrap_err();
    assert!(matches!(error, TerrainError::NoHeights(_)), "{error}");
    assert!(matches!(
        HeightGrid::from_rasters(&[], &frame(), None),
        Err(TerrainError::NoHeights(_))
    ));
}

#[test]
fn a_raster_in_degrees_is_turned_into_the_frame() {
    // A slope in degrees: a metre each 1e-5 degrees to the north.
    let slope = |at: DVec2| (at.y - 48.13) * 1e5;
    let tile = raster(
        120,
        100,
        DVec2::new(11.565, 48.14),
        1e-4,
        Some("EPSG:4326"),
        slope,
    );
    let frame = frame();
    let grid = HeightGrid::from_rasters(std::slice::from_ref(&tile), &frame, None).unwrap();
    // Cells of 7.4 m by 11.1 m.
    assert!(
        (grid.spacing.x - 9.1).abs() < 0.1 && grid.spacing.x == grid.spacing.y,
        "{}",
        grid.spacing
    );
    let mut count = 0;
    for row in 0..grid.rows() {
        for column in 0..grid.columns {
            let height = f64::from(grid.heights[row * grid.columns + column]);
            let lon_lat = frame.to_lon_lat(grid.node(column, row)).unwrap();
            // The outer half of the border cells is flat.
            if (48.13006..48.13994).contains(&lon_lat.y) && (11.5651..11.5769).contains(&lon_lat.x)
            {
                count += 1;
                assert!(
                    (height + 500.0 - slope(lon_lat)).abs() < 0.02,
                    "{lon_lat}: {height}"
                );
            }
        }
    }
    assert!(count > 9_000, "{count}");
}
