//! Closed forms of one chain, and laws that every chain obeys.

use super::*;

/// S. W. Lee, "Path integrals for solving some electromagnetic edge diffraction problems", J. Math. Phys. 19(6), 1978,
/// doi:10.1063/1.523796; L. E. Vogler 1982: a row of equal screens at equal distances, also from the ends, leaves exactly 1/(N + 1) of
/// the field in free space at grazing; every screen a knife edge of its own would leave 1/2^N.
#[test]
fn a_row_of_equal_screens_at_grazing_leaves_one_part_in_their_number_and_one() {
    for num in 1..=5_u32 {
        let at: Vec<[f64; 2]> = (1..=num).map(|i| [100.0 * f64::from(i), 20.0]).collect();
        let world = of(screens(&at), &black());
        let end = 100.0 * f64::from(num + 1);
        let ends = [0.0, end].map(|x| DVec3::new(x, 0.0, 20.0));
        let field = (gain(&world, ends) / free_space(&world, ends)).sqrt();
        let error = field * f64::from(num + 1) - 1.0;
        assert!(error.abs() < 0.02, "{num} screens: {error}");
    }
}

/// ITU-R P.526-15, equation (31), which is good to 0.1 dB or so.
#[test]
fn one_screen_takes_what_a_knife_edge_takes() {
    for height in [0.0, 0.5, 1.0, 2.0, 4.0, 8.0] {
        let world = of(screens(&[[100.0, 20.0 + height]]), &black());
        let ends = [0.0, 200.0].map(|x| DVec3::new(x, 0.0, 20.0));
        let nu = height * (2.0 / world.frequency().wavelength() / 50.0).sqrt();
        let p526 = 6.9 + 20.0 * ((nu - 0.1).hypot(1.0) + nu - 0.1).log10();
        let error = apart(gain(&world, ends), free_space(&world, ends)) - p526;
        assert!(error.abs() < 0.25, "{height} m: {error} dB");
    }
}

#[test]
fn over_the_roofs_and_under_them_there_is_no_chain() {
    let world = of(rows(&[[40.0, 12.0, 18.0], [80.0, 10.0, 15.0]]), &concrete());
    let [low, high] = [1.5, 40.0].map(|z| DVec3::new(0.0, 0.0, z));
    let behind = DVec3::new(110.0, 0.0, 1.5);
    assert!(gain(&world, [low, behind]) > 0.0);
    for inside in [DVec3::new(85.0, 0.0, 3.0), DVec3::new(85.0, 0.0, 14.9)] {
        assert_eq!(gain(&world, [low, inside]), 0.0);
        assert_eq!(gain(&world, [inside, low]), 0.0);
    }
    assert_eq!(gain(&world, [high, behind.with_z(30.0)]), 0.0);
    // One edge is left to explicit diffraction unless it is asked for.
    let one = [low, DVec3::new(60.0, 0.0, 19.0)];
    let two = gain_with(&world, &Antenna::default(), one, Settings::default());
    assert!(gain(&world, one) > 0.0 && two == 0.0);
}

/// Chains by rows with both ends anywhere: the same from both ends.
#[test]
fn either_end_may_send() {
    let mut random = Random(8);
    let mut errors = Vec::new();
    for _ in 0..300 {
        let (houses, [tx, rx]) = random_row(&mut random);
        let world = of(rows(&houses), &concrete());
        let forth = gain(&world, [tx, rx]);
        let back = gain(&world, [rx, tx]);
        assert_eq!(forth > 0.0, back > 0.0);
        if forth > 0.0 {
            errors.push(apart(forth, back));
        }
    }
    let [median, most, worst] = figures(errors);
    assert!(
        median < 0.05 && most < 0.15 && worst < 0.5,
        "{median}, {most}, {worst} dB"
    );
}

/// The field must not jump by the six decibels of a knife edge where the string comes to touch one more edge.
#[test]
fn the_field_goes_on_where_the_string_meets_an_edge() {
    let screens = screens(&[[60.0, 18.0], [100.0, 17.0], [140.0, 18.0], [180.0, 15.0]]);
    let houses = rows(&[[60.0, 12.0, 18.0], [100.0, 12.0, 17.0], [140.0, 12.0, 18.0]]);
    for (scene, most) in [(screens, 1.3), (houses, 2.0)] {
        let world = of(scene, &concrete());
        let mut last = None;
        for i in 0..=1500 {
            let rx = DVec3::new(220.0, 0.0, 1.5 + 0.02 * f64::from(i));
            let gain = gain(&world, [DVec3::new(0.0, 0.0, 10.0), rx]);
            if let Some(last) = last {
                let step = apart(gain, last);
                assert!(step < most, "at {} m: {step} dB", rx.z);
            }
            last = Some(gain);
        }
    }
}

#[test]
fn the_antenna_counts_where_the_chain_leaves_it() {
    let world = of(rows(&[[60.0, 12.0, 38.0]]), &concrete());
    let ends = [DVec3::new(0.0, 0.0, 10.0), DVec3::new(120.0, 0.0, 5.0)];
    let antenna = Antenna {
        pattern: Pattern::from_name("tr38901").unwrap(),
        ..Antenna::default()
    };
    let found = gain_with(&world, &antenna, ends, ALL) / gain(&world, ends);
    let up = Direction::from_vector(DVec3::new(60.0, 0.0, 28.0));
    let expected: f64 = antenna.fields(up).map(|[theta, _]| theta.norm_sqr()).sum();
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
}

#[test]
fn woods_weaken_what_passes_through_them() {
    let houses = [[60.0, 12.0, 18.0]];
    let plain = of(rows(&houses), &concrete());
    let ends = [DVec3::new(0.0, 0.0, 10.0), DVec3::new(120.0, 0.0, 10.0)];
    let without = gain(&plain, ends);
    let outline = [[90.0, -50.0], [100.0, -50.0], [100.0, 50.0], [90.0, 50.0]];
    let wood = Volume::prism(&outline, [0.0, 30.0], 0.4, None).unwrap();
    let wooded = rows(&houses).with_clutter(Clutter::new(vec![wood]));
    let wooded = of(wooded, &concrete());
    let length = 10.0 * 48_f64.hypot(8.0) / 48.0;
    let loss = apart(gain(&wooded, ends), without);
    assert!((loss - 0.4 * length).abs() < 1e-9, "{loss} dB");
}

/// Old towns: houses of all heights wall to wall, with annexes and low walls in the yards, and places right behind a wall.
/// There edges lie close under one another at steep angles, where the integrals once lost all digits and gave 1e60.
#[test]
fn among_crowded_houses_no_chain_is_stronger_than_free_space() {
    let mut random = Random(21);
    let mut num_chains = 0;
    for _ in 0..60 {
        let mut houses = Vec::new();
        let mut yards = Vec::new();
        let mut x = 20.0;
        while x < 700.0 {
            let width = random.range(4.0, 25.0);
            let height = match random.below(4) {
                0 => random.range(2.0, 6.0),
                _ => random.range(12.0, 26.0),
            };
            houses.push([x, width, height]);
            x += width;
            if random.below(2) == 0 {
                let yard = random.range(1.0, 30.0);
                let at = x + random.range(0.2, 0.8) * yard;
                if random.below(2) == 0 {
                    houses.push([at, 0.0, random.range(1.0, 4.0)]);
                }
                let near = random.range(0.2, 1.0_f64).min(0.1 * yard);
                yards.extend([x + near, at + near, x + yard - near]);
                x += yard;
            }
        }
        let world = of(rows(&houses), &concrete());
        let tx = DVec3::new(0.0, 0.0, random.range(8.0, 32.0));
        for place in yards.into_iter().rev().take(12) {
            let rx = DVec3::new(place, 0.0, random.range(1.0, 8.0));
            let part = gain(&world, [tx, rx]) / free_space(&world, [tx, rx]);
            assert!(
                (0.0..2.5).contains(&part),
                "{part} of free space at {place} m"
            );
            num_chains += usize::from(part > 0.0);
        }
    }
    assert!(num_chains > 300, "{num_chains}");
}
