//! Calibration on measurements that keller makes up: hidden materials come back, and come back as surely as is said.

use keller::antenna::Antenna;
use keller::calibration::{
    AdditiveTable, Background, Bound, Calibrated, Histories, History, MaterialProperty, Model,
    Observation, Optimiser, Parameter, Prior, Quantity, Replay, Settings, calibrate,
    cross_validate, folds_of_places,
};
use keller::comparison::OffsetKind;
use keller::field::PathField;
use keller::materials::{FlatLosses, Material, Medium};
use keller::paths::{Path, Search};
use keller::scene::{MaterialId, Mesh, Scene};
use keller::{Control, DVec3, World};

use crate::common::{Random, add_box, add_polygon, links, world};
use crate::laws::limits;

const HZ: f64 = 947e6;
const NUM_RX: usize = 40;

fn slab(relative_permittivity: f64, conductivity: f64, thickness: f64) -> Material {
    Material::slab(
        Medium::Constant {
            relative_permittivity,
            conductivity,
        },
        thickness,
    )
}

/// Two houses and a sheet at odd angles on the ground, with receivers between and behind them.
struct Street {
    world: World,
    histories: Histories,
}

const NAMES: [&str; 3] = ["ground", "house", "sheet"];

fn street() -> Street {
    let mut mesh = Mesh::default();
    let ground = [[-60., -60.], [60., -60.], [60., 60.], [-60., 60.]];
    add_polygon(
        &mut mesh,
        "ground",
        &ground.map(|[x, y]| DVec3::new(x, y, 0.0)),
    );
    add_box(
        &mut mesh,
        "house",
        DVec3::new(-20.0, 6.0, 0.0),
        DVec3::new(15.0, 16.0, 9.0),
    );
    add_box(
        &mut mesh,
        "house",
        DVec3::new(-18.0, -19.0, 0.0),
        DVec3::new(12.0, -7.0, 12.0),
    );
    let sheet = [
        [20.0, -4.0, 0.0],
        [26.0, 9.0, 0.0],
        [26.0, 9.0, 8.0],
        [20.0, -4.0, 8.0],
    ];
    add_polygon(&mut mesh, "sheet", &sheet.map(DVec3::from_array));
    let scene = Scene::new(&mesh).unwrap();
    let names: Vec<_> = scene.materials().to_vec();
    assert_eq!(names, NAMES, "ids follow the mesh");
    let materials = [
        Material::HalfSpace(Medium::Constant {
            relative_permittivity: 8.0,
            conductivity: 0.02,
        }),
        slab(4.0, 0.03, 0.25),
        slab(3.0, 0.01, 0.08),
    ];
    let world = world(scene, &materials, HZ);
    let tx = [DVec3::new(-31.0, 1.3, 5.2), DVec3::new(33.0, -11.0, 14.0)];
    let mut random = Random(5);
    let rx: Vec<DVec3> = (0..NUM_RX)
        .map(|_| random.point(DVec3::new(-45.0, -40.0, 1.5), DVec3::new(45.0, 45.0, 1.5)))
        .collect();
    let found = links(&world, &tx, &rx, &limits(2, [2, 2, 1, 0]), Search::Complete);
    let histories = (0..2)
        .flat_map(|t| (0..rx.len()).map(move |r| (t, r)))
        .map(|(t, r)| History {
            antennas: [0, 0],
            distance: tx[t].distance(rx[r]),
            paths: found
                .iter()
                .filter(|path| (path.tx, path.rx) == (t, r))
                .cloned()
                .collect(),
        });
    let antenna = || vec![Antenna::default()];
    let histories = Histories::new(
        world.scene(),
        antenna(),
        antenna(),
        histories.collect::<Vec<_>>(),
    );
    Street { world, histories }
}

fn parameter(name: &str, [start, min, max]: [f64; 3]) -> Parameter {
    Parameter {
        name: name.to_owned(),
        start,
        min,
        max,
        prior: None,
        is_logarithmic: name.ends_with("conductivity"),
    }
}

fn material(name: &str, property: MaterialProperty) -> Quantity {
    let index = NAMES.iter().position(|known| *known == name).unwrap();
    Quantity::Material(vec![MaterialId::from_index(index)], property)
}

/// Three parameters, their quantities, and the truth.
fn three() -> (Vec<Parameter>, Vec<Quantity>, [f64; 3]) {
    let parameters = vec![
        parameter("ground permittivity", [8.0, 2.0, 20.0]),
        parameter("house permittivity", [3.0, 2.0, 9.0]),
        parameter("house conductivity", [0.01, 0.001, 0.3]),
    ];
    let quantities = vec![
        material("ground", MaterialProperty::Permittivity),
        material("house", MaterialProperty::Permittivity),
        material("house", MaterialProperty::Conductivity),
    ];
    (parameters, quantities, [14.0, 5.3, 0.06])
}

/// Measurements that a model would give, with an error of so many dB, and an offset for each Tx.
fn measured(
    model: &impl Model,
    truth: &[f64],
    error_db: f64,
    offsets: [f64; 2],
) -> Vec<Observation> {
    let (levels, _) = model.predict(truth).unwrap();
    let mut random = Random(99);
    let half = levels.len() / 2;
    let all = levels
        .iter()
        .enumerate()
        .filter(|(_, level)| level.is_finite());
    all.map(|(prediction, level)| {
        let group = prediction / half;
        Observation {
            prediction,
            measured_db: level + offsets[group] + error_db * random.normal(),
            is_limit: false,
            group,
            deviation_db: 0.0,
        }
    })
    .collect()
}

fn found(
    model: &impl Model,
    parameters: &[Parameter],
    observations: &[Observation],
    settings: Settings,
) -> Calibrated {
    calibrate(
        model,
        parameters,
        observations,
        &settings,
        &Control::default(),
    )
    .unwrap()
}

#[test]
fn a_replay_is_a_fresh_run_to_the_last_bit() {
    let street = street();
    let (_, quantities, truth) = three();
    let replay = Replay::new(&street.world, &street.histories, &quantities);
    let gains = replay.path_gains(&truth).unwrap();
    let (materials, _) = replay.materials(&truth).unwrap();
    assert_eq!(materials[1], slab(truth[1], truth[2], 0.25));
    let fresh = world(street.world.shared_scene().clone(), &materials, HZ);
    let tx = [DVec3::new(-31.0, 1.3, 5.2), DVec3::new(33.0, -11.0, 14.0)];
    let mut random = Random(5);
    let rx: Vec<DVec3> = (0..NUM_RX)
        .map(|_| random.point(DVec3::new(-45.0, -40.0, 1.5), DVec3::new(45.0, 45.0, 1.5)))
        .collect();
    let paths: Vec<Path> = links(&fresh, &tx, &rx, &limits(2, [2, 2, 1, 0]), Search::Complete);
    assert_eq!(paths.len(), gains.len());
    assert!(gains.len() > 500, "{}", gains.len());
    for (path, gain) in paths.iter().zip(gains) {
        let field = PathField::new(path, &fresh);
        assert_eq!(
            field
                .gain(&Antenna::default(), &Antenna::default())
                .to_bits(),
            gain.to_bits()
        );
    }
}

#[test]
fn a_change_of_one_parameter_is_as_good_as_an_evaluation_of_all() {
    let street = street();
    let (_, mut quantities, truth) = three();
    quantities.extend([Quantity::BackgroundLevel, Quantity::BackgroundExponent]);
    let replay = Replay::new(&street.world, &street.histories, &quantities);
    let values = [&truth[..], &[-50.0, 3.0]].concat();
    let (_, state) = replay.predict(&values).unwrap();
    for index in 0..values.len() {
        let mut changed = values.clone();
        changed[index] *= 1.25;
        let quick = replay.predict_changed(&changed, index, &state).unwrap();
        assert_eq!(quick, replay.predict(&changed).unwrap().0, "{index}");
    }
}

#[test]
fn the_table_is_the_replay_at_the_start_and_near_it_elsewhere() {
    let street = street();
    let (parameters, mut quantities, truth) = three();
    quantities.push(material("sheet", MaterialProperty::TransmissionLoss));
    quantities.push(material("house", MaterialProperty::DiffractionLoss));
    let replay = Replay::new(&street.world, &street.histories, &quantities);
    let start: Vec<f64> = parameters
        .iter()
        .map(|p| p.start)
        .chain([4.0, 1.0])
        .collect();
    let gains = replay.path_gains(&start).unwrap();
    let table = AdditiveTable::new(
        &street.world,
        &street.histories,
        &quantities,
        (&start, &gains),
    )
    .unwrap();
    let apart = |values: &[f64]| {
        let [full, quick] = [
            replay.predict(values).unwrap().0,
            table.predict(values).unwrap().0,
        ];
        let both = full.iter().zip(&quick).filter(|(a, _)| a.is_finite());
        let squares: Vec<f64> = both.map(|(a, b)| (a - b).powi(2)).collect();
        (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
    };
    assert!(apart(&start) < 1e-9, "{}", apart(&start));
    // Losses at edges are exact: no angle and no polarisation enters them.
    let at_edges = [&start[..4], &[3.0]].concat();
    assert!(apart(&at_edges) < 1e-6, "{}", apart(&at_edges));
    // What the sheet lets pass also lights its edges less.
    let through = [&start[..3], &[9.0, 3.0]].concat();
    assert!(apart(&through) < 0.3, "{}", apart(&through));
    let far = [&truth[..], &[9.0, 3.0]].concat();
    assert!(apart(&far) < 0.7, "{}", apart(&far));
}

#[test]
fn hidden_materials_are_found_without_error_and_within_their_uncertainty_with_it() {
    let street = street();
    let (parameters, quantities, truth) = three();
    let replay = Replay::new(&street.world, &street.histories, &quantities);
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

/// Standard errors are right if, over many draws of the errors, values spread as they say.
#[test]
fn values_spread_as_their_standard_errors_say() {
    let street = street();
    let parameters = [parameter("ground permittivity", [8.0, 2.0, 30.0])];
    let quantities = [material("ground", MaterialProperty::Permittivity)];
    let replay = Replay::new(&street.world, &street.histories, &quantities);
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

#[test]
fn every_search_ends_near_the_least_squares_and_the_same_on_any_number_of_threads() {
    let street = street();
    let (parameters, quantities, truth) = three();
    let replay = Replay::new(&street.world, &street.histories, &quantities);
    let observations = measured(&replay, &truth, 2.0, [0.0; 2]);
    let start: Vec<f64> = parameters.iter().map(|p| p.start).collect();
    let gains = replay.path_gains(&start).unwrap();
    let table = AdditiveTable::new(
        &street.world,
        &street.histories,
        &quantities,
        (&start, &gains),
    )
    .unwrap();
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
    let replay = Replay::new(&street.world, &street.histories, &quantities);
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
            .all(|e| e.standard_error.is_none() && e.effect_db > 1.0)
    );
}

/// A level and nothing else: everything is known in closed form.
struct Level(usize);

impl Model for Level {
    type State = ();
    fn predict(&self, values: &[f64]) -> Result<(Vec<f64>, ()), keller::Error> {
        Ok((vec![values[0]; self.0], ()))
    }
}

fn observation(prediction: usize, measured_db: f64) -> Observation {
    Observation {
        prediction,
        measured_db,
        is_limit: false,
        group: 0,
        deviation_db: 0.0,
    }
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
    let replay = Replay::new(&street.world, &street.histories, &quantities);
    let start: Vec<f64> = parameters.iter().map(|p| p.start).collect();
    let gains = replay.path_gains(&start).unwrap();
    let replay = AdditiveTable::new(
        &street.world,
        &street.histories,
        &quantities,
        (&start, &gains),
    )
    .unwrap();
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

#[test]
fn a_background_falls_as_it_is_told_and_adds_to_paths() {
    let background = Background {
        level_db: -40.0,
        exponent: 3.0,
    };
    assert!((background.gain(1.0) / 1e-4 - 1.0).abs() < 1e-12);
    assert!((background.gain(100.0) / 1e-10 - 1.0).abs() < 1e-12);
    assert_eq!(background.gain(0.1), background.gain(1.0));
    let street = street();
    let quantities = [Quantity::BackgroundLevel];
    let replay = Replay::new(&street.world, &street.histories, &quantities);
    let lit = replay.clone().with_background(Some(background));
    let [without, with] = [replay.predict(&[-300.0]), lit.predict(&[-40.0])].map(|p| p.unwrap().0);
    let raised = without.iter().zip(&with).filter(|(a, b)| b > a).count();
    assert!(raised > 60, "{raised}");
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
    let replay = Replay::new(&street.world, &street.histories, &quantities);
    assert!(replay.predict(&[0.1]).is_ok());
    let conductor = Material::HalfSpace(Medium::PerfectConductor);
    let frequency = street.world.frequency();
    let wrong = MaterialProperty::Permittivity
        .put(&conductor, 3.0, frequency)
        .unwrap_err();
    assert!(wrong.to_string().contains("not one layer"), "{wrong}");
}

#[test]
fn every_property_is_read_as_it_was_put() {
    let frequency = keller::Frequency::from_hz(HZ).unwrap();
    let wall = slab(4.0, 0.03, 0.25);
    for (name, property) in MaterialProperty::NAMES {
        assert_eq!(property.name(), name);
        let value = if name == "permittivity" { 2.5 } else { 0.125 };
        let put = property.put(&wall, value, frequency).unwrap();
        assert_eq!(property.of(&put, frequency).unwrap(), Some(value), "{name}");
        for (other_name, other) in MaterialProperty::NAMES {
            if other != property {
                let [before, after] = [&wall, &put].map(|wall| other.of(wall, frequency).unwrap());
                assert_eq!(before, after, "{name} changes {other_name}");
            }
        }
    }
    let both = wall.with_flat_losses(FlatLosses {
        transmission_db: Some(1.0),
        reflection_db: Some(1.0),
        diffraction_db: 0.0,
    });
    assert!(both.check("wall").is_err());
}
