//! Maps of the methods side by side.

use std::path::Path;

use anyhow::Result;
use glam::DVec2;
use keller::coverage::tubes::Accuracy;
use keller::coverage::{Levels, Region};
use keller::units::power_to_db;
use keller_io::reports::plot::{CoveragePlot, PlotTx, Quantity, Scale, Slice};
use keller_lab::launching::tlars::Splitting;

use super::case::Case;
use super::methods::Method;
use crate::lab::irla::write_picture;
use crate::tubes::Place;

/// The height of the plane that is drawn, metres over the sea: over all ground.
const PLANE: f64 = 522.5;

/// Half the side of the square that is drawn, cells.
const HALF: usize = 60;

/// The methods that are drawn.
const DRAWN: [(&str, Method); 3] = [
    ("exact (tubes)", Method::Tubes(Accuracy::Exact)),
    ("GORL", Method::Gorl(1)),
    ("TLARS", Method::Tlars(None, Splitting::AtParents)),
];

/// A square about the Tx by the methods that are drawn.
pub(super) fn city(file: &Path, place: &Place, maps: &[(Method, Vec<f64>)]) -> Result<()> {
    let [nx, ny, _] = place.region.shape();
    let size = place.region.resolution;
    let heights = place.region.levels.heights();
    let level = heights
        .iter()
        .position(|height| height + 0.5 * size.x > PLANE)
        .unwrap_or(0);
    let own = (place.tx.position.truncate() - place.region.min) / size;
    let first = (own - HALF as f64).floor().max(DVec2::ZERO);
    let low = place.region.min + first * size;
    let region = Region::planes(
        low,
        low + 2.0 * HALF as f64 * size,
        size,
        Levels::AboveSea(vec![heights[level]]),
    )?;
    let [i, j] = [first.x, first.y].map(whole);
    let slices = DRAWN.into_iter().filter_map(|(title, method)| {
        let gains = &maps.iter().find(|(m, _)| *m == method)?.1;
        let value = |cell: usize| {
            let [x, y] = [i + cell % (2 * HALF), j + cell / (2 * HALF)];
            if x >= nx || y >= ny {
                return f64::NEG_INFINITY;
            }
            power_to_db(gains[(level * ny + y) * nx + x])
        };
        Some(Slice {
            title: title.to_owned(),
            values: (0..region.num_cells()).map(value).collect(),
            buildings: Vec::new(),
        })
    });
    let plot = CoveragePlot {
        title: format!("COST 231 Munich, voxels of {} m, 2 reflections", size.x),
        quantity: Quantity::Numbers {
            name: "path gain / dB",
            range: [-super::LIMIT_DB, -50.0],
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
        region: &region,
        slices: slices.collect(),
    };
    write_picture(file, &plot.svg())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number that is not negative"
)]
fn whole(value: f64) -> usize {
    value as usize
}

/// The lowest voxels over a slope, in plan.
pub(super) fn slope(
    file: &Path,
    case: &Case,
    around: usize,
    maps: &[(Method, Vec<f64>)],
) -> Result<()> {
    let of = |splitting| Method::Tlars(Some(around), splitting);
    let drawn = [
        ("TLARS from a cube", of(Splitting::AtParents)),
        ("split at the Tx", of(Splitting::AtTx)),
        ("split by footprints", of(Splitting::Footprints)),
    ];
    let region = Region {
        levels: Levels::AboveSea(vec![0.0]),
        ..case.region.clone()
    };
    let slices = drawn.into_iter().filter_map(|(title, method)| {
        let gains = &maps.iter().find(|(m, _)| *m == method)?.1;
        let value = |lowest: &Option<usize>| lowest.map_or(f64::NAN, |n| power_to_db(gains[n]));
        Some(Slice {
            title: title.to_owned(),
            values: case.lowest.iter().map(value).collect(),
            buildings: Vec::new(),
        })
    });
    let plot = CoveragePlot {
        title: "lowest voxels over a slope of 5 degrees, all in sight".to_owned(),
        quantity: Quantity::Numbers {
            name: "path gain / dB",
            range: [-95.0, -50.0],
            scale: Scale::Gain,
        },
        nothing: "missed",
        scene: case.world.scene(),
        tx: vec![PlotTx {
            position: case.tx.position,
            name: String::new(),
            azimuth: None,
        }],
        marks: Vec::new(),
        region: &region,
        slices: slices.collect(),
    };
    write_picture(file, &plot.svg())
}
