//! Losses that a planner knows as numbers: this wall costs 7 dB.

use std::f64::consts::{LN_2, LN_10};

use crate::Error;
use crate::units::db_to_amplitude;

/// The losses of interactions with a material at every angle and in every polarisation, dB. A loss that is absent
/// follows from the layers of the material.
///
/// A flat transmission has neither phase nor delay, and reflection has the signs of a perfect conductor. Energy is
/// conserved: if only one of both is flat, the other one is weakened until both together are at most the arriving
/// power.
///
/// # Source
/// COST Action 231, "Digital mobile radio towards future generation systems", final report, 1999, section 4.7.2: loss
/// factors of walls. Theory page: `flat-losses`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FlatLosses {
    /// The loss of a passage through the wall, dB. Walls with a loss let waves pass whatever they are made of.
    pub transmission_db: Option<f64>,
    /// The loss of a reflection, dB.
    pub reflection_db: Option<f64>,
    /// The loss of a diffraction at an edge of the wall, dB, in addition to that of the wedge. Each of the two walls of
    /// a wedge adds half of its own. Fields are then no longer continuous at shadow boundaries.
    pub diffraction_db: f64,
}

/// A wall that lets less than this through is opaque, dB.
pub const MAX_FLAT_LOSS_DB: f64 = 200.0;

impl FlatLosses {
    /// Checks every value; `name` is what the error calls the material.
    ///
    /// # Errors
    /// [`Error::MaterialParameter`] for losses outside 0 to 200 dB, and for a reflection and a transmission that
    /// together are more than the arriving power.
    pub fn check(&self, name: &str) -> Result<(), Error> {
        let fail = |parameter, value, accepted| Error::MaterialParameter {
            material: name.to_owned(),
            parameter,
            value,
            accepted,
        };
        for (parameter, value) in [
            ("transmission_loss_db", self.transmission_db.unwrap_or(0.0)),
            ("reflection_loss_db", self.reflection_db.unwrap_or(0.0)),
            ("diffraction_loss_db", self.diffraction_db),
        ] {
            if !(0.0..=MAX_FLAT_LOSS_DB).contains(&value) {
                return Err(fail(parameter, value, "it must be 0 to 200, in dB"));
            }
        }
        if let [Some(reflected), Some(transmitted)] = self.amplitudes()
            && reflected.powi(2) + transmitted.powi(2) > 1.0 + ROUNDING
        {
            return Err(fail(
                "reflection_loss_db",
                self.reflection_db.unwrap_or(0.0),
                "what is reflected and what passes shall not be more than what arrives",
            ));
        }
        Ok(())
    }

    /// These losses, but a reflection loses as much more as energy requires: transmission comes first.
    #[must_use]
    pub fn passive(self) -> Self {
        let (Some(reflection), Some(transmission)) = (self.reflection_db, self.transmission_db)
        else {
            return self;
        };
        Self {
            reflection_db: Some(reflection.max(Self::min_other_loss(transmission))),
            ..self
        }
    }

    /// The smallest loss of a reflection for a loss of transmission, dB, and the other way round: both together are
    /// then the arriving power. At most [`MAX_FLAT_LOSS_DB`].
    pub(crate) fn min_other_loss(loss_db: f64) -> f64 {
        let nepers = loss_db * LN_10 / 10.0;
        // The form is chosen that keeps its digits.
        let left = if nepers > LN_2 {
            (-(-nepers).exp()).ln_1p()
        } else {
            (-(-nepers).exp_m1()).ln()
        };
        (-10.0 / LN_10 * left).min(MAX_FLAT_LOSS_DB)
    }

    /// Amplitudes of reflection and transmission, where they are flat.
    pub(crate) fn amplitudes(&self) -> [Option<f64>; 2] {
        [self.reflection_db, self.transmission_db].map(|loss| loss.map(|db| db_to_amplitude(-db)))
    }
}

/// Losses of 3.01 dB each are 1 in sum.
const ROUNDING: f64 = 1e-3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passive_losses_pass_the_check_and_change_nothing_else() {
        for k in 0..=40 {
            for l in 0..=40 {
                let losses = FlatLosses {
                    transmission_db: Some(0.5 * f64::from(k)),
                    reflection_db: Some(0.5 * f64::from(l)),
                    diffraction_db: 1.0,
                };
                let passive = losses.passive();
                assert_eq!(passive.check("wall"), Ok(()));
                assert_eq!(passive.transmission_db, losses.transmission_db);
                assert!(passive.reflection_db >= losses.reflection_db);
                if losses.check("wall").is_ok() {
                    let more = passive.reflection_db.unwrap() - losses.reflection_db.unwrap();
                    assert!(more < 0.02, "{losses:?}");
                }
            }
        }
    }

    #[test]
    fn the_smallest_losses_of_both_are_each_other_turned_around() {
        for k in 1..=400 {
            let loss = 0.05 * f64::from(k);
            let other = FlatLosses::min_other_loss(loss);
            let sum = [loss, other].map(|db| 10.0_f64.powf(-0.1 * db));
            assert!((sum[0] + sum[1] - 1.0).abs() < 1e-14, "{loss}");
            assert!((FlatLosses::min_other_loss(other) / loss - 1.0).abs() < 1e-12);
        }
        assert_eq!(FlatLosses::min_other_loss(0.0), MAX_FLAT_LOSS_DB);
        assert!(FlatLosses::min_other_loss(MAX_FLAT_LOSS_DB) < 1e-18);
    }

    #[test]
    fn losses_are_checked_at_both_ends_and_as_energy() {
        let check = |reflection_db, transmission_db, diffraction_db| {
            let losses = FlatLosses {
                transmission_db,
                reflection_db,
                diffraction_db,
            };
            losses.check("wall").map_err(|error| error.to_string())
        };
        for good in [0.0, 200.0] {
            assert_eq!(check(None, Some(good), good), Ok(()));
            assert_eq!(check(Some(good), None, 0.0), Ok(()));
        }
        assert_eq!(check(Some(3.01), Some(3.01), 0.0), Ok(()));
        for (bad, key) in [
            (check(None, Some(-0.1), 0.0), "transmission_loss_db = -0.1"),
            (check(Some(200.1), None, 0.0), "reflection_loss_db = 200.1"),
            (check(None, None, f64::NAN), "diffraction_loss_db = NaN"),
            (check(Some(2.0), Some(3.0), 0.0), "more than what arrives"),
        ] {
            let message = bad.unwrap_err();
            assert!(
                message.contains("`wall`") && message.contains(key),
                "{message}"
            );
        }
    }
}
