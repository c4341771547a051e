//! Beams taught by tubes on the western half of a city, and evaluated on its eastern half.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use glam::DVec2;
use keller::calibration::{self, BendLosses, LossKind, Observation, calibrate};
use keller::coverage::beams::{self, Beams, Losses, Recording, Through};
use keller::coverage::rooftops::{self, Rooftops};
use keller::coverage::tubes::{self, Accuracy, Tubes};
use keller::coverage::{Levels, Region};
use keller::paths::Limits;
use keller::units::{db_to_power, power_to_db};
use keller::{Control, Tx};

use crate::beams::masts;
use crate::tubes::{Place, names};

/// The number of Tx of each half of the city, unless others are asked for.
pub(crate) const NUM_TX: usize = 6;

/// The height over the ground, metres.
const PLANE: f64 = 1.5;
const MAST: f64 = 13.0;
const RESOLUTION: f64 = 20.0;

/// The largest loss that the teacher follows, dB.
const LIMIT_DB: f64 = 150.0;

/// The gains of the teacher and the pupil in the cells of half a city that both reach.
struct Half {
    recordings: Vec<Recording>,
    /// The places of cells of each Tx among its recorded ones, and the teacher's gains, dB.
    taught: Vec<Vec<(usize, f64)>>,
    num_cells: usize,
}

/// Teaches the west with so many Tx, and evaluates the east with as many.
pub(crate) fn check(only: &str, data: &Path, num_tx: usize) -> Result<()> {
    for name in names(Some(only))? {
        println!("{name}");
        of_place(&Place::load(name, data, RESOLUTION)?, num_tx)?;
    }
    Ok(())
}

fn of_place(place: &Place, num_tx: usize) -> Result<()> {
    let [low, high] = place.region.bounds();
    let middle = 0.5 * (low.x + high.x);
    let west = Half::new(place, [low, DVec2::new(middle, high.y)], num_tx).context("west")?;
    let east = Half::new(place, [DVec2::new(middle, low.y), high], num_tx).context("east")?;
    let kinds = LossKind::NAMES.map(|(_, kind)| kind);
    let fitted = fit(&[&west], &kinds)?;
    println!("losses by the west: {fitted:?}");
    for (half, name) in [(&west, "west"), (&east, "east")] {
        for (losses, which) in [(&Losses::default(), "defaults"), (&fitted, "taught")] {
            half.judge(losses, &format!("{name}, {which}"));
        }
    }
    let own = fit(&[&east], &kinds)?;
    println!("losses by the east: {own:?}");
    east.judge(&own, "east, taught by itself");
    Ok(())
}

/// The losses of corners and roofs that suit both cities, with the walls as they are by default: the teacher lets
/// nothing through walls.
pub(crate) fn defaults(data: &Path, num_tx: usize) -> Result<()> {
    let mut halves = Vec::new();
    for name in ["etoile", "cost231_munich"] {
        let place = Place::load(name, data, RESOLUTION)?;
        let [low, high] = place.region.bounds();
        let middle = 0.5 * (low.x + high.x);
        let bounds = [
            [low, DVec2::new(middle, high.y)],
            [DVec2::new(middle, low.y), high],
        ];
        for (bounds, side) in bounds.into_iter().zip(["west", "east"]) {
            halves.push((
                format!("{name}, {side}"),
                Half::new(&place, bounds, num_tx)?,
            ));
        }
    }
    let kinds = [LossKind::StreetBend, LossKind::RoofBend];
    let all: Vec<&Half> = halves.iter().map(|(_, half)| half).collect();
    let fitted = fit(&all, &kinds)?;
    println!("losses by both cities: {fitted:?}");
    for (name, half) in &halves {
        half.judge(&Losses::default(), &format!("{name}, defaults"));
        half.judge(&fitted, &format!("{name}, by both cities"));
    }
    Ok(())
}

/// The losses of some kinds that suit the gains taught in several halves.
fn fit(halves: &[&Half], kinds: &[LossKind]) -> Result<Losses> {
    let all = halves
        .iter()
        .flat_map(|half| half.recordings.iter().cloned());
    let recordings: Vec<Recording> = all.collect();
    let model = BendLosses::new(&recordings, kinds, Losses::default());
    let mut observations = Vec::new();
    let mut first = 0;
    for half in halves {
        for cells in &half.taught {
            // Every Tx counts the same, whatever the number of its cells.
            let group = observations.len();
            observations.extend(cells.iter().map(|(number, gain)| Observation {
                prediction: first + number,
                measured_db: *gain,
                is_limit: false,
                group,
                deviation_db: 0.0,
            }));
            first += half.num_cells;
        }
    }
    ensure!(!observations.is_empty(), "the teacher reaches no cell");
    let found = calibrate(
        &model,
        &model.parameters(),
        &observations,
        &calibration::Settings::default(),
        &Control::default(),
    )?;
    let values: Vec<f64> = found.estimates.iter().map(|found| found.value).collect();
    Ok(model.losses(&values))
}

impl Half {
    fn new(place: &Place, [low, high]: [DVec2; 2], num_tx: usize) -> Result<Self> {
        let levels = Levels::AboveGround(vec![PLANE]);
        let region = Region::planes(low, high, DVec2::splat(RESOLUTION), levels)?;
        let limits = Limits {
            max_reflections: 2,
            max_transmissions: 0,
            max_diffractions: 1,
            max_interactions: 3,
            ..Limits::default()
        };
        let min_gain = db_to_power(-LIMIT_DB);
        let of_tubes = tubes::Settings {
            limits,
            accuracy: Accuracy::default(),
            min_gain,
        };
        let of_rooftops = rooftops::Settings {
            min_edges: 2,
            has_reflections: true,
            min_gain,
            is_exact: false,
        };
        let control = Control::default();
        let tubes = Tubes::new(&place.world, &region, of_tubes);
        let rooftops = Rooftops::new(&place.world, &region, of_rooftops)?;
        let of_beams = beams::Settings {
            has_roofs: true,
            ..beams::Settings::default()
        };
        let beams = Beams::new(&place.world, &region, of_beams, &control)?;
        let filled = beams.filled_cells();
        let all = 0..region.num_cells();
        let (mut recordings, mut taught) = (Vec::new(), Vec::new());
        let start = Instant::now();
        for position in masts(place, [low, high], num_tx, MAST) {
            let tx = Tx {
                position,
                ..place.tx.clone()
            };
            let mut gains = tubes.gains(&tx, all.clone(), &control)?;
            let chains = rooftops.fill(&tx, all.clone(), &control)?;
            chains.add_to(&mut gains);
            let recording = beams.record(&tx, &filled, &control)?;
            let of_cell = |(number, cell): (usize, &usize)| {
                let is_known = gains[*cell] >= min_gain && !recording.paths_to(number).is_empty();
                is_known.then(|| (number, power_to_db(gains[*cell])))
            };
            taught.push(filled.iter().enumerate().filter_map(of_cell).collect());
            recordings.push(recording);
        }
        println!(
            "{num_tx} Tx by the teacher: {:.1} s; {} cells",
            start.elapsed().as_secs_f64(),
            filled.len()
        );
        Ok(Self {
            recordings,
            taught,
            num_cells: filled.len(),
        })
    }

    /// Prints errors over all cells, and apart by the interactions of the strongest path of the pupil.
    fn judge(&self, losses: &Losses, title: &str) {
        println!("{title:24} {:>8} {:>8} {:>8}", "cells", "mean", "std");
        let mut errors: [Vec<f64>; 4] = Default::default();
        for (recording, cells) in self.recordings.iter().zip(&self.taught) {
            for &(number, gain) in cells {
                let error = power_to_db(recording.gain(number, losses)) - gain;
                let paths = recording.paths_to(number).iter();
                let strongest = paths.max_by(|a, b| {
                    let of = |path: &&beams::RecordedPath| {
                        power_to_db(path.gain) - losses.of(path.through)
                    };
                    of(a).total_cmp(&of(b))
                });
                let kind = match strongest.map(|path| path.through) {
                    Some(Through::Air) => 0,
                    Some(Through::Corners(_)) => 1,
                    Some(Through::Roofs(_)) => 2,
                    Some(Through::Walls(_)) | None => 3,
                };
                errors[kind].push(error);
            }
        }
        let all = errors.concat();
        let named = ["in sight", "corners", "roofs", "walls"];
        let rows = named.into_iter().zip(&errors).chain([("all", &all)]);
        for (name, errors) in rows.filter(|(_, errors)| !errors.is_empty()) {
            let count = errors.len() as f64;
            let mean = errors.iter().sum::<f64>() / count;
            let square = errors
                .iter()
                .map(|error| (error - mean).powi(2))
                .sum::<f64>();
            let deviation = (square / count).sqrt();
            println!("  {name:22} {:>8} {mean:8.2} {deviation:8.2}", errors.len());
        }
    }
}
