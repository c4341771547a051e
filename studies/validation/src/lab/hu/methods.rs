//! The methods, one prediction each, and how far it is from exact paths.

use std::time::Instant;

use anyhow::{Context, Result};
use keller::coverage::Region;
use keller::coverage::tubes::{Accuracy, Settings, Tubes};
use keller::paths::Limits;
use keller::units::{db_to_power, power_to_db};
use keller::{Control, Tx, World};
use keller_lab::launching::tlars::Splitting;
use keller_lab::launching::{Launch, Polygons, VoxelGrid, gorl, tlars};

use super::LIMIT_DB;
use crate::machine;
use crate::tubes::Reference;

/// The method that fills the voxels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Method {
    /// The strongest ray, from a border so many times as long.
    Gorl(usize),
    /// Split tubes, from the border of the grid, or of a cube of so many voxels in every direction about the Tx.
    Tlars(Option<usize>, Splitting),
    /// keller's coverage.
    Tubes(Accuracy),
}

impl Method {
    pub(super) fn name(self) -> String {
        match self {
            Self::Gorl(1) => "GORL".to_owned(),
            Self::Gorl(over) => format!("GORL, border {over} times as long"),
            Self::Tlars(around, splitting) => {
                let from = around.map_or(String::new(), |n| {
                    format!(" from a cube of {} voxels", 2 * n + 1)
                });
                let splitting = match splitting {
                    Splitting::AtParents => "",
                    Splitting::AtTx => ", split at the Tx",
                    Splitting::Footprints => ", split by footprints",
                };
                format!("TLARS{from}{splitting}")
            }
            Self::Tubes(accuracy) => format!("keller tubes, {accuracy:?}"),
        }
    }

    /// The path gain of every cell of a region, linear.
    pub(super) fn gains(
        self,
        world: &World,
        region: &Region,
        tx: &Tx,
        limits: &Limits,
    ) -> Result<Vec<f64>> {
        let min_gain = db_to_power(-LIMIT_DB);
        if let Self::Tubes(accuracy) = self {
            let settings = Settings {
                limits: *limits,
                accuracy,
                min_gain,
            };
            let tubes = Tubes::new(world, region, settings);
            return Ok(tubes.gains(tx, 0..region.num_cells(), &Control::default())?);
        }
        let grid = VoxelGrid::of(region).context("the region is no grid of voxels")?;
        let launch = Launch {
            world,
            grid: &grid,
            tx,
            max_reflections: limits.max_reflections,
            max_transmissions: limits.max_transmissions,
            min_gain,
        };
        Ok(match self {
            Self::Gorl(over) => gorl::strongest(&launch, over),
            Self::Tlars(around, splitting) => {
                let border = around.map(|n| grid.around(tx.position, n));
                let border = border.as_ref().unwrap_or(&grid);
                let polygons = (limits.max_diffractions > 0).then(|| {
                    let mut polygons = Polygons::new(world, &grid);
                    polygons.max_diffractions = limits.max_diffractions;
                    polygons
                });
                tlars::total_with_edges(&launch, border, splitting, polygons.as_ref())
            }
            Self::Tubes(_) => unreachable!("done above"),
        })
    }

    /// Rays that start at the Tx.
    pub(super) fn num_rays(self, region: &Region, tx: &Tx) -> Option<usize> {
        let grid = VoxelGrid::of(region)?;
        match self {
            Self::Gorl(over) => Some(grid.enlarged(over).num_on_border()),
            Self::Tlars(None, _) => Some(grid.num_on_border()),
            Self::Tlars(Some(n), _) => Some(grid.around(tx.position, n).num_on_border()),
            Self::Tubes(_) => None,
        }
    }

    /// Whether a voxel has its strongest path alone.
    pub(super) fn is_strongest(self) -> bool {
        matches!(self, Self::Gorl(_))
    }
}

/// Limits of so many reflections and nothing else.
pub(super) fn limits(reflections: usize) -> Limits {
    Limits {
        max_interactions: reflections,
        max_reflections: reflections,
        ..Limits::default()
    }
}

/// A prediction with its time and its memory.
pub(super) struct Run {
    pub(super) gains: Vec<f64>,
    /// The time on the clock, and of all cores together.
    pub(super) seconds: f64,
    pub(super) processor_seconds: f64,
    pub(super) megabytes: f64,
}

impl Run {
    pub(super) fn of(
        method: Method,
        world: &World,
        region: &Region,
        tx: &Tx,
        limits: &Limits,
    ) -> Result<Self> {
        let before = machine::reset_peak_memory();
        let (start, processor) = (Instant::now(), machine::processor_seconds());
        let gains = method.gains(world, region, tx, limits)?;
        Ok(Self {
            gains,
            seconds: start.elapsed().as_secs_f64(),
            processor_seconds: machine::processor_seconds() - processor,
            megabytes: (machine::peak_memory() - before).max(0.0) / 1e6,
        })
    }
}

/// The differences of gains from exact ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Errors {
    /// Shares of the cells with a path that the method misses, and of those without a path that it fills.
    pub(super) missed: f64,
    pub(super) falsely: f64,
    /// The figures over the cells that both have, dB.
    pub(super) mean: f64,
    pub(super) deviation: f64,
    /// The share of these that is within 1 dB.
    pub(super) right: f64,
}

impl Errors {
    pub(super) const HEAD: &str = "missed % | falsely reached % | mean dB | sd dB | within 1 dB %";

    /// The errors of pairs of found and exact gain.
    pub(super) fn of(pairs: impl Iterator<Item = [f64; 2]>) -> Self {
        let [mut reached, mut missed, mut falsely, mut unreached] = [0_usize; 4];
        let mut errors = Vec::new();
        for [found, exact] in pairs {
            let has = found > 0.0;
            if exact > 0.0 {
                reached += 1;
                missed += usize::from(!has);
                if has {
                    errors.push(power_to_db(found / exact));
                }
            } else {
                unreached += 1;
                falsely += usize::from(has);
            }
        }
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let count = errors.len().max(1) as f64;
        let mean = errors.iter().sum::<f64>() / count;
        let variance = errors.iter().map(|e| (e - mean) * (e - mean)).sum::<f64>() / count;
        let right = errors.iter().filter(|e| e.abs() <= 1.0).count();
        Self {
            missed: share(missed, reached),
            falsely: share(falsely, unreached),
            mean,
            deviation: variance.sqrt(),
            right: share(right, errors.len()),
        }
    }

    /// The errors relative to the sum of the paths, or to the strongest.
    pub(super) fn beside(reference: &Reference, gains: &[f64], is_strongest: bool) -> Self {
        let least = reference.min_gain;
        Self::of(reference.cells.iter().map(|cell| {
            let exact = if is_strongest {
                cell.strongest(least)
            } else {
                cell.gain(least)
            };
            [gains[cell.number], exact]
        }))
    }

    pub(super) fn row(&self) -> String {
        format!(
            "{:.2} | {:.2} | {:+.2} | {:.2} | {:.1}",
            100.0 * self.missed,
            100.0 * self.falsely,
            self.mean,
            self.deviation,
            100.0 * self.right
        )
    }
}
