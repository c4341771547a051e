#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of tests are small"
)]

mod geotiffs;
mod readers;
mod surface;

use std::path::Path;

use glam::DVec2;

use super::*;
use crate::crs::{Crs, Frame, Georeference};

/// A frame in UTM whose origin is at (691 000, 5 335 000, 500).
fn frame() -> Frame {
    let georeference = Georeference {
        crs: "EPSG:25832".to_owned(),
        origin: [691_000.0, 5_335_000.0, 500.0],
    };
    Frame::new(&georeference).unwrap()
}

/// A raster with north up.
fn raster(
    width: usize,
    height: usize,
    corner: DVec2,
    cell: f64,
    crs: Option<&str>,
    value: impl Fn(DVec2) -> f64,
) -> Raster {
    let mut raster = Raster {
        file: Path::new("made.tif").to_owned(),
        width,
        height,
        values: Vec::new(),
        geotransform: [corner.x, cell, 0.0, corner.y, 0.0, -cell],
        crs: crs.map(|text| Crs::parse(text).unwrap()),
    };
    let cells = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
    let values = cells
        .map(|(column, row)| value(raster.position(column as f64 + 0.5, row as f64 + 0.5)) as f32);
    raster.values = values.collect();
    raster
}
