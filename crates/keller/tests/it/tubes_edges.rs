//! Tubes around several edges, checked by the path engine in those cells where the last edge counts.

use crate::common::engines::points;
use crate::common::town::{Town, errors, reflections, sector};
use keller::antenna::{Antenna, Polarization};
use keller::coverage::Levels;
use keller::coverage::tubes::{Accuracy, Envelope, Settings, Tubes};
use keller::materials::{Material, Medium};
use keller::paths::{Limits, Search};
use keller::{Control, Tx};

/// Gains below this may lack paths that are weaker than the trace follows.
const STRONG: f64 = 1e-12;

fn edges(diffractions: usize, reflections_beside: usize) -> Limits {
    Limits {
        max_reflections: reflections_beside,
        max_diffractions: diffractions,
        ..reflections(diffractions + reflections_beside)
    }
}

/// A town with a Tx in its streets and cells at the height of people, so that much lies behind several edges.
fn street(seed: u64) -> Town {
    let mut town = Town::random(seed);
    let [low, _] = town.world.scene().bounds();
    town.region.levels = Levels::AboveSea(vec![low.z + 1.2]);
    town.tx.z = low.z + 2.5;
    town
}

/// The path engine's gains in each town's cells, with limits and with one edge less.
fn exact_gains(towns: &[Town], limits: &Limits) -> Vec<[Vec<f64>; 2]> {
    let antenna = Antenna::default();
    let less = Limits {
        max_diffractions: limits.max_diffractions - 1,
        ..*limits
    };
    let gains = |town: &Town| [limits, &less].map(|limits| town.by_points(limits, &antenna));
    towns.iter().map(gains).collect()
}

/// The median and the largest difference of 19 of 20 cells, dB, among those where the last edge changes the gain by more
/// than 0.2 dB; and their number.
fn errors_behind_the_last_edge(
    towns: &[Town],
    exact: &[[Vec<f64>; 2]],
    limits: &Limits,
    accuracy: Accuracy,
) -> ([f64; 2], usize) {
    let antenna = Antenna::default();
    let mut differences = Vec::new();
    for (town, [right, without]) in towns.iter().zip(exact) {
        let found = town.fresh(&town.tubes(limits, accuracy), &antenna);
        for ((found, right), without) in found.into_iter().zip(right).zip(without) {
            let counts = |gain: f64| gain > STRONG && gain > without * 10_f64.powf(0.02);
            let right = *right;
            if counts(right) || counts(found) {
                differences.push((10.0 * (found / right).log10()).abs());
            }
        }
    }
    differences.sort_by(f64::total_cmp);
    let last = differences.len() - 1;
    (
        [2, 20].map(|part| differences[last - last / part]),
        differences.len(),
    )
}

#[test]
fn several_edges_are_what_the_path_engine_finds() {
    let towns = [1, 3, 8].map(street);
    for (limits, of_accuracies, at_least) in [
        (
            edges(2, 0),
            &[
                (Accuracy::Exact, [0.02, 0.2]),
                (Accuracy::Default, [0.02, 0.3]),
            ][..],
            400,
        ),
        (edges(2, 1), &[(Accuracy::Default, [0.15, 0.6])], 400),
        (edges(3, 0), &[(Accuracy::Default, [0.1, 0.6])], 50),
    ] {
        let exact = exact_gains(&towns, &limits);
        for (accuracy, allowed) in of_accuracies {
            let ([half, most], count) =
                errors_behind_the_last_edge(&towns, &exact, &limits, *accuracy);
            assert!(count >= at_least, "{count} cells of {limits:?}");
            assert!(
                half < allowed[0] && most < allowed[1],
                "{half} and {most} dB of {limits:?}, {accuracy:?}"
            );
        }
    }
}

#[test]
fn walls_may_lie_between_and_behind_the_edges() {
    let medium = Medium::Constant {
        relative_permittivity: 3.9,
        conductivity: 0.02,
    };
    let thin = |town: Town| {
        let names = town.world.scene().materials().iter();
        let materials = names.map(|name| match name.as_str() {
            "ground" => Material::HalfSpace(medium),
            _ => Material::slab(medium, 0.3),
        });
        town.within(&town.world.with_each_material(materials.collect()).unwrap())
    };
    let towns = [1, 3].map(street).map(thin);
    let limits = Limits {
        max_transmissions: 1,
        ..edges(2, 0)
    };
    let exact = exact_gains(&towns, &limits);
    let ([half, most], count) =
        errors_behind_the_last_edge(&towns, &exact, &limits, Accuracy::Default);
    assert!(count > 100, "{count} cells");
    assert!(half < 0.1 && most < 0.6, "{half} and {most} dB");
}

#[test]
fn one_trace_serves_other_antennas_and_materials() {
    let metal = Material::HalfSpace(Medium::PerfectConductor);
    let (mut replayed, mut routed) = (Vec::new(), Vec::new());
    for seed in [1, 8] {
        let town = street(seed);
        let tubes = town.tubes(&edges(2, 0), Accuracy::Default);
        let antenna = sector(0.3, 0.1, Polarization::Cross);
        let fresh = town.fresh(&tubes, &antenna);
        let envelope = Envelope::Gain(antenna.pattern.peak_gain());
        let recording = tubes.record(town.tx, envelope, town.all(), &Control::default());
        replayed.extend(recording.unwrap().gains(&antenna).into_iter().zip(fresh));
        let names = town.world.scene().materials();
        let shiny = vec![metal.clone(); names.len()];
        let shiny = town.within(&town.world.with_each_material(shiny).unwrap());
        let worlds = std::slice::from_ref(&shiny.world);
        let control = Control::default();
        let recording = tubes.record_for(town.tx, envelope, worlds, town.all(), &control);
        let of_metal = recording.unwrap().gains_in(&shiny.world, &antenna);
        let fresh = shiny.fresh(&shiny.tubes(&edges(2, 0), Accuracy::Default), &antenna);
        routed.extend(of_metal.into_iter().zip(fresh));
    }
    for pairs in [replayed, routed] {
        let [half, most] = errors(pairs.into_iter());
        assert!(half < 0.01 && most < 0.2, "{half} and {most} dB");
    }
}

/// The cells are those that no path with one edge reaches well, so that the paths around two edges are averaged.
#[test]
fn phases_delays_and_angles_behind_two_edges_are_those_of_the_path_engine() {
    let control = Control::default();
    let antenna = Antenna::default();
    let mut differences = [const { Vec::new() }; 4];
    for town in [1, 3, 8].map(street) {
        let tx = Tx {
            position: town.tx,
            antenna: antenna.clone(),
        };
        let limits = edges(2, 0);
        // A path that is left out at 40 dB below the gain would still be a hundredth of the field.
        let settings = Settings {
            limits,
            accuracy: Accuracy::Exact,
            min_gain: 1e-6 * STRONG,
        };
        let tubes = Tubes::new(&town.world, &town.region, settings);
        let found = tubes.multipath(&tx, town.all(), &control).unwrap();
        let points = points(&town.world, &town.region, &limits, Search::Complete);
        let right = points.multipath(&tx, town.all(), &control).unwrap();
        let less = town.by_points(&edges(1, 0), &antenna);
        for cell in town.all() {
            let gain = right.path_gain[cell];
            if !(gain > STRONG && gain > 2.0 * less[cell]) {
                continue;
            }
            let [a, b] = [&found, &right].map(|of| &of.cells[cell]);
            let [s, t] = [a, b].map(|of| of.spreads.unwrap());
            let turn = |a: f64, b: f64| (a - b).sin().abs();
            let all = [
                (a.coherent_gain - b.coherent_gain).abs() / gain,
                (s.mean_delay - t.mean_delay).abs() * 299_792_458.0,
                turn(s.departure[1].mean, t.departure[1].mean),
                turn(s.arrival[1].mean, t.arrival[1].mean),
            ];
            for (differences, value) in differences.iter_mut().zip(all) {
                differences.push(value);
            }
        }
    }
    // Shares of the gain, metres, radians.
    for (mut differences, allowed) in differences.into_iter().zip([0.005, 1e-4, 1e-5, 1e-5]) {
        differences.sort_by(f64::total_cmp);
        let last = differences.len() - 1;
        let [half, most] = [2, 20].map(|part| differences[last - last / part]);
        assert!(last > 60, "{} cells", last + 1);
        assert!(half < 0.1 * allowed && most < allowed, "{half} and {most}");
    }
}
