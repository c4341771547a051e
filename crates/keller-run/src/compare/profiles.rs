//! Compares predicted power-delay profiles with measured ones. A prediction is the response of a radio of the
//! scenario's band at the measured delays.

use std::collections::HashMap;

use keller::comparison::{
    DelayGrid, ProfileComparison, ProfilePair, ProfileSummary, fit_cable_delays,
};
use keller::parallel;
use keller::units::SPEED_OF_LIGHT;
use keller_io::reports::comparison::{ComparedProfile, ComparedProfiles, ProfilePart};
use keller_io::reports::table::MeasuredRow;
use keller_io::scenario::{Measured, Measurements};
use keller_io::store::paths::PathBlock;

use crate::observer::Tell;
use crate::{Channeler, Job, Link};

/// Number of links whose curves are kept for pictures.
const MAX_PICTURES: usize = 16;

/// The shape of a band's main lobe ends before this many times one over its bandwidth.
const LOBE: f64 = 2.0;

/// Delays and periods that agree up to this share are equal: files hold rounded numbers.
const TOLERANCE: f64 = 1e-3;

/// The time by which measured delays are later than predicted ones.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum CableDelay {
    /// One number for each Tx, fitted.
    #[default]
    PerTx,
    /// One number for each measurement, fitted: for delays that count from the first arrival.
    PerLink,
    /// A known time, s.
    Known(f64),
}

/// Options of the comparison of measured and predicted profiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfileOptions {
    /// The time over which power is averaged before samples are compared, s.
    pub smoothing: f64,
    /// The delay of cables.
    pub cable_delay: CableDelay,
    /// The largest fitted delay, of either sign, s.
    pub max_cable_delay: f64,
    /// The delay before which all measured power is noise, s. Without it, that of the first possible arrival of light.
    pub noise_until: Option<f64>,
}

impl Default for ProfileOptions {
    fn default() -> Self {
        Self {
            smoothing: 2e-9,
            cable_delay: CableDelay::default(),
            max_cable_delay: 4e-9,
            noise_until: None,
        }
    }
}

impl ProfileOptions {
    /// The time by which predictions are made later before anything is fitted, s.
    fn known(&self) -> f64 {
        match self.cable_delay {
            CableDelay::Known(delay) => delay,
            CableDelay::PerTx | CableDelay::PerLink => 0.0,
        }
    }

    /// The largest delay of either sign that is fitted, s.
    fn range(&self) -> f64 {
        match self.cable_delay {
            CableDelay::Known(_) => 0.0,
            CableDelay::PerTx | CableDelay::PerLink => self.max_cable_delay,
        }
    }
}

/// The measured profiles, and the predictions for them.
#[derive(Debug)]
pub(super) struct Profiles {
    options: ProfileOptions,
    /// The delays of the profiles of each file; `None` where the band has no profile at these.
    grids: Vec<Option<Grid>>,
    /// The files with a profile of each link: a Tx and an Rx.
    wanted: HashMap<(usize, usize), Vec<usize>>,
    /// The profile of a link and a file, by Tx, Rx and file.
    predicted: HashMap<(usize, usize, usize), Vec<f64>>,
}

/// The delays at which profiles of a file are predicted.
#[derive(Debug, Clone, Copy)]
struct Grid {
    measured: DelayGrid,
    /// The number of samples by which predictions reach beyond the measured delays at both ends.
    reach: usize,
    /// The measured delays, extended by these and without the known delay of cables.
    predicted: DelayGrid,
}

impl Profiles {
    /// The profiles of the measurements at delays for which the band of the job's scenario has a profile. Without any,
    /// the reasons, if there are profiles at all.
    pub(super) fn new(
        job: &Job,
        measurements: &Measurements,
        options: ProfileOptions,
    ) -> Result<Self, Option<String>> {
        if measurements.profiles.is_empty() {
            return Err(None);
        }
        let channel = &job.scenario.channel;
        if channel.bandwidth_line.is_none() {
            return Err(Some(
                "measured profiles are not compared: [channel] of the scenario says no bandwidth_hz".to_owned(),
            ));
        }
        let (bandwidth, period) = (channel.band.bandwidth(), channel.band.spacing().recip());
        let mut problem = None;
        let files = measurements.profiles.iter();
        let grids: Vec<Option<Grid>> = files
            .map(|profiles| {
                let measured = profiles.delays;
                let length = measured.count as f64 * measured.step;
                if measured.step * bandwidth > 1.0 + TOLERANCE {
                    problem = Some(format!(
                        "measured profiles are not compared: their bins of {:.3e} s are wider than one over the bandwidth_hz of [channel], {:.3e} s",
                        measured.step,
                        bandwidth.recip()
                    ));
                    return None;
                }
                if length > period * (1.0 + TOLERANCE) {
                    problem = Some(format!(
                        "measured profiles are not compared: they are {length:.3e} s long, and a predicted one repeats after {period:.3e} s; accepted: num_frequencies of [channel] of at least {:.0}",
                        (length * bandwidth).ceil()
                    ));
                    return None;
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a number of samples; too large saturates"
                )]
                let reach = ((options.range() / measured.step).round() as usize).min(measured.count);
                let extended = measured.extended(reach);
                let predicted = DelayGrid {
                    first: extended.first - options.known(),
                    ..extended
                };
                Some(Grid { measured, reach, predicted })
            })
            .collect();
        if grids.iter().all(Option::is_none) {
            return Err(problem);
        }
        if let Some(problem) = problem {
            job.observer.warn(problem);
        }
        let mut wanted: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
        for row in &measurements.rows {
            let file = row.profile.map(|profile| profile.file);
            let Some(file) = file.filter(|file| grids[*file].is_some() && !row.is_limit) else {
                continue;
            };
            let files = wanted.entry((row.tx, row.rx)).or_default();
            if !files.contains(&file) {
                files.push(file);
            }
        }
        Ok(Self {
            options,
            grids,
            wanted,
            predicted: HashMap::new(),
        })
    }

    /// Adds the predictions for the links of a block of paths whose receivers `place` knows.
    pub(super) fn add(
        &mut self,
        block: &PathBlock,
        channeler: &Channeler,
        place: impl Fn(usize) -> Option<usize>,
    ) {
        let links = Link::of_block(block).into_iter();
        let wanted: Vec<_> = links
            .filter_map(|link| {
                let rx = place(link.rx)?;
                let files = self.wanted.get(&(link.tx, rx))?;
                Some((link, rx, files))
            })
            .collect();
        let found: Vec<Vec<Vec<f64>>> = parallel::map_slice(&wanted, |(link, _, files)| {
            let grids = files.iter().filter_map(|file| self.grids[*file]);
            let grids: Vec<DelayGrid> = grids.map(|grid| grid.predicted).collect();
            channeler.delay_powers(link, &grids)
        });
        let mut keys = Vec::new();
        for (link, rx, files) in wanted {
            keys.extend(files.iter().map(|file| (link.tx, rx, *file)));
        }
        self.predicted
            .extend(keys.into_iter().zip(found.into_iter().flatten()));
    }

    /// All profiles with their predictions. `rows` are those of the measurements, and `parts` name the parts and their
    /// rows.
    pub(super) fn compare(
        &self,
        job: &Job,
        measurements: &Measurements,
        rows: &[MeasuredRow],
        parts: &[(String, Vec<bool>)],
    ) -> Option<ComparedProfiles> {
        let options = &self.options;
        let numbered = measurements.rows.iter().enumerate();
        let found = numbered.filter_map(|(index, row)| {
            let pair = self.pair(job, row, &rows[index], measurements)?;
            Some((index, pair))
        });
        let (indices, mut pairs): (Vec<usize>, Vec<ProfilePair>) = found.unzip();
        if pairs.is_empty() {
            return None;
        }
        if options.cable_delay == CableDelay::PerLink {
            for (index, pair) in pairs.iter_mut().enumerate() {
                pair.group = index;
            }
        }
        let delays = fit_cable_delays(&pairs, options.range());
        let comparisons: Vec<ProfileComparison> = parallel::map_slice(&pairs, |pair| {
            ProfileComparison::of(pair, delays[pair.group], options.smoothing)
        });
        let known = options.known();
        let links = indices.iter().zip(&pairs).zip(comparisons).enumerate();
        let links: Vec<ComparedProfile> = links
            .map(|(number, ((row, pair), comparison))| {
                let has_picture = number * MAX_PICTURES % pairs.len() < MAX_PICTURES;
                let curves =
                    has_picture.then(|| pair.smoothed(comparison.cable_delay, options.smoothing));
                ComparedProfile {
                    row: *row,
                    light: rows[*row].distance / SPEED_OF_LIGHT,
                    delays: pair.delays,
                    curves,
                    comparison: ProfileComparison {
                        cable_delay: comparison.cable_delay + known,
                        ..comparison
                    },
                }
            })
            .collect();
        let parts = parts.iter().filter_map(|(name, is_in)| {
            let chosen = links.iter().filter(|link| is_in[link.row]);
            let chosen = chosen.map(|link| &link.comparison);
            let summary = ProfileSummary::of(chosen.clone());
            let first = chosen.clone().next()?.cable_delay;
            let is_same = chosen.clone().all(|one| one.cable_delay == first);
            Some(ProfilePart {
                name: name.clone(),
                summary,
                cable_delay: is_same.then_some(first),
            })
        });
        Some(ComparedProfiles {
            smoothing: options.smoothing,
            max_cable_delay: (options.range() > 0.0).then_some(options.range()),
            parts: parts.collect(),
            links,
        })
    }

    /// The measured and the predicted profile of a measurement, if it has both.
    fn pair(
        &self,
        job: &Job,
        row: &Measured,
        told: &MeasuredRow,
        measurements: &Measurements,
    ) -> Option<ProfilePair> {
        let file = row.profile?.file;
        let Grid {
            measured, reach, ..
        } = self.grids[file]?;
        let (_, power) = measurements.profile(row)?;
        let predicted = self.predicted.get(&(row.tx, row.rx, file))?;
        let options = &self.options;
        let band = job.scenario.channel.band;
        let light = told.distance / SPEED_OF_LIGHT;
        let quiet = light + options.known() - options.range() - LOBE / band.bandwidth();
        Some(ProfilePair {
            delays: measured,
            measured: power.to_vec(),
            predicted: predicted.clone(),
            reach,
            quiet_until: options.noise_until.unwrap_or(quiet),
            group: row.tx,
        })
    }
}
