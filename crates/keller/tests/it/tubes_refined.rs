//! Tubes that are wide in the city and narrow around fine cells: the cells get the same gains as from narrow tubes.

use crate::common::town::{MIN_GAIN, Town, errors, one_edge, reflections};
use glam::DVec2;
use keller::antenna::Antenna;
use keller::coverage::tubes::{Accuracy, FineBox, Settings, Tubes};
use keller::coverage::{Levels, Region};
use keller::paths::Limits;
use keller::{Control, DVec3, World};

/// Cells of the city, and of the fine region, metres.
const COARSE: f64 = 5.0;
const FINE: f64 = 0.5;

/// The middle third of a random town in fine cells.
fn middle(seed: u64) -> Town {
    let town = Town::random(seed);
    let extent = town.region.extent();
    let min = town.region.min + extent / 3.0;
    let Levels::AboveSea(heights) = &town.region.levels else {
        panic!("levels of towns are above the sea");
    };
    let levels = Levels::AboveSea(vec![heights[0]]);
    let region = Region::planes(min, min + extent / 3.0, DVec2::splat(FINE), levels).unwrap();
    Town {
        region: region.turned(0.2),
        ..town
    }
}

fn box_around(world: &World, region: &Region) -> FineBox {
    let [low, high] = world.scene().bounds();
    let [min, max] = region.bounds();
    FineBox {
        min: (min - 2.0).extend(low.z),
        max: (max + 2.0).extend(high.z),
        cell_size: FINE,
    }
}

#[test]
fn fine_cells_in_a_coarse_city_are_as_the_paths_have_them() {
    for (seeds, limits) in [([1, 2, 3], reflections(2)), ([4, 6, 8], one_edge())] {
        let mut pairs = Vec::new();
        for seed in seeds {
            let town = middle(seed);
            let tubes = town.tubes(&limits, Accuracy::Default);
            let fine = box_around(&town.world, &town.region);
            let tubes = tubes.refined_in(COARSE, vec![fine]);
            let antenna = Antenna::default();
            let of_tubes = town.fresh(&tubes, &antenna);
            pairs.extend(of_tubes.into_iter().zip(town.by_points(&limits, &antenna)));
        }
        let [half, most] = errors(pairs.into_iter());
        assert!(half < 0.05 && most < 0.5, "{seeds:?}: {half} {most} dB");
    }
}

/// Nobody need know how the space is divided: boxes around the same cells, each fine enough, give the same as one.
#[test]
fn boxes_may_overlap_and_leave_the_rest_coarse() {
    let town = middle(5);
    let limits = reflections(2);
    let antenna = Antenna::default();
    let fine = box_around(&town.world, &town.region);
    let half = FineBox {
        max: fine.max.with_x(f64::midpoint(fine.min.x, fine.max.x) + 1.0),
        ..fine
    };
    let other = FineBox {
        min: half.max.with_y(fine.min.y).with_z(fine.min.z) - 2.0 * DVec3::X,
        ..fine
    };
    let of = |boxes: Vec<FineBox>| {
        let tubes = town.tubes(&limits, Accuracy::Default);
        town.fresh(&tubes.refined_in(COARSE, boxes), &antenna)
    };
    let [half, most] = errors(of(vec![fine]).into_iter().zip(of(vec![half, other])));
    assert!(half < 0.02 && most < 0.3, "{half} {most} dB");
}

/// Around everything, a box is as good as cells of its size everywhere.
#[test]
fn one_box_around_everything_is_as_fine_as_no_box() {
    let antenna = Antenna::default();
    let limits = reflections(2);
    let mut pairs = Vec::new();
    for seed in [7, 8, 9] {
        let town = middle(seed);
        let uniform = town.fresh(&town.tubes(&limits, Accuracy::Default), &antenna);
        let around = FineBox {
            min: DVec3::splat(-1e4),
            max: DVec3::splat(1e4),
            cell_size: FINE,
        };
        let tubes = town.tubes(&limits, Accuracy::Default);
        let refined = town.fresh(&tubes.refined_in(COARSE, vec![around]), &antenna);
        pairs.extend(refined.into_iter().zip(uniform));
    }
    let [half, most] = errors(pairs.into_iter());
    assert!(half < 0.001 && most < 0.01, "{half} {most} dB");
}

/// The waves go out of a house with thin walls: fine where the Tx is, coarse where the cells are.
#[test]
fn coarse_cells_around_a_fine_house_are_as_the_paths_have_them() {
    let mut pairs = Vec::new();
    for seed in [11, 12, 13, 14] {
        let town = Town::random(seed);
        let world = crate::common::by_name(&crate::common::random_city(seed).0, Some(0.2), 2e9);
        let town = town.within(&world);
        let limits = Limits {
            max_transmissions: 3,
            ..reflections(1)
        };
        let [low, high] = world.scene().bounds();
        let around = 8.0 * (DVec3::X + DVec3::Y);
        let house = FineBox {
            min: (town.tx - around).with_z(low.z),
            max: (town.tx + around).with_z(high.z),
            cell_size: FINE,
        };
        let settings = Settings {
            limits,
            accuracy: Accuracy::Default,
            min_gain: MIN_GAIN,
        };
        let tubes = Tubes::new(&world, &town.region, settings).refined_in(2.0, vec![house]);
        let tx = keller::Tx {
            position: town.tx,
            antenna: Antenna::default(),
        };
        let gains = tubes.gains(&tx, town.all(), &Control::default()).unwrap();
        let of_points = town.by_points(&limits, &Antenna::default());
        pairs.extend(gains.into_iter().zip(of_points));
    }
    let [half, most] = errors(pairs.into_iter());
    assert!(half < 0.05 && most < 1.0, "{half} {most} dB");
}
