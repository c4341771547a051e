//! Exact paths to cells drawn by lot, and how far a coverage is from them.

use anyhow::Result;
use keller::antenna::{Antenna, Polarization};
use keller::coverage::Surroundings;
use keller::field::PathField;
use keller::geometry::tolerance::DEVICE_CLEARANCE;
use keller::paths::{Devices, Limits, Path as Ray, PathFinder, Search};
use keller::units::power_to_db;
use keller::{Control, DVec3};
use rayon::prelude::*;

use super::place::Place;

/// A cell's gain is right if it is within this of the paths' sum, dB.
pub(super) const RIGHT_DB: f64 = 0.5;

/// Cells whose paths are looked for at a time.
const AT_ONCE: usize = 500;

/// The exact paths to a few cells.
pub(crate) struct Reference {
    /// Paths of less gain than this do not count, linear.
    pub(crate) min_gain: f64,
    pub(crate) cells: Vec<Cell>,
}

/// A cell and its paths.
pub(crate) struct Cell {
    pub(crate) number: usize,
    /// Its centre, metres.
    pub(crate) centre: DVec3,
    pub(super) is_indoors: bool,
    /// The paths with the linear gain of each.
    pub(super) paths: Vec<(Ray, f64)>,
}

impl Cell {
    /// The sum of the gains of its paths of at least this gain.
    pub(crate) fn gain(&self, least: f64) -> f64 {
        let gains = self.paths.iter().map(|(_, gain)| *gain);
        // The sum is not by `sum`, which is -0 of none.
        gains.filter(|gain| *gain >= least).fold(0.0, |a, b| a + b)
    }

    /// The gain of the strongest of its paths, zero if none is of at least this gain.
    pub(crate) fn strongest(&self, least: f64) -> f64 {
        let gains = self.paths.iter().map(|(_, gain)| *gain);
        gains.filter(|gain| *gain >= least).fold(0.0, f64::max)
    }
}

impl Reference {
    /// Draws cells by lot, in whose centres a receiver can be, and finds their paths.
    pub(crate) fn new(
        place: &Place,
        limits: &Limits,
        search: Search,
        min_gain: f64,
        count: usize,
    ) -> Result<Self> {
        Self::of(place, limits, search, min_gain, draw(place, count))
    }

    /// Finds the paths to the centres of `cells`.
    pub(super) fn of(
        place: &Place,
        limits: &Limits,
        search: Search,
        min_gain: f64,
        mut cells: Vec<Cell>,
    ) -> Result<Self> {
        let (world, control) = (&place.world, Control::default());
        let finder = PathFinder::new(world, limits, search, &control)?;
        let tx = Devices::tx(world.scene(), [place.tx.position])?;
        let from = finder.views_from(&tx, 0, &control)?;
        // The receiver is that of coverages: both polarisations from all sides.
        let rx = Antenna {
            polarization: Polarization::VH,
            ..Antenna::default()
        };
        for cells in cells.chunks_mut(AT_ONCE) {
            let centres: Vec<DVec3> = cells.iter().map(|cell| cell.centre).collect();
            let centres = Devices::rx(world.scene(), centres)?;
            let paths: Vec<(Ray, f64)> = finder
                .paths(&from, &centres, &control)?
                .into_par_iter()
                .map(|path| {
                    let field = PathField::new(&path, world);
                    let gain = field.gain(&place.tx.antenna, &rx);
                    (path, gain)
                })
                .collect();
            for (path, gain) in paths {
                cells[path.rx].paths.push((path, gain));
            }
        }
        Ok(Self { min_gain, cells })
    }

    /// Paths that count.
    pub(crate) fn num_paths(&self) -> usize {
        let paths = self.cells.iter().flat_map(|cell| &cell.paths);
        paths.filter(|(_, gain)| *gain >= self.min_gain).count()
    }

    /// dB of a coverage less that of the paths; infinite where only one of them has the cell, nothing where neither has.
    pub(crate) fn error(&self, cell: &Cell, gains: &[f64]) -> Option<f64> {
        let (found, exact) = (gains[cell.number], cell.gain(self.min_gain));
        (found > 0.0 || exact > 0.0).then(|| power_to_db(found / exact))
    }

    /// The differences between the gains of all cells of the region and the paths.
    pub(super) fn figures(&self, gains: &[f64]) -> Figures {
        let errors = self
            .cells
            .iter()
            .filter_map(|cell| Some((cell.is_indoors, self.error(cell, gains)?)));
        Figures::of(&errors.collect::<Vec<_>>())
    }
}

/// The differences between a coverage and the paths.
pub(super) struct Figures {
    /// Cells that either has.
    cells: usize,
    /// Share of them that is right, and of those in buildings.
    right: f64,
    right_indoors: f64,
    /// Cells that only the paths have, and only the coverage.
    missed: usize,
    false_ones: usize,
    /// Sizes of the errors of the others, dB: half are less, nineteen of twenty, and all.
    pub(super) median: f64,
    pub(super) most: f64,
    largest: f64,
}

impl Figures {
    /// The figures of the excess in dB, and whether the cell is in a building; infinite where only one of them has the
    /// cell.
    pub(super) fn of(errors: &[(bool, f64)]) -> Self {
        let all: Vec<f64> = errors.iter().map(|(_, error)| *error).collect();
        let indoors: Vec<f64> = errors.iter().filter(|e| e.0).map(|e| e.1).collect();
        let missed = all.iter().filter(|e| **e == f64::NEG_INFINITY).count();
        let false_ones = all.iter().filter(|e| **e == f64::INFINITY).count();
        let sizes = sorted(&all);
        Self {
            cells: all.len(),
            right: right(&all),
            right_indoors: right(&indoors),
            missed,
            false_ones,
            median: at(&sizes, 0.5),
            most: at(&sizes, 0.95),
            largest: sizes.last().copied().unwrap_or(0.0),
        }
    }

    pub(super) const HEAD: &str =
        "              seconds  cells  right %  indoors %  missed  false  median    95 %    most";

    pub(super) fn row(&self, name: &str, seconds: f64) -> String {
        format!(
            "{name:12}  {seconds:7.2}  {:5}  {:7.2}  {:9.2}  {:6}  {:5}  {:6.3}  {:6.2}  {:6.1}",
            self.cells,
            100.0 * self.right,
            100.0 * self.right_indoors,
            self.missed,
            self.false_ones,
            self.median,
            self.most,
            self.largest
        )
    }
}

fn right(errors: &[f64]) -> f64 {
    let right = errors.iter().filter(|e| e.abs() <= RIGHT_DB).count();
    right as f64 / errors.len().max(1) as f64
}

/// The finite ones by size.
fn sorted(errors: &[f64]) -> Vec<f64> {
    let mut sizes: Vec<f64> = errors.iter().map(|e| e.abs()).collect();
    sizes.retain(|e| e.is_finite());
    sizes.sort_by(f64::total_cmp);
    sizes
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a length"
)]
fn at(sizes: &[f64], share: f64) -> f64 {
    let index = (share * sizes.len() as f64) as usize;
    sizes.get(index).copied().unwrap_or(0.0)
}

/// Cells in whose centres a receiver can be, each as likely as the other, the same on every run.
pub(super) fn draw(place: &Place, count: usize) -> Vec<Cell> {
    let ground = place.region.ground(place.world.scene());
    let mut state = 0x1234_5678_9abc_def1_u64;
    let mut cells = Vec::with_capacity(count);
    let number_of = |state: u64| {
        let number = (state >> 33) % place.region.num_cells() as u64;
        usize::try_from(number).unwrap_or_default()
    };
    while cells.len() < count {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let number = number_of(state);
        let cell = place.region.cell(number);
        let Some(centre) = place.region.centre(cell, &ground) else {
            continue;
        };
        if is_free(place, centre) {
            cells.push(Cell {
                number,
                centre,
                is_indoors: Surroundings::is_enclosed(place.world.scene(), centre),
                paths: Vec::new(),
            });
        }
    }
    cells
}

/// Whether a receiver can be there.
pub(super) fn is_free(place: &Place, point: DVec3) -> bool {
    !place
        .world
        .scene()
        .any_face_near(point, DEVICE_CLEARANCE, |_| true)
}
