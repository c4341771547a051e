//! Summarises the coverage of each Tx, for people to read.

use std::io;

use keller::units::power_to_db;
use keller_io::reports::coverage::CoverageMap;

pub(super) const HEADER: [&str; 5] = [
    "tx",
    "cells reached",
    "%",
    "median gain / dB",
    "best gain / dB",
];

/// Steps of a decibel that the histogram distinguishes: as many as are shown.
const STEPS: f64 = 10.0;

/// A row a Tx.
pub(super) fn rows(result: &CoverageMap<'_>) -> io::Result<Vec<Vec<String>>> {
    (0..result.tx.len()).map(|tx| row(result, tx)).collect()
}

fn row(result: &CoverageMap<'_>, tx: usize) -> io::Result<Vec<String>> {
    let (mut usable, mut reached) = (0_usize, Histogram::default());
    result.each_gains(tx, 0..result.region.num_cells(), |_, gains| {
        for gain in gains.iter().filter(|gain| !gain.is_nan()) {
            usable += 1;
            if *gain > 0.0 {
                reached.add(power_to_db(*gain));
            }
        }
        Ok::<(), io::Error>(())
    })?;
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.1}"));
    Ok(vec![
        result.tx[tx].name.to_string(),
        format!("{} of {usable}", reached.count),
        format!("{:.1}", 100.0 * reached.count as f64 / usable.max(1) as f64),
        number(reached.median()),
        number(reached.best()),
    ])
}

/// The number of cells of each gain, so that not all gains are held to find the median.
#[derive(Debug, Default)]
struct Histogram {
    cells: std::collections::BTreeMap<i64, usize>,
    count: usize,
}

impl Histogram {
    fn add(&mut self, gain_db: f64) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "decibels of positive numbers are within thousands"
        )]
        let step = (gain_db * STEPS).round() as i64;
        *self.cells.entry(step).or_default() += 1;
        self.count += 1;
    }

    /// The upper one of two.
    fn median(&self) -> Option<f64> {
        let mut before = 0;
        let found = self.cells.iter().find(|(_, cells)| {
            before += **cells;
            before > self.count / 2
        });
        found.map(|(step, _)| *step as f64 / STEPS)
    }

    fn best(&self) -> Option<f64> {
        let (step, _) = self.cells.last_key_value()?;
        Some(*step as f64 / STEPS)
    }
}
