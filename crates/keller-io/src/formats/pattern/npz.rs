//! Patterns as NPZ, which `numpy.savez` writes: arrays under the names of the columns of `csv.rs`.
//!
//! Either all arrays have one length, and each index is a row, or the values have the shape (zeniths, azimuths) and the
//! angles are its axes.

use std::io::Cursor;

use super::Data;
use super::columns::Columns;
use super::error::Problem;

use super::samples;
use crate::formats::npy::count_of;
use crate::formats::npz_archive::NpzArchive;

/// The largest number of values of an array: sixty times a table in steps of a quarter of a degree.
const MAX_VALUES: u64 = 1 << 26;

pub(super) fn parse(bytes: &[u8]) -> Result<Data, Problem> {
    let archive = NpzArchive::new(Cursor::new(bytes), bytes.len() as u64);
    let mut archive = archive.map_err(Problem::file)?;
    let names: Vec<String> = archive.names().iter().map(|n| n.to_lowercase()).collect();
    let columns = Columns::of(&names).map_err(Problem::file)?;
    // The names of the arrays as they are written in the file.
    let own = columns.names().iter().filter_map(|name| {
        let index = names.iter().position(|n| n == name)?;
        archive.names().get(index).cloned()
    });
    let own: Vec<String> = own.collect();
    let mut shapes = Vec::new();
    for name in &own {
        let header = archive.header(name).map_err(Problem::file)?;
        if header.count() > MAX_VALUES {
            return Err(Problem::file(format!(
                "array {name} has {} values; accepted: at most {MAX_VALUES}",
                header.count()
            )));
        }
        shapes.push(header.shape);
    }
    let place = placement(&columns, &shapes)?;
    let mut arrays = Vec::new();
    for name in &own {
        let array = archive.array(name).map_err(Problem::file)?;
        if let Some(i) = array.values.iter().position(|v| v.is_nan()) {
            return Err(Problem::file(format!(
                "array {name}: value {i} is NaN; accepted: numbers"
            )));
        }
        arrays.push(array);
    }
    let count = arrays.last().map_or(0, |values| values.values.len());
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

/// The places of the angles of value `i`.
enum Placement {
    /// Its angles stand at `i` as well.
    Rows,
    /// Its angles stand on the axes of a table with this many columns.
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

/// The placement that the shapes of all arrays fit.
fn placement(columns: &Columns, shapes: &[Vec<usize>]) -> Result<Placement, Problem> {
    let (angles, values) = shapes.split_at(columns.num_angles());
    let shape = &values[0];
    if values.iter().all(|v| v == shape) {
        let count = count_of(shape);
        if angles.iter().all(|angle| count_of(angle) == count) {
            return Ok(Placement::Rows);
        }
        if let ([zenith, azimuth], [rows, number]) = (angles, &shape[..])
            && count_of(zenith) == *rows as u64
            && count_of(azimuth) == *number as u64
        {
            return Ok(Placement::Axes(*number));
        }
    }
    let shapes: Vec<String> = columns
        .names()
        .iter()
        .zip(shapes)
        .map(|(name, shape)| format!("{name} {shape:?}"))
        .collect();
    Err(Problem::file(format!(
        "the shapes {} do not fit; accepted: one length for all, or values of (zeniths, azimuths)",
        shapes.join(", ")
    )))
}
