//! Compares paths that rays sample with the same paths found one by one.

use std::time::Instant;

use anyhow::Result;
use keller::antenna::Antenna;
use keller::coverage::tiles::{TileCoverage, TileField};
use keller::paths::{Environment, Limits};
use keller::units::{db_to_power, power_to_db};
use keller::{DVec3, Tx, World};

use crate::machine::processor_seconds;
use crate::progress::watched;

/// Waves of more path loss are not followed, dB.
const LIMIT_DB: f64 = 140.0;

/// Sides on which less arrives are not compared, dB: the sum of many paths that are below the limit.
const COMPARED_DB: f64 = 120.0;

/// The largest numbers of interactions, reflections and diffractions, and the numbers of interactions that are exact.
const ROWS: [([usize; 3], &[usize]); 3] = [
    ([2, 2, 1], &[1]),
    ([2, 2, 2], &[2, 1]),
    ([3, 3, 2], &[3, 2, 1]),
];

/// The table, for one place and transmitter.
pub(super) fn check(world: &World, environment: &Environment, site: DVec3) -> Result<()> {
    let tx = Tx {
        position: site,
        antenna: Antenna::default(),
    };
    let min_gain = db_to_power(-LIMIT_DB);
    println!(
        "limit {LIMIT_DB} dB\ninteractions, R, D | exact to | s | processor s | power over that of all exact paths, dB | sides above -{COMPARED_DB} dB | their error, dB: 5 %, 25 %, 50 %, 75 %, 95 % | within 1 dB | within 3 dB"
    );
    for ([interactions, reflections, diffractions], all) in ROWS {
        let limits = Limits {
            max_interactions: interactions,
            max_reflections: reflections,
            max_diffractions: diffractions,
            ..Limits::default()
        };
        let environment = Environment {
            min_gain: Some(min_gain / tx.antenna.largest_gain()),
            ..environment.clone()
        };
        let coverage = || -> Result<TileCoverage> {
            let coverage = TileCoverage::new(world, &limits, environment.clone())?;
            Ok(coverage.with_min_gain(min_gain))
        };
        let start = (Instant::now(), processor_seconds());
        let expected = coverage()?;
        let expected = watched(|control| expected.fields(&tx, control))?;
        let row = format!("{interactions}, {reflections}, {diffractions}");
        println!("{row} | all | {} | | | | |", seconds(start));
        for most in all {
            let start = (Instant::now(), processor_seconds());
            let found = coverage()?.with_exact(*most)?;
            let found = watched(|control| found.fields(&tx, control))?;
            println!(
                "{row} | {most} | {} | {}",
                seconds(start),
                beside(environment.tiles.all(), &found, &expected)
            );
        }
    }
    Ok(())
}

fn seconds((start, before): (Instant, f64)) -> String {
    let (wall, processor) = (start.elapsed().as_secs_f64(), processor_seconds() - before);
    format!("{wall:.1} | {processor:.1}")
}

/// The rest of a row: the power found, compared with the expected one.
fn beside(
    tiles: &[keller::tiles::Tile],
    found: &[[TileField; 2]],
    expected: &[[TileField; 2]],
) -> String {
    let power = |fields: &[[TileField; 2]]| -> f64 {
        let both = tiles.iter().zip(fields);
        both.map(|(tile, [front, back])| tile.area * (front.path_gain + back.path_gain))
            .sum()
    };
    let both = found.iter().flatten().zip(expected.iter().flatten());
    let compared = both.filter(|(_, expected)| expected.path_gain > db_to_power(-COMPARED_DB));
    let mut errors: Vec<f64> = compared
        .map(|(found, expected)| power_to_db(found.path_gain) - power_to_db(expected.path_gain))
        .collect();
    errors.sort_by(f64::total_cmp);
    let at = |percent: usize| errors[percent * (errors.len() - 1) / 100];
    let within = |most: f64| {
        let count = errors.iter().filter(|error| error.abs() <= most).count();
        100.0 * count as f64 / errors.len() as f64
    };
    format!(
        "{:.3} | {} | {:.2}, {:.2}, {:.2}, {:.2}, {:.2} | {:.1} % | {:.1} %",
        power_to_db(power(found)) - power_to_db(power(expected)),
        errors.len(),
        at(5),
        at(25),
        at(50),
        at(75),
        at(95),
        within(1.0),
        within(3.0)
    )
}
