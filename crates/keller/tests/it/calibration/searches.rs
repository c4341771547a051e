//! Every search ends at the least squares, and a wrong request is one error.

use keller::Control;
use keller::calibration::{
    AdditiveTable, MaterialProperty, Model, Observation, Optimiser, Parameter, Replay, Settings,
    calibrate,
};
use keller::comparison::OffsetKind;
use keller::materials::{Material, Medium};

use super::{Level, found, material, measured, observation, parameter, street, three};

#[test]
fn hidden_materials_are_found_without_error_and_within_their_uncertainty_with_it() {
    let street = street();
    let (parameters, quantities, truth) = three();
    let replay = Replay::new(&street.world, &street.traced, &quantities);
    let exact = measured(&replay, &truth, 0.0, [0.0; 2]);
    let result = found(&replay, &parameters, &exact, Settings::default());
    assert!(result.rmse < 1e-4 && result.rmse_before > 1.0, "{result:?}");
    for (estimate, truth) in result.estimates.iter().zip(truth) {
        assert!((estimate.value / truth - 1.0).abs() < 1e-3, "{estimate:?}");
    }
    for (offsets, of_tx) in [
        (OffsetKind::None, [0.0; 2]),
        (OffsetKind::PerGroup, [7.0, -3.0]),
    ] {
        let noisy = measured(&replay, &truth, 3.0, of_tx);
        let settings = Settings {
            offsets,
            ..Settings::default()
        };
        let result = found(&replay, &parameters, &noisy, settings);
        assert!((result.rmse / 3.0 - 1.0).abs() < 0.15, "{}", result.rmse);
        for (estimate, truth) in result.estimates.iter().zip(truth) {
            let error = estimate.standard_error.unwrap();
            // A linear view of a conductivity that spans decades is a rough one.
            assert!(
                (estimate.value - truth).abs() < 3.0 * error,
                "{estimate:?}, {truth}"
            );
        }
        if offsets == OffsetKind::PerGroup {
            assert!(
                (result.offsets.of(0) - 7.0).abs() < 1.5,
                "{:?}",
                result.offsets
            );
            assert!(
                (result.offsets.of(1) + 3.0).abs() < 1.5,
                "{:?}",
                result.offsets
            );
        }
    }
}

#[test]
fn every_search_ends_near_the_least_squares_and_the_same_on_any_number_of_threads() {
    let street = street();
    let (parameters, quantities, truth) = three();
    let replay = Replay::new(&street.world, &street.traced, &quantities);
    let observations = measured(&replay, &truth, 2.0, [0.0; 2]);
    let start: Vec<f64> = parameters.iter().map(|p| p.start).collect();
    let gains = replay.path_gains(&start).unwrap();
    let table =
        AdditiveTable::new(&street.world, &street.traced, &quantities, (&start, &gains)).unwrap();
    let best = found(&table, &parameters, &observations, Settings::default());
    for (optimiser, most) in [
        (
            Optimiser::Genetic {
                generations: 150,
                population: 20,
                seed: 3,
            },
            1.002,
        ),
        (
            Optimiser::Annealing {
                evaluations: 3000,
                seed: 3,
            },
            1.002,
        ),
        (
            Optimiser::Random {
                evaluations: 3000,
                seed: 3,
            },
            1.03,
        ),
    ] {
        let settings = Settings {
            optimiser,
            ..Settings::default()
        };
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| found(&table, &parameters, &observations, settings))
        };
        let result = run(1);
        assert!(
            result.rmse <= most * best.rmse,
            "{optimiser:?}: {} {}",
            result.rmse,
            best.rmse
        );
        let falls = result
            .progress
            .windows(2)
            .all(|pair| pair[0].evaluations <= pair[1].evaluations);
        assert!(falls && result.progress.len() > 3);
        assert_eq!(result, run(2));
    }
}

#[test]
fn a_stopped_search_keeps_the_best() {
    let stop = std::sync::atomic::AtomicBool::new(true);
    let control = Control {
        cancelled: Some(&stop),
        ..Control::default()
    };
    let parameters = [parameter("level", [-50.0, -200.0, 0.0])];
    for optimiser in [
        Optimiser::default(),
        Optimiser::Genetic {
            generations: 10,
            population: 5,
            seed: 1,
        },
        Optimiser::Annealing {
            evaluations: 100,
            seed: 1,
        },
        Optimiser::Random {
            evaluations: 100,
            seed: 1,
        },
    ] {
        let settings = Settings {
            optimiser,
            ..Settings::default()
        };
        let observations = [observation(0, -90.0)];
        let result = calibrate(&Level(1), &parameters, &observations, &settings, &control).unwrap();
        assert!(result.is_stopped && result.rmse <= 40.0);
    }
}

/// A model without a parameter: always -50 dB.
struct Nothing;

impl Model for Nothing {
    type State = ();
    fn predict(&self, _: &[f64]) -> Result<(Vec<f64>, ()), keller::Error> {
        Ok((vec![-50.0; 2], ()))
    }
}

#[test]
fn wrong_input_is_one_clear_error() {
    let parameters = [parameter("level", [-50.0, -200.0, 0.0])];
    let error = |parameters: &[Parameter], observations: &[Observation], settings: Settings| {
        let result = calibrate(
            &Level(1),
            parameters,
            observations,
            &settings,
            &Control::default(),
        );
        result.unwrap_err().to_string()
    };
    let plain = Settings::default();
    let one = [observation(0, -90.0)];
    assert!(error(&[], &one, plain).contains("no parameter"));
    let offset = Settings {
        offsets: OffsetKind::One,
        ..plain
    };
    // The offset alone is the mean of the differences.
    let two = [observation(0, -90.0), observation(1, -94.0)];
    let result = found(&Nothing, &[], &two, offset);
    assert!((result.offsets.of(0) + 42.0).abs() < 1e-9 && (result.rmse - 2.0).abs() < 1e-9);
    assert!(result.estimates.is_empty());
    let limit = Observation {
        is_limit: true,
        ..one[0]
    };
    assert!(error(&parameters, &[limit], plain).contains("above the receiver's noise"));
    let settings = Settings {
        error_db: 0.0,
        ..plain
    };
    assert!(error(&parameters, &one, settings).contains("positive"));
    let street = street();
    let quantities = [material("house", MaterialProperty::Thickness)];
    let replay = Replay::new(&street.world, &street.traced, &quantities);
    assert!(replay.predict(&[0.1]).is_ok());
    let conductor = Material::HalfSpace(Medium::PerfectConductor);
    let frequency = street.world.frequency();
    let wrong = MaterialProperty::Permittivity
        .put(&conductor, 3.0, frequency)
        .unwrap_err();
    assert!(wrong.to_string().contains("not one layer"), "{wrong}");
}
