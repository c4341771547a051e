use super::*;
use crate::random::Random;

fn pair(place: usize, group: usize, predicted_db: f64, measured_db: f64) -> Pair {
    Pair {
        predicted_db,
        measured_db,
        is_limit: false,
        group,
        place,
    }
}

/// A Gaussian number, by Box and Muller.
fn gaussian(random: &mut Random) -> f64 {
    let (a, b) = (
        random.range(f64::MIN_POSITIVE, 1.0),
        random.range(0.0, std::f64::consts::TAU),
    );
    (-2.0 * a.ln()).sqrt() * b.cos()
}

#[test]
fn statistics_are_those_of_a_table_by_hand() {
    // Errors 1, -2, 3, -4, 5: mean 0.6, absolute 3, squares 55.
    let errors = [1.0, -2.0, 3.0, -4.0, 5.0];
    let pairs: Vec<Pair> = errors
        .iter()
        .enumerate()
        .map(|(i, error)| {
            pair(
                i,
                0,
                -80.0 - 10.0 * i as f64 + error,
                -80.0 - 10.0 * i as f64,
            )
        })
        .collect();
    let statistics = compare(&pairs, OffsetKind::None).statistics.unwrap();
    assert_eq!(statistics.count, 5);
    assert!((statistics.mean - 0.6).abs() < 1e-12);
    assert!((statistics.mean_absolute - 3.0).abs() < 1e-12);
    assert!((statistics.rmse - 11.0_f64.sqrt()).abs() < 1e-12);
    assert!((statistics.standard_deviation - (11.0_f64 - 0.36).sqrt()).abs() < 1e-12);
    assert_eq!(statistics.median, 1.0);
    // 0.95 * 4 = 3.8: between the fourth and the fifth of 1, 2, 3, 4, 5.
    assert!((statistics.percentile_95 - 4.8).abs() < 1e-12);
    assert!(statistics.correlation.unwrap() > 0.96);
}

#[test]
fn offsets_remove_what_is_constant() {
    let mut random = Random(1);
    let truth = [3.5, -7.25, 0.0];
    let pairs: Vec<Pair> = (0..300)
        .map(|i| {
            let (group, level) = (i % 3, random.range(-110.0, -60.0));
            pair(i, group, level - truth[group], level)
        })
        .collect();
    let per_group = compare(&pairs, OffsetKind::PerGroup);
    for (group, offset) in truth.iter().enumerate() {
        assert!((per_group.offsets.of(group) - offset).abs() < 1e-9);
    }
    assert!(per_group.statistics.unwrap().rmse < 1e-9);
    let one = compare(&pairs, OffsetKind::One);
    assert!(one.statistics.unwrap().mean.abs() < 1e-9);
    assert!((one.offsets.of(2) - (3.5 - 7.25) / 3.0).abs() < 1e-9);
    // One offset leaves the spread of the three.
    let mean = truth.iter().sum::<f64>() / 3.0;
    let spread = (truth.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / 3.0).sqrt();
    assert!((one.statistics.unwrap().rmse - spread).abs() < 1e-9);
}

#[test]
fn limits_and_places_without_a_path_are_counted_and_enter_no_error() {
    let limit = |predicted_db| Pair {
        is_limit: true,
        ..pair(1, 0, predicted_db, -110.0)
    };
    let pairs = [
        pair(0, 0, -80.0, -82.0),
        pair(2, 0, f64::NEG_INFINITY, -90.0),
        limit(-120.0),
        limit(f64::NEG_INFINITY),
        limit(-100.0),
    ];
    let found = compare(&pairs, OffsetKind::None);
    assert_eq!(found.statistics.unwrap().count, 1);
    assert_eq!(
        (found.num_unreached, found.num_limits, found.num_kept_limits),
        (1, 3, 2)
    );
    let none = compare(&pairs[1..], OffsetKind::PerGroup);
    assert_eq!((none.statistics, none.intervals), (None, None));
    assert_eq!(none.offsets.of(0), 0.0);
    assert_eq!(compare(&[], OffsetKind::One).statistics, None);
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    let mut random = Random(7);
    let (mut held, trials) = (0, 200);
    for _ in 0..trials {
        let pairs: Vec<Pair> = (0..60)
            .map(|i| pair(i, 0, 2.0 + 6.0 * gaussian(&mut random), 0.0))
            .collect();
        let [low, high] = Intervals::of(&pairs, OffsetKind::None).unwrap().mean;
        held += usize::from(low <= 2.0 && 2.0 <= high);
    }
    // 95 % of 200 is 190, with a standard deviation of 3.1.
    assert!((180..=199).contains(&held), "{held} of {trials}");
}

#[test]
fn measurements_at_one_place_are_one_piece_of_evidence() {
    let mut random = Random(3);
    let errors: Vec<f64> = (0..40).map(|_| 6.0 * gaussian(&mut random)).collect();
    let single: Vec<Pair> = (0..40).map(|i| pair(i, 0, errors[i], 0.0)).collect();
    let repeated: Vec<Pair> = (0..400)
        .map(|i| pair(i % 40, 0, errors[i % 40], 0.0))
        .collect();
    let width = |pairs: &[Pair]| {
        let [low, high] = Intervals::of(pairs, OffsetKind::None).unwrap().mean;
        high - low
    };
    assert!((width(&repeated) / width(&single) - 1.0).abs() < 1e-9);
}

#[test]
fn the_nearer_of_two_predictions_is_found() {
    let mut random = Random(9);
    let truth: Vec<f64> = (0..120).map(|_| random.range(-110.0, -60.0)).collect();
    let mut predicted = |spread: f64| -> Vec<Pair> {
        let pairs = truth.iter().enumerate();
        pairs
            .map(|(i, level)| pair(i, 0, level + spread * gaussian(&mut random), *level))
            .collect()
    };
    let (near, far, as_far) = (predicted(4.0), predicted(8.0), predicted(8.0));
    let [low, high] = Paired::of(&near, &far, OffsetKind::One)
        .unwrap()
        .difference
        .unwrap();
    assert!(0.0 < low && high < 6.0, "{low} to {high}");
    let found = Paired::of(&far, &near, OffsetKind::One).unwrap();
    let [low, high] = found.difference.unwrap();
    assert!(-6.0 < low && high < 0.0, "{low} to {high}");
    // The mean absolute error of Gaussian errors is 0.8 of the standard deviation.
    assert!((found.mean_absolute[1] - 3.2).abs() < 0.6 && (found.rmse[0] - 8.0).abs() < 1.5);
    let [low, high] = Paired::of(&far, &as_far, OffsetKind::None)
        .unwrap()
        .difference
        .unwrap();
    assert!(low < 0.0 && 0.0 < high, "{low} to {high}");
    // If one of both has no path, there is nothing to compare.
    let mut holes = near.clone();
    for hole in &mut holes[..50] {
        hole.predicted_db = f64::NEG_INFINITY;
    }
    assert_eq!(
        Paired::of(&holes, &far, OffsetKind::None).unwrap().count,
        70
    );
    assert_eq!(Paired::of(&holes[..50], &far[..50], OffsetKind::None), None);
}
