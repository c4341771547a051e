//! Coverage by the path engine itself: the paths to the centre of every cell, some thousand cells at a time.
//!
//! It is plainly right, and its cost follows from that: a cell costs as much as a receiver. The fast engines are held
//! against it.

use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;

use super::{CellPaths, Coverage, Multipath, Region};
use crate::antenna::{Antenna, Polarization};
use crate::channel::{Antennas, ImpulseResponse};
use crate::field::PathField;
use crate::geometry::tolerance::DEVICE_CLEARANCE;
use crate::parallel;
use crate::paths::{Devices, Path, PathFinder, PathOptions};
use crate::{Control, Error, Stage, Tx, World};

/// Cells whose paths are held at a time: the views of a transmitter are sorted once for all of them.
const CELLS_AT_ONCE: usize = 4096;

/// The path gains of every transmitter in every cell of `region`.
///
/// # Errors
/// [`Error::NoDevice`], [`Error::DevicePosition`] for transmitters that cannot be used, [`Error::SearchTooLarge`], [`Error::Cancelled`].
pub fn coverage(
    world: &World,
    tx: &[Tx],
    region: Region,
    options: &PathOptions,
    control: &Control,
) -> Result<Coverage, Error> {
    let positions: Vec<DVec3> = tx.iter().map(|tx| tx.position).collect();
    Devices::tx(world.scene(), positions)?;
    let finder = PathFinder::new(world, &options.limits, options.search(world), control)?;
    let points = Points::new(&options.limits.world(world), &region, finder);
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

/// A world and a region, ready to be filled part by part.
#[derive(Debug)]
pub struct Points {
    world: World,
    region: Region,
    finder: PathFinder,
    ground: Vec<f64>,
}

impl Points {
    /// The coverage of a world over a region, by the paths of `finder`. The world is that of the finder's
    /// [limits](crate::paths::Limits::world).
    pub fn new(world: &World, region: &Region, finder: PathFinder) -> Self {
        Self {
            world: world.clone(),
            region: region.clone(),
            finder,
            ground: region.ground(world.scene()),
        }
    }

    /// The region.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// [`Coverage::ground`]
    pub fn ground(&self) -> &[f64] {
        &self.ground
    }

    /// Linear path gains of a transmitter in the cells with the numbers `cells`, as [`Coverage::path_gain`] has them. They are the
    /// same whatever other cells are asked for, bit by bit. `tx` must be one that [`Devices::tx`] accepts.
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`], [`Error::Cancelled`].
    ///
    /// # Panics
    /// If the region has no such cells.
    pub fn gains(
        &self,
        tx: &Tx,
        cells: Range<usize>,
        control: &Control,
    ) -> Result<Vec<f64>, Error> {
        let mut gains = vec![f64::NAN; cells.len()];
        let rx = receiver();
        self.each_batch(tx, cells.clone(), control, |usable, paths| {
            let of_paths: Vec<(usize, f64)> = parallel::map_slice(paths, |path| {
                let field = PathField::new(path, &self.world);
                (path.rx, field.gain(&tx.antenna, &rx))
            });
            for &(cell, _) in usable {
                gains[cell - cells.start] = 0.0;
            }
            for (rx, gain) in of_paths {
                gains[usable[rx].0 - cells.start] += gain;
            }
        })?;
        Ok(gains)
    }

    /// The sums of a transmitter's paths to the cells with the numbers `cells`. They are the same whatever other cells
    /// are asked for, bit by bit. `tx` must be one that [`Devices::tx`] accepts.
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`], [`Error::Cancelled`].
    ///
    /// # Panics
    /// If the region has no such cells.
    pub fn multipath(
        &self,
        tx: &Tx,
        cells: Range<usize>,
        control: &Control,
    ) -> Result<Multipath, Error> {
        let mut multipath = Multipath {
            path_gain: vec![f64::NAN; cells.len()],
            cells: vec![CellPaths::default(); cells.len()],
        };
        let rx = receiver();
        let antennas = Antennas::single(&tx.antenna, &rx);
        self.each_batch(tx, cells.clone(), control, |usable, paths| {
            let fields: Vec<(PathField, f64, bool)> = parallel::map_slice(paths, |path| {
                let field = PathField::new(path, &self.world);
                (field, 0.0, path.is_line_of_sight())
            });
            let mut of_cells = vec![Vec::new(); usable.len()];
            for (path, field) in paths.iter().zip(fields) {
                of_cells[path.rx].push(field);
            }
            let found: Vec<(f64, CellPaths)> = of_cells
                .into_par_iter()
                .map(|fields| {
                    // The gain is that of `gains` to the last bit.
                    let gains = fields.iter().map(|(f, ..)| f.gain(&tx.antenna, &rx));
                    let gain = gains.fold(0.0, |sum, gain| sum + gain);
                    let carrier = self.world.frequency();
                    let channel = ImpulseResponse::from_fields(carrier, fields, antennas);
                    (gain, CellPaths::new(&channel))
                })
                .collect();
            for ((cell, _), (gain, of_cell)) in usable.iter().zip(found) {
                multipath.path_gain[cell - cells.start] = gain;
                multipath.cells[cell - cells.start] = of_cell;
            }
        })?;
        Ok(multipath)
    }

    /// Shows the paths to `cells` some thousand cells at a time: those of them that a receiver can be in, each with its
    /// centre, and the paths with indices of these as receivers.
    fn each_batch(
        &self,
        tx: &Tx,
        cells: Range<usize>,
        control: &Control,
        mut show: impl FnMut(&[(usize, DVec3)], &[Path]),
    ) -> Result<(), Error> {
        assert!(
            cells.end <= self.region.num_cells(),
            "the region has {} cells",
            self.region.num_cells()
        );
        let quiet = Control {
            progress: None,
            ..*control
        };
        let tx = Devices::unchecked(vec![tx.position]);
        let from = self.finder.views_from(&tx, 0, &quiet)?;
        let count = cells.len() as f64;
        for first in cells.clone().step_by(CELLS_AT_ONCE) {
            control.report(Stage::Coverage, (first - cells.start) as f64 / count);
            let usable = self.usable_cells(first..cells.end.min(first + CELLS_AT_ONCE));
            let centres = usable.iter().map(|&(_, centre)| centre).collect();
            let paths = self
                .finder
                .paths(&from, &Devices::unchecked(centres), &quiet)?;
            show(&usable, &paths);
        }
        Ok(())
    }

    /// The cells of `cells` in whose centre a receiver can be, with that centre, in the order of their numbers.
    fn usable_cells(&self, cells: Range<usize>) -> Vec<(usize, DVec3)> {
        let centre = |number: usize| {
            let centre = self.region.centre(self.region.cell(number), &self.ground)?;
            let is_free = !self
                .world
                .scene()
                .any_face_near(centre, DEVICE_CLEARANCE, |_| true);
            is_free.then_some((number, centre))
        };
        parallel::flat_map(cells.len(), |n, usable| {
            usable.extend(centre(cells.start + n));
        })
    }
}

/// Takes both polarisations from all sides.
pub(super) fn receiver() -> Antenna {
    Antenna {
        polarization: Polarization::VH,
        ..Antenna::default()
    }
}
