//! The uncertainty of values is reported rightly.

use keller::Control;
use keller::calibration::{
    AdditiveTable, Bound, MaterialProperty, Model, Observation, Optimiser, Parameter, Prior,
    Quantity, Replay, Settings, cross_validate, folds_of_places,
};
use keller::comparison::OffsetKind;

use super::{Level, NUM_RX, found, material, measured, observation, parameter, street, three};
use crate::common::Random;

/// Standard errors are right if, over many draws of the errors, values spread as they say.
#[test]
fn values_spread_as_their_standard_errors_say() {
    let street = street();
    let parameters = [parameter("ground permittivity", [8.0, 2.0, 30.0])];
    let quantities = [material("ground", MaterialProperty::Permittivity)];
    let replay = Replay::new(&street.world, &street.traced, &quantities);
    let (levels, _) = replay.predict(&[12.0]).unwrap();
    let mut random = Random(1);
    let draws = 40;
    let squares: Vec<f64> = (0..draws)
        .map(|_| {
            let all = levels
                .iter()
                .enumerate()
                .filter(|(_, level)| level.is_finite());
            let observations: Vec<Observation> = all
                .map(|(prediction, level)| Observation {
                    prediction,
                    // Little, so that predictions are straight over the spread of values.
                    measured_db: level + 0.3 * random.normal(),
                    is_limit: false,
                    group: 0,
                    deviation_db: 0.0,
                })
                .collect();
            let settings = Settings {
                optimiser: Optimiser::LevenbergMarquardt {
                    max_steps: 20,
                    starts: 1,
                },
                ..Settings::default()
            };
            let result = found(&replay, &parameters, &observations, settings);
            let [estimate] = &result.estimates[..] else {
                panic!("one parameter")
            };
            ((estimate.value - 12.0) / estimate.standard_error.unwrap()).powi(2)
        })
        .collect();
    let mean = squares.iter().sum::<f64>() / f64::from(draws);
    assert!((0.55..1.6).contains(&mean), "{mean}");
}

/// An effect that vanishes where the parameter is large.
struct Vanishing;

impl Model for Vanishing {
    type State = ();
    fn predict(&self, values: &[f64]) -> Result<(Vec<f64>, ()), keller::Error> {
        let effect = (-values[0]).exp();
        Ok(((0..9).map(|k| f64::from(k) * effect).collect(), ()))
    }
}

/// A tangent says too little there: the truth lies within two standard errors as often as it should.
#[test]
fn errors_grow_where_predictions_bend() {
    let parameters = [parameter("fading", [2.0, 0.0, 12.0])];
    let truth = 3.0;
    let (levels, ()) = Vanishing.predict(&[truth]).unwrap();
    let mut random = Random(8);
    let (mut within, mut told) = (0, 0);
    for _ in 0..300 {
        let all = levels.iter().enumerate();
        let observations: Vec<Observation> = all
            .map(|(prediction, level)| observation(prediction, level + 0.4 * random.normal()))
            .collect();
        let result = found(&Vanishing, &parameters, &observations, Settings::default());
        let estimate = &result.estimates[0];
        if estimate.bound.is_none() {
            told += 1;
            let error = estimate.standard_error.unwrap();
            within += u32::from((estimate.value - truth).abs() < 2.0 * error);
        }
    }
    assert!(told > 150, "{told}");
    assert!(within * 100 > 92 * told, "{within} of {told}");
}

/// Two parameters of which only the sum counts.
struct Sum;

impl Model for Sum {
    type State = ();
    fn predict(&self, values: &[f64]) -> Result<(Vec<f64>, ()), keller::Error> {
        Ok((
            (0..5)
                .map(|k| (values[0] + values[1]) * f64::from(k))
                .collect(),
            (),
        ))
    }
}

#[test]
fn what_nothing_depends_on_and_what_cannot_be_told_apart_is_said() {
    let street = street();
    let (mut parameters, mut quantities, _) = three();
    // Scattering matters to no path here, and the two losses of the sheet only to paths through it.
    parameters.push(parameter("house scattering", [0.3, 0.0, 0.5]));
    quantities.push(Quantity::Material(vec![], MaterialProperty::Scattering));
    let replay = Replay::new(&street.world, &street.traced, &quantities);
    let truth = [14.0, 5.3, 0.06, 0.2];
    let observations = measured(&replay, &truth, 1.0, [0.0; 2]);
    let result = found(&replay, &parameters, &observations, Settings::default());
    let last = result.estimates.last().unwrap();
    assert_eq!((last.standard_error, last.value), (None, 0.3));
    assert!(last.effect_db < 1e-6);
    assert!(result.estimates[0].standard_error.is_some());
    assert!((result.correlations[1][1] - 1.0).abs() < 1e-12);
    assert_eq!(result.correlations[3], [0.0; 4]);

    let twins = ["a", "b"].map(|name| parameter(name, [1.0, 0.0, 10.0]));
    let observations: Vec<Observation> = (0..5_u8)
        .map(|k| Observation {
            prediction: usize::from(k),
            measured_db: 3.0 * f64::from(k),
            is_limit: false,
            group: 0,
            deviation_db: 0.0,
        })
        .collect();
    let result = found(&Sum, &twins, &observations, Settings::default());
    assert!(result.rmse < 1e-6);
    assert!(
        result
            .estimates
            .iter()
            .all(|e| e.standard_error.is_none() && e.effect_db > 1.0),
        "{:?}",
        result.estimates
    );
}

#[test]
fn limits_priors_and_deviations_weigh_as_they_should() {
    let level = |prior| {
        [Parameter {
            prior,
            ..parameter("level", [-50.0, -200.0, 0.0])
        }]
    };
    let value = |parameters: &[Parameter], observations: &[Observation]| {
        found(&Level(4), parameters, observations, Settings::default()).estimates[0].clone()
    };
    let two = [observation(0, -90.0), observation(1, -94.0)];
    let plain = value(&level(None), &two);
    assert!((plain.value + 92.0).abs() < 1e-6);
    // The standard error of a mean of two with a spread of 2 each side: sqrt(8 / 1 / 2).
    assert!(
        (plain.standard_error.unwrap() - 2.0).abs() < 1e-6,
        "{plain:?}"
    );
    // A limit below the level pulls it down as a measurement does; one above it does nothing.
    let limit = |at| Observation {
        is_limit: true,
        ..observation(2, at)
    };
    let kept = value(&level(None), &[two[0], two[1], limit(-80.0)]);
    assert!((kept.value + 92.0).abs() < 1e-6);
    let broken = value(&level(None), &[two[0], two[1], limit(-98.0)]);
    assert!((broken.value + 94.0).abs() < 1e-6, "{broken:?}");
    // A prior with the deviation of errors counts as one measurement.
    let prior = Prior {
        mean: -80.0,
        deviation: 6.0,
    };
    let pulled = value(&level(Some(prior)), &two);
    assert!((pulled.value + 88.0).abs() < 1e-6, "{pulled:?}");
    // A measurement whose own deviation is sqrt(3) times the expected error has a quarter of the weight.
    let unsure = Observation {
        deviation_db: 6.0 * 3.0_f64.sqrt(),
        ..two[1]
    };
    let weighed = value(&level(None), &[two[0], unsure]);
    assert!((weighed.value + 90.8).abs() < 1e-6, "{weighed:?}");
    let high = [parameter("level", [-95.0, -100.0, -90.0])];
    assert_eq!(value(&high, &two).bound, None);
    let low = [parameter("level", [-80.0, -91.0, -60.0])];
    assert_eq!(value(&low, &two).bound, Some(Bound::Min));
}

#[test]
fn what_is_left_out_of_a_fold_has_no_part_in_its_prediction() {
    let street = street();
    let (parameters, quantities, truth) = three();
    let replay = Replay::new(&street.world, &street.traced, &quantities);
    let start: Vec<f64> = parameters.iter().map(|p| p.start).collect();
    let gains = replay.path_gains(&start).unwrap();
    let replay =
        AdditiveTable::new(&street.world, &street.traced, &quantities, (&start, &gains)).unwrap();
    let observations = measured(&replay, &truth, 2.0, [4.0, 0.0]);
    let places = folds_of_places(NUM_RX, 4, 1);
    let counts = (0..4).map(|fold| places.iter().filter(|of| **of == fold).count());
    assert!(counts.eq([NUM_RX / 4; 4]));
    let folds: Vec<usize> = observations
        .iter()
        .map(|o| places[o.prediction % NUM_RX])
        .collect();
    let settings = Settings {
        offsets: OffsetKind::PerGroup,
        ..Settings::default()
    };
    let judge = |observations: &[Observation]| {
        let control = Control::default();
        cross_validate(
            &replay,
            &parameters,
            observations,
            &folds,
            &settings,
            &control,
        )
        .unwrap()
    };
    let (predicted, found) = judge(&observations);
    assert_eq!(found.len(), 4);
    let squares = observations.iter().zip(&predicted);
    let squares: f64 = squares.map(|(o, p)| (o.measured_db - p).powi(2)).sum();
    let rmse = (squares / observations.len() as f64).sqrt();
    assert!((1.7..2.5).contains(&rmse), "{rmse}");
    let mut changed = observations.clone();
    changed[10].measured_db += 40.0;
    let (other, _) = judge(&changed);
    assert_eq!(other[10], predicted[10]);
    assert_ne!(other, predicted);
    let one = cross_validate(
        &replay,
        &parameters,
        &observations,
        &vec![0; observations.len()],
        &settings,
        &Control::default(),
    );
    assert!(one.unwrap_err().to_string().contains("less than two folds"));
}
