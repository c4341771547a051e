//! A prediction after a fit to a part of the survey, and how far it is off where it had no part in the fit.

use anyhow::Result;
use keller::calibration::{Calibrated, folds_of_places};
use keller::comparison::{Comparison, OffsetKind, Offsets, Pair, Statistics, compare};

use super::survey::{Survey, Tx};

/// Folds of places, and their seed: those of `keller calibrate --folds 10`.
pub(super) const NUM_FOLDS: usize = 10;
pub(super) const SEED: u64 = 0x6b65_6c6c_6572;

/// The result of a fit.
#[derive(Clone)]
pub(super) struct Fit {
    /// The level of every link of the survey, also of those that were not used, dB relative to a constant for each Tx.
    pub(super) levels: Vec<f64>,
    /// Name, value and standard error of each parameter.
    pub(super) values: Vec<(String, f64, Option<f64>)>,
}

impl Fit {
    /// The fit with the levels of all links, dB.
    pub(super) fn new(levels: Vec<f64>, calibrated: &Calibrated) -> Self {
        let estimates = calibrated.estimates.iter();
        let values = estimates.map(|e| (e.name.clone(), e.value, e.standard_error));
        Self {
            levels,
            values: values.collect(),
        }
    }

    /// The values in words.
    pub(super) fn values(&self) -> String {
        let values = self.values.iter().map(|(name, value, error)| {
            let error = error.map_or("-".to_owned(), |e| format!("{e:.1}"));
            format!("{name} {value:.1} ± {error}")
        });
        values.collect::<Vec<String>>().join(", ")
    }
}

/// A model that may be fitted, with these offsets, to those links of the survey for which the first argument holds.
pub(super) type Fitter<'a> = dyn Fn(&dyn Fn(usize) -> bool, OffsetKind) -> Result<Fit> + 'a;

/// The links of some Tx, each with its place, with which a prediction is compared.
pub(super) struct Judged<'a> {
    survey: &'a Survey,
    /// Indices of links.
    links: Vec<usize>,
    /// The place of every link of the survey, and the fold of every place.
    places: Vec<usize>,
    folds: Vec<usize>,
}

impl<'a> Judged<'a> {
    /// The links of the Tx for which `is_wanted` holds.
    pub(super) fn new(survey: &'a Survey, is_wanted: impl Fn(&Tx) -> bool) -> Self {
        let places = survey.places();
        let num_places = places.iter().max().map_or(0, |last| last + 1);
        let links = 0..survey.links.len();
        Self {
            survey,
            links: links
                .filter(|k| is_wanted(&survey.tx[survey.links[*k].tx]))
                .collect(),
            places,
            folds: folds_of_places(num_places, NUM_FOLDS, SEED),
        }
    }

    /// The links among these whose Tx is one for which `is_wanted` holds.
    pub(super) fn of_tx(&self, is_wanted: impl Fn(&Tx) -> bool) -> Self {
        let mut some = Self::new(self.survey, is_wanted);
        some.links.retain(|k| self.links.contains(k));
        some
    }

    /// Number of links.
    pub(super) fn num_links(&self) -> usize {
        self.links.len()
    }

    /// Levels with the measured ones. `levels` are those of all links of the survey, dB; groups are its Tx.
    pub(super) fn pairs(&self, levels: &[f64]) -> Vec<Pair> {
        let pair = |k: &usize| Pair {
            predicted_db: levels[*k],
            measured_db: self.survey.links[*k].level_db,
            is_limit: false,
            group: self.survey.links[*k].tx,
            place: self.places[*k],
        };
        self.links.iter().map(pair).collect()
    }

    /// The comparison that `keller compare --fit-offset tx` makes.
    pub(super) fn compare(&self, levels: &[f64]) -> Comparison {
        compare(&self.pairs(levels), OffsetKind::PerGroup)
    }

    /// RMSE of some levels, dB, with an offset for each Tx.
    pub(super) fn rmse(&self, levels: &[f64]) -> f64 {
        let statistics = self.compare(levels).statistics;
        statistics.map_or(f64::NAN, |statistics| statistics.rmse)
    }

    /// RMSE, dB, at places that had no part in the fit, neither in its parameters nor in the offsets. Every fold is a fit of
    /// its own to the links for which `is_used` holds at all other places.
    ///
    /// # Errors
    /// The errors of the fits.
    pub(super) fn folds(&self, fit: &Fitter<'_>, is_used: &dyn Fn(usize) -> bool) -> Result<f64> {
        let mut left_out: Vec<Pair> = Vec::new();
        for fold in 0..NUM_FOLDS {
            let is_in = |place: usize| self.folds[place] == fold;
            let is_used = |k: usize| is_used(k) && !is_in(self.places[k]);
            let found = fit(&is_used, OffsetKind::PerGroup)?;
            let (of_fold, others): (Vec<Pair>, Vec<Pair>) = self
                .pairs(&found.levels)
                .into_iter()
                .partition(|pair| is_in(pair.place));
            let offsets = Offsets::fit(&others, OffsetKind::PerGroup);
            left_out.extend(of_fold.into_iter().map(|pair| Pair {
                predicted_db: pair.predicted_db + offsets.of(pair.group),
                ..pair
            }));
        }
        let statistics = Statistics::of(&left_out, &Offsets::Same(0.0));
        Ok(statistics.map_or(f64::NAN, |statistics| statistics.rmse))
    }
}
