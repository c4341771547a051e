use std::collections::BTreeMap;
use std::io::Cursor;

use super::super::geotiff::{Band, GeoTiff, write};
use super::*;

fn written(image: &GeoTiff<'_>) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    write(&mut file, image).unwrap();
    file.into_inner()
}

fn read(bytes: &[u8]) -> Result<RasterRead, TerrainError> {
    Raster::parse_geotiff(Cursor::new(bytes), Path::new("map.tif"), None)
}

const WIDTH: usize = 300;
const HEIGHT: usize = 400;

/// Values for 300 x 400 cells, in several strips, one of them missing.
fn values() -> Vec<f32> {
    let mut values: Vec<f32> = (0..WIDTH * HEIGHT)
        .map(|i| (i % 1000) as f32 * 0.25 - 30.0)
        .collect();
    values[1234] = f32::NAN;
    values
}

fn same(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|(a, b)| a == b || a.is_nan() && b.is_nan())
}

#[test]
fn what_was_written_is_read() {
    let values = values();
    let band = Band {
        name: "height <m> & more",
        unit: "m",
        values: &values,
    };
    let north_up = [691_000.0, 5.0, 0.0, 5_335_000.0, 0.0, -5.0];
    let turned = [691_000.0, 4.0, 3.0, 5_335_000.0, 3.0, -4.0];
    for (crs, geotransform) in [
        ("EPSG:25832", north_up),
        ("EPSG:25832", turned),
        ("EPSG:4326", [11.0, 1e-4, 0.0, 48.0, 0.0, -1e-4]),
        ("EPSG:2263", [980_000.0, 10.0, 0.0, 200_000.0, 0.0, -10.0]),
    ] {
        let crs = Crs::parse(crs).unwrap();
        let image = GeoTiff {
            width: WIDTH,
            height: HEIGHT,
            geotransform,
            crs: Some(&crs),
            nodata: f32::NAN,
            bands: &[band],
            metadata: &[],
        };
        let got = read(&written(&image)).unwrap();
        assert!(got.warnings.is_empty(), "{:?}", got.warnings);
        let raster = got.raster;
        assert_eq!(
            (raster.width, raster.height, raster.geotransform),
            (WIDTH, HEIGHT, geotransform)
        );
        assert!(same(&raster.values, &values), "the heights differ");
        assert_eq!(raster.crs.unwrap().name(), crs.name());
    }
}

#[test]
fn a_system_without_a_code_is_described_by_its_parameters() {
    let values = values();
    let band = Band {
        name: "",
        unit: "",
        values: &values,
    };
    for (definition, at) in [
        (
            "+proj=tmerc +lat_0=0 +lon_0=11 +k=0.9999 +x_0=500000 +y_0=100 +ellps=bessel +towgs84=598.1,73.7,418.2,0.202,0.045,-2.455,6.7 +units=m",
            [11.5, 48.1],
        ),
        ("+proj=utm +zone=33 +south +datum=WGS84", [15.5, -30.0]),
        (
            "+proj=lcc +lat_1=49 +lat_2=46 +lat_0=47.5 +lon_0=13.3 +x_0=400000 +y_0=400000 +ellps=GRS80 +units=us-ft",
            [13.0, 47.0],
        ),
        (
            "+proj=lcc +lat_1=46 +lat_0=46 +lon_0=10 +k_0=0.9999 +x_0=1000 +y_0=0 +ellps=GRS80",
            [10.0, 46.0],
        ),
        (
            "+proj=laea +lat_0=50 +lon_0=9 +x_0=0 +y_0=0 +ellps=GRS80",
            [9.0, 50.0],
        ),
        (
            "+proj=stere +lat_0=-90 +lat_ts=-71 +lon_0=10 +datum=WGS84",
            [10.0, -75.0],
        ),
        (
            "+proj=sterea +lat_0=52 +lon_0=5 +k=0.9999 +x_0=155000 +y_0=463000 +ellps=bessel +towgs84=565,50,465",
            [5.0, 52.0],
        ),
    ] {
        let crs = Crs::parse(definition).unwrap();
        let place = crs.from_lon_lat(DVec2::from(at)).unwrap();
        let geotransform = [place.x, 2.0, 0.0, place.y, 0.0, -2.0];
        let image = GeoTiff {
            width: WIDTH,
            height: HEIGHT,
            geotransform,
            crs: Some(&crs),
            nodata: f32::NAN,
            bands: &[band],
            metadata: &[],
        };
        let bytes = written(&image);
        let got = read(&bytes).unwrap().raster.crs.unwrap();
        assert!(got.is_same_as(&crs), "{got:?}");
        // The parameters must describe the same system without the citation.
        let at_text = bytes.windows(6).position(|w| w == b"+proj=").unwrap();
        let mut bytes = bytes;
        bytes[at_text] = b' ';
        let got = read(&bytes).unwrap().raster.crs.unwrap();
        let apart = got.from_lon_lat(DVec2::from(at)).unwrap() - place;
        assert!(apart.length() < 1e-3, "{definition}: {got:?}: {apart}");
    }
}

#[test]
fn several_bands_and_a_number_for_nodata() {
    let mut first = values();
    let second: Vec<f32> = first.iter().map(|v| v + 1.0).collect();
    first[1234] = -999.0;
    let crs = Crs::parse("EPSG:25832").unwrap();
    let image = GeoTiff {
        width: WIDTH,
        height: HEIGHT,
        geotransform: [691_000.0, 5.0, 0.0, 5_335_000.0, 0.0, -5.0],
        crs: Some(&crs),
        nodata: -999.0,
        bands: &[
            Band {
                name: "gain",
                unit: "m",
                values: &first,
            },
            Band {
                name: "other",
                unit: "ft",
                values: &second,
            },
        ],
        metadata: &[],
    };
    let got = read(&written(&image)).unwrap();
    assert!(
        got.warnings[0].contains("it has 2 bands; the first is taken"),
        "{:?}",
        got.warnings
    );
    assert!(same(&got.raster.values, &values()), "the heights differ");
}

#[test]
fn heights_in_feet_become_metres() {
    let crs = Crs::parse("EPSG:25832").unwrap();
    let image = GeoTiff {
        width: 2,
        height: 1,
        geotransform: [691_000.0, 5.0, 0.0, 5_335_000.0, 0.0, -5.0],
        crs: Some(&crs),
        nodata: f32::NAN,
        bands: &[Band {
            name: "h",
            unit: "ft",
            values: &[100.0, -9999.0],
        }],
        metadata: &[],
    };
    let got = read(&written(&image)).unwrap();
    assert!(
        (got.raster.values[0] - 30.48).abs() < 1e-4 && got.raster.values[1].is_nan(),
        "{:?}",
        got.raster.values
    );
    assert!(
        got.warnings[0].contains("are taken as such: 1") && got.warnings[1].contains("0.3048 m"),
        "{:?}",
        got.warnings
    );
}

#[test]
fn bands_that_make_no_raster_are_refused() {
    let crs = Crs::parse("EPSG:25832").unwrap();
    let refuse = |width, geotransform, bands: &[Band<'_>]| {
        let image = GeoTiff {
            width,
            height: 2,
            geotransform,
            crs: Some(&crs),
            nodata: 0.0,
            bands,
            metadata: &[],
        };
        write(Cursor::new(Vec::new()), &image)
            .unwrap_err()
            .to_string()
    };
    let band = Band {
        name: "gain",
        unit: "dB",
        values: &[1.0; 3],
    };
    let good = [0.0, 1.0, 0.0, 0.0, 0.0, -1.0];
    assert!(refuse(2, good, &[band]).contains("band `gain` has 3 values; 2 x 2 cells need 4"));
    assert!(refuse(2, good, &[]).contains("no band"));
    assert!(refuse(0, good, &[]).contains("0 x 2 cells"));
    assert!(
        refuse(
            2,
            [0.0; 6],
            &[Band {
                values: &[1.0; 4],
                ..band
            }]
        )
        .contains("no size or place")
    );
}

#[test]
fn broken_files_are_refused_and_never_panic() {
    let values = values();
    let crs = Crs::parse("EPSG:25832").unwrap();
    let image = GeoTiff {
        width: WIDTH,
        height: HEIGHT,
        geotransform: [691_000.0, 5.0, 0.0, 5_335_000.0, 0.0, -5.0],
        crs: Some(&crs),
        nodata: f32::NAN,
        bands: &[Band {
            name: "h",
            unit: "m",
            values: &values,
        }],
        metadata: &[],
    };
    let good = written(&image);
    for size in (0..good.len()).step_by(97) {
        let error = read(&good[..size]).unwrap_err().to_string();
        assert!(error.starts_with("`map.tif`: "), "{error}");
    }
    // The directory stands at the beginning: whatever is changed there must not panic.
    let mut seed = 1_u32;
    for _ in 0..3000 {
        let mut bytes = good.clone();
        for _ in 0..3 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = (seed >> 8) as usize % 700.min(bytes.len());
            bytes[at] = (seed >> 24) as u8;
        }
        let _ = read(&bytes);
    }
    assert!(read(b"II*\0").is_err() && read(b"GIF89a").is_err() && read(b"").is_err());
}

/// The tags of every directory of a little-endian file, in the order of the file: 32-bit offsets, or 64-bit ones.
fn directories(bytes: &[u8]) -> Vec<BTreeMap<u16, Vec<u64>>> {
    let number = |at: usize, size: usize| {
        let all = bytes[at..at + size].iter().rev();
        all.fold(0_u64, |value, byte| value << 8 | u64::from(*byte))
    };
    let is_big = bytes[2] == 43;
    let (width, counts) = if is_big { (8, 8) } else { (4, 2) };
    let index = |value: u64| usize::try_from(value).unwrap();
    let mut next = index(number(if is_big { 8 } else { 4 }, width));
    let mut directories = Vec::new();
    while next > 0 {
        let count = index(number(next, counts));
        let entry = 4 + 2 * width;
        let tags = (0..count).map(|k| {
            let at = next + counts + k * entry;
            let size = match number(at + 2, 2) {
                2 => 1,
                3 => 2,
                4 => 4,
                12 | 16 => 8,
                other => panic!("type {other}"),
            };
            let count = index(number(at + 4, width));
            let is_inline = size * count <= width;
            let own = at + 4 + width;
            let values = if is_inline {
                own
            } else {
                index(number(own, width))
            };
            let values = (0..count).map(|k| number(values + k * size, size));
            (u16::try_from(number(at, 2)).unwrap(), values.collect())
        });
        directories.push(tags.collect());
        next = index(number(next + counts + count * entry, width));
    }
    directories
}

/// The test checks what a Cloud Optimized GeoTIFF must have: directories before all tiles, overviews down to one tile,
/// and the tiles of the coarsest overview first.
#[test]
fn large_images_have_tiles_and_overviews_in_the_order_of_the_cloud() {
    let (width, height) = (1301, 517);
    let first: Vec<f32> = (0..width * height).map(|i| (i * 7 % 1003) as f32).collect();
    let second: Vec<f32> = first.iter().map(|v| -v).collect();
    let band = |name, values| Band {
        name,
        unit: "dB",
        values,
    };
    let crs = Crs::parse("EPSG:25832").unwrap();
    let image = GeoTiff {
        width,
        height,
        geotransform: [691_000.0, 5.0, 0.0, 5_335_000.0, 0.0, -5.0],
        crs: Some(&crs),
        nodata: f32::NAN,
        bands: &[band("a", &first), band("b", &second)],
        metadata: &[],
    };
    let bytes = written(&image);
    let found = directories(&bytes);
    let sizes: Vec<[u64; 2]> = found.iter().map(|d| [d[&256][0], d[&257][0]]).collect();
    assert_eq!(sizes, [[1301, 517], [651, 259], [326, 130]]);
    let tiles: Vec<usize> = found.iter().map(|d| d[&324].len()).collect();
    // Three by two of 512, two by one, one; of two bands.
    assert_eq!(tiles, [12, 4, 2]);
    let firsts: Vec<u64> = found.iter().map(|d| d[&324][0]).collect();
    assert!(firsts[2] < firsts[1] && firsts[1] < firsts[0], "{firsts:?}");
    for directory in &found {
        let ends = directory[&324].iter().zip(&directory[&325]);
        assert!(
            ends.clone()
                .all(|(at, size)| *size > 0 && at + size <= bytes.len() as u64)
        );
        assert_eq!(directory[&317], [3], "the predictor");
    }
    // A cell of an overview is one of those that it stands for, also at the far ends.
    let mut decoder = tiff::decoder::Decoder::new(Cursor::new(&bytes)).unwrap();
    for factor in [2, 4] {
        decoder.next_image().unwrap();
        let tile = decoder.read_chunk(0).unwrap();
        let tiff::decoder::DecodingResult::F32(cells) = tile else {
            panic!("other numbers");
        };
        let across = decoder.chunk_data_dimensions(0).0 as usize;
        for (row, column) in [(0, 0), (17, 300), (129, 325)] {
            let near = |k: usize, all: usize| k * factor..all.min((k + 1) * factor);
            let value = cells[row * across + column];
            let mut own = near(row, height).flat_map(|j| near(column, width).map(move |i| (j, i)));
            assert!(
                own.any(|(j, i)| first[j * width + i] == value),
                "{row} {column}"
            );
        }
    }
    let got = read(&bytes).unwrap();
    assert!(same(&got.raster.values, &first), "the cells differ");
}
