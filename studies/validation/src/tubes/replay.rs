//! Measures the time that one trace for many antennas saves: sectors of a mast, and variants of a tilt.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use keller::antenna::{Antenna, Orientation, Pattern};
use keller::coverage::tubes::{Accuracy, Envelope, Settings, Tubes};
use keller::paths::Limits;
use keller::units::{db_to_power, power_to_db};
use keller::{Control, Tx};

use super::place::{self, Place};
use super::{LIMIT_DB, RESOLUTION, limits};

/// Downtilts of the sectors, degrees: the first is traced for, and all are replayed.
const TILTS_DEG: [f64; 4] = [6.0, 2.0, 4.0, 8.0];

/// The table of every place in the folder `data`, or of one of them.
pub(crate) fn replay(data: &Path, only: Option<&str>) -> Result<()> {
    for name in place::names(only)? {
        let place = Place::load(name, data, RESOLUTION)?;
        let edges = Limits {
            max_diffractions: 1,
            ..limits(3, 0)
        };
        for (what, limits) in [("5R+5T", limits(5, 5)), ("3R, one edge", edges)] {
            println!("\n{name}, {what}, {LIMIT_DB} dB, {RESOLUTION} m, default accuracy");
            measure(&place, &limits)?;
        }
    }
    Ok(())
}

/// Three sectors of TR 38.901.
fn sectors(downtilt_deg: f64) -> Vec<Antenna> {
    let sector = |bearing_deg: f64| Antenna {
        pattern: Pattern::Tr38901,
        orientation: Orientation {
            bearing: bearing_deg.to_radians(),
            downtilt: downtilt_deg.to_radians(),
            ..Orientation::default()
        },
        ..Antenna::default()
    };
    [0.0, 120.0, 240.0].map(sector).to_vec()
}

fn measure(place: &Place, limits: &Limits) -> Result<()> {
    let settings = Settings {
        limits: *limits,
        accuracy: Accuracy::Default,
        min_gain: db_to_power(-LIMIT_DB),
    };
    let tubes = Tubes::new(&place.world, &place.region, settings);
    let cells = 0..place.region.num_cells();
    let position = place.tx.position;
    let control = Control::default();
    let sectors = TILTS_DEG.map(sectors);

    let start = Instant::now();
    let one_by_one = sectors[0].iter().map(|antenna| {
        let tx = Tx {
            position,
            antenna: antenna.clone(),
        };
        tubes.gains(&tx, cells.clone(), &control)
    });
    let one_by_one = one_by_one.collect::<Result<Vec<_>, _>>()?;
    println!("one by one      {:7.2} s", seconds(start));

    let start = Instant::now();
    let together = tubes.gains_of_antennas(position, &sectors[0], cells.clone(), &control)?;
    println!("together        {:7.2} s", seconds(start));
    for (a, b) in one_by_one.iter().zip(&together) {
        println!("                {}", Difference::of(b, a));
    }

    let all: Vec<Antenna> = sectors.iter().flatten().cloned().collect();
    for (what, envelope) in [
        ("for sectors ", Envelope::Antennas(&sectors[0])),
        ("for all tilts", Envelope::Antennas(&all)),
        ("for 8 dBi   ", Envelope::Gain(db_to_power(8.0))),
    ] {
        let start = Instant::now();
        let recording = tubes.record(position, envelope, cells.clone(), &control)?;
        let [num_tubes, num_reached] = recording.counts();
        println!(
            "recorded {what} {:7.2} s, {} tubes, {num_reached} cells of them, {} MB",
            seconds(start),
            num_tubes,
            recording.num_bytes() / 1_000_000
        );
        for antenna in sectors[3].iter().take(2) {
            let start = Instant::now();
            let replayed = recording.gains(antenna);
            let took = seconds(start);
            let tx = Tx {
                position,
                antenna: antenna.clone(),
            };
            let start = Instant::now();
            let fresh = tubes.gains(&tx, cells.clone(), &control)?;
            println!(
                "replayed, {}°   {took:7.2} s for {:.2} s: {}",
                TILTS_DEG[3],
                seconds(start),
                Difference::of(&replayed, &fresh)
            );
        }
    }
    Ok(())
}

fn seconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64()
}

/// The difference of two coverages.
struct Difference {
    median_db: f64,
    p95_db: f64,
    /// Cells that only one has.
    num_alone: [usize; 2],
    num_both: usize,
}

impl Difference {
    fn of(a: &[f64], b: &[f64]) -> Self {
        let pairs = || a.iter().zip(b);
        let both = pairs().filter(|(a, b)| **a > 0.0 && **b > 0.0);
        let mut errors: Vec<f64> = both.map(|(a, b)| power_to_db(a / b).abs()).collect();
        errors.sort_by(f64::total_cmp);
        let at = |share: usize| errors.get(errors.len() * share / 100);
        Self {
            median_db: at(50).copied().unwrap_or(0.0),
            p95_db: at(95).copied().unwrap_or(0.0),
            num_alone: [
                pairs().filter(|(a, b)| **a > 0.0 && **b == 0.0).count(),
                pairs().filter(|(a, b)| **b > 0.0 && **a == 0.0).count(),
            ],
            num_both: errors.len(),
        }
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [more, less] = self.num_alone;
        write!(
            f,
            "{:.4} dB in the centre, {:.3} dB of 95 % of {} cells; {more} more, {less} fewer",
            self.median_db, self.p95_db, self.num_both
        )
    }
}
