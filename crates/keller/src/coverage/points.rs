//! Coverage by the path engine itself: the paths to the middle of every cell, some thousand cells at a time.
//!
//! Plainly right, and what it costs follows from it: a cell costs what a receiver costs. The fast engines are held against it.

use glam::DVec3;
use rayon::prelude::*;

use super::{Coverage, Region};
use crate::antenna::{Antenna, Polarization};
use crate::em::Surfaces;
use crate::field::transport;
use crate::geometry::tolerance::DEVICE_CLEARANCE;
use crate::paths::{Limits, PathFinder, Search, Transparency, check_devices};
use crate::scene::Scene;
use crate::{Control, Error, Stage};

/// Cells whose paths are held at a time: what a transmitter sees is put in order once for all of them.
const CELLS_AT_ONCE: usize = 4096;

/// A transmitter of a coverage.
#[derive(Debug, Clone)]
pub struct Transmitter {
    /// Where it stands, metres.
    pub position: DVec3,
    /// What it sends with.
    pub antenna: Antenna,
}

/// What paths of a coverage may be.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    /// How deep and of what kinds.
    pub limits: &'a Limits,
    /// Which search proposes them.
    pub search: Search,
}

/// The path gains of every transmitter in every cell of `region`.
///
/// # Errors
/// [`Error::NoDevice`], [`Error::DevicePosition`] for transmitters that cannot be used, [`Error::SearchTooLarge`], [`Error::Cancelled`].
pub fn coverage(
    scene: &Scene,
    surfaces: &Surfaces,
    tx: &[Transmitter],
    region: Region,
    settings: &Settings,
    control: &Control,
) -> Result<Coverage, Error> {
    let positions: Vec<DVec3> = tx.iter().map(|tx| tx.position).collect();
    check_devices(scene, &positions, &positions)?;
    let ground = region.ground(scene);
    let cells = usable_cells(scene, &region, &ground);
    let transparency = Transparency::of(scene, surfaces);
    let finder = PathFinder::new(scene, settings.limits, &transparency, settings.search);
    let quiet = Control {
        progress: None,
        ..*control
    };
    // Takes both polarisations from all sides.
    let rx = Antenna {
        polarization: Polarization::VH,
        ..Antenna::default()
    };
    let num_cells = region.num_cells();
    let mut path_gain = vec![f64::NAN; tx.len() * num_cells];
    let batches = cells.len().div_ceil(CELLS_AT_ONCE).max(1) * tx.len();
    let mut done = 0;
    for (index, sender) in tx.iter().enumerate() {
        let own = &mut path_gain[index * num_cells..(index + 1) * num_cells];
        let from = finder.look_from(index, sender.position, &quiet)?;
        for batch in cells.chunks(CELLS_AT_ONCE) {
            control.report(Stage::Coverage, f64::from(done) / batches as f64);
            let middles: Vec<DVec3> = batch.iter().map(|&(_, middle)| middle).collect();
            let paths = finder.paths(&from, &middles, &quiet)?;
            let gains: Vec<(usize, f64)> = paths
                .par_iter()
                .map(|path| {
                    let field = transport(path, scene, surfaces);
                    (path.rx, field.gain(&sender.antenna, &rx))
                })
                .collect();
            for &(cell, _) in batch {
                own[cell] = 0.0;
            }
            for (rx, gain) in gains {
                own[batch[rx].0] += gain;
            }
            done += 1;
        }
    }
    control.report(Stage::Coverage, 1.0);
    Ok(Coverage {
        region,
        ground,
        path_gain,
        num_tx: tx.len(),
    })
}

/// The cells in whose middle a receiver can be, with that middle, in the order of their numbers.
fn usable_cells(scene: &Scene, region: &Region, ground: &[f64]) -> Vec<(usize, DVec3)> {
    let middle = |number| {
        let middle = region.centre(region.cell(number), ground)?;
        let is_free = !scene.any_face_near(middle, DEVICE_CLEARANCE, |_| true);
        is_free.then_some((number, middle))
    };
    (0..region.num_cells())
        .into_par_iter()
        .filter_map(middle)
        .collect()
}
