//! `engine = "points"`: the paths to the centre of every cell.

use std::ops::Range;

use keller::coverage::Region;
use keller::coverage::points::Points;
use keller::{Control, Tx};
use keller_io::reports::coverage::{Figures, rows};
use keller_io::scenario::CellSettings;

use super::{CellEngine, Rows, each};
use crate::{Error, Job};

/// Number of cells for which paths are found at a time. The view of a Tx is found once for all of them.
const AT_ONCE: usize = 1 << 15;

#[derive(Debug)]
pub(super) struct PointEngine {
    points: Points,
    figures: Figures,
}

pub(super) fn prepare(
    job: &Job,
    settings: &CellSettings,
    region: &Region,
) -> Result<PointEngine, Error> {
    Ok(PointEngine {
        points: Points::new(&job.world, region, job.finder(None)?),
        figures: if settings.multipath {
            Figures::Multipath
        } else {
            Figures::Nothing
        },
    })
}

impl CellEngine for PointEngine {
    fn region(&self) -> &Region {
        self.points.region()
    }

    fn ground(&self) -> &[f64] {
        self.points.ground()
    }

    fn figures(&self) -> Figures {
        self.figures
    }

    fn cells_at_once(&self) -> Option<usize> {
        Some(AT_ONCE)
    }

    fn rows(
        &self,
        tx: &[&Tx],
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Rows, keller::Error> {
        if let ([tx], Figures::Multipath) = (tx, self.figures) {
            return Ok(Box::new(rows(self.points.multipath(tx, cells, control)?)));
        }
        each(tx, |tx| self.points.gains(tx, cells.clone(), control))
    }

    fn takes_memory(&self) -> String {
        "blocks of cells and the paths to them".to_owned()
    }
}
