//! Chains over the rooftops of a city: how long they take, and how far they are from the exact twin.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, ensure};
use keller::Control;
use keller::coverage::rooftops::{Rooftops, Settings};
use keller::units::{db_to_power, power_to_db};
use keller_run::Job;

/// Fills the `[coverage]` of a scenario for its first transmitter, down to two path losses.
pub(crate) fn check(scenario: &Path) -> Result<()> {
    let job = Job::open(scenario, Arc::new(()))?;
    let coverage = job.coverage(0)?;
    let (world, region) = (&job.world, &coverage.region);
    let tx = &job.transmitters()?[0];
    for limit_db in [130.0, 150.0] {
        let min_gain = db_to_power(-limit_db);
        let [fast, exact] = [false, true].map(|is_exact| {
            let settings = Settings {
                min_gain,
                is_exact,
                ..Settings::default()
            };
            let rooftops = Rooftops::new(world, region, settings)?;
            let start = Instant::now();
            let gains = rooftops.gains(tx, 0..region.num_cells(), &Control::default())?;
            let name = if is_exact { "exact" } else { "shared" };
            let strong = gains.iter().filter(|gain| **gain >= min_gain).count();
            println!(
                "{limit_db} dB, {name}: {:.2} s, {strong} cells of {}",
                start.elapsed().as_secs_f64(),
                gains.len(),
            );
            anyhow::Ok(gains)
        });
        compare(&fast?, &exact?, min_gain)?;
    }
    Ok(())
}

/// Fails if gains differ by more than 0.1 dB in the median or 0.5 dB at 95 %.
fn compare(fast: &[f64], exact: &[f64], min_gain: f64) -> Result<()> {
    let is_strong = |gain: f64| gain >= min_gain;
    let pairs = || fast.iter().copied().zip(exact.iter().copied());
    let both = pairs().filter(|&(a, b)| is_strong(a) && is_strong(b));
    let mut errors: Vec<f64> = both.map(|(a, b)| power_to_db(a / b).abs()).collect();
    errors.sort_by(f64::total_cmp);
    ensure!(!errors.is_empty(), "no chain is strong enough");
    let [median, most, worst] =
        [50, 95, 100].map(|percent| errors[(errors.len() - 1) * percent / 100]);
    // Some are on one side of the limit only.
    let missed = pairs()
        .filter(|&(a, b)| 1.26 * a < min_gain && is_strong(b))
        .count();
    let false_ones = pairs()
        .filter(|&(a, b)| is_strong(a) && 1.26 * b < min_gain)
        .count();
    println!(
        "dB error: {median:.3} median, {most:.3} at 95 %, {worst:.1} at most; {missed} missed, {false_ones} false by 1 dB or more"
    );
    ensure!(
        median < 0.1 && most < 0.5,
        "the twins are farther apart than they may be"
    );
    Ok(())
}
