//! `engine = "beams"`: several maps at a time.

use std::ops::Range;
use std::sync::Arc;

use keller::coverage::Region;
use keller::coverage::beams::Beams;
use keller::{Control, Tx};
use keller_io::scenario::CellSettings;

use super::{CellEngine, Rows, Together};
use crate::coverage::{beam_maps, cautions};
use crate::{Error, Job};

/// Number of Tx whose maps are filled together: several for each core of most machines, so that few cores wait for the last map.
const MAPS_AT_ONCE: usize = 32;

/// Bytes that a cell of one level takes while its map is filled: visibility, walls and arrivals, and the cells sorted
/// by direction for waves over roofs. An open town takes 35; the more cells lie behind roofs, the more.
const MAP_CELL_BYTES: u64 = 64;

#[derive(Debug)]
pub(super) struct BeamEngine {
    /// Shared with maps of other positions.
    beams: Arc<Beams>,
}

pub(super) fn prepare(
    job: &Job,
    settings: &CellSettings,
    region: &Region,
    prepared: Option<&Arc<Beams>>,
) -> Result<BeamEngine, Error> {
    let beams = match prepared {
        Some(beams) => Arc::clone(beams),
        None => Arc::new(beam_maps::prepare(job, settings, region)?),
    };
    cautions::of_plan(job, &beams);
    cautions::below_ground(job, &beams)?;
    Ok(BeamEngine { beams })
}

impl CellEngine for BeamEngine {
    fn region(&self) -> &Region {
        self.beams.region()
    }

    fn ground(&self) -> &[f64] {
        self.beams.ground()
    }

    fn together(&self) -> Together {
        Together::Any(MAPS_AT_ONCE)
    }

    fn cells_at_once(&self) -> Option<usize> {
        None
    }

    fn rows(
        &self,
        tx: &[&Tx],
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Rows, keller::Error> {
        let gains = self.beams.gains_of_all(tx, cells, control)?;
        Ok(Box::new(gains.into_iter()))
    }

    fn bytes_of_tx(&self) -> u64 {
        let [nx, ny, _] = self.region().shape();
        MAP_CELL_BYTES.saturating_mul((nx * ny) as u64)
    }

    fn takes_memory(&self) -> String {
        "what every corner of the city sees".to_owned()
    }
}
