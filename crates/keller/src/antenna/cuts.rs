//! A pattern in all directions from two cuts, by one of several rules.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::PatternTable;
use super::grid::refuse;
use crate::Error;
use crate::units::{db_to_power, power_to_db};

/// The way in which the gain outside both cuts follows from them. All of them give the cuts themselves back.
///
/// # Source
/// Theory page: `antennas`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Combination {
    /// The attenuations of both cuts add up, as in 3GPP TR 38.901, Table 7.3-1. Nearest for panels and dishes, whose field nearly
    /// is a product; too weak far from both cuts.
    #[default]
    Sum,
    /// The cross-weighted mean of both cuts: the weaker one counts more. Nearest for single wide elements; too strong in the main
    /// lobe of all others.
    Weighted,
    /// The sum in the main lobe, the weighted mean away from it.
    Hybrid,
}

impl Combination {
    /// Every combination, by name.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("sum", Self::Sum),
        ("weighted", Self::Weighted),
        ("hybrid", Self::Hybrid),
    ];
}

/// Gains around a circle, relative to the antenna's gain.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cut {
    /// Ascending, radians, less than one turn. A horizontal cut has azimuths; a vertical one zeniths in front (0 up, π/2 ahead,
    /// π down) and goes on behind (3π/2).
    pub angles: Vec<f64>,
    /// Gain at each angle relative to the antenna's gain, dB: zero or negative.
    pub gains_db: Vec<f64>,
}

impl Cut {
    /// Relative gain at `angle`, dB: linear between the samples of the circle.
    fn at(&self, angle: f64) -> f64 {
        let first = self.angles[0];
        let angle = first + (angle - first).rem_euclid(TAU);
        let next = self.angles.partition_point(|a| *a <= angle);
        let previous = next.saturating_sub(1);
        let (next, end) = match self.angles.get(next) {
            Some(end) => (next, *end),
            None => (0, first + TAU),
        };
        let (a, b) = (self.angles[previous], end);
        let share = if b > a { (angle - a) / (b - a) } else { 0.0 };
        self.gains_db[previous] * (1.0 - share) + self.gains_db[next] * share
    }

    fn check(&self, name: &str) -> Result<(), Error> {
        if self.angles.len() != self.gains_db.len() || self.angles.is_empty() {
            return Err(refuse(format!(
                "the {name} cut has {} angles and {} gains; accepted: as many of both, at least one",
                self.angles.len(),
                self.gains_db.len()
            )));
        }
        if self.angles.iter().chain(&self.gains_db).any(|v| v.is_nan()) {
            return Err(refuse(format!(
                "the {name} cut has a value that is no number"
            )));
        }
        let span = self.angles[self.angles.len() - 1] - self.angles[0];
        if self.angles.windows(2).any(|w| w[1] <= w[0]) || span >= TAU {
            return Err(refuse(format!(
                "the angles of the {name} cut do not ascend within one turn"
            )));
        }
        Ok(())
    }
}

impl PatternTable {
    /// The table that `combination` makes of cuts through where the antenna looks, with `gain` (linear) where they say 0 dB.
    ///
    /// A vertical cut of the front half alone (angles from 0 to π) holds on all sides, and then the horizontal one may be absent: the
    /// antenna is the same all round. Without a vertical cut the horizontal one holds at every height.
    ///
    /// # Errors
    /// [`Error::Pattern`] for angles that do not ascend or do not reach round, for a whole vertical circle without a horizontal one,
    /// for no cut at all, and for more gain than the pattern allows, by more than [`super::CUTS_TOLERANCE_DB`].
    ///
    /// # Source
    /// Theory page: `antennas`.
    pub fn from_cuts(
        gain: f64,
        horizontal: Option<&Cut>,
        vertical: Option<&Cut>,
        combination: Combination,
    ) -> Result<Self, Error> {
        if let Some(cut) = horizontal {
            cut.check("horizontal")?;
        }
        if let Some(cut) = vertical {
            cut.check("vertical")?;
        }
        let front_only = |cut: &Cut| cut.angles.iter().all(|a| (0.0..=PI).contains(a));
        let gain_db = power_to_db(gain);
        let (zeniths, azimuths, relative_db) = match (horizontal, vertical) {
            (None, None) => return Err(refuse("there is neither cut".to_owned())),
            (None, Some(v)) if !front_only(v) => {
                return Err(refuse(
                    "a vertical cut of the whole circle needs a horizontal one beside it"
                        .to_owned(),
                ));
            }
            (None, Some(v)) => (v.angles.clone(), vec![0.0], v.gains_db.clone()),
            (Some(h), None) => {
                let zeniths: Vec<f64> = (0..=4).map(|i| PI * f64::from(i) / 4.0).collect();
                let rows = zeniths.iter().flat_map(|_| &h.gains_db).copied().collect();
                (zeniths, h.angles.clone(), rows)
            }
            (Some(h), Some(v)) => {
                let is_front_only = front_only(v);
                let zeniths = zeniths_of(v);
                let rule = Rule::new(h, v, is_front_only, combination);
                let all = zeniths.iter().flat_map(|zenith| {
                    let rule = &rule;
                    h.angles
                        .iter()
                        .map(move |azimuth| rule.at(*zenith, *azimuth))
                });
                let relative_db = all.collect();
                (zeniths, h.angles.clone(), relative_db)
            }
        };
        let gains_db = relative_db.into_iter().map(|g| gain_db + g).collect();
        Self::from_combined(&zeniths, &azimuths, gains_db)
    }
}

/// Cuts nearer than this where they meet, straight ahead, have one scale, dB: the rounding of data sheets.
const ONE_SCALE_DB: f64 = 0.5;

/// Every zenith at which the cut has a sample in front or behind, and both poles.
fn zeniths_of(vertical: &Cut) -> Vec<f64> {
    /// The difference below which two angles are one sample, radians.
    const SAME: f64 = 1e-6;
    let fold = |angle: f64| {
        let angle = angle.rem_euclid(TAU);
        angle.min(TAU - angle)
    };
    let mut zeniths: Vec<f64> = vertical.angles.iter().map(|a| fold(*a)).collect();
    zeniths.retain(|z| (SAME..=PI - SAME).contains(z));
    zeniths.extend([0.0, PI]);
    zeniths.sort_by(f64::total_cmp);
    zeniths.dedup_by(|b, a| *b - *a < SAME);
    zeniths
}

/// Two cuts and how to combine them.
struct Rule<'a> {
    horizontal: &'a Cut,
    vertical: &'a Cut,
    is_front_only: bool,
    combination: Combination,
    /// The value of the horizontal cut in the direction where the vertical one begins, dB: straight ahead, or its
    /// largest.
    reference_db: f64,
    /// The horizontal cut straight behind, dB.
    behind_db: f64,
    /// The largest value of the vertical cut in front, dB.
    vertical_peak_db: f64,
}

impl<'a> Rule<'a> {
    fn new(
        horizontal: &'a Cut,
        vertical: &'a Cut,
        is_front_only: bool,
        combination: Combination,
    ) -> Self {
        let largest =
            |gains_db: &mut dyn Iterator<Item = f64>| gains_db.fold(f64::NEG_INFINITY, f64::max);
        let front = vertical.angles.iter().zip(&vertical.gains_db);
        let mut front = front.filter(|(a, _)| a.sin() >= 0.0).map(|(_, g)| *g);
        // Cuts that agree where they meet have one scale; else each has its own, with 0 dB in its own peak.
        let ahead_db = horizontal.at(0.0);
        let is_one_scale = (ahead_db - vertical.at(FRAC_PI_2)).abs() <= ONE_SCALE_DB;
        Self {
            horizontal,
            vertical,
            is_front_only,
            combination,
            reference_db: if is_one_scale {
                ahead_db
            } else {
                largest(&mut horizontal.gains_db.iter().copied())
            },
            behind_db: horizontal.at(PI),
            vertical_peak_db: largest(&mut front),
        }
    }

    /// Relative gain, dB.
    fn at(&self, zenith: f64, azimuth: f64) -> f64 {
        // Straight up and down both planes meet, and only the vertical cut has the value there.
        let front_db = self.vertical_at(zenith);
        if (zenith - FRAC_PI_2).abs() >= FRAC_PI_2 {
            return front_db;
        }
        let h_db = self.horizontal.at(azimuth) - self.reference_db;
        // The vertical cut behind takes over from the front as the azimuth turns there.
        let v_db = if self.is_front_only {
            front_db
        } else {
            let behind = ((azimuth + PI).rem_euclid(TAU) - PI).abs() / PI;
            let back_db = self.vertical_at(TAU - zenith) - self.behind_db + self.reference_db;
            front_db * (1.0 - behind) + back_db * behind
        };
        let sum_db = h_db + v_db;
        let (h_db, v_db) = (h_db.min(0.0), (v_db - self.vertical_peak_db).min(0.0));
        let (hor, vert) = (db_to_power(h_db), db_to_power(v_db));
        let weighted_db = self.vertical_peak_db + weighted(h_db, v_db, hor, vert);
        match self.combination {
            Combination::Sum => sum_db,
            Combination::Weighted => weighted_db,
            Combination::Hybrid => {
                // Leonor et al., n = 20.
                let main_lobe = (hor * vert).powf(1.0 / 20.0);
                sum_db * main_lobe + weighted_db * (1.0 - main_lobe)
            }
        }
    }

    /// The vertical cut; the end of a cut of the front alone holds beyond it.
    fn vertical_at(&self, angle: f64) -> f64 {
        if self.is_front_only {
            let last = self.vertical.angles.len() - 1;
            let range = (self.vertical.angles[0], self.vertical.angles[last]);
            return self.vertical.at(angle.clamp(range.0, range.1));
        }
        self.vertical.at(angle)
    }
}

/// `(h w_1 + v w_2) / (w_1^2 + w_2^2)^(1/2)` with `w_1 = vert (1 - hor)` and `w_2 = hor (1 - vert)`.
///
/// # Source
/// T. G. Vasiliadis, A. G. Dimitriou, G. D. Sergiadis, "A Novel Technique for the Approximation of 3-D Antenna Radiation Patterns",
/// IEEE Trans. Antennas Propag. 53(7), 2005, pp. 2212-2219, with k = 2.
fn weighted(h_db: f64, v_db: f64, hor: f64, vert: f64) -> f64 {
    let (w_1, w_2) = (vert * (1.0 - hor), hor * (1.0 - vert));
    let norm = w_1.hypot(w_2);
    if norm > 0.0 {
        (h_db * w_1 + v_db * w_2) / norm
    } else {
        h_db + v_db
    }
}

#[cfg(test)]
mod tests;
