//! What computes units, prepared once for all of them.

use std::sync::Arc;

use keller::tiles::{Tiles, VisibilityQuery};
use keller_io::sweep::{Plan, Unit, UnitResult, Work};

use crate::observer::{Stage, Tell};
use crate::{CoverageRun, Error, Job, PathBlocks, PathOptions, Points, SurfaceOptions, SurfaceRun};

/// A run that computes any of its parts.
#[derive(Debug)]
pub(super) enum Worker {
    Cells {
        region: usize,
        run: Box<CoverageRun>,
    },
    Surfaces(Box<SurfaceRun>),
    Paths(Box<PathBlocks>),
    Visibility {
        job: Arc<Job>,
        query: Box<VisibilityQuery>,
    },
}

impl Worker {
    /// Prepares the engine of a plan, for units of a region.
    pub(super) fn new(job: &Arc<Job>, plan: &Plan, region: usize) -> Result<Self, Error> {
        let paths = |points| {
            let options = PathOptions {
                points,
                is_quiet: true,
                ..PathOptions::default()
            };
            job.paths(&options).map(|run| Self::Paths(Box::new(run)))
        };
        match plan.work {
            Work::Cells => Ok(Self::Cells {
                region,
                run: Box::new(job.coverage(region)?),
            }),
            Work::Surfaces => {
                let options = SurfaceOptions {
                    has_rays: plan.has_rays,
                    ..SurfaceOptions::default()
                };
                Ok(Self::Surfaces(Box::new(job.surfaces(&options)?)))
            }
            Work::Paths => paths(Points::Devices),
            Work::Channels => paths(Points::Elements),
            Work::Visibility => {
                let scene = job.world.shared_scene();
                let tiles = Tiles::new(scene, job.scenario.tiles.tiling(scene))?;
                Ok(Self::Visibility {
                    job: Arc::clone(job),
                    query: Box::new(VisibilityQuery::new(scene, &tiles)),
                })
            }
        }
    }

    /// Whether it computes this unit of its plan.
    pub(super) fn is_for(&self, unit: &Unit) -> bool {
        match self {
            Self::Cells { region, .. } => *region == unit.region,
            _ => true,
        }
    }

    /// Computes a unit; `None` if a plan of this job has no such unit.
    pub(super) fn run(&mut self, unit: &Unit) -> Result<Option<UnitResult>, Error> {
        Ok(Some(match self {
            Self::Cells { run, .. } if !run.has_unit(&unit.tx, &unit.range) => return Ok(None),
            Self::Cells { run, .. } => UnitResult::Cells(run.unit(&unit.tx, unit.range.clone())?),
            Self::Surfaces(run) => UnitResult::Surfaces(Box::new(run.of_tx(unit.tx[0])?)),
            Self::Paths(run) => UnitResult::Paths(run.unit(unit.tx[0], unit.range.clone())?),
            Self::Visibility { job, query } => {
                let told = |_, done| (Stage::Visibility, done);
                let rows = job
                    .observer
                    .watch_as(told, |control| query.rows(unit.range.clone(), control));
                UnitResult::Visibility(rows?)
            }
        }))
    }
}
