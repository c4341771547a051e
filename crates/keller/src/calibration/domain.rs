//! The values that parameters may take together.
//!
//! A wall reflects and lets through at most the power that arrives. So if both losses of a material may change, the
//! bounds of one follow the other. Searches know nothing of it: they walk between 0 and 1 in each parameter, which is
//! the share of the way from its lower bound to its upper one, and the lower bound of a reflection loss is the smallest
//! one that the loss of transmission leaves. So every choice of shares is one that energy allows, and each of these has
//! its shares.

use super::parameters::Parameter;
use crate::Error;
use crate::materials::FlatLosses;

/// Losses of one wall. Energy ties them: at most as much is reflected and passes as arrives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyTie {
    /// The loss of a passage.
    pub transmission: Loss,
    /// The loss of a reflection.
    pub reflection: Loss,
}

/// A loss, dB.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Loss {
    /// It stays as it is.
    Fixed(f64),
    /// The parameter with this index.
    Parameter(usize),
}

/// Parameters that are this near to an end, as a share of the way between their bounds, are at it: values of calibrated
/// scenarios have six digits.
const AT_BOUND: f64 = 1e-5;

/// The values that parameters may take.
#[derive(Debug)]
pub(super) struct Domain {
    /// The bounds of each parameter, as far as they depend on no other parameter.
    bounds: Vec<[f64; 2]>,
    /// The parameters of a transmission and of a reflection.
    ties: Vec<[usize; 2]>,
}

impl Domain {
    /// # Errors
    /// [`Error::Calibration`] for bounds that energy does not allow.
    pub(super) fn new(parameters: &[Parameter], ties: &[EnergyTie]) -> Result<Self, Error> {
        let mut domain = Self {
            bounds: parameters.iter().map(|p| [p.min, p.max]).collect(),
            ties: Vec::new(),
        };
        let max = |loss: Loss| match loss {
            Loss::Fixed(loss) => loss,
            Loss::Parameter(index) => parameters[index].max,
        };
        for EnergyTie {
            transmission,
            reflection,
        } in ties
        {
            for (own, other) in [(*transmission, *reflection), (*reflection, *transmission)] {
                if let Loss::Parameter(index) = own {
                    let [min, _] = &mut domain.bounds[index];
                    *min = min.max(FlatLosses::min_other_loss(max(other)));
                }
            }
            if let (Loss::Parameter(transmission), Loss::Parameter(reflection)) =
                (*transmission, *reflection)
            {
                domain.ties.push([transmission, reflection]);
            }
        }
        for (parameter, [min, max]) in parameters.iter().zip(&domain.bounds) {
            if min > max {
                return Err(Error::Calibration(format!(
                    "{}: bounds {} to {max}, but the wall's other loss leaves {min:.3} dB or more: what it reflects and what \
                     passes shall not be more than what arrives",
                    parameter.name, parameter.min
                )));
            }
        }
        Ok(domain)
    }

    /// The values at shares of the way between bounds.
    pub(super) fn values(&self, parameters: &[Parameter], shares: &[f64]) -> Vec<f64> {
        let each = parameters.iter().zip(shares).zip(&self.bounds);
        let mut values: Vec<f64> = each
            .map(|((parameter, share), bounds)| parameter.at_between(*bounds, *share))
            .collect();
        for [_, reflection] in &self.ties {
            let bounds = self.bounds_of(*reflection, &values);
            values[*reflection] = parameters[*reflection].at_between(bounds, shares[*reflection]);
        }
        values
    }

    /// The shares at which values lie, or those nearest to them.
    pub(super) fn shares(&self, parameters: &[Parameter], values: &[f64]) -> Vec<f64> {
        let allowed = self.allowed(values.to_vec());
        let each = parameters.iter().enumerate();
        each.map(|(index, parameter)| {
            parameter.share_between(self.bounds_of(index, &allowed), allowed[index])
        })
        .collect()
    }

    /// Values with reflections no stronger than energy allows: transmission comes first.
    pub(super) fn allowed(&self, mut values: Vec<f64>) -> Vec<f64> {
        for (value, [min, max]) in values.iter_mut().zip(&self.bounds) {
            *value = value.clamp(*min, *max);
        }
        for [_, reflection] in &self.ties {
            let [min, max] = self.bounds_of(*reflection, &values);
            values[*reflection] = values[*reflection].clamp(min, max);
        }
        values
    }

    /// The bounds of a parameter, given the values of the others.
    pub(super) fn bounds_of(&self, index: usize, values: &[f64]) -> [f64; 2] {
        let [mut min, max] = self.bounds[index];
        for [transmission, reflection] in &self.ties {
            if *reflection == index {
                min = min.max(FlatLosses::min_other_loss(values[*transmission]));
            }
        }
        [min.min(max), max]
    }

    /// The parameters that are reflections of the same wall as a transmission.
    pub(super) fn tied_reflections(&self, transmission: usize) -> impl Iterator<Item = usize> {
        let ties = self.ties.iter();
        ties.filter(move |[of, _]| *of == transmission)
            .map(|[_, reflection]| *reflection)
    }

    /// The bound at which a parameter is.
    pub(super) fn bound(
        &self,
        parameters: &[Parameter],
        (index, share): (usize, f64),
        values: &[f64],
    ) -> Option<Bound> {
        let [min, _] = self.bounds_of(index, values);
        if share >= 1.0 - AT_BOUND {
            return Some(Bound::Max);
        }
        (share <= AT_BOUND).then_some(if min > parameters[index].min {
            Bound::Energy
        } else {
            Bound::Min
        })
    }
}

/// A bound of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The lower one.
    Min,
    /// The upper one.
    Max,
    /// The smallest loss that energy allows with the wall's other loss.
    Energy,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn losses(bounds: [[f64; 2]; 2]) -> Vec<Parameter> {
        let each = ["transmission", "reflection"].iter().zip(bounds);
        each.map(|(name, [min, max])| Parameter {
            name: (*name).to_owned(),
            start: max,
            min,
            max,
            prior: None,
            is_logarithmic: false,
        })
        .collect()
    }

    fn tie(transmission: Loss, reflection: Loss) -> EnergyTie {
        EnergyTie {
            transmission,
            reflection,
        }
    }

    #[test]
    fn all_shares_are_allowed_and_come_back() {
        let both = tie(Loss::Parameter(0), Loss::Parameter(1));
        for bounds in [
            [[0.0, 30.0], [0.0, 30.0]],
            [[0.0, 200.0], [0.0, 200.0]],
            [[2.0, 9.0], [1.0, 5.0]],
            [[0.1, 4.0], [2.0, 3.0]],
        ] {
            let parameters = losses(bounds);
            let domain = Domain::new(&parameters, &[both]).unwrap();
            for k in 0..=20 {
                for l in 0..=20 {
                    let shares = [k, l].map(|k| f64::from(k) / 20.0);
                    let values = domain.values(&parameters, &shares);
                    let sum: f64 = values.iter().map(|db| 10.0_f64.powf(-0.1 * db)).sum();
                    assert!(sum <= 1.0 + 1e-12, "{values:?}");
                    for (value, [min, max]) in values.iter().zip(bounds) {
                        assert!((min..=max).contains(value), "{values:?}");
                    }
                    let back = domain.shares(&parameters, &values);
                    let again = domain.values(&parameters, &back);
                    for (a, b) in values.iter().zip(again) {
                        assert!((a - b).abs() < 1e-9, "{values:?} {shares:?} {back:?}");
                    }
                    assert_eq!(domain.allowed(values.clone()), values);
                }
            }
        }
    }

    #[test]
    fn what_energy_forbids_is_moved_to_the_border_or_refused() {
        let both = tie(Loss::Parameter(0), Loss::Parameter(1));
        let parameters = losses([[0.0, 30.0], [0.0, 30.0]]);
        let domain = Domain::new(&parameters, &[both]).unwrap();
        let allowed = domain.allowed(vec![3.0, 1.0]);
        assert_eq!(allowed[0], 3.0);
        assert!((allowed[1] - 3.0206).abs() < 1e-3, "{allowed:?}");
        let shares = domain.shares(&parameters, &[3.0, 1.0]);
        let bound = |index: usize| domain.bound(&parameters, (index, shares[index]), &allowed);
        assert_eq!((bound(0), bound(1)), (None, Some(Bound::Energy)));
        // A fixed loss bounds the other one.
        let only = [parameters[0].clone()];
        let fixed = tie(Loss::Parameter(0), Loss::Fixed(6.0));
        let domain = Domain::new(&only, &[fixed]).unwrap();
        assert!((domain.values(&only, &[0.0])[0] - 1.256).abs() < 1e-3);
        let strong = tie(Loss::Parameter(0), Loss::Fixed(0.001));
        let error = Domain::new(&only, &[strong]).unwrap_err().to_string();
        assert!(
            error.contains("transmission") && error.contains("36.378"),
            "{error}"
        );
    }
}
