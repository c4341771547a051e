//! Maps of IRLA beside that of exact tubes, and errors against time.

use std::path::Path;

use anyhow::{Context, Result};
use keller::units::power_to_db;
use keller_io::plot::{CoveragePlot, PlotTx, Quantity, ScatterPlot, Slice, png};
use keller_lab::irla::Settings;

use super::LIMIT_DB;
use super::rows::Row;
use crate::tubes::Place;

/// The curves, and which simplifications each has: voxels and the plan.
const CURVES: [(&str, [bool; 2]); 3] = [
    ("IRLA", [true, true]),
    ("exact walls", [false, true]),
    ("exact walls, 3D", [false, false]),
];

/// Times and errors of one grid after the other.
#[derive(Debug, Default)]
pub(super) struct Curves {
    of_irla: [Vec<[f64; 2]>; 3],
    of_tubes: Vec<[f64; 2]>,
}

impl Curves {
    pub(super) fn add(&mut self, settings: &Settings, row: &Row) {
        let switches = [settings.is_raster, settings.is_projected];
        for (curve, (_, of_curve)) in self.of_irla.iter_mut().zip(CURVES) {
            if of_curve == switches {
                curve.push(point(row));
            }
        }
    }

    pub(super) fn add_tubes(&mut self, row: &Row) {
        self.of_tubes.push(point(row));
    }

    pub(super) fn write(self, file: &Path) -> Result<()> {
        let names = CURVES.map(|(name, _)| name.to_owned());
        let mut curves: Vec<_> = names.into_iter().zip(self.of_irla).collect();
        curves.push(("keller tubes".to_owned(), self.of_tubes));
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
}

fn point(row: &Row) -> [f64; 2] {
    [row.seconds.log10(), row.errors.rmse]
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
        })
    });
    let plot = CoveragePlot {
        title: format!("{}: path gain", place.name),
        quantity: Quantity::Numbers {
            name: "path gain / dB",
            range: [-LIMIT_DB, -50.0],
        },
        nothing: "no path",
        scene: place.world.scene(),
        tx: vec![PlotTx {
            position: place.tx.position,
            name: String::new(),
        }],
        region: &place.region,
        slices: slices.collect(),
    };
    write(file, &plot.svg())
}

pub(in crate::lab) fn write(file: &Path, svg: &str) -> Result<()> {
    let bytes = png(svg).context("the picture has no size")?;
    std::fs::write(file, bytes).with_context(|| file.display().to_string())
}
