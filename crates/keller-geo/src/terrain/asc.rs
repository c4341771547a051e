//! ESRI ASCII grids: a header of keys and numbers, then the rows from north to south.
//!
//! # Source
//! Esri, "ASCII to Raster", ArcGIS documentation of the format; GDAL, driver AAIGrid, for `dx` and `dy`.

use std::path::Path;

use super::TerrainError;
use super::raster::{MAX_CELLS, Raster, RasterRead};
use crate::crs::Crs;

/// The header's keys, lower case.
const KEYS: [&str; 10] = [
    "ncols",
    "nrows",
    "xllcorner",
    "yllcorner",
    "xllcenter",
    "yllcenter",
    "cellsize",
    "dx",
    "dy",
    "nodata_value",
];

/// What stands for a missing height if the header does not tell.
const DEFAULT_NODATA: f64 = -9999.0;

pub(super) fn parse(
    bytes: &[u8],
    file: &Path,
    prj: Option<&[u8]>,
    stated: Option<&Crs>,
) -> Result<RasterRead, TerrainError> {
    let malformed = |problem: String| TerrainError::Malformed {
        file: file.to_owned(),
        problem,
    };
    let mut words = Words {
        rest: bytes,
        line: 1,
    };
    let mut header = [None; KEYS.len()];
    let mut first = None;
    while let Some((line, word)) = words.next() {
        if !word.first().is_some_and(u8::is_ascii_alphabetic) || is_nan(word) {
            first = Some((line, word));
            break;
        }
        let name = String::from_utf8_lossy(word).to_lowercase();
        let Some(key) = KEYS.iter().position(|key| *key == name) else {
            let name: String = name.chars().take(40).collect();
            return Err(malformed(format!(
                "line {line}: `{}` is no key of an ESRI ASCII grid; accepted are {}",
                name.escape_debug(),
                KEYS.join(", ")
            )));
        };
        let value = words.next().map(|(_, word)| word);
        let number = value.and_then(number);
        header[key] = Some(number.ok_or_else(|| {
            let found = String::from_utf8_lossy(value.unwrap_or_default()).into_owned();
            malformed(format!(
                "line {line}: {} = `{}` is no number",
                KEYS[key],
                found.escape_debug()
            ))
        })?);
    }
    let get = |key: &str| {
        header[KEYS
            .iter()
            .position(|k| *k == key)
            .expect("one of the keys")]
    };
    let need = |key: &str| get(key).ok_or_else(|| malformed(format!("the header has no {key}")));
    let count = |key: &str| {
        let value = need(key)?;
        if value.fract() == 0.0 && (1.0..=MAX_CELLS as f64).contains(&value) {
            Ok(value as usize)
        } else {
            Err(malformed(format!(
                "{key} = {value} is no number of cells; 1 to {MAX_CELLS} are accepted"
            )))
        }
    };
    let (width, height) = (count("ncols")?, count("nrows")?);
    // A height takes two bytes at least, with the space after it.
    let cells = width
        .checked_mul(height)
        .filter(|cells| *cells <= bytes.len() / 2 + 1)
        .ok_or_else(|| {
            malformed(format!(
                "the header tells of {width} x {height} heights, but the file has only {} bytes",
                bytes.len()
            ))
        })?;
    let (dx, dy) = match (get("cellsize"), get("dx"), get("dy")) {
        (Some(size), ..) => (size, size),
        (None, Some(dx), Some(dy)) => (dx, dy),
        _ => return Err(malformed("the header has no cellsize".to_owned())),
    };
    if !(dx > 0.0 && dy > 0.0) {
        return Err(malformed(format!(
            "cellsize = {dx} is not accepted; it must be more than 0"
        )));
    }
    let edge = |corner: &str, centre: &str, size: f64| match (get(corner), get(centre)) {
        (Some(corner), _) => Ok(corner),
        (None, Some(centre)) => Ok(centre - 0.5 * size),
        _ => Err(malformed(format!(
            "the header has neither {corner} nor {centre}"
        ))),
    };
    let (west, south) = (
        edge("xllcorner", "xllcenter", dx)?,
        edge("yllcorner", "yllcenter", dy)?,
    );
    let nodata = get("nodata_value").unwrap_or(DEFAULT_NODATA);
    let mut values = Vec::with_capacity(cells);
    let mut next = first;
    while let Some((line, word)) = next {
        if values.len() == cells {
            return Err(malformed(format!(
                "line {line}: there are more than the {width} x {height} heights of the header"
            )));
        }
        let value = if is_nan(word) {
            Some(f64::NAN)
        } else {
            number(word)
        };
        let value = value.ok_or_else(|| {
            let found: String = String::from_utf8_lossy(word).chars().take(40).collect();
            malformed(format!(
                "line {line}: `{}` is no height",
                found.escape_debug()
            ))
        })?;
        values.push(if value == nodata {
            f32::NAN
        } else {
            value as f32
        });
        next = words.next();
    }
    if values.len() < cells {
        return Err(malformed(format!(
            "it ends after {} of the {width} x {height} heights of its header",
            values.len()
        )));
    }
    let crs = match (stated, prj) {
        (Some(crs), _) => Some(crs.clone()),
        (None, Some(prj)) => {
            let text = String::from_utf8_lossy(prj);
            let beside = file.with_extension("prj");
            Some(Crs::parse(&text).map_err(|source| TerrainError::Crs {
                file: beside,
                source,
            })?)
        }
        (None, None) => None,
    };
    let north = south + height as f64 * dy;
    let raster = Raster {
        file: file.to_owned(),
        width,
        height,
        values,
        geotransform: [west, dx, 0.0, north, 0.0, -dy],
        crs,
    };
    raster.finish(None, Vec::new())
}

fn is_nan(word: &[u8]) -> bool {
    word.eq_ignore_ascii_case(b"nan")
}

/// A finite number; some programs write the comma of their language.
fn number(word: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(word).ok()?;
    let value: f64 = text
        .parse()
        .or_else(|_| text.replace(',', ".").parse())
        .ok()?;
    value.is_finite().then_some(value)
}

/// Words of a text with their lines.
struct Words<'a> {
    rest: &'a [u8],
    line: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.rest.iter().position(|b| !b.is_ascii_whitespace())?;
        self.line += self.rest[..start].iter().filter(|b| **b == b'\n').count();
        let word = &self.rest[start..];
        let end = word
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(word.len());
        self.rest = &word[end..];
        Some((self.line, &word[..end]))
    }
}
