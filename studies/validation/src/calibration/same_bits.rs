//! Replays with other materials are the same bits as a fresh search with them.

use anyhow::{Result, ensure};
use keller::antenna::Antenna;
use keller::calibration::{Model, Replay};
use keller::field::PathField;
use keller::materials::Materials;
use keller::random::Random;
use keller::units::power_to_db;

use super::city::City;
use super::points::Points;
use super::trace::{trace, traced_links};

/// Sets of materials drawn, and points that are looked at.
const SETS: usize = 4;
const NUM_POINTS: usize = 60;

/// Fails where a path or a level is not the same.
pub(super) fn same_bits(city: &City, points: &Points) -> Result<()> {
    let step = points.positions.len() / NUM_POINTS;
    let sample: Vec<_> = points.positions.iter().step_by(step).copied().collect();
    let (paths, _) = trace(&city.world, city.tx, &sample)?;
    let traced = traced_links(city, sample.iter().zip(&paths));
    let replay = Replay::new(&city.world, &traced, &city.quantities);
    let mut random = Random(11);
    let (mut compared, mut only) = (0, [0; 2]);
    for _ in 0..SETS {
        let values: Vec<f64> = city
            .parameters
            .iter()
            .map(|p| random.range(p.min, p.max))
            .collect();
        let (materials, _) = replay.materials(&values)?;
        let names = city.world.scene().materials().iter().cloned();
        let materials: Materials = names.zip(materials).collect();
        let world = city.world.with_materials(&materials)?;
        let (fresh, _) = trace(&world, city.tx, &sample)?;
        let gains = replay.path_gains(&values)?;
        let levels = replay.predict(&values)?.0;
        let antenna = Antenna::default();
        let mut first = 0;
        for (known, (fresh, level)) in paths.iter().zip(fresh.iter().zip(levels)) {
            let of_fresh: Vec<f64> = fresh
                .iter()
                .map(|path| PathField::new(path, &world).gain(&antenna, &antenna))
                .collect();
            for (path, gain) in known.iter().zip(&gains[first..]) {
                match fresh.iter().position(|other| other == path) {
                    Some(index) => {
                        compared += 1;
                        ensure!(
                            of_fresh[index].to_bits() == gain.to_bits(),
                            "a path with another gain: {} and {gain}",
                            of_fresh[index]
                        );
                    }
                    None => only[0] += 1,
                }
            }
            only[1] += fresh.iter().filter(|path| !known.contains(path)).count();
            first += known.len();
            if fresh == known {
                let sum = power_to_db(of_fresh.iter().sum());
                ensure!(
                    sum.to_bits() == level.to_bits(),
                    "a level of {level} dB beside {sum} dB"
                );
            }
        }
    }
    println!(
        "\nreplay beside a fresh search, {SETS} random sets of materials, {NUM_POINTS} points: {compared} paths with the same bits, {} in the replay alone, {} in the search alone",
        only[0], only[1]
    );
    ensure!(only[1] == 0, "a search found more than the trace");
    Ok(())
}
