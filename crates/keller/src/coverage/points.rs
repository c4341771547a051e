//! Coverage by the path engine itself: the paths to the middle of every cell, some thousand cells at a time.
//!
//! Plainly right, and what it costs follows from it: a cell costs what a receiver costs. The fast engines are held against it.

use std::ops::Range;

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
    let transparency = Transparency::of(scene, surfaces);
    let finder = PathFinder::new(scene, settings.limits, &transparency, settings.search);
    let points = Points::new(scene, surfaces, &region, finder);
    let num_cells = region.num_cells();
    let mut path_gain = Vec::with_capacity(tx.len() * num_cells);
    for (index, sender) in tx.iter().enumerate() {
        let report = |stage, done| {
            control.report(stage, (index as f64 + done) / tx.len() as f64);
        };
        let control = Control {
            progress: Some(&report),
            ..*control
        };
        path_gain.extend(points.gains(sender, 0..num_cells, &control)?);
    }
    control.report(Stage::Coverage, 1.0);
    let ground = points.ground;
    Ok(Coverage {
        region,
        ground,
        path_gain,
        num_tx: tx.len(),
    })
}

/// A scene and a region, ready to be filled part by part.
#[derive(Debug)]
pub struct Points<'a> {
    scene: &'a Scene,
    surfaces: &'a Surfaces,
    region: &'a Region,
    finder: PathFinder<'a>,
    ground: Vec<f64>,
}

impl<'a> Points<'a> {
    /// Of a scene, over a region, by the paths of `finder`.
    pub fn new(
        scene: &'a Scene,
        surfaces: &'a Surfaces,
        region: &'a Region,
        finder: PathFinder<'a>,
    ) -> Self {
        let ground = region.ground(scene);
        Self {
            scene,
            surfaces,
            region,
            finder,
            ground,
        }
    }

    /// The region.
    pub fn region(&self) -> &'a Region {
        self.region
    }

    /// [`Coverage::ground`]
    pub fn ground(&self) -> &[f64] {
        &self.ground
    }

    /// Linear path gains of a transmitter in the cells with the numbers `cells`, as [`Coverage::path_gain`] has them. They are the
    /// same whatever other cells are asked for, bit by bit. `tx` must have passed [`check_devices`].
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`], [`Error::Cancelled`].
    ///
    /// # Panics
    /// If the region has no such cells.
    pub fn gains(
        &self,
        tx: &Transmitter,
        cells: Range<usize>,
        control: &Control,
    ) -> Result<Vec<f64>, Error> {
        assert!(
            cells.end <= self.region.num_cells(),
            "the region has {} cells",
            self.region.num_cells()
        );
        let quiet = Control {
            progress: None,
            ..*control
        };
        // Takes both polarisations from all sides.
        let rx = Antenna {
            polarization: Polarization::VH,
            ..Antenna::default()
        };
        let from = self.finder.look_from(0, tx.position, &quiet)?;
        let mut gains = vec![f64::NAN; cells.len()];
        let count = gains.len() as f64;
        for (batch, own) in gains.chunks_mut(CELLS_AT_ONCE).enumerate() {
            let first = batch * CELLS_AT_ONCE;
            control.report(Stage::Coverage, first as f64 / count);
            let first = cells.start + first;
            let usable = self.usable_cells(first..first + own.len());
            let middles: Vec<DVec3> = usable.iter().map(|&(_, middle)| middle).collect();
            let paths = self.finder.paths(&from, &middles, &quiet)?;
            let of_paths: Vec<(usize, f64)> = paths
                .par_iter()
                .map(|path| {
                    let field = transport(path, self.scene, self.surfaces);
                    (path.rx, field.gain(&tx.antenna, &rx))
                })
                .collect();
            for &(cell, _) in &usable {
                own[cell - first] = 0.0;
            }
            for (rx, gain) in of_paths {
                own[usable[rx].0 - first] += gain;
            }
        }
        Ok(gains)
    }

    /// Those of `cells` in whose middle a receiver can be, with that middle, in the order of their numbers.
    fn usable_cells(&self, cells: Range<usize>) -> Vec<(usize, DVec3)> {
        let middle = |number| {
            let middle = self.region.centre(self.region.cell(number), &self.ground)?;
            let is_free = !self.scene.any_face_near(middle, DEVICE_CLEARANCE, |_| true);
            is_free.then_some((number, middle))
        };
        cells.into_par_iter().filter_map(middle).collect()
    }
}
