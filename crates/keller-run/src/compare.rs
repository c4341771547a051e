//! Measurements beside what is predicted for them.

use std::collections::HashMap;
use std::sync::Arc;

use keller::DVec3;
use keller::comparison::{OffsetKind, Offsets, Pair, compare, compare_with};
use keller_io::comparison::{Compared, ComparedPart, OFFSETS};
use keller_io::paths::PathBlock;
use keller_io::scenario::{Measured, Measurements};
use keller_io::table::{LinkRow, MeasuredRow};

use crate::{Channeler, Error, Job, Link};

/// What is predicted for every Tx and place: all paths added as powers, which is what a mean over some wavelengths measures.
#[derive(Debug)]
pub struct Predictions {
    job: Arc<Job>,
    channeler: Channeler,
    /// Of the first Tx to every place, then of the second.
    links: Vec<LinkRow>,
    /// Of each receiver, the first one that stands at its place: files may share places.
    places: Vec<usize>,
}

impl Predictions {
    /// None yet. The receivers of the job's scenario are the places of the measurements.
    ///
    /// # Errors
    /// The errors of [`Job::channeler`].
    ///
    /// # Panics
    /// If there are 2^32 devices.
    pub fn new(job: &Arc<Job>) -> Result<Self, Error> {
        let number = |index: usize| u32::try_from(index).expect("tables number devices in 32 bits");
        let pairs = (0..job.tx.len()).flat_map(|tx| (0..job.rx.len()).map(move |rx| (tx, rx)));
        let unreached = |(tx, rx)| LinkRow {
            tx: number(tx),
            rx: number(rx),
            gain_coherent_db: f64::NEG_INFINITY,
            gain_incoherent_db: f64::NEG_INFINITY,
            ..LinkRow::default()
        };
        Ok(Self {
            channeler: job.channeler()?,
            job: Arc::clone(job),
            links: pairs.map(unreached).collect(),
            places: places(&job.positions.rx),
        })
    }

    /// What predicts.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Adds the links of a block of paths.
    pub fn add(&mut self, block: &PathBlock) {
        for link in Link::of_block(block) {
            self.links[link.tx * self.job.rx.len() + link.rx] = self.channeler.row(&link);
        }
    }

    /// The measurements beside these predictions. Rows have an offset of a kind.
    ///
    /// # Panics
    /// If the measurements are of other places or Tx than the job's.
    pub fn compare(&self, measurements: &Measurements, kind: OffsetKind) -> Compared {
        let pairs = self.pairs(measurements);
        let offsets = Offsets::fit(&pairs, kind);
        let rows: Vec<MeasuredRow> = measurements
            .rows
            .iter()
            .map(|row| self.row(row, measurements, &offsets))
            .collect();
        let all_offsets = OFFSETS.map(|kind| Offsets::fit(&pairs, kind));
        let part = |name: String, is_in: &dyn Fn(&MeasuredRow) -> bool| {
            let chosen: Vec<Pair> = rows
                .iter()
                .zip(&pairs)
                .filter(|(row, _)| is_in(row))
                .map(|(_, pair)| *pair)
                .collect();
            let count = chosen.len();
            (count > 0).then(|| ComparedPart {
                name,
                count,
                comparisons: all_offsets
                    .each_ref()
                    .map(|offsets| compare_with(&chosen, offsets.clone())),
            })
        };
        let mut parts = vec![ComparedPart {
            name: "all".to_owned(),
            count: pairs.len(),
            comparisons: OFFSETS.map(|kind| compare(&pairs, kind)),
        }];
        if self.job.tx.len() > 1 {
            for (tx, device) in self.job.tx.iter().enumerate() {
                parts.extend(part(format!("Tx {}", device.name), &|row| {
                    row.tx as usize == tx
                }));
            }
        }
        if measurements.sets.len() > 1 {
            for set in &measurements.sets {
                parts.extend(part(format!("set {set}"), &|row| row.set == *set));
            }
        }
        parts.extend(part("line of sight".to_owned(), &|row| {
            row.has_line_of_sight
        }));
        parts.extend(part("no line of sight".to_owned(), &|row| {
            !row.has_line_of_sight
        }));
        Compared { rows, kind, parts }
    }

    /// Every measurement with its prediction.
    ///
    /// # Panics
    /// As [`Self::compare`].
    pub fn pairs(&self, measurements: &Measurements) -> Vec<Pair> {
        measurements.rows.iter().map(|row| self.pair(row)).collect()
    }

    fn link(&self, row: &Measured) -> &LinkRow {
        &self.links[row.tx * self.job.rx.len() + row.rx]
    }

    fn pair(&self, row: &Measured) -> Pair {
        Pair {
            predicted_db: self.link(row).gain_incoherent_db,
            measured_db: row.gain_db,
            is_limit: row.is_limit,
            group: row.tx,
            place: self.places[row.rx],
        }
    }

    fn row(&self, row: &Measured, measurements: &Measurements, offsets: &Offsets) -> MeasuredRow {
        let link = self.link(row);
        let position = self.job.positions.rx[row.rx];
        MeasuredRow {
            tx: link.tx,
            rx: link.rx,
            set: measurements.sets[row.set].clone(),
            position,
            distance: position.distance(self.job.positions.tx[row.tx]),
            measured_gain_db: row.gain_db,
            is_limit: row.is_limit,
            uncertainty_db: row.uncertainty_db,
            predicted_gain_db: link.gain_incoherent_db,
            offset_db: offsets.of(row.tx),
            num_paths: link.num_paths,
            has_line_of_sight: link.has_line_of_sight,
            measured_delay_spread: row.delay_spread,
            predicted_delay_spread: link.spreads.map(|spreads| spreads.delay_spread),
            tx_device: self.job.tx[row.tx].clone(),
            rx_device: self.job.rx[row.rx].clone(),
            line: row.line,
        }
    }
}

/// Of each position, the index of the first one that is equal.
fn places(positions: &[DVec3]) -> Vec<usize> {
    let mut first = HashMap::new();
    let numbered = positions.iter().enumerate();
    numbered
        .map(|(index, at)| {
            *first
                .entry(at.to_array().map(f64::to_bits))
                .or_insert(index)
        })
        .collect()
}
