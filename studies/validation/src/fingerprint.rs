//! Devices located by fingerprints in COST 231 Munich: exact paths to places drawn by lot stand for measurements, with
//! errors added, and are compared with maps of tubes.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};
use glam::DVec2;
use keller::antenna::{Antenna, Polarization};
use keller::coverage::tubes::{Accuracy, Settings, Tubes};
use keller::coverage::{Levels, Region};
use keller::field::PathField;
use keller::fingerprint::{Deviations, Fingerprints, Level, densest};
use keller::paths::{Devices, Effort, Limits, PathFinder, Search};
use keller::random::Random;
use keller::units::{db_to_power, power_to_db};
use keller::{Control, DVec3, Tx};
use rayon::prelude::*;

use crate::beams::masts;
use crate::tubes::Place;

/// A part of the city, metres.
const PART: [DVec2; 2] = [DVec2::new(900.0, 1300.0), DVec2::new(1500.0, 1900.0)];
const RESOLUTION: f64 = 5.0;

/// The height over the ground, metres.
const PLANE: f64 = 1.5;
const MAST: f64 = 13.0;

const MASTS: usize = 12;
const DEVICES: usize = 300;

/// The largest path losses of devices and of maps, dB.
const NOISE_DB: f64 = 130.0;
const LIMIT_DB: f64 = 160.0;

/// The number of times that errors are drawn for each device.
const DRAWS: usize = 4;

/// Maps of all masts, and the gains at the devices.
struct City {
    region: Region,
    /// dB, of each Tx.
    maps: Vec<Vec<f64>>,
    devices: Vec<DVec3>,
    /// dB, of each Tx.
    exact: Vec<Vec<f64>>,
}

pub(crate) fn check(data: &Path) -> Result<()> {
    println!("devices in 600 m by 600 m of COST 231 Munich: about five minutes on two cores\n");
    let city = City::new(data)?;
    let (mean, deviation) = city.map_errors();
    println!(
        "maps less exact paths at the devices: mean {mean:+.2} dB, deviation {deviation:.2} dB, where both are above -{NOISE_DB} dB\n"
    );
    println!(
        "| error of a level dB | offset of a device dB | Tx heard | devices | half within m | 67 % within m | 95 % within m | in the area of 50 % | of 95 % | area of 95 % m² |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let cases = [(3.0, 0.0), (6.0, 0.0), (6.0, 6.0), (10.0, 0.0)];
    let found: Vec<Vec<Located>> = cases
        .iter()
        .map(|(error, offset)| city.locate(*error, *offset, deviation))
        .collect();
    for ((error, offset), located) in cases.iter().zip(&found) {
        for heard in HEARD {
            print(*error, *offset, heard, located);
        }
    }
    // A device that hears more Tx is located better, and smaller errors locate better.
    let half = |located: &[Located], heard: [usize; 2]| {
        sorted(located, heard).map_or(f64::INFINITY, |errors| errors[errors.len() / 2])
    };
    for located in &found {
        let [few, .., many] = HEARD.map(|heard| half(located, heard));
        ensure!(
            many < few,
            "who hears many Tx is {many} m off, who hears few {few} m"
        );
    }
    let all = [0, MASTS];
    ensure!(
        half(&found[0], all) < half(&found[3], all),
        "errors of 3 dB locate no better than those of 10 dB"
    );
    Ok(())
}

/// Numbers of Tx that a device hears, from and to.
const HEARD: [[usize; 2]; 4] = [[0, 1], [2, 3], [4, 6], [7, MASTS]];

/// A device that was located.
struct Located {
    heard: usize,
    /// The distance from the likeliest place, metres.
    error: f64,
    /// Whether the true cell is in the areas of 50 and of 95 %.
    within: [bool; 2],
    /// The area of 95 %, m².
    area: f64,
}

/// The errors of devices that hear so many Tx; `None` without any.
fn sorted(located: &[Located], [from, to]: [usize; 2]) -> Option<Vec<f64>> {
    let own = located
        .iter()
        .filter(|one| (from..=to).contains(&one.heard));
    let mut errors: Vec<f64> = own.map(|one| one.error).collect();
    errors.sort_by(f64::total_cmp);
    (!errors.is_empty()).then_some(errors)
}

fn print(error: f64, offset: f64, heard: [usize; 2], located: &[Located]) {
    let Some(errors) = sorted(located, heard) else {
        return;
    };
    let [from, to] = heard;
    let own: Vec<&Located> = located
        .iter()
        .filter(|one| (from..=to).contains(&one.heard))
        .collect();
    let of = |percent: usize| errors[errors.len() * percent / 100];
    let within = |k: usize| {
        let count = own.iter().filter(|one| one.within[k]).count();
        100.0 * count as f64 / own.len() as f64
    };
    let mut areas: Vec<f64> = own.iter().map(|one| one.area).collect();
    areas.sort_by(f64::total_cmp);
    println!(
        "| {error:.0} | {offset:.0} | {from} to {to} | {} | {:.0} | {:.0} | {:.0} | {:.0} % | {:.0} % | {:.0} |",
        own.len(),
        of(50),
        of(67),
        of(95),
        within(0),
        within(1),
        areas[areas.len() / 2],
    );
}

impl City {
    fn new(data: &Path) -> Result<Self> {
        let place = Place::load("cost231_munich", data, RESOLUTION)?;
        let levels = Levels::AboveGround(vec![PLANE]);
        let region = Region::planes(PART[0], PART[1], DVec2::splat(RESOLUTION), levels)?;
        let limits = Limits {
            max_reflections: 2,
            max_diffractions: 1,
            max_interactions: 3,
            ..Limits::default()
        };
        let control = Control::default();
        let settings = Settings {
            limits,
            accuracy: Accuracy::default(),
            min_gain: db_to_power(-LIMIT_DB),
        };
        let start = Instant::now();
        let tubes = Tubes::new(&place.world, &region, settings);
        let masts_at = masts(&place, PART, MASTS, MAST);
        let drawn = masts(&place, PART, MASTS + DEVICES, PLANE);
        let devices = drawn[MASTS..].to_vec();
        let mut maps = Vec::new();
        for position in &masts_at {
            let tx = Tx {
                position: *position,
                ..place.tx.clone()
            };
            let gains = tubes.gains(&tx, 0..region.num_cells(), &control)?;
            maps.push(gains.iter().map(|gain| power_to_db(*gain)).collect());
        }
        println!(
            "{MASTS} maps of {} cells in {:.1} s",
            region.num_cells(),
            start.elapsed().as_secs_f64()
        );
        let start = Instant::now();
        let search = Search::Launch(Effort::Thorough);
        let finder = PathFinder::new(&place.world, &limits, search, &control)?;
        let scene = place.world.scene();
        let rx = Devices::rx(scene, devices.clone())?;
        let isotropic = Antenna {
            polarization: Polarization::VH,
            ..Antenna::default()
        };
        let mut exact = Vec::new();
        for position in &masts_at {
            let tx = Devices::tx(scene, [*position])?;
            let from = finder.views_from(&tx, 0, &control)?;
            let mut gains = vec![0.0; devices.len()];
            for path in finder.paths(&from, &rx, &control)? {
                gains[path.rx] +=
                    PathField::new(&path, &place.world).gain(&place.tx.antenna, &isotropic);
            }
            exact.push(gains.iter().map(|gain| power_to_db(*gain)).collect());
        }
        println!(
            "exact paths to {DEVICES} devices in {:.1} s",
            start.elapsed().as_secs_f64()
        );
        Ok(Self {
            region,
            maps,
            devices,
            exact,
        })
    }

    /// The cell of a place.
    fn cell(&self, at: DVec3) -> usize {
        let own = (at.truncate() - PART[0]) / RESOLUTION;
        let [nx, ny, _] = self.region.shape();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "devices are in the region"
        )]
        let [i, j] = [own.x as usize, own.y as usize];
        j.min(ny - 1) * nx + i.min(nx - 1)
    }

    /// Mean and standard deviation, dB.
    fn map_errors(&self) -> (f64, f64) {
        let mut errors = Vec::new();
        for (map, exact) in self.maps.iter().zip(&self.exact) {
            for (at, gain) in self.devices.iter().zip(exact) {
                let found = map[self.cell(*at)];
                if found > -NOISE_DB && *gain > -NOISE_DB {
                    errors.push(found - gain);
                }
            }
        }
        let count = errors.len() as f64;
        let mean = errors.iter().sum::<f64>() / count;
        let squares: f64 = errors.iter().map(|error| (error - mean).powi(2)).sum();
        (mean, (squares / count).sqrt())
    }

    /// Locates all devices some times, with other errors each time.
    fn locate(&self, error: f64, offset: f64, of_maps: f64) -> Vec<Located> {
        let num_cells = self.region.num_cells();
        let gains = self.maps.concat();
        let sizes = vec![RESOLUTION * RESOLUTION; num_cells];
        let floors = [-LIMIT_DB; MASTS];
        let fingerprints = Fingerprints::new(&gains, &sizes, &floors);
        let deviations = Deviations {
            level_db: error.hypot(of_maps),
            offset_db: offset,
        };
        let mut random = Random(25);
        let drawn: Vec<(DVec3, Vec<Level>)> = (0..DRAWS * DEVICES)
            .map(|draw| {
                let device = draw % DEVICES;
                let of_device = offset * random.normal();
                let levels = (0..MASTS).map(|tx| {
                    let heard = self.exact[tx][device] + of_device + error * random.normal();
                    Level {
                        tx,
                        gain_db: heard.max(-NOISE_DB),
                        is_limit: heard <= -NOISE_DB,
                        uncertainty_db: 0.0,
                    }
                });
                (self.devices[device], levels.collect())
            })
            .collect();
        drawn
            .par_iter()
            .filter_map(|(at, levels)| {
                let all = fingerprints.probabilities(levels, &deviations)?;
                let regions = [0.5, 0.95].map(|share| densest(&all, &sizes, share));
                let likeliest = regions[1].first()?;
                let [nx, ..] = self.region.shape();
                let centre = DVec2::new((likeliest % nx) as f64, (likeliest / nx) as f64) + 0.5;
                let centre = PART[0] + RESOLUTION * centre;
                let own = self.cell(*at);
                Some(Located {
                    heard: levels.iter().filter(|level| !level.is_limit).count(),
                    error: centre.distance(at.truncate()),
                    within: regions.each_ref().map(|region| region.contains(&own)),
                    area: regions[1].len() as f64 * RESOLUTION * RESOLUTION,
                })
            })
            .collect()
    }
}
