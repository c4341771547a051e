//! Compares the refiners of Vaara 2022 with the exact one, on the same coarse paths.

use std::time::Instant;

use anyhow::Result;
use keller::paths::{CoarsePaths, TileFinder};
use keller::{Control, DVec3};
use keller_lab::refiners::{Refiner, Starts, converge, refine_by};

use super::share;

/// Descents take about a minute for more coarse paths.
const MAX_FOR_DESCENTS: usize = 600_000;

/// The exact refiner takes milliseconds: the least of so many runs.
const RUNS: usize = 5;

/// Prints seconds, converged and valid shares of each refiner; the CPU of Vaara 2022 took `cpu_ms` for `num_thesis` coarse paths.
pub(super) fn compare(
    finder: &TileFinder,
    tx: DVec3,
    rx: &[DVec3],
    coarse: &CoarsePaths,
    cpu_ms: f64,
    num_thesis: usize,
) -> Result<()> {
    let control = Control::default();
    let thousands = coarse.len() as f64 / 1e3;
    let of_thesis = cpu_ms / (num_thesis as f64 / 1e3);
    let run = |name: &str, refiner: Refiner, runs: usize| -> Result<()> {
        let (mut alone, mut whole) = (f64::INFINITY, f64::INFINITY);
        let mut report = None;
        for _ in 0..runs {
            let start = Instant::now();
            converge(finder, refiner, tx, rx, coarse, &control)?;
            alone = alone.min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            report = Some(refine_by(finder, refiner, tx, rx, coarse, &control)?.1);
            whole = whole.min(start.elapsed().as_secs_f64());
        }
        let report = report.unwrap_or_default();
        let per_thousand = 1e3 * alone / thousands;
        println!(
            "  {name:<11} {alone:.4} s ({:.0} times the thesis' speed), {whole:.4} s with validation; {per_thousand:.3} ms a thousand ({of_thesis:.1}, {:.0} times); {:.1} % converged, {:.1} % of these valid, {:.1} % of all at exact paths",
            1e-3 * cpu_ms / alone,
            of_thesis / per_thousand,
            share(report.num_converged, report.num_coarse),
            share(report.num_valid, report.num_converged),
            share(report.num_agreeing, report.num_coarse),
        );
        Ok(())
    };
    run("exact", Refiner::Exact, RUNS)?;
    if coarse.len() > MAX_FOR_DESCENTS {
        return Ok(());
    }
    let start = Instant::now();
    let starts = Starts::new(finder, tx, rx, coarse, &control)?;
    println!("  starts      {:.3} s", start.elapsed().as_secs_f64());
    run("descent", Refiner::Descent(&starts), 1)?;
    run("line search", Refiner::LineSearch(&starts), 1)
}
