//! The uncertainty of a calibration, in words.

use keller::calibration::{Bound, Estimate, OtherMinimum, Parameter};

use super::{CalibrationSummary, is_idle, number};

/// The correlation above which the errors of two parameters cannot be separated.
const ALIKE: f64 = 0.95;

/// The standard error, as a share of the way between bounds, above which a value says little.
const UNSURE: f64 = 0.25;

impl CalibrationSummary {
    /// Remarks for a reader of the numbers, a sentence each.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.calibrated.is_stopped {
            remarks.push("the search was stopped: these are the best parameters so far".to_owned());
        }
        if self.num_unreached > 0 {
            remarks.push(format!(
                "{} measurements had no part: no path arrives there; more reflections, diffractions or transmissions in [paths] find more",
                self.num_unreached
            ));
        }
        let estimates = &self.calibrated.estimates;
        let known = estimates
            .iter()
            .filter(|e| e.standard_error.is_some())
            .count();
        let wanted = estimates
            .iter()
            .filter(|e| !is_idle(e) && e.bound.is_none());
        let names: Vec<&str> = wanted.map(|e| &*e.name).collect();
        if known == 0 && names.len() > 1 {
            remarks.push(format!(
                "these measurements cannot tell {} apart: other values of them together fit as well",
                listed(&names)
            ));
        }
        let both = estimates.iter().zip(&self.parameters);
        remarks.extend(both.filter_map(|(e, parameter)| of_one(e, parameter)));
        remarks.extend(self.alike());
        remarks.extend(self.others());
        if let Some(statistics) = self.folds.as_ref().and_then(|folds| folds.statistics) {
            let folds = self
                .folds
                .as_ref()
                .map_or(("", 0), |folds| (folds.by, folds.count));
            remarks.push(format!(
                "left out of the fit, by {} in {} folds, measurements are predicted with an RMSE of {:.2} dB (standard deviation {:.2} dB)",
                folds.0, folds.1, statistics.rmse, statistics.standard_deviation
            ));
        }
        remarks
    }

    /// A remark about other minima that the noise allows.
    fn others(&self) -> Option<String> {
        let calibrated = &self.calibrated;
        let one = |other: &OtherMinimum| {
            let both = calibrated.estimates.iter().zip(&other.values);
            let values: Vec<String> = both
                .filter(|(estimate, value)| {
                    let (value, best) = (number(**value), number(estimate.value));
                    value != best && !is_idle(estimate)
                })
                .map(|(estimate, value)| format!("{} {}", estimate.name, number(*value)))
                .collect();
            let values = listed(&values.iter().map(String::as_str).collect::<Vec<_>>());
            format!("{values} (RMSE {:.3} dB)", other.rmse)
        };
        let all: Vec<String> = calibrated.others.iter().map(one).collect();
        (!all.is_empty()).then(|| {
            format!(
                "other values fit as well within the noise, and the standard errors know nothing of them: {}; more measurements, narrower ranges or a prior decide between them and {:.3} dB here",
                all.join("; "),
                calibrated.rmse
            )
        })
    }

    /// Remarks about pairs of parameters that cannot be separated.
    fn alike(&self) -> Vec<String> {
        let calibrated = &self.calibrated;
        let mut pairs = Vec::new();
        for (i, row) in calibrated.correlations.iter().enumerate() {
            for (j, correlation) in row.iter().enumerate().skip(i + 1) {
                if correlation.abs() > ALIKE {
                    let [a, b] = [i, j].map(|k| &calibrated.estimates[k].name);
                    pairs.push(format!(
                        "{a} and {b} cannot be told apart by these measurements (correlation {correlation:.2}): {}",
                        if *correlation < 0.0 {
                            "more of one and less of the other fits as well"
                        } else {
                            "more of both, or less of both, fits as well"
                        }
                    ));
                }
            }
        }
        pairs
    }
}

/// The remark about one parameter, if there is one.
fn of_one(estimate: &Estimate, parameter: &Parameter) -> Option<String> {
    let name = &estimate.name;
    let value = number(estimate.value);
    let range = parameter.max - parameter.min;
    let has_moved = value != number(parameter.start);
    if is_idle(estimate) && !has_moved {
        let how = if estimate.effect_db <= Estimate::MIN_EFFECT_DB {
            "nothing that was measured depends"
        } else {
            "what was measured hardly depends"
        };
        return Some(format!("{how} on {name}: it stays at {value}"));
    }
    let beyond =
        "a value beyond it may fit better, or it stands in for something that the scene lacks";
    match estimate.bound {
        Some(Bound::Min) => {
            return Some(format!("{name} ends at its lower bound {value}: {beyond}"));
        }
        Some(Bound::Max) => {
            return Some(format!("{name} ends at its upper bound {value}: {beyond}"));
        }
        Some(Bound::Energy) => {
            return Some(format!(
                "{name} ends at {value}, the smallest loss that energy allows beside the wall's other one (both together are all that \
                 arrives): a smaller one would fit better, by noise or in place of something that the scene lacks"
            ));
        }
        None => {}
    }
    if is_idle(estimate) {
        return Some(format!(
            "what was measured hardly depends on {name} near {value}, but it fits worse where it began ({})",
            number(parameter.start)
        ));
    }
    let error = estimate
        .standard_error
        .filter(|error| *error > UNSURE * range)?;
    Some(format!(
        "these measurements say little about {name}: its standard error is {}, its range {}",
        number(error),
        number(range)
    ))
}

/// The list `a, b and c` of names.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use keller::calibration::{Calibrated, Optimiser};
    use keller::comparison::Offsets;

    use super::*;

    fn summary(estimates: Vec<Estimate>, correlation: f64) -> CalibrationSummary {
        let parameters = estimates.iter().map(|estimate| Parameter {
            name: estimate.name.clone(),
            start: 3.0,
            min: 2.0,
            max: 12.0,
            prior: None,
            is_logarithmic: false,
        });
        CalibrationSummary {
            parameters: parameters.collect(),
            calibrated: Calibrated {
                correlations: vec![vec![1.0, correlation], vec![correlation, 1.0]],
                estimates,
                offsets: Offsets::PerGroup(vec![1.5, 0.0]),
                rmse_before: 9.0,
                rmse: 5.0,
                cost: 125.0,
                others: Vec::new(),
                predictions: Vec::new(),
                progress: Vec::new(),
                evaluations: 1,
                is_stopped: false,
            },
            tx: vec!["mast".to_owned(), "roof".to_owned()],
            optimiser: Optimiser::default(),
            folds: None,
            num_paths: 10,
            num_observations: 5,
            num_unreached: 0,
        }
    }

    fn estimate(name: &str, standard_error: Option<f64>) -> Estimate {
        Estimate {
            name: name.to_owned(),
            value: 5.0,
            standard_error,
            effect_db: 3.0,
            bound: None,
        }
    }

    #[test]
    fn what_is_sure_needs_no_words_and_what_is_not_has_them() {
        let both = || {
            vec![
                estimate("brick permittivity", Some(0.2)),
                estimate("ground permittivity", Some(0.3)),
            ]
        };
        assert_eq!(summary(both(), 0.5).remarks(), [""; 0]);
        let told = summary(both(), -0.97).remarks();
        assert!(
            told.len() == 1
                && told[0]
                    .contains("brick permittivity and ground permittivity cannot be told apart"),
            "{told:?}"
        );
        let mut unsure = both();
        unsure[0].standard_error = Some(4.0);
        unsure[1].bound = Some(Bound::Max);
        let told = summary(unsure, 0.0).remarks();
        assert!(
            told[0].contains("say little about brick permittivity")
                && told[1].contains("upper bound 5"),
            "{told:?}"
        );
        let mut idle = both();
        idle[1] = Estimate {
            value: 3.0,
            effect_db: 0.0,
            standard_error: None,
            ..idle[1].clone()
        };
        let told = summary(idle, 0.0).remarks();
        assert!(
            told[0].contains("nothing that was measured depends on ground permittivity"),
            "{told:?}"
        );
        let lost = vec![estimate("a", None), estimate("b", None)];
        let told = summary(lost, 0.0).remarks();
        assert!(told[0].contains("cannot tell a and b apart"), "{told:?}");
    }

    #[test]
    fn bounds_of_energy_and_other_minima_are_told() {
        let estimates = || {
            vec![
                estimate("q reflection_loss_db", None),
                estimate("b", Some(0.1)),
            ]
        };
        let mut both = estimates();
        both[0].bound = Some(Bound::Energy);
        let told = summary(both, 0.0).remarks();
        assert!(
            told.len() == 1
                && told[0]
                    .contains("q reflection_loss_db ends at 5, the smallest loss that energy"),
            "{told:?}"
        );
        let mut several = summary(estimates(), 0.0);
        several.calibrated.others = vec![OtherMinimum {
            values: vec![7.0, 5.0],
            rmse: 5.0625,
        }];
        let told = several.remarks();
        assert!(
            told.len() == 1
                && told[0].contains("know nothing of them: q reflection_loss_db 7 (RMSE 5.06"),
            "{told:?}"
        );
    }

    #[test]
    fn rows_have_parameters_and_offsets() {
        let rows = summary(
            vec![estimate("a", Some(0.012_345)), estimate("b", None)],
            0.0,
        )
        .rows();
        assert_eq!(rows[0], ["a", "5", "0.01235", "3", "2 .. 12", "3.00"]);
        assert_eq!(rows[1][2], "-");
        assert_eq!(
            rows[2][..2],
            ["offset of Tx mast / dB".to_owned(), "1.50".to_owned()]
        );
        assert!(
            rows.iter()
                .all(|row| row.len() == CalibrationSummary::HEADER.len())
        );
    }
}
