//! One trace for many materials and frequencies, checked against a trace in each and by the path engine.

use crate::common::town::{MIN_GAIN, Town, bits, errors, one_edge, reflections, sector};
use keller::antenna::{Antenna, Pattern, Polarization};
use keller::coverage::tubes::{Accuracy, Envelope, RouteRecording, Tubes};
use keller::materials::{FlatLosses, Material, Medium};
use keller::paths::Limits;
use keller::scene::Scene;
use keller::{Control, Frequency, World};

fn medium(relative_permittivity: f64, conductivity: f64) -> Medium {
    Medium::Constant {
        relative_permittivity,
        conductivity,
    }
}

/// The same town with these materials of brick, glass and ground.
fn with(world: &World, [brick, glass, ground]: [Material; 3]) -> World {
    let of_name = |name: &String| match name.as_str() {
        "brick" => brick.clone(),
        "glass" => glass.clone(),
        _ => ground.clone(),
    };
    let materials = world.scene().materials().iter().map(of_name).collect();
    world.with_each_material(materials).unwrap()
}

fn metal() -> Material {
    Material::HalfSpace(Medium::PerfectConductor)
}

/// Thin boards that let most of a wave through.
fn boards(world: &World) -> World {
    let board = Material::slab(medium(2.7, 0.01), 0.0125);
    let ground = Material::HalfSpace(medium(15.0, 0.03));
    with(world, [board.clone(), board, ground])
}

/// The worlds that a study may ask for: other half spaces, slabs in place of them, metal, measured losses, and other
/// frequencies.
fn others(world: &World) -> Vec<World> {
    let flat = |material: Material| {
        material.with_flat_losses(FlatLosses {
            transmission_db: Some(9.0),
            reflection_db: Some(4.0),
            diffraction_db: 3.0,
        })
    };
    let half = |r, c| Material::HalfSpace(medium(r, c));
    let slab = |r, c, t| Material::slab(medium(r, c), t);
    let walls = with(
        world,
        [
            slab(3.9, 0.02, 0.24),
            slab(6.3, 0.01, 0.02),
            half(20.0, 0.2),
        ],
    );
    let higher = walls.at(Frequency::from_hz(5.1e9).unwrap()).unwrap();
    vec![
        with(world, [half(2.3, 0.001), half(7.5, 0.4), half(4.0, 0.001)]),
        walls,
        with(world, [metal(), slab(5.0, 0.05, 0.01), metal()]),
        with(
            world,
            [flat(metal()), flat(slab(5.0, 0.05, 0.1)), half(9.0, 0.1)],
        ),
        world.at(Frequency::from_hz(0.8e9).unwrap()).unwrap(),
        higher,
    ]
}

fn through_walls(limits: Limits) -> Limits {
    Limits {
        max_transmissions: 2,
        ..limits
    }
}

/// The settings in which each kind of tube is recorded in each way.
fn settings() -> [(Limits, Accuracy); 4] {
    let behind_edge = Limits {
        max_reflections: 1,
        ..one_edge()
    };
    [
        (through_walls(reflections(2)), Accuracy::Default),
        (through_walls(one_edge()), Accuracy::Default),
        (through_walls(reflections(1)), Accuracy::Exact),
        (behind_edge, Accuracy::Exact),
    ]
}

fn antennas() -> [Antenna; 2] {
    [
        sector(0.3, 0.1, Polarization::Slant(0.6)),
        sector(-1.7, -0.1, Polarization::V),
    ]
}

fn record(town: &Town, tubes: &Tubes, worlds: &[World]) -> RouteRecording {
    let envelope = Envelope::Gain(Pattern::Tr38901.peak_gain());
    let control = Control::default();
    let recording = tubes.record_for(town.tx, envelope, worlds, town.all(), &control);
    recording.unwrap()
}

#[test]
fn a_replay_is_what_a_trace_in_that_world_gives() {
    for (index, (limits, accuracy)) in settings().into_iter().enumerate() {
        let mut pairs = [const { Vec::new() }; 3];
        let seeds = if accuracy == Accuracy::Exact {
            5..6
        } else {
            5..7
        };
        for seed in seeds {
            let town = Town::random(seed);
            let mut worlds = others(&town.world);
            let recording = record(&town, &town.tubes(&limits, accuracy), &worlds);
            worlds.push(town.world.clone());
            // One recording is for all, and every second is checked.
            let checked = worlds.iter().skip(index % 2).step_by(2);
            for (world, antenna) in checked.zip(antennas().iter().cycle()) {
                let there = town.within(world);
                let replayed = recording.gains_in(world, antenna);
                let fresh = there.fresh(&there.tubes(&limits, accuracy), antenna);
                let points = there.by_points(&limits, antenna);
                let [of_both, of_replay, of_fresh] = &mut pairs;
                of_both.extend(replayed.iter().copied().zip(fresh.iter().copied()));
                of_replay.extend(replayed.into_iter().zip(points.iter().copied()));
                of_fresh.extend(fresh.into_iter().zip(points));
            }
        }
        let [both, replayed, fresh] = pairs.map(|pairs| errors(pairs.into_iter()));
        assert!(both[0] < 0.01 && both[1] < 0.3, "{both:?} dB");
        let is_as_near = |k: usize| replayed[k] < 1.02 * fresh[k] + 0.002;
        assert!(
            is_as_near(0) && is_as_near(1),
            "{replayed:?} dB for {fresh:?} dB"
        );
    }
}

#[test]
fn in_its_own_world_a_recording_gives_what_one_for_antennas_does() {
    for (limits, accuracy) in settings() {
        let town = Town::random(8);
        let tubes = town.tubes(&limits, accuracy);
        let envelope = Envelope::Gain(Pattern::Tr38901.peak_gain());
        let control = Control::default();
        let of_antennas = tubes.record(town.tx, envelope, town.all(), &control);
        let of_antennas = of_antennas.unwrap();
        for worlds in [vec![], vec![town.world.clone()]] {
            let with_routes = record(&town, &tubes, &worlds);
            for antenna in antennas() {
                let known = of_antennas.gains(&antenna);
                let replayed = with_routes.gains_in(&town.world, &antenna);
                let mut count = 0;
                for (replayed, known) in replayed.iter().zip(&known) {
                    assert_eq!(replayed.is_nan(), known.is_nan());
                    // Rounding may take a path below the minimum gain.
                    let error = (replayed - known).abs();
                    assert!(
                        known.is_nan() || error < 1e-5 * known + 3.0 * MIN_GAIN,
                        "{replayed} for {known}"
                    );
                    count += usize::from(*known > 1e3 * MIN_GAIN);
                }
                assert!(count > 300, "{count}");
            }
        }
    }
}

#[test]
fn nothing_is_lost_where_the_own_world_is_the_weak_one() {
    let antenna = Antenna::default();
    let (mut num_lost, mut num_without) = ([0; 2], 0);
    for limits in [through_walls(reflections(2)), through_walls(one_edge())] {
        for seed in [3, 4, 6] {
            let town = Town::random(seed);
            let transparent = boards(&town.world);
            let lossy = town.world.materials().iter().map(|_| {
                metal().with_flat_losses(FlatLosses {
                    reflection_db: Some(25.0),
                    diffraction_db: 15.0,
                    ..FlatLosses::default()
                })
            });
            let lossy = town.world.with_each_material(lossy.collect()).unwrap();
            let lossy = lossy.at(Frequency::from_hz(6e9).unwrap()).unwrap();
            let tubes = town.within(&lossy).tubes(&limits, Accuracy::Default);
            let worlds = [transparent, town.world.clone()];
            let recording = record(&town, &tubes, &worlds);
            for world in &worlds {
                let there = town.within(world);
                let replayed = recording.gains_in(world, &antenna);
                let fresh = there.fresh(&there.tubes(&limits, Accuracy::Default), &antenna);
                let sum = |gains: &[f64]| gains.iter().filter(|g| !g.is_nan()).sum::<f64>();
                let ratio = sum(&replayed) / sum(&fresh);
                assert!((ratio - 1.0).abs() < 3e-3, "{ratio}");
                let points = there.by_points(&limits, &antenna);
                // Any trace overlooks a cell of a thousand or so.
                let lost = |found: &[f64]| {
                    let cells = found.iter().zip(&points);
                    let strong = cells.filter(|(_, exact)| **exact > 10.0 * MIN_GAIN);
                    strong
                        .filter(|(found, exact)| **found < 0.5 * **exact)
                        .count()
                };
                let without = record(&town, &tubes, &[]).gains_in(world, &antenna);
                num_without += lost(&without);
                num_lost = [num_lost[0] + lost(&replayed), num_lost[1] + lost(&fresh)];
            }
        }
    }
    assert!(num_lost[0] <= num_lost[1] + 1, "{num_lost:?}");
    assert!(
        num_without > 1000,
        "without these worlds only {num_without} are lost"
    );
}

#[test]
fn blocks_and_threads_change_no_byte_and_one_world_of_a_recording_is_a_recording() {
    let town = Town::random(4);
    let limits = through_walls(one_edge());
    for accuracy in [Accuracy::Quick, Accuracy::Exact] {
        let limits = Limits {
            max_reflections: 1,
            ..limits
        };
        let tubes = town.tubes(&limits, accuracy);
        let worlds = &others(&town.world)[1..4];
        let [antenna, _] = antennas();
        let control = Control::default();
        let recorded = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| {
                let recording = record(&town, &tubes, worlds);
                let in_world = |world| {
                    let gains = bits(&recording.gains_in(world, &antenna));
                    assert!(gains == bits(&recording.in_world(world).gains(&antenna)));
                    gains
                };
                worlds.iter().map(in_world).collect::<Vec<_>>()
            })
        };
        let one = recorded(1);
        assert!(one == recorded(2) && one == recorded(5));
        let part = town.region.num_cells() / 3;
        for first in (0..town.region.num_cells()).step_by(part) {
            let cells = first..town.region.num_cells().min(first + part);
            let envelope = Envelope::Gain(Pattern::Tr38901.peak_gain());
            let recording = tubes.record_for(town.tx, envelope, worlds, cells.clone(), &control);
            let recording = recording.unwrap();
            for (world, whole) in worlds.iter().zip(&one) {
                assert!(bits(&recording.gains_in(world, &antenna)) == whole[cells.clone()]);
            }
        }
    }
}

#[test]
#[should_panic(expected = "must share one scene")]
fn a_copy_of_the_scene_is_another_scene() {
    let town = Town::random(2);
    let scene: Scene = town.world.scene().clone();
    let materials = town.world.scene().materials().iter().cloned();
    let materials = materials.zip(town.world.materials().to_vec()).collect();
    let copy = World::new(scene, &materials, town.world.frequency()).unwrap();
    let recording = record(&town, &town.tubes(&reflections(0), Accuracy::Quick), &[]);
    recording.gains_in(&copy, &Antenna::default());
}
