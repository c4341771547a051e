//! SRTM tiles: 1201 x 1201 or 3601 x 3601 big-endian heights of points, a degree on a side, borders included.
//!
//! # Source
//! NASA, "SRTM Topography", documentation of version 2.1, section 2.

use crate::shown::shown;
use std::path::Path;

use super::TerrainError;
use super::raster::{Raster, RasterRead};
use crate::crs::Crs;

/// The number for a missing height.
const VOID: i16 = -32768;

pub(super) fn parse(bytes: &[u8], file: &Path) -> Result<RasterRead, TerrainError> {
    let malformed = |problem: String| TerrainError::Malformed {
        file: file.to_owned(),
        problem,
    };
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let (south, west) = corner(&name).ok_or_else(|| {
        malformed(format!(
            "the name of an SRTM file tells its south-western corner, as `N48E011.hgt` does; `{name}` is no such name", name = shown(&name)
        ))
    })?;
    let side = match bytes.len() {
        2_884_802 => 1201,
        25_934_402 => 3601,
        found => {
            return Err(malformed(format!(
                "it has {found} bytes; SRTM files have 2884802 (1201 x 1201 heights, 3 arc seconds) or 25934402 (3601 x 3601, 1 arc second)"
            )));
        }
    };
    let (pairs, _) = bytes.as_chunks::<2>();
    let values = pairs.iter().map(|&pair| match i16::from_be_bytes(pair) {
        VOID => f32::NAN,
        height => f32::from(height),
    });
    let step = 1.0 / (side - 1) as f64;
    let raster = Raster {
        file: file.to_owned(),
        width: side,
        height: side,
        values: values.collect(),
        // The first height is that of the north-western corner itself, the centre of its cell.
        geotransform: [
            west - 0.5 * step,
            step,
            0.0,
            south + 1.0 + 0.5 * step,
            0.0,
            -step,
        ],
        crs: Some(Crs::from_epsg(4326).map_err(|source| TerrainError::Crs {
            file: file.to_owned(),
            source,
        })?),
    };
    raster.finish(None, Vec::new())
}

/// South and west end of a tile by the first seven letters of its name, degrees.
fn corner(name: &str) -> Option<(f64, f64)> {
    let name = name.to_ascii_uppercase();
    let sign = |letter: &str, plus: &str, minus: &str| match letter {
        l if l == plus => Some(1.0),
        l if l == minus => Some(-1.0),
        _ => None,
    };
    let number = |digits: &str| {
        digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| digits.parse::<f64>().ok())?
    };
    let south = sign(name.get(0..1)?, "N", "S")? * number(name.get(1..3)?)?;
    let west = sign(name.get(3..4)?, "E", "W")? * number(name.get(4..7)?)?;
    ((-90.0..90.0).contains(&south) && (-180.0..180.0).contains(&west)).then_some((south, west))
}
