//! Coverage from outside in and from inside out by tubes, held against the exact paths to the same cells.
//!
//! Cells of a street and of the floors of a building in it are filled in one run each by tubes and by `points` (launched
//! rays, as fine as they come), from a Tx in the street and from one in the building, as a user would: a scenario, a model
//! of the building, two regions. The places are made-up cities and two blocks of Munich.

mod cities;
mod draws;
mod figures;
mod filled;
mod munich;
mod obj;
mod outline;
mod place;
mod worst;

use std::path::Path;

use anyhow::{Result, ensure};
use keller::DVec3;
use keller::units::{db_to_power, power_to_db};
use keller_run::PathRunOptions;

use draws::Draws;
use figures::{COUNTS_DB, Figures, Seam};
use filled::{Side, cells, fill, sample};
use place::{LIMIT_DB, Place, Question};

/// Made-up cities.
const CITIES: u64 = 12;

/// Ends of the links that are swapped, on each side.
const SWAPPED: usize = 3;

/// Limits of paths, and the search for the exact ones.
struct Limits {
    name: &'static str,
    keys: &'static str,
    search: &'static str,
    /// The approximate number of cells.
    max_cells: usize,
}

/// The limits. With edges, `complete` is several times faster than launched rays and finds the same.
const LIMITS: [Limits; 2] = [
    Limits {
        name: "2R+3T",
        keys: "max_reflections = 2\nmax_interactions = 2\nmax_transmissions = 3",
        search: LAUNCHED,
        max_cells: usize::MAX,
    },
    Limits {
        name: "1R+2T+1D",
        keys: "max_reflections = 1\nmax_diffractions = 1\nmax_interactions = 2\nmax_transmissions = 2",
        search: "search = \"complete\"\n",
        max_cells: 500,
    },
];

/// Launched rays as fine as they come.
const LAUNCHED: &str = "search = \"launch\"\neffort = \"thorough\"\n";

/// Half of the cells, and 95 % of them, may be so wrong, dB.
const GOALS: [(&str, [f64; 2]); 2] = [("default", [0.05, 1.0]), ("exact", [0.05, 0.3])];

/// The same gain from either end, dB.
const SAME_DB: f64 = 1e-6;

/// Checks all places, or the one whose name has `only` in it: `data` has the folder `where1`, `scene` is Munich.
/// Scenes and the last scenario of each stay in `folder` if that is given.
pub(crate) fn check(
    data: &Path,
    scene: &Path,
    only: Option<&str>,
    folder: Option<&Path>,
) -> Result<()> {
    let temporary = std::env::temp_dir().join(format!("keller-inside-out-{}", std::process::id()));
    let result = check_in(
        data,
        scene,
        only.unwrap_or(""),
        folder.unwrap_or(&temporary),
    );
    if folder.is_none() {
        std::fs::remove_dir_all(&temporary)?;
    }
    result
}

fn check_in(data: &Path, scene: &Path, only: &str, folder: &Path) -> Result<()> {
    println!(
        "cells above {COUNTS_DB} dB, limit {LIMIT_DB} dB; errors of tubes beside points in dB: half within, 95 % within, largest"
    );
    let mut places = Vec::new();
    for number in 0..CITIES {
        places.push(cities::city(number, &folder.join(format!("city{number}")))?);
    }
    places.push(munich::office(data, scene, &folder.join("office"))?);
    places.push(munich::storeys(scene, &folder.join("storeys"))?);
    let mut tally = Tally::default();
    for (seed, place) in (1_u64..).zip(&places) {
        if place.name.contains(only) {
            compare(place, &mut Draws::new(seed), &mut tally)?;
        }
    }
    println!("\n{} of {} goals are met", tally.met, tally.goals);
    for failure in &tally.failures {
        println!("FAILS: {failure}");
    }
    ensure!(tally.failures.is_empty(), "not all goals are met");
    Ok(())
}

/// Goals that were met and missed.
#[derive(Debug, Default)]
struct Tally {
    goals: usize,
    met: usize,
    failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, is_met: bool, what: impl FnOnce() -> String) {
        self.goals += 1;
        if is_met {
            self.met += 1;
        } else {
            self.failures.push(what());
        }
    }
}

/// Every limit, Tx and accuracy in one place.
fn compare(place: &Place, draws: &mut Draws, tally: &mut Tally) -> Result<()> {
    let ends = place.devices(SWAPPED, draws)?;
    for (number, limits) in LIMITS.iter().enumerate() {
        let Limits {
            name, keys, search, ..
        } = limits;
        for (tx, from) in [(ends[0][0], "street"), (ends[1][0], "desk")] {
            let ask = |engine: &str, search: &str| {
                place.job(Question {
                    tx: &[tx],
                    rx: &[],
                    are_rx_cells: true,
                    limits: &format!("{search}{keys}"),
                    engine: Some(engine),
                })
            };
            let job = ask("engine = \"points\"", search)?;
            if number == 0 && from == "street" {
                let walls = job.world.scene().faces().len();
                println!("\n{}: {walls} walls, {}", place.name, place::fit(&job));
            }
            let cells = cells(place, &job)?;
            let points = if limits.max_cells >= cells.len() {
                fill(&job)?
            } else {
                let keys = format!("{search}{keys}");
                sample(place, tx, &keys, &cells, limits.max_cells)?
            };
            println!(
                "  {name}, Tx {:?} ({from}); points {:.1} s",
                tx.to_array(),
                points.seconds
            );
            for (accuracy, goals) in GOALS {
                let engine = format!("engine = \"tubes\"\naccuracy = \"{accuracy}\"");
                let job = ask(&engine, "")?;
                let tubes = fill(&job)?;
                let both = [&tubes.gains[..], &points.gains[..]];
                print!("    {accuracy:7} {:5.1} s", tubes.seconds);
                for side in [Side::Outside, Side::Inside, Side::Hull] {
                    let Some(figures) = Figures::of(side, &cells, both) else {
                        print!(" | {side:?} none");
                        continue;
                    };
                    print!(
                        " | {side:?} {:4}: {:.3} {:.2} {:.1}",
                        figures.cells, figures.half, figures.most, figures.largest
                    );
                    if side != Side::Hull {
                        for (is, goal) in [figures.half, figures.most].into_iter().zip(goals) {
                            tally.add(is <= goal, || {
                                format!("{}, {name}, from the {from}, {accuracy}, {side:?}: {is:.3} dB, the goal is {goal}", place.name)
                            });
                        }
                    }
                }
                match Seam::of(place, &cells, both) {
                    Some(seam) => println!(
                        " | seam of {} pairs: {:.2} {:.2}, apart {:.2} dB",
                        seam.pairs,
                        seam.tubes,
                        seam.exact,
                        seam.tubes - seam.exact
                    ),
                    None => println!(" | no seam"),
                }
                if accuracy == "default" || number == 0 {
                    worst::show(place, tx, keys, &cells, both)?;
                }
                if accuracy == "default" && from == "desk" {
                    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
                    let again = one.install(|| fill(&ask(&engine, "")?))?;
                    let bits =
                        |gains: &[f64]| gains.iter().map(|g| g.to_bits()).collect::<Vec<_>>();
                    let is_same = bits(&again.gains) == bits(&tubes.gains);
                    tally.add(is_same, || {
                        format!("{}, {name}: not the same by one thread", place.name)
                    });
                }
            }
        }
        swap(place, limits, &ends, tally)?;
    }
    Ok(())
}

/// The same links from either end, by the paths.
fn swap(place: &Place, limits: &Limits, ends: &[Vec<DVec3>; 2], tally: &mut Tally) -> Result<()> {
    let gains = |tx: &[DVec3], rx: &[DVec3]| -> Result<Vec<Vec<f64>>> {
        let job = place.job(Question {
            tx,
            rx,
            are_rx_cells: false,
            limits: &format!("{}{}", limits.search, limits.keys),
            engine: None,
        })?;
        let mut gains = vec![vec![0.0; rx.len()]; tx.len()];
        for block in job.paths(&PathRunOptions::default())? {
            for row in job.path_rows(&block?) {
                gains[row.tx as usize][row.rx as usize] += db_to_power(row.gain_db);
            }
        }
        Ok(gains)
    };
    let (inwards, outwards) = (gains(&ends[0], &ends[1])?, gains(&ends[1], &ends[0])?);
    let (mut links, mut largest) = (0, 0.0_f64);
    for (i, row) in inwards.iter().enumerate() {
        for (j, inwards) in row.iter().enumerate() {
            let outwards = outwards[j][i];
            if inwards.max(outwards) > 0.0 {
                links += 1;
                largest = largest.max(power_to_db(inwards / outwards).abs());
            }
        }
    }
    println!("    {links} links from either end: {largest:.2e} dB apart at most");
    tally.add(largest <= SAME_DB, || {
        format!("{}: {largest} dB between both directions", place.name)
    });
    Ok(())
}
