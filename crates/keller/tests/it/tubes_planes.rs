//! Planes of cells below and above all edges, where most tubes behind an edge pass by, checked by the path engine.

use crate::common::town::{Town, errors, one_edge, reflections};
use keller::antenna::Antenna;
use keller::coverage::Levels;
use keller::coverage::tubes::Accuracy;
use keller::materials::{Material, Medium};
use keller::paths::Limits;

/// The same town with walls that waves pass.
fn with_thin_walls(town: &Town) -> Town {
    let medium = Medium::Constant {
        relative_permittivity: 3.9,
        conductivity: 0.02,
    };
    let names = town.world.scene().materials().iter();
    let materials = names.map(|name| match name.as_str() {
        "ground" => Material::HalfSpace(medium),
        _ => Material::slab(medium, 0.1),
    });
    town.within(&town.world.with_each_material(materials.collect()).unwrap())
}

#[test]
fn planes_under_and_over_the_roofs_have_what_the_path_engine_finds() {
    let only_edges = Limits {
        max_diffractions: 1,
        max_reflections: 0,
        ..reflections(1)
    };
    let through_walls = Limits {
        max_transmissions: 2,
        max_diffractions: 1,
        ..reflections(1)
    };
    for (limits, accuracy) in [
        (one_edge(), Accuracy::Default),
        (only_edges, Accuracy::Exact),
        (through_walls, Accuracy::Default),
    ] {
        let mut pairs = Vec::new();
        for seed in [1, 6] {
            let mut town = Town::random(seed);
            if limits.max_transmissions > 0 {
                town = with_thin_walls(&town);
            }
            let [low, high] = town.world.scene().bounds();
            for height in [low.z + 1.2, high.z + 3.0] {
                town.region.levels = Levels::AboveSea(vec![height]);
                let antenna = Antenna::default();
                let tubes = town.tubes(&limits, accuracy);
                let found = town.fresh(&tubes, &antenna);
                pairs.extend(found.into_iter().zip(town.by_points(&limits, &antenna)));
            }
        }
        let [half, most] = errors(pairs.into_iter());
        let allowed = match accuracy {
            Accuracy::Exact => [0.001, 0.05],
            _ => [0.1, 0.8],
        };
        assert!(
            half < allowed[0] && most < allowed[1],
            "{half} and {most} dB of {limits:?}"
        );
    }
}
