//! Losses of beams found again: recorded paths give the gains of maps, and a fit finds the losses that a map was made with.

use keller::calibration::{BendLosses, LossKind, Observation, Settings as Fit, calibrate};
use keller::coverage::beams::{Beams, Combination, Losses, Settings, Through};
use keller::units::power_to_db;
use keller::{Control, DVec3};

use crate::beams_exact::{cells, town};
use crate::beams_paths::{BARE, LOSSES, tx};

/// Other losses, none of them those of [`LOSSES`].
const OTHERS: Losses = Losses {
    street_bend: [3.0, 25.0, -2.5],
    roof_bend: [2.0, 55.0, 4.0],
    wall: [-1.0, 13.0],
};

const ALL: Settings = Settings {
    max_bends: 2,
    has_roofs: true,
    has_walls: true,
    ..BARE
};

fn all_losses(losses: &Losses) -> Vec<f64> {
    [&losses.street_bend[..], &losses.roof_bend, &losses.wall].concat()
}

#[test]
fn recorded_paths_give_the_gains_of_maps_with_any_losses() {
    let mut num_paths = [0; 3];
    for (seed, height) in [(1, 9.0), (2, 24.0), (3, 1.5), (4, 60.0)] {
        let world = town(seed);
        let region = cells(0.3, vec![1.5, 8.0]);
        for combination in [Combination::Sum, Combination::Strongest] {
            let settings = Settings { combination, ..ALL };
            let beams = Beams::new(&world, &region, settings, &Control::default()).unwrap();
            let tx = tx(DVec3::new(3.3, -4.7, height));
            // Some cells, not in order.
            let asked: Vec<usize> = (0..region.num_cells()).rev().step_by(7).collect();
            let recording = beams.record(&tx, &asked, &Control::default()).unwrap();
            for path in recording.paths() {
                match path.through {
                    Through::Air => {}
                    Through::Walls(_) => num_paths[0] += 1,
                    Through::Corners(_) => num_paths[1] += 1,
                    Through::Roofs(_) => num_paths[2] += 1,
                }
            }
            for losses in [LOSSES, OTHERS] {
                let beams = beams.clone().with_settings(Settings { losses, ..settings });
                let all = 0..region.num_cells();
                let gains = beams.unwrap().gains(&tx, all, &Control::default()).unwrap();
                for (number, cell) in asked.iter().enumerate() {
                    let (of_map, of_paths) = (gains[*cell], recording.gain(number, &losses));
                    if of_map.is_nan() {
                        assert_eq!(of_paths, 0.0);
                    } else {
                        // Single precision: of small angles above all, and its smallest numbers.
                        let error = (of_map - of_paths).abs();
                        assert!(
                            error <= 2e-3 * of_map + 1e-36,
                            "town {seed}, cell {cell}: {of_map:e} {of_paths:e}"
                        );
                    }
                }
            }
        }
    }
    assert!(num_paths.iter().all(|num| *num > 1000), "{num_paths:?}");
}

/// A fit finds the losses that a map was made with, from wherever the search starts, also with an error on every cell.
#[test]
fn a_fit_finds_the_losses_of_a_map() {
    let (world, region) = (town(5), cells(0.3, vec![1.5]));
    let settings = Settings {
        combination: Combination::Sum,
        has_indoors: false,
        losses: OTHERS,
        ..ALL
    };
    let beams = Beams::new(&world, &region, settings, &Control::default()).unwrap();
    let cells = beams.filled_cells();
    let places = [[3.3, -4.7, 9.0], [-40.2, 31.0, 24.0], [22.0, 37.1, 30.0]];
    let mut recordings = Vec::new();
    let mut observations: Vec<Observation> = Vec::new();
    for place in places {
        let tx = tx(DVec3::from(place));
        let all = 0..region.num_cells();
        let gains = beams.gains(&tx, all, &Control::default()).unwrap();
        recordings.push(beams.record(&tx, &cells, &Control::default()).unwrap());
        observations.extend(cells.iter().map(|cell| Observation {
            prediction: 0,
            measured_db: power_to_db(gains[*cell]),
            is_limit: false,
            group: 0,
            deviation_db: 0.0,
        }));
    }
    for (prediction, observation) in observations.iter_mut().enumerate() {
        observation.prediction = prediction;
    }
    observations.retain(|observation| observation.measured_db > -200.0);
    let kinds = LossKind::NAMES.map(|(_, kind)| kind);
    let start = Losses::default();
    let model = BendLosses::new(&recordings, &kinds, start);
    let fit = Fit {
        // A small error makes the priors weak.
        error_db: 0.01,
        ..Fit::default()
    };
    let parameters = model.parameters();
    let found = calibrate(
        &model,
        &parameters,
        &observations,
        &fit,
        &Control::default(),
    )
    .unwrap();
    let values: Vec<f64> = found.estimates.iter().map(|e| e.value).collect();
    let losses = model.losses(&values);
    assert!(
        found.rmse_before > 3.0 && found.rmse < 0.01,
        "{} dB",
        found.rmse
    );
    for (is, was) in all_losses(&losses).iter().zip(all_losses(&OTHERS)) {
        assert!((is - was).abs() < 0.2, "{losses:?}");
    }
    assert_eq!(losses.wrong_way(), None);
    // Losses that may not change do not.
    let only = BendLosses::new(&recordings, &[LossKind::Wall], start);
    let of_walls = only.losses(&[20.0, 3.0]);
    assert_eq!(of_walls.street_bend, start.street_bend);
    assert_eq!(of_walls.wall, [17.0, 3.0]);
}
