//! Maps of IRLA and of exact tubes, and errors against time.

use std::path::Path;

use anyhow::{Context, Result};
use keller::units::power_to_db;
use keller_io::reports::plot::{CoveragePlot, PlotTx, Quantity, Scale, ScatterPlot, Slice, png};
use keller_lab::irla::Settings;

use super::LIMIT_DB;
use super::within::Within;
use crate::tubes::Place;

/// Errors against times.
pub(super) fn times(file: &Path, within: &Within) -> Result<()> {
    let curves: Vec<(String, Vec<[f64; 2]>)> = within
        .curves()
        .map(|(name, points)| {
            let points = points
                .iter()
                .map(|[seconds, rmse]| [seconds.log10(), *rmse]);
            (name.to_owned(), points.collect())
        })
        .collect();
    let points = curves.iter().flat_map(|(_, curve)| curve.iter().copied());
    let plot = ScatterPlot {
        x_title: "seconds, as a power of ten".to_owned(),
        y_title: "RMSE against exact paths / dB".to_owned(),
        points: points.collect(),
        bars: Vec::new(),
        curves,
        has_diagonal: false,
        has_zero: true,
    };
    write(file, &plot.svg())
}

/// Exact tubes, IRLA, and IRLA with exact walls, side by side.
pub(super) fn maps(
    file: &Path,
    place: &Place,
    of_irla: &[(Settings, Vec<f64>)],
    exact: &[f64],
) -> Result<()> {
    let of = |switches: [bool; 3]| {
        let found = of_irla
            .iter()
            .find(|(s, _)| [s.is_raster, s.is_projected, s.fills_gaps] == switches);
        found.map(|(_, gains)| gains.as_slice())
    };
    let all = [
        ("exact (tubes)", Some(exact)),
        ("IRLA", of([true, true, true])),
        ("IRLA, exact walls", of([false, true, true])),
    ];
    let slices = all.into_iter().filter_map(|(title, gains)| {
        Some(Slice {
            title: title.to_owned(),
            values: gains?.iter().map(|gain| power_to_db(*gain)).collect(),
            buildings: Vec::new(),
        })
    });
    let plot = CoveragePlot {
        title: format!("{}: path gain", place.name),
        quantity: Quantity::Numbers {
            name: "path gain / dB",
            range: [-LIMIT_DB, -50.0],
            scale: Scale::Gain,
        },
        nothing: "no path",
        scene: place.world.scene(),
        tx: vec![PlotTx {
            position: place.tx.position,
            name: String::new(),
            azimuth: None,
        }],
        marks: Vec::new(),
        region: &place.region,
        slices: slices.collect(),
    };
    write(file, &plot.svg())
}

/// Writes a drawing as PNG.
pub(in crate::lab) fn write(file: &Path, svg: &str) -> Result<()> {
    let bytes = png(svg).context("the picture has no size")?;
    std::fs::write(file, bytes).with_context(|| file.display().to_string())
}
