use super::*;
use crate::random::Random;

const FLOORS: [f64; 4] = [-150.0; 4];

fn level(tx: usize, gain_db: f64) -> Level {
    Level {
        tx,
        gain_db,
        is_limit: false,
        uncertainty_db: 0.0,
    }
}

/// Gains of four Tx at places of different sizes, a smooth field with much noise.
fn field(random: &mut Random, num_places: usize) -> (Vec<f64>, Vec<f64>) {
    let gains = (0..4 * num_places)
        .map(|_| random.range(-110.0, -60.0))
        .collect();
    let sizes = (0..num_places).map(|_| random.range(0.5, 4.0)).collect();
    (gains, sizes)
}

/// Bayes' rule written out, the offset integrated by sums.
fn slowly(gains: &[f64], sizes: &[f64], levels: &[Level], deviations: &Deviations) -> Vec<f64> {
    let normal = |x: f64, deviation: f64| (-0.5 * (x / deviation).powi(2)).exp();
    let offsets: Vec<f64> = match deviations.offset_db {
        0.0 => vec![0.0],
        _ => (-2000..=2000).map(|k| 0.02 * f64::from(k)).collect(),
    };
    let likelihood = |place: usize| -> f64 {
        let of_offset = |offset: &f64| {
            let of_levels = levels.iter().map(|level| {
                let difference = level.gain_db - gains[level.tx * sizes.len() + place] - offset;
                normal(difference, deviations.level_db.hypot(level.uncertainty_db))
            });
            let prior = match deviations.offset_db {
                0.0 => 1.0,
                deviation => normal(*offset, deviation),
            };
            prior * of_levels.product::<f64>()
        };
        offsets.iter().map(of_offset).sum()
    };
    let all: Vec<f64> = (0..sizes.len())
        .map(|place| sizes[place] * likelihood(place))
        .collect();
    let sum: f64 = all.iter().sum();
    all.iter().map(|value| value / sum).collect()
}

#[test]
fn probabilities_are_those_of_bayes_rule() {
    let mut random = Random(7);
    let (gains, sizes) = field(&mut random, 50);
    for offset_db in [0.0, 4.0] {
        let deviations = Deviations {
            level_db: 8.0,
            offset_db,
        };
        let mut levels = [0, 1, 2, 3]
            .map(|tx| level(tx, random.range(-100.0, -70.0)))
            .to_vec();
        levels[1].uncertainty_db = 6.0;
        let found = Fingerprints::new(&gains, &sizes, &FLOORS)
            .probabilities(&levels, &deviations)
            .unwrap();
        let expected = slowly(&gains, &sizes, &levels, &deviations);
        for (a, b) in found.iter().zip(&expected) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
    }
}

#[test]
fn an_unknown_offset_does_not_matter() {
    let mut random = Random(8);
    let (gains, sizes) = field(&mut random, 50);
    let fingerprints = Fingerprints::new(&gains, &sizes, &FLOORS);
    let deviations = Deviations {
        level_db: 5.0,
        offset_db: f64::INFINITY,
    };
    let levels = [0, 1, 2].map(|tx| level(tx, random.range(-100.0, -70.0)));
    let louder = levels.map(|of| level(of.tx, of.gain_db + 17.0));
    let [a, b] = [levels, louder].map(|of| fingerprints.probabilities(&of, &deviations).unwrap());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12));
    // One level alone says nothing then.
    let one = fingerprints
        .probabilities(&levels[..1], &deviations)
        .unwrap();
    let total: f64 = sizes.iter().sum();
    assert!(
        one.iter()
            .zip(&sizes)
            .all(|(p, size)| (p - size / total).abs() < 1e-12)
    );
}

#[test]
fn the_true_place_is_in_the_region_as_often_as_it_says() {
    // Places are drawn as likely as they are large, and errors as they are said to be.
    let mut random = Random(9);
    let (gains, sizes) = field(&mut random, 300);
    let fingerprints = Fingerprints::new(&gains, &sizes, &FLOORS);
    let deviations = Deviations {
        level_db: 12.0,
        offset_db: 6.0,
    };
    let total: f64 = sizes.iter().sum();
    let draws = 1000;
    let mut held = [0; 2];
    for _ in 0..draws {
        let mut at = random.range(0.0, total);
        let place = sizes.iter().position(|size| {
            at -= size;
            at < 0.0
        });
        let place = place.unwrap();
        let offset = deviations.offset_db * random.normal();
        let levels = [0, 1, 2, 3].map(|tx| {
            let error = deviations.level_db * random.normal();
            level(tx, gains[tx * sizes.len() + place] + offset + error)
        });
        let all = fingerprints.probabilities(&levels, &deviations).unwrap();
        for (held, share) in held.iter_mut().zip([0.5, 0.95]) {
            *held += usize::from(densest(&all, &sizes, share).contains(&place));
        }
    }
    // The last place of a region holds more than is needed, so shares are a little larger than said. Three deviations.
    let [half, nearly_all] = held.map(|held| f64::from(u32::try_from(held).unwrap()) / 1000.0);
    assert!(half > 0.5 - 0.05 && half < 0.57, "{half}");
    assert!(
        nearly_all > 0.95 - 0.021 && nearly_all < 0.985,
        "{nearly_all}"
    );
}

#[test]
fn levels_below_noise_and_places_out_of_reach() {
    let deviations = Deviations {
        level_db: 5.0,
        offset_db: 0.0,
    };
    let limit = Level {
        is_limit: true,
        ..level(0, -100.0)
    };
    // The places are in reach, far below the noise, out of reach, and in a wall.
    let gains = [-80.0, -130.0, f64::NEG_INFINITY, f64::NAN];
    let fingerprints = Fingerprints::new(&gains, &[1.0; 4], &[-140.0]);
    let silent = fingerprints.probabilities(&[limit], &deviations).unwrap();
    // Received in spite of four deviations: 3.2e-5.
    let above = 0.5 * erfc(4.0 / 2.0_f64.sqrt());
    assert!((silent[0] - above / (2.0 + above)).abs() < 1e-9);
    assert!((silent[1] - silent[2]).abs() < 1e-6 && silent[3] == 0.0);
    // A level 10 dB above the floor is two deviations off where nothing arrives.
    let heard = fingerprints
        .probabilities(&[level(0, -130.0)], &deviations)
        .unwrap();
    assert!((heard[2] / heard[1] - (-2.0_f64).exp()).abs() < 1e-12);
    assert_eq!(fingerprints.probabilities(&[], &deviations), None);
    let walls = Fingerprints::new(&[f64::NAN; 2], &[1.0; 2], &[-140.0]);
    assert_eq!(walls.probabilities(&[level(0, -90.0)], &deviations), None);
}

#[test]
fn far_off_levels_still_give_numbers() {
    // Every likelihood is zero in floating point, their ratios are not.
    let gains = [-60.0, -61.0];
    let fingerprints = Fingerprints::new(&gains, &[1.0; 2], &[-150.0]);
    let deviations = Deviations {
        level_db: 1.0,
        offset_db: 0.0,
    };
    let far = fingerprints
        .probabilities(&[level(0, -160.0)], &deviations)
        .unwrap();
    assert!((far[1] - 1.0).abs() < 1e-12);
    let limit = Level {
        is_limit: true,
        ..level(0, -160.0)
    };
    let silent = fingerprints.probabilities(&[limit], &deviations).unwrap();
    assert!((silent[1] - 1.0).abs() < 1e-12 && silent[0] < 1e-30);
    // Both forms of the tail meet.
    assert!((log_normal_tail(20.0 - 1e-9) - log_normal_tail(20.0)).abs() < 3e-3);
}

#[test]
fn the_densest_places_come_first() {
    assert_eq!(
        densest(&[0.5, 0.3, 0.2, 0.0], &[5.0, 1.0, 1.0, 1.0], 0.5),
        [1, 2]
    );
    assert_eq!(densest(&[0.5, 0.5], &[1.0, 1.0], 1.0), [0, 1]);
}
