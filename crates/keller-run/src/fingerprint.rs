//! Locates devices: compares their measured levels with a coverage of all places.

use keller::DVec3;
use keller::fingerprint::{Deviations, Fingerprints, Level, densest};
use keller::parallel;
use keller_io::reports::coverage::StoredGains;
use keller_io::reports::table::{Device, LocatedRow};
use keller_io::scenario::Measurements;

use crate::compare::of_tx;
use crate::{Error, Job};

/// Shares of the probability whose areas are reported.
const SHARES: [f64; 2] = [0.5, 0.95];

/// A coverage as fingerprints of its places, and the measurements of devices.
#[derive(Debug)]
pub struct Located {
    centres: Vec<DVec3>,
    areas: Vec<f64>,
    shape: Vec<usize>,
    /// The gains of the scenario's Tx, one after the other.
    gains: Vec<f64>,
    /// The least gain of each Tx.
    floors: Vec<f64>,
    deviations: Deviations,
    /// The levels of each device.
    levels: Vec<Vec<Level>>,
    rows: Vec<LocatedRow>,
}

impl Job {
    /// The places of a coverage at which the devices of `measurements` may be: the receivers of this job, where the
    /// files name places.
    ///
    /// # Errors
    /// [`Error::Input`] for a coverage that lacks a Tx of the job or has faces that its scene lacks, and for a device whose
    /// levels fit no place.
    pub fn locate(
        &self,
        coverage: &StoredGains,
        measurements: &Measurements,
        deviations: Deviations,
    ) -> Result<Located, Error> {
        let of_tx = of_tx(self, coverage)?;
        let gains: Vec<f64> = of_tx
            .iter()
            .flat_map(|tx| coverage.of_tx(*tx).iter().copied())
            .collect();
        let least = |tx: &usize| {
            let gains = coverage.of_tx(*tx).iter().copied();
            let least = gains
                .filter(|gain| gain.is_finite())
                .fold(f64::INFINITY, f64::min);
            // Nothing is known about a Tx that reaches no place.
            if least.is_finite() {
                least
            } else {
                f64::INFINITY
            }
        };
        let mut located = Located {
            centres: coverage.centres(),
            areas: coverage.areas(),
            shape: coverage.shape(),
            floors: of_tx.iter().map(least).collect(),
            gains,
            deviations,
            levels: levels(measurements),
            rows: Vec::new(),
        };
        located.rows = parallel::try_map(located.levels.len(), |device| {
            located.row(device, self, coverage, measurements)
        })?;
        Ok(located)
    }
}

/// The measured levels of each device.
fn levels(measurements: &Measurements) -> Vec<Vec<Level>> {
    let mut levels = vec![Vec::new(); measurements.receivers.rx.len()];
    for row in &measurements.rows {
        levels[row.rx].push(Level {
            tx: row.tx,
            gain_db: row.gain_db,
            is_limit: row.is_limit,
            uncertainty_db: row.uncertainty_db.unwrap_or(0.0),
        });
    }
    levels
}

impl Located {
    /// A row for each device.
    pub fn rows(&self) -> &[LocatedRow] {
        &self.rows
    }

    /// The centres of all places, metres, and their areas, m².
    pub fn places(&self) -> (&[DVec3], &[f64]) {
        (&self.centres, &self.areas)
    }

    /// The shape of [`Self::probabilities`]: z, y, x of cells, or tiles and sides.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The probability of each place for a device; `None` if its levels fit no place.
    ///
    /// # Panics
    /// If there is no such device.
    pub fn probabilities(&self, device: usize) -> Option<Vec<f64>> {
        let fingerprints = Fingerprints::new(&self.gains, &self.areas, &self.floors);
        fingerprints.probabilities(&self.levels[device], &self.deviations)
    }

    fn row(
        &self,
        device: usize,
        job: &Job,
        coverage: &StoredGains,
        measurements: &Measurements,
    ) -> Result<LocatedRow, Error> {
        let name = measurements.receivers.rx[device].name.as_deref();
        let probabilities = self.probabilities(device).ok_or_else(|| {
            let name = name.map_or_else(|| device.to_string(), ToOwned::to_owned);
            Error::Input(format!(
                "device {name} can be at no place of the coverage: no cell or tile has a gain from all Tx that it measured"
            ))
        })?;
        let density = |place: usize| probabilities[place] / self.areas[place];
        let region = densest(&probabilities, &self.areas, SHARES[1]);
        // The densest of these hold the smaller share.
        let mut held = 0.0;
        let of_half = region.iter().take_while(|place| {
            let is_needed = held < SHARES[0];
            held += probabilities[**place];
            is_needed
        });
        let half: Vec<usize> = of_half.copied().collect();
        let likeliest = region[0];
        let weighted = |value: &dyn Fn(usize) -> f64| -> f64 {
            let all = probabilities.iter().enumerate();
            all.filter(|(_, p)| **p > 0.0)
                .map(|(place, p)| p * value(place))
                .sum()
        };
        let mean = DVec3::new(
            weighted(&|place| self.centres[place].x),
            weighted(&|place| self.centres[place].y),
            weighted(&|place| self.centres[place].z),
        );
        let spread = weighted(&|place| self.centres[place].distance_squared(mean)).sqrt();
        let area = |places: &[usize]| places.iter().map(|place| self.areas[*place]).sum();
        let has_place = measurements.has_places && job.positions.has_rx(device);
        let truth = has_place.then(|| job.positions.rx[device]);
        let denser = truth
            .and_then(|at| coverage.nearest(at, job.world.scene()))
            .map(|near| {
                // The likelier side of a tile counts.
                let index = coverage.index(near);
                let sides = if coverage.is_of_surfaces() { 2 } else { 1 };
                let own = (index..index + sides).map(density).fold(0.0, f64::max);
                let denser = (0..probabilities.len()).filter(|place| density(*place) > own);
                denser.map(|place| probabilities[place]).sum()
            });
        let at = self.centres[likeliest];
        let frame = job.frame.as_ref();
        let lon_lat = frame.and_then(|frame| frame.to_lon_lat(at.truncate()).ok());
        let number = |index: usize| u32::try_from(index).expect("tables number in 32 bits");
        Ok(LocatedRow {
            device: number(device),
            num_levels: number(self.levels[device].len()),
            place: number(likeliest),
            likeliest: at,
            probability: probabilities[likeliest],
            mean,
            spread,
            areas: [area(&half), area(&region)],
            truth,
            denser,
            own: Device::new(name, device, lon_lat.map(|at| at.to_array())),
        })
    }
}
