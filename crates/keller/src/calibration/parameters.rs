//! The parameters that may change, their bounds, and their priors.

use crate::Error;

/// A number that calibration may change.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The name in errors and results.
    pub name: String,
    /// The value at which the search begins, within the bounds.
    pub start: f64,
    /// Least accepted value.
    pub min: f64,
    /// Largest accepted value.
    pub max: f64,
    /// The distribution that is expected of it.
    pub prior: Option<Prior>,
    /// Whether equal factors count as equal steps, as for conductivities. The bounds are then positive.
    pub is_logarithmic: bool,
}

/// A belief: a normal distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// Its mean, in the unit of the parameter.
    pub mean: f64,
    /// Its standard deviation, in the same unit.
    pub deviation: f64,
}

impl Parameter {
    /// Checks that the bounds hold the start, and the prior.
    ///
    /// # Errors
    /// [`Error::Calibration`]
    pub fn check(&self) -> Result<(), Error> {
        let fail = |problem: String| Err(Error::Calibration(format!("{}: {problem}", self.name)));
        let Self {
            start, min, max, ..
        } = *self;
        if !(min.is_finite() && max.is_finite() && min < max) {
            return fail(format!(
                "bounds {min} to {max}; accepted: a smaller number, then a larger one"
            ));
        }
        if !(min..=max).contains(&start) {
            return fail(format!(
                "the start {start} lies outside its bounds {min} to {max}"
            ));
        }
        if self.is_logarithmic && min <= 0.0 {
            return fail(format!(
                "the bound {min}; accepted: a number above 0, because equal factors are equal steps"
            ));
        }
        match self.prior {
            Some(Prior { mean, deviation })
                if !(mean.is_finite() && deviation.is_finite() && deviation > 0.0) =>
            {
                fail(format!(
                    "the prior {mean} with deviation {deviation}; accepted: a number, and a deviation above 0"
                ))
            }
            _ => Ok(()),
        }
    }

    /// The value at a share of the way from one bound to the other.
    pub(super) fn at_between(&self, [min, max]: [f64; 2], share: f64) -> f64 {
        let value = if self.is_logarithmic {
            min * (max / min).powf(share)
        } else {
            min + share * (max - min)
        };
        value.clamp(min, max)
    }

    /// The share of the way at which a value lies; 0 where both bounds are the same.
    pub(super) fn share_between(&self, [min, max]: [f64; 2], value: f64) -> f64 {
        if max <= min {
            return 0.0;
        }
        let share = if self.is_logarithmic {
            (value / min).ln() / (max / min).ln()
        } else {
            (value - min) / (max - min)
        };
        share.clamp(0.0, 1.0)
    }

    /// The value a share of the way farther, within the bounds.
    pub(super) fn moved(&self, value: f64, by: f64) -> f64 {
        let bounds = [self.min, self.max];
        self.at_between(
            bounds,
            (self.share_between(bounds, value) + by).clamp(0.0, 1.0),
        )
    }

    /// The change of the value for a whole way, at a value.
    pub(super) fn slope(&self, value: f64) -> f64 {
        if self.is_logarithmic {
            value * (self.max / self.min).ln()
        } else {
            self.max - self.min
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(min: f64, max: f64, is_logarithmic: bool) -> Parameter {
        Parameter {
            name: "brick permittivity".to_owned(),
            start: min,
            min,
            max,
            prior: None,
            is_logarithmic,
        }
    }

    #[test]
    fn shares_and_values_are_each_other_turned_around() {
        for parameter in [parameter(-2.0, 5.0, false), parameter(1e-4, 3.0, true)] {
            parameter.check().unwrap();
            let bounds = [parameter.min, parameter.max];
            let at = |share| parameter.at_between(bounds, share);
            for k in 0..=10 {
                let share = f64::from(k) / 10.0;
                let value = at(share);
                assert!((parameter.share_between(bounds, value) - share).abs() < 1e-12);
                let step = 1e-6;
                let slope = (parameter.moved(value, step) - value) / step;
                assert!(k == 10 || (slope / parameter.slope(value) - 1.0).abs() < 1e-4);
            }
            assert_eq!((at(0.0), at(1.0)), (parameter.min, parameter.max));
        }
    }

    #[test]
    fn wrong_bounds_starts_and_priors_are_refused_by_name() {
        let good = parameter(1.0, 5.0, true);
        let prior = |mean, deviation| Parameter {
            prior: Some(Prior { mean, deviation }),
            ..good.clone()
        };
        for bad in [
            parameter(2.0, 2.0, false),
            parameter(f64::NAN, 2.0, false),
            parameter(0.0, 2.0, true),
            Parameter {
                start: 6.0,
                ..good.clone()
            },
            prior(3.0, 0.0),
            prior(f64::INFINITY, 1.0),
        ] {
            let message = bad.check().unwrap_err().to_string();
            assert!(message.contains("brick permittivity"), "{message}");
        }
        assert_eq!(prior(9.0, 1.0).check(), Ok(()));
    }
}
