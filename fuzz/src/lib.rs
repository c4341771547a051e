//! What every importer promises, whatever bytes it gets: an error, or a mesh that can be trusted.

mod stored;

use std::path::Path;
use std::{fs, io};

use glam::DVec2;
use keller::antenna::Pattern;
use keller::scene::Mesh;
use keller::tiles::{VisibilityRows, row_ids};
use keller::{DVec3, antenna::Combination};
use keller_geo::crs::{Crs, Frame};
use keller_geo::place::{self, ReadOptions};
use keller_geo::site::{SiteOptions, Sources, assemble};
use keller_geo::terrain::Raster;
use keller_io::formats::{ImportError, Imported};
use keller_io::scenario::Scenario;
use keller_io::store::visibility::VisibilityFile;

pub use stored::{
    check_gains, check_kept, check_measurements, check_paths, check_plan, check_table, check_unit,
};

/// Panics if `result` breaks the promise.
pub fn check(result: Result<Imported, ImportError>) {
    match result {
        Err(error) => assert!(!error.to_string().is_empty(), "an error without words"),
        Ok(Imported { mesh, warnings, .. }) => {
            check_mesh(&mesh);
            for warning in &warnings {
                assert!(!warning.to_string().is_empty(), "a warning without words");
            }
        }
    }
}

/// Panics if a mesh has a coordinate that is not finite, or an index of nothing.
fn check_mesh(mesh: &Mesh) {
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
}

/// Reads `data` as a file of buildings and makes a scene of it: the first byte says the format. Panics unless it is an error with
/// words, or a mesh that can be trusted.
pub fn check_place(data: &[u8]) {
    const FILES: [&str; 8] = [
        "fuzz.geojson",
        "fuzz.city.json",
        "fuzz.shp",
        "fuzz.osm",
        "fuzz.osm.pbf",
        "fuzz.res",
        "fuzz.gpkg",
        "fuzz.fgb",
    ];
    let Some((first, bytes)) = data.split_first() else {
        return;
    };
    let file = Path::new(FILES[usize::from(first % 8)]);
    // What lies beside a shapefile comes after it.
    let (bytes, beside) = match (file.extension(), bytes) {
        (Some(extension), [high, low, rest @ ..]) if extension == "shp" => {
            let length = usize::from(u16::from_be_bytes([*high, *low])).min(rest.len());
            rest.split_at(length)
        }
        _ => (bytes, &[][..]),
    };
    let read = |name: &Path| match name.extension() {
        Some(extension) if extension == "dbf" && !beside.is_empty() => Ok(beside.to_vec()),
        _ => Err(io::ErrorKind::NotFound.into()),
    };
    let options = ReadOptions::default();
    let place = match place::parse(bytes, file, &options, &read) {
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without words");
            return;
        }
        Ok(place) => place,
    };
    let sources = Sources {
        places: vec![(file.to_owned(), place)],
        rasters: Vec::new(),
    };
    match assemble(sources, &SiteOptions::default()) {
        Err(error) => assert!(!error.to_string().is_empty(), "an error without words"),
        Ok(site) => check_mesh(&site.mesh),
    }
}

/// Reads `data` as a visibility file, as it is if the first byte is even, else with checksums made to fit, which mutations never would.
/// Panics unless it is an error with words, or rows that name only tiles that there are.
pub fn check_visibility(data: &[u8]) {
    let Some((first, bytes)) = data.split_first() else {
        return;
    };
    let mut bytes = bytes.to_vec();
    if first % 2 == 1 {
        stored::seal_records(&mut bytes);
    }
    match VisibilityFile::parse(bytes, Path::new("fuzz.tiles")) {
        Err(error) => assert!(!error.to_string().is_empty(), "an error without words"),
        Ok(file) => {
            let num_tiles = file.header().num_tiles;
            // One row more than there is.
            for tile in 0..=num_tiles.min(1 << 16) {
                for run in row_ids(file.row(tile)) {
                    assert!(run.start < run.end, "a run of nothing");
                    assert!(run.end as usize <= num_tiles, "a tile that there is not");
                }
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
    match keller_io::formats::pattern::parse(bytes, Path::new(file), combination) {
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

/// Reads `data` as a scenario; what follows its first zero byte is `table.csv` beside it, for `[[tx]]` and `[[rx]]`. Panics unless it is an
/// error with few words, or a scenario whose devices stand at numbers.
pub fn check_scenario(data: &[u8]) {
    let (text, read) = part(data);
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let folder = std::env::temp_dir().join(format!("keller-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("there is room for a folder");
    fs::write(folder.join("scene.obj"), "").expect("there is room for a file");
    let table = read(Path::new("table.csv")).unwrap_or_default();
    fs::write(folder.join("table.csv"), table).expect("there is room for a file");
    match Scenario::parse(text, &folder.join("fuzz.toml")) {
        Err(error) => {
            let words = error.to_string();
            assert!(!words.is_empty(), "an error without words");
            assert!(words.chars().count() < 2000, "a page for an error: {words}");
        }
        Ok(scenario) => {
            let tx = scenario.tx.iter().map(|tx| tx.site.at);
            let rx = (0..scenario.receivers.rx.len()).map(|rx| scenario.receivers.site(rx).at);
            for at in tx.chain(rx) {
                assert!(at.is_finite(), "a device at no number: {at}");
            }
        }
    }
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

/// Panics if an error says nothing.
fn told(error: &impl std::fmt::Display) {
    assert!(!error.to_string().is_empty(), "an error without words");
}
