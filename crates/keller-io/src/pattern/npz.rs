//! Patterns as NPZ, what `numpy.savez` writes: arrays under the names of the columns of `csv.rs`.
//!
//! Either all arrays have one length, and each index is a row, or the values have the shape (zeniths, azimuths) and the angles are
//! its axes.

use std::io::{Cursor, Read};

use super::Data;
use super::columns::Columns;
use super::error::Problem;

use super::samples;
use crate::npy::{self, Array};

/// The most that one array may unpack to, bytes: sixty times a table in steps of a quarter of a degree.
const MAX_BYTES: u64 = 1 << 29;

pub(super) fn parse(bytes: &[u8]) -> Result<Data, Problem> {
    let fail = |error: zip::result::ZipError| {
        Problem::file(format!(
            "this is no NPZ archive: {error}; accepted: what numpy.savez writes"
        ))
    };
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(fail)?;
    let names: Vec<String> = archive
        .file_names()
        .map(|name| {
            let name = name.map_err(fail)?;
            Ok(name.strip_suffix(".npy").unwrap_or(&name).to_lowercase())
        })
        .collect::<Result<_, Problem>>()?;
    let columns = Columns::of(&names).map_err(Problem::file)?;
    let mut arrays = Vec::new();
    for name in columns.names() {
        let index = names.iter().position(|n| n == name).unwrap_or(0);
        let entry = archive.by_index(index).map_err(fail)?;
        let mut data = Vec::new();
        entry
            .take(MAX_BYTES)
            .read_to_end(&mut data)
            .map_err(|error| Problem::file(format!("array {name}: {error}")))?;
        let array = npy::parse(&data)
            .map_err(|problem| Problem::file(format!("array {name}: {problem}")))?;
        if let Some(i) = array.values.iter().position(|v| v.is_nan()) {
            return Err(Problem::file(format!(
                "array {name}: value {i} is NaN; accepted: numbers"
            )));
        }
        arrays.push(array);
    }
    let count = arrays.last().map_or(0, |values| values.values.len());
    let place = placement(&columns, &arrays)?;
    let mut rows = Vec::with_capacity(count);
    for i in 0..count {
        let angles = columns.num_angles();
        let values: Vec<Option<f64>> = arrays
            .iter()
            .enumerate()
            .map(|(k, array)| {
                let index = if k < angles {
                    place.index(i, k, columns.has_zenith())
                } else {
                    i
                };
                array.values.get(index).copied()
            })
            .collect();
        let row = columns.row(&values, i);
        rows.push(row.map_err(|problem| Problem::file(format!("row {i}: {problem}")))?);
    }
    samples::data(&rows)
}

/// Where the angles of value `i` stand.
enum Placement {
    /// At `i` as well.
    Rows,
    /// On the axes of a table with this many columns.
    Axes(usize),
}

impl Placement {
    fn index(&self, i: usize, angle: usize, has_zenith: bool) -> usize {
        match self {
            Self::Rows => i,
            Self::Axes(columns) if angle == 0 && has_zenith => i / columns,
            Self::Axes(columns) => i % columns,
        }
    }
}

fn placement(columns: &Columns, arrays: &[Array]) -> Result<Placement, Problem> {
    let (angles, values) = arrays.split_at(columns.num_angles());
    let shape = &values[0].shape;
    if values.iter().all(|v| v.shape == *shape) {
        let count = values[0].values.len();
        if angles.iter().all(|a| a.values.len() == count) {
            return Ok(Placement::Rows);
        }
        if let ([zenith, azimuth], [rows, number]) = (angles, &shape[..])
            && zenith.values.len() == *rows
            && azimuth.values.len() == *number
        {
            return Ok(Placement::Axes(*number));
        }
    }
    let shapes: Vec<String> = columns
        .names()
        .iter()
        .zip(arrays)
        .map(|(name, array)| format!("{name} {:?}", array.shape))
        .collect();
    Err(Problem::file(format!(
        "the shapes {} do not fit; accepted: one length for all, or values of (zeniths, azimuths)",
        shapes.join(", ")
    )))
}
