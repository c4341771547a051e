//! Laws that the field of any row obeys: reciprocity, continuity, independence of the frame, limits.

use super::{BLOCKS, Row, SCREENS, WALLS};
use keller::antenna::Polarization;

#[test]
fn either_end_of_a_long_row_may_send() {
    for (row, num) in [(SCREENS, 12), (BLOCKS, 9), (WALLS, 7)] {
        for material in ["pec", "concrete"] {
            for polarization in [Polarization::V, Polarization::H] {
                let forth = Row {
                    num,
                    material,
                    polarization,
                    away: [35.0, 60.0],
                    over: [-4.0, -1.5],
                    ..row
                };
                let back = Row {
                    away: [60.0, 35.0],
                    over: [-1.5, -4.0],
                    ..forth
                };
                let error = forth.gain_db() - back.gain_db();
                assert!(error.abs() < 0.1, "{material}, {num}: {error} dB");
            }
        }
    }
}

#[test]
fn a_turned_row_has_the_same_field() {
    for row in [SCREENS, BLOCKS, WALLS] {
        let row = Row { num: 6, ..row };
        let turned = Row {
            turned: 0.7321,
            ..row
        };
        let error = row.gain_db() - turned.gain_db();
        assert!(error.abs() < 0.01, "{error} dB");
    }
}

/// A Tx that rises through the height of the roofs, and an Rx that rises towards it.
#[test]
fn the_field_behind_a_row_goes_on_through_grazing() {
    for row in [SCREENS, BLOCKS, WALLS] {
        for polarization in [Polarization::V, Polarization::H] {
            for end in [0, 1] {
                let mut last: Option<f64> = None;
                for i in 0..=60 {
                    let mut row = Row {
                        num: 6,
                        polarization,
                        ..row
                    };
                    row.over[end] = -1.5 + 0.03 * f64::from(i);
                    let gain = row.gain_db();
                    if let Some(last) = last {
                        let step = (gain - last).abs();
                        assert!(step < 0.7, "{} m: {step} dB", row.over[end]);
                    }
                    last = Some(gain);
                }
            }
        }
    }
}

/// The difference falls as the root of the thickness, relative to the width of Fresnel's zone over the top; but for the
/// factors at large angles, which are those of two wedges here and of one half plane there: 0.3 dB behind five.
#[test]
fn a_thin_block_tends_to_a_sheet() {
    for width in [0.3, 0.1, 0.02, 0.005, 0.002_f64] {
        let most = 0.2 + 4.5 * width.sqrt();
        for polarization in [Polarization::V, Polarization::H] {
            let row = Row {
                num: 5,
                polarization,
                ..WALLS
            };
            let sheet = Row { width: 0.0, ..row }.gain_db();
            let error = Row { width, ..row }.gain_db() - sheet;
            assert!(error.abs() < most, "{width} m: {error} dB");
        }
    }
}

/// All kinds of rows.
fn kinds() -> Vec<Row> {
    let mut kinds = vec![SCREENS];
    for material in ["pec", "concrete"] {
        for polarization in [Polarization::V, Polarization::H] {
            for row in [BLOCKS, WALLS] {
                kinds.push(Row {
                    material,
                    polarization,
                    ..row
                });
            }
        }
    }
    kinds
}

/// Each row takes something more, and less than the one before it. Far in, the field of equal rows falls as `1 / (n + b)`, as it does behind
/// equal screens: then the second difference is `8.69 / (n + b)^2` dB.
#[test]
fn every_further_row_takes_a_little_less() {
    for row in kinds() {
        for height in [-3.0, 0.0, 1.0] {
            let level = |num| {
                let mut row = Row { num, ..row };
                row.over[0] = height;
                row.gain_db()
            };
            let levels: Vec<f64> = (1..=40).map(level).collect();
            let mut last = f64::INFINITY;
            for (i, around) in levels.windows(3).enumerate() {
                let (num, first, second) = (i + 2, around[1] - around[0], around[2] - around[1]);
                let bend = second - first;
                let name = format!("{row}, Tx {height} m, {num} rows: {first}, then {second} dB");
                assert!(first < 0.0 && second < 0.0, "{name}");
                assert!(bend > 0.0 && bend < last + 1e-3, "{name}");
                if num >= 20 {
                    let [most, least] = [-4.0, 4.0].map(|b| 8.69 / (num as f64 + b).powi(2));
                    assert!((least..most).contains(&bend), "{name}");
                }
                last = bend;
            }
        }
    }
}

/// A Tx stands in the shadow of the roofs, close over them and well over them, and an Rx rises from the shadow into the
/// free line of sight and on. The field of forty rows rises by two thirds of a decibel in steps of 0.1 m where it is
/// steepest, close over the roofs; a jump would stand out between the steps before and behind it.
#[test]
fn an_rx_that_rises_through_the_last_shadow_line_sees_no_step() {
    let mut wrong = Vec::new();
    for (k, row) in kinds().into_iter().enumerate() {
        for height in [-3.0, 0.5, 3.0] {
            for num in [[1, 13], [2, 8], [3, 5], [4, 40]][k % 4] {
                let gain = |i: i32| {
                    let mut row = Row { num, ..row };
                    row.over = [height, 0.1 * f64::from(i)];
                    row.gain_db()
                };
                let gains: Vec<f64> = (-10..=60).map(gain).collect();
                let steps: Vec<f64> = gains.windows(2).map(|g| g[1] - g[0]).collect();
                let step = steps
                    .iter()
                    .fold(0.0, |most: f64, step| most.max(step.abs()));
                let jumps = steps.windows(2).map(|s| (s[1] - s[0]).abs());
                let jump = jumps.fold(0.0, f64::max);
                if step > 0.7 || jump > 0.15 {
                    wrong.push(format!(
                        "{row}, Tx {height} m, {num} rows: {step}, {jump} dB"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn either_end_in_free_sight_may_send() {
    for row in kinds() {
        for (num, over) in [
            (1, [0.5, 0.4]),
            (4, [0.5, 1.5]),
            (20, [0.5, 0.5]),
            (11, [2.0, 0.2]),
        ] {
            let forth = Row {
                num,
                over,
                away: [35.0, 60.0],
                ..row
            };
            let back = Row {
                away: [60.0, 35.0],
                over: [over[1], over[0]],
                ..forth
            };
            let error = forth.gain_db() - back.gain_db();
            assert!(error.abs() < 0.01, "{row}, {num} rows: {error} dB");
        }
    }
}
