//! `engine = "model"`: a formula of path loss.

use std::ops::Range;

use keller::coverage::Region;
use keller::coverage::models::Models;
use keller::models::Model;
use keller::{Control, Tx};
use keller_io::scenario::CellSettings;

use super::{CellEngine, Rows, each};
use crate::coverage::models;
use crate::{Error, Job};

#[derive(Debug)]
pub(super) struct ModelEngine(Models);

pub(super) fn prepare(
    job: &Job,
    settings: &CellSettings,
    region: &Region,
    model: Model,
) -> Result<ModelEngine, Error> {
    models::prepare(job, settings, region, model).map(ModelEngine)
}

impl CellEngine for ModelEngine {
    fn region(&self) -> &Region {
        self.0.region()
    }

    fn ground(&self) -> &[f64] {
        self.0.ground()
    }

    /// A model reports its progress within a block.
    fn cells_at_once(&self) -> Option<usize> {
        Some(usize::MAX)
    }

    fn rows(
        &self,
        tx: &[&Tx],
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Rows, keller::Error> {
        each(tx, |tx| self.0.gains(tx, cells.clone(), control))
    }

    fn takes_memory(&self) -> String {
        "blocks of cells".to_owned()
    }
}
