//! Paths evaluated again are the paths of a fresh run.

use keller::DVec3;
use keller::antenna::Antenna;
use keller::calibration::{
    AdditiveTable, Background, MaterialProperty, Model, PowerBeside, Quantity, Replay,
};
use keller::field::PathField;
use keller::materials::FlatLosses;
use keller::paths::{Path, Search};

use super::{HZ, NUM_RX, material, slab, street, three};
use crate::common::{Random, links, world};
use crate::laws::limits;

#[test]
fn a_replay_is_a_fresh_run_to_the_last_bit() {
    let street = street();
    let (_, quantities, truth) = three();
    let replay = Replay::new(&street.world, &street.traced, &quantities);
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
    let replay = Replay::new(&street.world, &street.traced, &quantities);
    let values = [&truth[..], &[-50.0, 3.0]].concat();
    let (_, state) = replay.predict(&values).unwrap();
    for index in 0..values.len() {
        let mut changed = values.clone();
        changed[index] *= 1.25;
        let quick = replay.predict_changed(&changed, &[index], &state).unwrap();
        assert_eq!(quick, replay.predict(&changed).unwrap().0, "{index}");
    }
}

#[test]
fn the_table_is_the_replay_at_the_start_and_near_it_elsewhere() {
    let street = street();
    let (parameters, mut quantities, truth) = three();
    quantities.push(material("sheet", MaterialProperty::TransmissionLoss));
    quantities.push(material("house", MaterialProperty::DiffractionLoss));
    let replay = Replay::new(&street.world, &street.traced, &quantities);
    let start: Vec<f64> = parameters
        .iter()
        .map(|p| p.start)
        .chain([4.0, 1.0])
        .collect();
    let gains = replay.path_gains(&start).unwrap();
    let table =
        AdditiveTable::new(&street.world, &street.traced, &quantities, (&start, &gains)).unwrap();
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
    // The edges of the sheet are illuminated less by the power that passes it.
    let through = [&start[..3], &[9.0, 3.0]].concat();
    assert!(apart(&through) < 0.3, "{}", apart(&through));
    let far = [&truth[..], &[9.0, 3.0]].concat();
    assert!(apart(&far) < 0.7, "{}", apart(&far));
}

#[test]
fn power_beside_paths_adds_to_them_in_both_replays() {
    let street = street();
    let (parameters, quantities, _) = three();
    let start: Vec<f64> = parameters.iter().map(|p| p.start).collect();
    let replay = Replay::new(&street.world, &street.traced, &quantities);
    let (without, gains) = replay.predict(&start).unwrap();
    let beside = PowerBeside {
        gains: (0..without.len())
            .map(|k| 1e-9 * (1 + k % 3) as f64)
            .collect(),
        values: start.clone(),
        slopes: vec![vec![0.1; without.len()]; 3],
    };
    let at = (&start[..], &gains[..]);
    let table = AdditiveTable::new(&street.world, &street.traced, &quantities, at).unwrap();
    let table = table.with_power_beside(beside.clone());
    let replay = replay.with_power_beside(beside.clone());
    let mut values = start.clone();
    values[0] += 2.0;
    let power = |level: f64| {
        if level.is_finite() {
            10.0_f64.powf(level / 10.0)
        } else {
            0.0
        }
    };
    let (of_start, state) = replay.predict(&start).unwrap();
    let (with_table, ()) = table.predict(&start).unwrap();
    for (index, level) in without.iter().enumerate() {
        let expected = power(*level) + beside.gains[index];
        for found in [of_start[index], with_table[index]] {
            assert!((power(found) / expected - 1.0).abs() < 1e-9, "{index}");
        }
    }
    assert_eq!(
        replay.predict_changed(&values, &[0], &state).unwrap(),
        replay.predict(&values).unwrap().0
    );
    let plain = Replay::new(&street.world, &street.traced, &quantities);
    let [of_paths, all] = [&plain, &replay].map(|model| model.predict(&values).unwrap().0);
    for (index, gain) in beside.gains.iter().enumerate() {
        let expected = power(of_paths[index]) + gain * 0.2_f64.exp();
        assert!((power(all[index]) / expected - 1.0).abs() < 1e-9, "{index}");
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
    let replay = Replay::new(&street.world, &street.traced, &quantities);
    let lit = replay.clone().with_background(Some(background));
    let [without, with] = [replay.predict(&[-300.0]), lit.predict(&[-40.0])].map(|p| p.unwrap().0);
    let raised = without.iter().zip(&with).filter(|(a, b)| b > a).count();
    assert!(raised > 60, "{raised}");
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
