//! What every importer promises, whatever bytes it gets: an error, or a mesh that can be trusted.

use std::io;
use std::path::Path;

use glam::DVec2;
use keller::antenna::Pattern;
use keller::{DVec3, antenna::Combination};
use keller_geo::crs::{Crs, Frame};
use keller_geo::terrain::Raster;
use keller_io::{ImportError, Imported};

/// Panics if `result` breaks the promise.
pub fn check(result: Result<Imported, ImportError>) {
    match result {
        Err(error) => assert!(!error.to_string().is_empty(), "an error without words"),
        Ok(Imported { mesh, warnings, .. }) => {
            for vertex in &mesh.vertices {
                assert!(vertex.is_finite(), "a coordinate is not finite");
            }
            for triangle in &mesh.triangles {
                let is_vertex = |&index: &u32| (index as usize) < mesh.vertices.len();
                assert!(
                    triangle.vertices.iter().all(is_vertex),
                    "a vertex is missing"
                );
                let material = triangle.material as usize;
                assert!(material < mesh.materials.len(), "a material is missing");
            }
            for warning in &warnings {
                assert!(!warning.to_string().is_empty(), "a warning without words");
            }
        }
    }
}

/// Reads `data` as a pattern file: the first byte says the format and how cuts combine. Panics unless it is an error with words, or a
/// pattern whose gain is a finite number in every direction.
pub fn check_pattern(data: &[u8]) {
    const FILES: [&str; 4] = ["fuzz.msi", "fuzz.adf", "fuzz.csv", "fuzz.npz"];
    let Some((first, bytes)) = data.split_first() else {
        return;
    };
    let file = FILES[usize::from(first % 4)];
    let (_, combination) = Combination::NAMES[usize::from(first / 4 % 3)];
    match keller_io::pattern::parse(bytes, Path::new(file), combination) {
        Err(error) => assert!(!error.to_string().is_empty(), "an error without words"),
        Ok(found) => {
            for direction in [
                DVec3::X,
                DVec3::Y,
                -DVec3::X,
                DVec3::Z,
                -DVec3::Z,
                DVec3::ONE.normalize(),
            ] {
                let gain = found.pattern.gain(direction);
                assert!(gain.is_finite() && gain >= 0.0, "a gain of {gain}");
            }
            assert!(
                matches!(found.pattern, Pattern::Table(_)),
                "a pattern without a table"
            );
        }
    }
}

/// Parts `data` at the first zero byte: the scene, and what every file has that the scene names.
pub fn part(data: &[u8]) -> (&[u8], impl Fn(&Path) -> io::Result<Vec<u8>> + Sync) {
    let end = data.iter().position(|&byte| byte == 0);
    let (scene, rest) = data.split_at(end.unwrap_or(data.len()));
    let named = rest.get(1..).map(<[u8]>::to_vec);
    let read = move |_: &Path| named.clone().ok_or(io::ErrorKind::NotFound.into());
    (scene, read)
}

/// Reads `data` as the text of a coordinate reference system. Panics unless it is an error with words, or a system that gives finite
/// coordinates or errors.
pub fn check_crs(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match Crs::parse(text) {
        Err(error) => assert!(!error.to_string().is_empty(), "an error without words"),
        Ok(crs) => {
            for at in [[0.0, 0.0], [11.5, 48.1], [5e5, 5e6], [-180.0, 90.0]].map(DVec2::from) {
                let _ = crs.check(at);
                for to in [crs.to_lon_lat(at), crs.from_lon_lat(at)]
                    .into_iter()
                    .flatten()
                {
                    assert!(to.is_finite(), "a coordinate is not finite");
                }
                let _ = Frame::around(&crs, at, at + 1.0, 0.0);
            }
        }
    }
}

/// Reads `data` as a raster of heights: a GeoTIFF if it begins as one, else an ESRI ASCII grid. Panics unless it is an error with
/// words, or a raster that can be trusted.
pub fn check_terrain(data: &[u8]) {
    let is_tiff = data.starts_with(b"II") || data.starts_with(b"MM");
    let result = if is_tiff {
        Raster::parse_geotiff(io::Cursor::new(data), Path::new("fuzz.tif"), None)
    } else {
        Raster::parse_asc(data, Path::new("fuzz.asc"), None, None)
    };
    match result {
        Err(error) => assert!(!error.to_string().is_empty(), "an error without words"),
        Ok(read) => {
            let raster = read.raster;
            assert_eq!(
                raster.values.len(),
                raster.width * raster.height,
                "a height is missing"
            );
            assert!(
                raster.values.iter().all(|value| !value.is_infinite()),
                "a height is not finite"
            );
            let _ = raster.height_at(raster.position(0.5, 0.5));
        }
    }
}
