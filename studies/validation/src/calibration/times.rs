//! Measures the cost of searches relative to one trace, and the paths a second of the replays.

use anyhow::Result;
use keller::Control;
use keller::calibration::{
    AdditiveTable, Calibrated, Model, Observation, Optimiser, Replay, Settings, calibrate,
    calibrate_with,
};

use super::city::City;
use super::fits::{fit_both, one_start};
use super::measured::measured;
use super::points::Points;
use super::stopwatch::{Seconds, Stopwatch};

/// Error of the measurements, dB.
const ERROR_DB: f64 = 6.0;

/// The number of generations, as in Hu 2020, and of their chromosomes.
const GENERATIONS: usize = 3000;
const POPULATION: usize = 20;
const EVALUATIONS: usize = GENERATIONS * POPULATION;

/// Goals: parts of a trace, and paths a second and core.
const MOST_OF_LEAST_SQUARES: f64 = 1.0;
const MOST_OF_GENETIC: f64 = 2.0;
const MIN_REPLAYED: f64 = 1e6;
const MIN_ADDED: f64 = 50e6;

/// Prints times and speeds: the goals that are not reached.
pub(super) fn times(city: &City, points: &Points) -> Result<Vec<String>> {
    let mut failures = Vec::new();
    let replay = Replay::new(&city.world, &points.traced, &city.quantities);
    let starts = city.starts();
    let watch = Stopwatch::start();
    let gains = replay.path_gains(&starts)?;
    let table = AdditiveTable::new(
        &city.world,
        &points.traced,
        &city.quantities,
        (&starts, &gains),
    )?;
    let building = watch.stop();
    let observations = measured(&replay.predict(&city.truth)?.0, ERROR_DB, 1);
    let (full, fast) = (
        replay.predict(&city.truth)?.0,
        table.predict(&city.truth)?.0,
    );
    let squares = full.iter().zip(&fast).map(|(a, b)| (a - b).powi(2));
    println!(
        "\ntable: {} entries of {} kinds for {} paths in {:.2} s of the processor; {:.2} dB RMS from the full field at the truth",
        table.num_entries(),
        table.num_kinds(),
        table.num_paths(),
        building.processor,
        (squares.sum::<f64>() / full.len() as f64).sqrt()
    );

    println!(
        "search                                 seconds  of the processor  of a trace  evaluations   RMSE, dB"
    );
    let trace = points.trace_time.processor;
    let mut row = |name: &str, most: f64, time: Seconds, found: &Calibrated| {
        let ratio = time.processor / trace;
        println!(
            "{name:36} {:9.2}  {:16.2}  {ratio:10.2}  {:11}  {:9.4}",
            time.wall, time.processor, found.evaluations, found.rmse
        );
        if ratio > most {
            failures.push(format!("{name}: {ratio:.2} of a trace, more than {most}"));
        }
    };
    let settings = |optimiser| Settings {
        optimiser,
        error_db: ERROR_DB,
        ..Settings::default()
    };
    let control = Control::default();
    let problem = (&city.parameters[..], &observations[..]);
    let watch = Stopwatch::start();
    let found = calibrate(
        &replay,
        problem.0,
        problem.1,
        &settings(one_start()),
        &control,
    )?;
    row(
        "least squares, field",
        MOST_OF_LEAST_SQUARES,
        watch.stop(),
        &found,
    );
    let watch = Stopwatch::start();
    let found = fit_both(
        &replay,
        &table,
        problem.0,
        problem.1,
        &settings(Optimiser::default()),
    )?;
    let time = building + watch.stop();
    row(
        "least squares, table, then field",
        MOST_OF_LEAST_SQUARES,
        time,
        &found,
    );
    for (name, most, optimiser) in searches() {
        let watch = Stopwatch::start();
        let found = calibrate_with(
            &replay,
            &table,
            problem.0,
            problem.1,
            &settings(optimiser),
            &control,
        )?;
        row(name, most, building + watch.stop(), &found);
    }
    failures.extend(speeds(city, &replay, &table)?);
    Ok(failures)
}

/// Searches over the table, and the largest share of a trace that they may cost.
fn searches() -> [(&'static str, f64, Optimiser); 4] {
    [
        (
            "least squares, table",
            MOST_OF_LEAST_SQUARES,
            Optimiser::default(),
        ),
        (
            "genetic, table",
            MOST_OF_GENETIC,
            Optimiser::Genetic {
                generations: GENERATIONS,
                population: POPULATION,
                seed: 1,
            },
        ),
        (
            "annealing, table",
            f64::INFINITY,
            Optimiser::Annealing {
                evaluations: EVALUATIONS,
                seed: 1,
            },
        ),
        (
            "random, table",
            f64::INFINITY,
            Optimiser::Random {
                evaluations: EVALUATIONS,
                seed: 1,
            },
        ),
    ]
}

/// The course of each search on the same problem, over the table: name, and evaluations and RMSE.
pub(super) fn courses(city: &City, points: &Points) -> Result<Vec<(String, Vec<[f64; 2]>)>> {
    let replay = Replay::new(&city.world, &points.traced, &city.quantities);
    let starts = city.starts();
    let gains = replay.path_gains(&starts)?;
    let table = AdditiveTable::new(
        &city.world,
        &points.traced,
        &city.quantities,
        (&starts, &gains),
    )?;
    let observations: Vec<Observation> = measured(&replay.predict(&city.truth)?.0, ERROR_DB, 1);
    let [_, genetic, annealing, random] = searches().map(|(_, _, optimiser)| optimiser);
    let all = [
        ("least squares", one_start()),
        ("genetic", genetic),
        ("annealing", annealing),
        ("random", random),
    ];
    let courses = all.map(|(name, optimiser)| {
        let settings = Settings {
            optimiser,
            error_db: ERROR_DB,
            ..Settings::default()
        };
        let control = Control::default();
        let found = calibrate(&table, &city.parameters, &observations, &settings, &control)?;
        let course = found.progress.iter();
        let course = course.map(|progress| [progress.evaluations as f64, progress.rmse]);
        Ok((name.to_owned(), course.collect()))
    });
    courses.into_iter().collect()
}

/// Paths a second on one thread: the goals that are not reached.
fn speeds(city: &City, replay: &Replay<'_>, table: &AdditiveTable<'_>) -> Result<Vec<String>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mean = |times: u32, evaluate: &(dyn Fn() -> Result<()> + Sync)| {
        pool.install(|| {
            let watch = Stopwatch::start();
            for _ in 0..times {
                evaluate()?;
            }
            anyhow::Ok(watch.stop().processor / f64::from(times))
        })
    };
    let full = mean(5, &|| Ok(replay.predict(&city.truth).map(drop)?))?;
    let added = mean(2000, &|| Ok(table.predict(&city.truth).map(drop)?))?;
    let count = table.num_paths() as f64;
    println!(
        "one thread: full field {:.2} M paths/s; table {:.0} M paths/s, {:.0} M entries/s ({:.2} ms)",
        count / full / 1e6,
        count / added / 1e6,
        table.num_entries() as f64 / added / 1e6,
        1e3 * added
    );
    let goals = [
        ("full field", count / full, MIN_REPLAYED),
        ("table", count / added, MIN_ADDED),
    ];
    let missed = goals.into_iter().filter(|(_, speed, goal)| speed < goal);
    Ok(missed
        .map(|(name, speed, goal)| format!("{name}: {speed:.3e} paths/s, less than {goal:.0e}"))
        .collect())
}
