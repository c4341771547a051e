//! ESRI ASCII grids: a header of keys and numbers, then the rows from north to south.
//!
//! # Source
//! Esri, "ASCII to Raster", `ArcGIS` documentation of the format; GDAL, driver `AAIGrid`, for `dx` and `dy`.

use std::path::Path;

use super::TerrainError;
use super::number::{narrow, whole};
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

/// The number for a missing height if the header states none.
const DEFAULT_NODATA: f64 = -9999.0;

pub(super) fn parse(
    bytes: &[u8],
    file: &Path,
    prj: Option<&[u8]>,
    stated: Option<&Crs>,
) -> Result<RasterRead, TerrainError> {
    let mut words = Words {
        rest: bytes,
        line: 1,
    };
    let (header, first) = Header::read(&mut words, file)?;
    let (width, height) = (header.count("ncols")?, header.count("nrows")?);
    // A height takes two bytes at least, with the space after it.
    let cells = width.checked_mul(height).filter(|cells| *cells <= bytes.len() / 2 + 1).ok_or_else(|| {
        let size = bytes.len();
        malformed(file, format!("the header tells of {width} x {height} heights, but the file has only {size} bytes"))
    })?;
    let (dx, dy) = match (header.get("cellsize"), header.get("dx"), header.get("dy")) {
        (Some(size), ..) => (size, size),
        (None, Some(dx), Some(dy)) => (dx, dy),
        _ => return Err(malformed(file, "the header has no cellsize".to_owned())),
    };
    if dx.min(dy) <= 0.0 {
        return Err(malformed(
            file,
            format!("cellsize = {dx} is not accepted; it must be more than 0"),
        ));
    }
    let west = header.edge("xllcorner", "xllcenter", dx)?;
    let south = header.edge("yllcorner", "yllcenter", dy)?;
    let nodata = header.get("nodata_value").unwrap_or(DEFAULT_NODATA);
    let mut values = Vec::with_capacity(cells);
    let mut next = first;
    while let Some((line, word)) = next {
        if values.len() == cells {
            return Err(malformed(
                file,
                format!(
                    "line {line}: there are more than the {width} x {height} heights of the header"
                ),
            ));
        }
        let value = number(word).ok_or_else(|| {
            malformed(file, format!("line {line}: `{}` is no height", shown(word)))
        })?;
        values.push(if value == nodata {
            f32::NAN
        } else {
            narrow(value)
        });
        next = words.next();
    }
    if values.len() < cells {
        let found = values.len();
        return Err(malformed(
            file,
            format!("it ends after {found} of the {width} x {height} heights of its header"),
        ));
    }
    let crs = match (stated, prj) {
        (Some(crs), _) => Some(crs.clone()),
        (None, Some(prj)) => {
            let prj_file = file.with_extension("prj");
            let crs = Crs::parse(&String::from_utf8_lossy(prj));
            Some(crs.map_err(|source| TerrainError::Crs {
                file: prj_file,
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
    let mut read = raster.finish(None, Vec::new())?;
    if stated.is_some() {
        let own = prj.map(|prj| Crs::parse(&String::from_utf8_lossy(prj)));
        read.file_crs = own.and_then(Result::ok);
    }
    Ok(read)
}

/// The numbers of a header, in the order of [`KEYS`].
struct Header<'a> {
    file: &'a Path,
    numbers: [Option<f64>; KEYS.len()],
}

impl<'a> Header<'a> {
    /// Reads keys up to the first number, and returns that too.
    fn read<'w>(
        words: &mut Words<'w>,
        file: &'a Path,
    ) -> Result<(Self, Option<Word<'w>>), TerrainError> {
        let mut header = Self {
            file,
            numbers: [None; KEYS.len()],
        };
        while let Some((line, word)) = words.next() {
            if !word.first().is_some_and(u8::is_ascii_alphabetic)
                || word.eq_ignore_ascii_case(b"nan")
            {
                return Ok((header, Some((line, word))));
            }
            let name = String::from_utf8_lossy(word).to_lowercase();
            let Some(key) = KEYS.iter().position(|key| *key == name) else {
                let known = KEYS.join(", ");
                let problem = format!(
                    "line {line}: `{}` is no key of an ESRI ASCII grid; accepted are {known}",
                    shown(word)
                );
                return Err(malformed(file, problem));
            };
            let value = words.next().map_or(&[][..], |(_, word)| word);
            let number =
                number(value).filter(|number| !number.is_nan() || KEYS[key] == "nodata_value");
            header.numbers[key] = Some(number.ok_or_else(|| {
                malformed(
                    file,
                    format!(
                        "line {line}: {} = `{}` is no number",
                        KEYS[key],
                        shown(value)
                    ),
                )
            })?);
        }
        Ok((header, None))
    }

    fn get(&self, key: &str) -> Option<f64> {
        self.numbers[KEYS
            .iter()
            .position(|k| *k == key)
            .expect("one of the keys")]
    }

    /// A number of rows or columns.
    fn count(&self, key: &str) -> Result<usize, TerrainError> {
        let value = self
            .get(key)
            .ok_or_else(|| malformed(self.file, format!("the header has no {key}")))?;
        if value.fract() == 0.0 && (1.0..=MAX_CELLS as f64).contains(&value) {
            return Ok(whole(value));
        }
        Err(malformed(
            self.file,
            format!("{key} = {value} is no number of cells; 1 to {MAX_CELLS} are accepted"),
        ))
    }

    /// The western or southern edge of the raster.
    fn edge(&self, corner: &str, centre: &str, size: f64) -> Result<f64, TerrainError> {
        let edge = self
            .get(corner)
            .or_else(|| Some(self.get(centre)? - 0.5 * size));
        edge.ok_or_else(|| {
            malformed(
                self.file,
                format!("the header has neither {corner} nor {centre}"),
            )
        })
    }
}

fn malformed(file: &Path, problem: String) -> TerrainError {
    TerrainError::Malformed {
        file: file.to_owned(),
        problem,
    }
}

/// The beginning of a word, for messages.
fn shown(word: &[u8]) -> String {
    String::from_utf8_lossy(word)
        .chars()
        .take(40)
        .flat_map(char::escape_debug)
        .collect()
}

/// A number, finite or NaN; some programs write the comma of their language.
fn number(word: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(word).ok()?;
    let value: f64 = text
        .parse()
        .or_else(|_| text.replace(',', ".").parse())
        .ok()?;
    (!value.is_infinite()).then_some(value)
}

/// A word and its line.
type Word<'a> = (usize, &'a [u8]);

/// Words of a text with their lines.
struct Words<'a> {
    rest: &'a [u8],
    line: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.rest.iter().position(|b| !b.is_ascii_whitespace())?;
        for byte in &self.rest[..start] {
            self.line += usize::from(*byte == b'\n');
        }
        let word = &self.rest[start..];
        let end = word
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(word.len());
        self.rest = &word[end..];
        Some((self.line, &word[..end]))
    }
}
