//! `engine = "tubes"`, with chains of edges over the rooftops if they are asked for.

use std::ops::Range;

use keller::antenna::Antenna;
use keller::coverage::rooftops::{self, Rooftops};
use keller::coverage::tubes::{self, Tubes};
use keller::coverage::{Engine, Region};
use keller::paths::Limits;
use keller::units::db_to_power;
use keller::{Control, Tx};
use keller_io::reports::coverage::{Figures, rows};
use keller_io::scenario::CellSettings;

use super::{CellEngine, Rows, Together};
use crate::coverage::cautions::of_curved_surfaces;
use crate::coverage::fineness;
use crate::{Error, Job};

/// Default path loss, dB, at which tubes end: nobody receives less.
pub(crate) const LIMIT_DB: f64 = 150.0;

#[derive(Debug)]
pub(super) struct TubeEngine {
    tubes: Tubes,
    rooftops: Option<Rooftops>,
    has_multipath: bool,
}

pub(super) fn prepare(
    job: &Job,
    settings: &CellSettings,
    region: &Region,
) -> Result<TubeEngine, Error> {
    let Engine::Tubes {
        accuracy,
        has_rooftops,
    } = settings.engine
    else {
        return Err(Error::Input("these settings are not of tubes".to_owned()));
    };
    let limits = job.only_limits(
        "engine = \"tubes\" of [coverage]",
        ", or engine = \"points\"",
    )?;
    of_curved_surfaces(job, "tubes", limits);
    if has_rooftops {
        check_rooftops(job, limits)?;
    }
    let min_gain = settings.path_loss_limit_db.unwrap_or(LIMIT_DB);
    let of_tubes = tubes::Settings {
        limits: *limits,
        accuracy,
        min_gain: db_to_power(-min_gain),
    };
    let of_rooftops = rooftops::Settings {
        // Tubes include the chains of one edge if they diffract at all.
        min_edges: if limits.max_diffractions > 0 { 2 } else { 1 },
        has_reflections: limits.max_reflections > 0,
        min_gain: of_tubes.min_gain,
        is_exact: false,
    };
    let rooftops = has_rooftops.then(|| Rooftops::new(&job.world, region, of_rooftops));
    let tubes = Tubes::new(&job.world, region, of_tubes);
    Ok(TubeEngine {
        tubes: fineness::refined(job, tubes, settings)?,
        rooftops: rooftops.transpose()?,
        has_multipath: settings.multipath,
    })
}

/// Checks that no wave over several roofs comes twice: in chains over rooftops, and by tubes from edge to edge.
fn check_rooftops(job: &Job, limits: &Limits) -> Result<(), Error> {
    let count = limits.max_diffractions;
    if count > 1 {
        return Err(Error::Input(format!(
            "{}: [coverage] rooftops = true: it adds the waves over several roofs in a row, which [paths] max_diffractions = {count} finds from edge to edge, and they would count twice; \
             accepted: rooftops = false, or max_diffractions = 0 or 1",
            job.scenario.file.display()
        )));
    }
    Ok(())
}

impl CellEngine for TubeEngine {
    fn region(&self) -> &Region {
        self.tubes.region()
    }

    fn ground(&self) -> &[f64] {
        self.tubes.ground()
    }

    fn figures(&self) -> Figures {
        match &self.rooftops {
            _ if self.has_multipath => Figures::Multipath,
            Some(_) => Figures::Rooftops,
            None => Figures::Nothing,
        }
    }

    fn together(&self) -> Together {
        if self.tubes.scatters() || self.has_multipath {
            Together::Alone
        } else {
            Together::AtOnePlace
        }
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
        let gains = match tx {
            [tx] if self.has_multipath => {
                return Ok(Box::new(rows(self.tubes.multipath(tx, cells, control)?)));
            }
            [tx] => vec![self.tubes.gains(tx, cells.clone(), control)?],
            of_place => {
                let antennas: Vec<Antenna> = of_place.iter().map(|tx| tx.antenna.clone()).collect();
                let position = of_place[0].position;
                self.tubes
                    .gains_of_antennas(position, &antennas, cells.clone(), control)?
            }
        };
        let Some(rooftops) = &self.rooftops else {
            return Ok(Box::new(gains.into_iter()));
        };
        let mut rows = Vec::with_capacity(2 * tx.len());
        for (mut gains, tx) in gains.into_iter().zip(tx) {
            let chains = rooftops.fill(tx, cells.clone(), control)?;
            chains.add_to(&mut gains);
            let number = |is: &bool| f64::from(u8::from(*is));
            let doubtful = chains.is_doubtful.iter().map(number).collect();
            rows.extend([gains, doubtful]);
        }
        Ok(Box::new(rows.into_iter()))
    }

    fn takes_memory(&self) -> String {
        let [nx, ny, _] = self.tubes.region().shape();
        format!("tubes over {nx} x {ny} columns")
    }
}
