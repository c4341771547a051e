//! An exact engine in the same city, in place of measurements.
//!
//! The engine computes the cells of the scenario's own `[coverage]`, with its `[paths]` and materials. Some cells are drawn
//! at random, the same for all Tx.

use std::sync::Arc;

use keller::DVec3;
use keller::calibration::drawn_places;
use keller::coverage::Engine;
use keller::coverage::beams::Beams;
use keller::coverage::tubes::Accuracy;
use keller::units::power_to_db;
use keller_io::reports::coverage::{StoredGains, rows_of};
use keller_io::scenario::{CellSettings, CoverageSettings, Measured, Measurements};

use super::folds::SEED;
use crate::coverage::TUBES_LIMIT_DB;
use crate::{Average, Error, Job, PathEnds, PathRunOptions, Predictions};

/// Predictions that stand for measurements.
#[derive(Debug)]
pub enum Reference {
    /// The engine `tubes`, over whole regions.
    Tubes,
    /// The engine `points`, in the drawn cells alone.
    Points,
    /// A coverage that is there already.
    Coverage(Box<StoredGains>),
}

/// The cells of a region that are drawn as references.
struct Drawn {
    region: usize,
    /// Numbers of cells, and their centres.
    cells: Vec<(usize, DVec3)>,
}

impl Job {
    /// The predictions of a reference in at most `num_cells` cells of the regions of beams, and the job with receivers
    /// there.
    ///
    /// # Errors
    /// [`Error::Input`] for a scenario without `engine = "beams"` and a coverage that has not its Tx or cells, the errors of
    /// [`Job::coverage`] and [`Job::paths`].
    pub fn reference(
        self: &Arc<Self>,
        reference: &Reference,
        num_cells: usize,
    ) -> Result<(Arc<Self>, Measurements), Error> {
        let drawn = self.draw(num_cells)?;
        let places: Vec<DVec3> = drawn
            .iter()
            .flat_map(|of_region| of_region.cells.iter().map(|(_, at)| *at))
            .collect();
        let measurements = |rows| {
            let name = match reference {
                Reference::Tubes => "tubes",
                Reference::Points => "points",
                Reference::Coverage(_) => "reference",
            };
            Measurements::of_reference(name, rows, &places, &self.scenario)
        };
        // Receivers do not depend on the rows.
        let job = self.at_places(measurements(Vec::new()).receivers, &places);
        let gains = match reference {
            Reference::Tubes => self.by_tubes(&drawn)?,
            Reference::Points => job.by_points()?,
            Reference::Coverage(stored) => {
                let predicted = Predictions::of_coverage(&job, stored)?;
                predicted.gains().collect()
            }
        };
        let limit = self.limit_db();
        let num_rx = places.len();
        let rows = gains.into_iter().enumerate().filter_map(|(link, gain)| {
            let gain_db = gain?;
            // Cells that tubes do not reach have at most the gain of the limit.
            let is_limit = gain_db == f64::NEG_INFINITY;
            let has_limit = matches!(reference, Reference::Tubes);
            (!is_limit || has_limit).then_some(Measured {
                tx: link / num_rx,
                rx: link % num_rx,
                gain_db: if is_limit { -limit } else { gain_db },
                is_limit,
                uncertainty_db: None,
                delay_spread: None,
                profile: None,
                set: 0,
                line: 0,
            })
        });
        let measurements = measurements(rows.collect());
        if measurements.rows.is_empty() {
            return Err(Error::Input(format!(
                "the reference has nothing in {num_rx} cells that were drawn: it lies elsewhere, or no path arrives"
            )));
        }
        Ok((job, measurements))
    }

    /// Draws cells of the regions of beams.
    fn draw(&self, num_cells: usize) -> Result<Vec<Drawn>, Error> {
        let beams = self.beams_of_regions()?;
        let is_of_beams = |(_, settings): &(usize, &CellSettings)| settings.is_of_beams();
        let regions = self.regions()?.iter().enumerate().filter(is_of_beams);
        let filled: Vec<Vec<usize>> = beams.iter().map(Beams::filled_cells).collect();
        let total = filled.iter().map(Vec::len).sum();
        let mut numbers = drawn_places(total, num_cells, SEED).into_iter().peekable();
        let mut before = 0;
        let all = regions.zip(&beams).zip(&filled);
        let drawn = all.map(|(((region, _), beams), filled)| {
            let mut cells = Vec::new();
            while let Some(number) = numbers.next_if(|number| *number < before + filled.len()) {
                let cell = filled[number - before];
                let centre = beams.region().cell(cell);
                let centre = beams.region().centre(centre, beams.ground());
                cells.extend(centre.map(|centre| (cell, centre)));
            }
            before += filled.len();
            Drawn { region, cells }
        });
        Ok(drawn.collect())
    }

    /// The largest loss that tubes follow, dB.
    fn limit_db(&self) -> f64 {
        let limits = self.regions().into_iter().flatten();
        let limits = limits.map(|settings| settings.path_loss_limit_db.unwrap_or(TUBES_LIMIT_DB));
        limits.fold(f64::INFINITY, f64::min)
    }

    /// The gains of every Tx in the drawn cells, dB, by tubes; `None` where no receiver can be.
    fn by_tubes(self: &Arc<Self>, drawn: &[Drawn]) -> Result<Vec<Option<f64>>, Error> {
        let mut scenario = self.scenario.clone();
        if let Some(CoverageSettings::Cells(regions)) = &mut scenario.coverage {
            for settings in regions.iter_mut() {
                if let Engine::Beams { has_rooftops } = settings.engine {
                    settings.engine = Engine::Tubes {
                        accuracy: Accuracy::default(),
                        has_rooftops,
                    };
                }
            }
        }
        let exact = self.with_world(scenario, self.world.clone());
        let mut of_tx: Vec<Vec<Option<f64>>> = vec![Vec::new(); self.tx.len()];
        for Drawn { region, cells } in drawn {
            let mut run = exact.coverage(*region)?;
            run.complete()?;
            let map = run.filled_map();
            let mut values = Vec::new();
            for (tx, gains) in of_tx.iter_mut().enumerate() {
                let row = rows_of(tx, self.tx.len(), map.figures)[0];
                let whole = 0..run.region.num_cells();
                map.gains
                    .row(row, whole, &mut values)
                    .map_err(|error| Error::Input(error.to_string()))?;
                let gain = |(cell, _): &(usize, DVec3)| {
                    Some(values[*cell])
                        .filter(|gain| !gain.is_nan())
                        .map(power_to_db)
                };
                gains.extend(cells.iter().map(gain));
            }
        }
        Ok(of_tx.concat())
    }

    /// The gains of every Tx at the receivers of this job, dB, by their paths.
    fn by_points(self: &Arc<Self>) -> Result<Vec<Option<f64>>, Error> {
        let mut predictions = Predictions::new(self, Average::Incoherent)?;
        let blocks = self.paths(&PathRunOptions {
            points: PathEnds::Elements,
            ..PathRunOptions::default()
        })?;
        for block in blocks {
            predictions.add(&block?);
        }
        Ok(predictions.gains().collect())
    }
}
