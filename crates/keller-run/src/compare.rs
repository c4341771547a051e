//! Compares measurements with predictions: by exact paths, or by a coverage that exists.

mod disc;
mod models;
mod profiles;

pub use profiles::{CableDelay, ProfileOptions};

use std::collections::HashMap;
use std::sync::Arc;

use keller::DVec3;
use keller::comparison::{OffsetKind, Offsets, Pair, compare, compare_with};
use keller::parallel;
use keller::units::{db_to_power, power_to_db};
use keller_io::reports::comparison::{CellDistances, Compared, ComparedPart, OFFSETS};
use keller_io::reports::coverage::{NearestGain, StoredGains};
use keller_io::reports::table::MeasuredRow;
use keller_io::scenario::{Measured, Measurements};
use keller_io::store::paths::PathBlock;
use rayon::prelude::*;

use self::disc::Disc;
use self::profiles::Profiles;
use crate::{Channeler, Error, Job, Link};

/// A larger mean error is a mistake in units, dB.
const MAX_MEAN: f64 = 60.0;

/// A warning about predictions that are so many dB off on average, if that cannot be meant.
pub fn suspicion(mean_db: f64) -> Option<String> {
    (mean_db.abs() > MAX_MEAN).then(|| {
        format!(
            "predictions are {mean_db:.0} dB off on average: units or signs may be mixed up; path_gain_db is negative, path_loss_db \
             positive, and received_power_dbm counts the power_dbm of the Tx"
        )
    })
}

/// The way in which the paths to a place add up.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Average {
    /// Powers add up, as in a mean over some wavelengths.
    #[default]
    Incoherent,
    /// Fields add up with their phases, and the power is averaged over a horizontal disc around the place.
    Coherent {
        /// The radius of the disc, metres.
        radius: f64,
    },
}

/// Predictions for every Tx and place.
#[derive(Debug)]
pub struct Predictions {
    job: Arc<Job>,
    /// The ends of the paths, if paths predict.
    tracing: Option<Tracing>,
    /// The predictions from the first Tx to every place, then from the second.
    links: Vec<Prediction>,
    /// The first receiver that stands at the place of each: files may share places.
    places: Vec<usize>,
    is_of_coverage: bool,
    /// Predicted profiles, or why there are none.
    profiles: Result<Profiles, Option<String>>,
}

/// The paths that predict.
#[derive(Debug)]
struct Tracing {
    channeler: Channeler,
    /// The job with all points to which paths are traced as receivers.
    job: Arc<Job>,
    disc: Option<Disc>,
}

impl Tracing {
    /// The place of a point to which paths are traced, if that is no other point of a disc.
    fn place(&self, rx: usize) -> Option<usize> {
        match &self.disc {
            None => Some(rx),
            // The first point of a disc is its centre.
            Some(disc) => disc.is_centre(rx).then(|| disc.points[rx].0),
        }
    }
}

/// The prediction for one Tx and place.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Prediction {
    /// Path gain, dB; minus infinity where nothing arrives, `None` where there is no prediction.
    gain_db: Option<f64>,
    num_paths: u32,
    has_line_of_sight: bool,
    delay_spread: Option<f64>,
    /// Distance from the place to the cell or tile, metres.
    distance: f64,
}

/// The prediction in the cell of a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CellGain {
    pub(crate) tx: usize,
    pub(crate) rx: usize,
    /// Path gain, dB.
    pub(crate) gain_db: f64,
    /// The distance from the place to the centre of the cell, metres.
    pub(crate) distance: f64,
}

impl Prediction {
    /// The prediction where no path arrives.
    const UNREACHED: Self = Self {
        gain_db: Some(f64::NEG_INFINITY),
        num_paths: 0,
        has_line_of_sight: false,
        delay_spread: None,
        distance: 0.0,
    };

    /// Path gain, dB; minus infinity also without a prediction.
    fn gain_db(&self) -> f64 {
        self.gain_db.unwrap_or(f64::NEG_INFINITY)
    }
}

impl Predictions {
    /// Predictions by the diffuse and background power alone: [`Self::add`] takes the paths of [`Self::traced`]. The
    /// receivers of the job's scenario are the places of the measurements. Coherent averages add the diffuse and
    /// background power of the place itself, because it is a mean over small movements already.
    ///
    /// # Errors
    /// The errors of [`Job::channeler`] and [`Job::power_beside_paths`].
    pub fn new(job: &Arc<Job>, average: Average) -> Result<Self, Error> {
        let (traced, disc) = match average {
            Average::Incoherent => (Arc::clone(job), None),
            Average::Coherent { radius } => {
                let disc = Disc::new(job, radius);
                (job.with_receivers(&disc.points), Some(disc))
            }
        };
        let mut predictions = Self {
            tracing: Some(Tracing {
                channeler: traced.channeler_of_paths()?,
                job: traced,
                disc,
            }),
            ..Self::empty(job)
        };
        if let Some(beside) = job.power_beside_paths()? {
            let num_rx = job.rx.len();
            for (index, link) in predictions.links.iter_mut().enumerate() {
                let gain = beside.gain(index / num_rx, index % num_rx);
                link.gain_db = Some(power_to_db(gain));
            }
        }
        Ok(predictions)
    }

    /// The same predictions with power-delay profiles for those of the measurements. Their paths are those of the
    /// places themselves, added with their phases, without the diffuse and background power. Where the scenario's band
    /// has no profile at the measured delays, [`Compared::notes`] says why.
    #[must_use]
    pub fn with_profiles(mut self, measurements: &Measurements, options: ProfileOptions) -> Self {
        if self.tracing.is_some() {
            self.profiles = Profiles::new(&self.job, measurements, options);
        }
        self
    }

    /// The gains of a coverage in the cells or tiles that are nearest to the places. A coverage's receiver is isotropic
    /// and takes both polarisations.
    ///
    /// # Errors
    /// [`Error::Input`] for a coverage that lacks a Tx of the job, by its name, or has faces that its scene lacks.
    pub fn of_coverage(job: &Arc<Job>, gains: &StoredGains) -> Result<Self, Error> {
        let scene = job.world.scene();
        let of_tx = of_tx(job, gains)?;
        let mut predictions = Self {
            is_of_coverage: true,
            ..Self::empty(job)
        };
        let nearest = parallel::map_slice(&job.positions.rx, |at| gains.nearest(*at, scene));
        let num_rx = job.rx.len();
        let links = predictions.links.par_iter_mut().enumerate();
        links.for_each(|(index, link)| {
            let (tx, rx) = (index / num_rx, index % num_rx);
            let gain = nearest[rx].and_then(|nearest| gains.gain(of_tx[tx], nearest));
            let (from, to) = (job.positions.tx[tx], job.positions.rx[rx]);
            let is_free = scene.crossings(from, to, &[], 0, &mut Vec::new());
            link.has_line_of_sight = is_free.is_some();
            link.gain_db = gain.map(|NearestGain { gain_db, .. }| gain_db);
            link.distance = gain.map_or(0.0, |gain| gain.distance);
        });
        Ok(predictions)
    }

    /// Predictions by these gains in cells; there is no prediction elsewhere.
    pub(crate) fn of_cells(job: &Arc<Job>, cells: impl Iterator<Item = CellGain>) -> Self {
        let mut predictions = Self {
            is_of_coverage: true,
            ..Self::empty(job)
        };
        let num_rx = job.rx.len();
        for cell in cells {
            predictions.links[cell.tx * num_rx + cell.rx] = Prediction {
                gain_db: Some(cell.gain_db),
                has_line_of_sight: predictions.is_in_sight(cell.tx, cell.rx),
                distance: cell.distance,
                ..Prediction::UNREACHED
            };
        }
        predictions
    }

    /// The gains of all links, those of the first Tx first, dB: minus infinity where nothing arrives, `None` where no
    /// receiver can be.
    pub(crate) fn gains(&self) -> impl Iterator<Item = Option<f64>> {
        self.links.iter().map(|link| link.gain_db)
    }

    /// Whether nothing lies between a Tx and a place.
    fn is_in_sight(&self, tx: usize, rx: usize) -> bool {
        let positions = &self.job.positions;
        let (from, to) = (positions.tx[tx], positions.rx[rx]);
        let scene = self.job.world.scene();
        scene.crossings(from, to, &[], 0, &mut Vec::new()).is_some()
    }

    fn empty(job: &Arc<Job>) -> Self {
        Self {
            links: vec![Prediction::UNREACHED; job.tx.len() * job.rx.len()],
            places: places(&job.positions.rx),
            job: Arc::clone(job),
            tracing: None,
            is_of_coverage: false,
            profiles: Err(None),
        }
    }

    /// The job whose receivers are the places of the measurements.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// The job whose paths predict; `None` for predictions of a coverage.
    pub fn traced(&self) -> Option<&Arc<Job>> {
        self.tracing.as_ref().map(|tracing| &tracing.job)
    }

    /// Adds the links of a block of paths of [`Self::traced`].
    pub fn add(&mut self, block: &PathBlock) {
        let Some(tracing) = &self.tracing else {
            return;
        };
        if let Ok(profiles) = &mut self.profiles {
            profiles.add(block, &tracing.channeler, |rx| tracing.place(rx));
        }
        for link in Link::of_block(block) {
            let row = tracing.channeler.row(&link);
            let place = tracing
                .disc
                .as_ref()
                .map_or(link.rx, |disc| disc.points[link.rx].0);
            let own = &mut self.links[link.tx * self.job.rx.len() + place];
            if tracing.place(link.rx).is_some() {
                own.num_paths = row.num_paths;
                own.has_line_of_sight = row.has_line_of_sight;
                own.delay_spread = row.spreads.map(|spreads| spreads.delay_spread);
            }
            let before = own.gain_db();
            own.gain_db = Some(match &tracing.disc {
                // The gain keeps all its digits if there is no diffuse or background power.
                None if before == f64::NEG_INFINITY => row.gain_incoherent_db,
                None => power_to_db(db_to_power(before) + db_to_power(row.gain_incoherent_db)),
                Some(disc) => {
                    let share = disc.share(link.rx).unwrap_or(0.0);
                    power_to_db(db_to_power(before) + share * db_to_power(row.gain_coherent_db))
                }
            });
        }
    }

    /// Whether there is a prediction for each of the measurements: not outside a coverage, nor where no receiver can be
    /// in it.
    pub fn has_prediction(&self, measurements: &Measurements) -> Vec<bool> {
        let rows = measurements.rows.iter();
        rows.map(|row| self.link(row).gain_db.is_some()).collect()
    }

    /// The measurements with these predictions. Rows have an offset of a kind.
    ///
    /// # Panics
    /// If the measurements are of other places or Tx than the job's.
    pub fn compare(&self, measurements: &Measurements, kind: OffsetKind) -> Compared {
        let pairs = self.pairs(measurements);
        let offsets = Offsets::fit(&pairs, kind);
        let rows: Vec<MeasuredRow> = measurements
            .rows
            .iter()
            .map(|row| self.row(row, measurements, &offsets))
            .collect();
        let all_offsets = OFFSETS.map(|kind| Offsets::fit(&pairs, kind));
        let named = self.parts(&rows, measurements);
        let parts = named.iter().enumerate().map(|(index, (name, is_in))| {
            let chosen = is_in.iter().zip(&pairs).filter(|(is_in, _)| **is_in);
            let chosen: Vec<Pair> = chosen.map(|(_, pair)| *pair).collect();
            ComparedPart {
                name: name.clone(),
                count: chosen.len(),
                // The first part is all, and alone has intervals.
                comparisons: match index {
                    0 => OFFSETS.map(|kind| compare(&pairs, kind)),
                    _ => all_offsets
                        .each_ref()
                        .map(|offsets| compare_with(&chosen, offsets.clone())),
                },
            }
        });
        let profiles = self.profiles.as_ref().ok();
        let profiles = profiles.and_then(|all| all.compare(&self.job, measurements, &rows, &named));
        Compared {
            kind,
            parts: parts.collect(),
            cells: self.cells(measurements),
            profiles,
            profile_problem: self.profiles.as_ref().err().cloned().flatten(),
            models: Vec::new(),
            rows,
        }
    }

    /// The parts of the rows: all, by Tx, by set, with a line of sight and without. Each has a name and which rows are
    /// in it. Parts without a row are left out.
    fn parts(&self, rows: &[MeasuredRow], measurements: &Measurements) -> Vec<(String, Vec<bool>)> {
        let part = |name: String, is_in: &dyn Fn(&MeasuredRow) -> bool| {
            let is_in: Vec<bool> = rows.iter().map(is_in).collect();
            is_in.contains(&true).then_some((name, is_in))
        };
        let mut parts = vec![("all".to_owned(), vec![true; rows.len()])];
        if self.job.tx.len() > 1 {
            for (tx, device) in self.job.tx.iter().enumerate() {
                parts.extend(part(format!("Tx {}", device.name), &|row| {
                    row.tx as usize == tx
                }));
            }
        }
        if measurements.sets.len() > 1 {
            for set in &measurements.sets {
                parts.extend(part(format!("set {set}"), &|row| row.set == *set));
            }
        }
        parts.extend(part("line of sight".to_owned(), &|row| {
            row.has_line_of_sight
        }));
        parts.extend(part("no line of sight".to_owned(), &|row| {
            !row.has_line_of_sight
        }));
        parts
    }

    /// Every measurement with its prediction.
    ///
    /// # Panics
    /// As [`Self::compare`].
    pub fn pairs(&self, measurements: &Measurements) -> Vec<Pair> {
        measurements.rows.iter().map(|row| self.pair(row)).collect()
    }

    /// The distances between the cells of a coverage and the measurements.
    fn cells(&self, measurements: &Measurements) -> Option<CellDistances> {
        let distances = measurements.rows.iter().map(|row| self.link(row).distance);
        let sum: f64 = distances.clone().sum();
        let is_known = self.is_of_coverage && !measurements.rows.is_empty();
        is_known.then(|| CellDistances {
            mean: sum / measurements.rows.len() as f64,
            largest: distances.fold(0.0, f64::max),
            num_without: 0,
        })
    }

    fn link(&self, row: &Measured) -> &Prediction {
        &self.links[row.tx * self.job.rx.len() + row.rx]
    }

    fn pair(&self, row: &Measured) -> Pair {
        Pair {
            predicted_db: self.link(row).gain_db(),
            measured_db: row.gain_db,
            is_limit: row.is_limit,
            group: row.tx,
            place: self.places[row.rx],
        }
    }

    fn row(&self, row: &Measured, measurements: &Measurements, offsets: &Offsets) -> MeasuredRow {
        let link = self.link(row);
        let position = self.job.positions.rx[row.rx];
        let number = |index: usize| u32::try_from(index).expect("tables number devices in 32 bits");
        MeasuredRow {
            tx: number(row.tx),
            rx: number(row.rx),
            set: measurements.sets[row.set].clone(),
            position,
            distance: position.distance(self.job.positions.tx[row.tx]),
            measured_gain_db: row.gain_db,
            is_limit: row.is_limit,
            uncertainty_db: row.uncertainty_db,
            predicted_gain_db: link.gain_db(),
            offset_db: offsets.of(row.tx),
            num_paths: link.num_paths,
            has_line_of_sight: link.has_line_of_sight,
            measured_delay_spread: row.delay_spread,
            predicted_delay_spread: link.delay_spread,
            tx_device: self.job.tx[row.tx].clone(),
            rx_device: self.job.rx[row.rx].clone(),
            line: row.line,
        }
    }
}

/// The numbers that the Tx of a job have in a coverage.
///
/// # Errors
/// [`Error::Input`] for a coverage that lacks a Tx of the job, by its name, or has faces that its scene lacks.
pub(crate) fn of_tx(job: &Job, gains: &StoredGains) -> Result<Vec<usize>, Error> {
    let scene = job.world.scene();
    if let Some(face) = gains.missing_face(scene) {
        return Err(Error::Input(format!(
            "the coverage is of another scene: it has a face {face}, and the scene of {} has {} faces",
            job.scenario.file.display(),
            scene.faces().len()
        )));
    }
    let of_tx = job.tx.iter().map(|device| {
        let names = &gains.tx_names;
        names
            .iter()
            .position(|name| *name == *device.name)
            .ok_or_else(|| {
                Error::Input(format!(
                    "the coverage has no Tx `{}` of {}; it has {}",
                    device.name,
                    job.scenario.file.display(),
                    names.join(", ")
                ))
            })
    });
    of_tx.collect()
}

/// The index of the first equal position, of each position.
fn places(positions: &[DVec3]) -> Vec<usize> {
    let mut first = HashMap::new();
    let numbered = positions.iter().enumerate();
    numbered
        .map(|(index, at)| {
            *first
                .entry(at.to_array().map(f64::to_bits))
                .or_insert(index)
        })
        .collect()
}
