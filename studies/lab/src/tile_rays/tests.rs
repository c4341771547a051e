//! Compares rays from tile to tile with fronts.

use keller::Control;
use keller::paths::{CoarseReport, Environment, Limits, TileFinder};
use keller::random::Random;
use keller::tiles::Tiling;

use super::{Aim, Order, Rays, coarse, hits};
use crate::test_city::{city, devices};

/// The chains of the rays of Vaara 2022 are those of fronts, in whatever order rays are followed; from the centres of
/// tiles there are others.
#[test]
fn rays_find_what_fronts_find() {
    let limits = Limits {
        max_interactions: 3,
        max_reflections: 3,
        max_diffractions: 1,
        ..Limits::default()
    };
    let world = city(4);
    let mut random = Random(4);
    let rx = devices(world.scene(), &mut random, 6);
    let tx = devices(world.scene(), &mut random, 1)[0];
    let (tiling, control) = (Tiling::of_side(8.0), Control::default());
    let plain = Environment::new(world.shared_scene(), tiling, &control).unwrap();
    let found = |rays: Option<Rays>| {
        let finder = TileFinder::new(&world, &limits, plain.clone()).unwrap();
        let coarse = match rays {
            Some(rays) => coarse(&finder, rays, tx, &rx, &control),
            None => finder.coarse(tx, &rx, &control),
        };
        let coarse = coarse.unwrap();
        let refined = finder.refine(tx, &rx, &coarse, &control);
        (hits(&coarse), refined.unwrap().1)
    };
    let (fronts, report) = found(None);
    assert!(fronts.len() > 50, "{}", fronts.len());
    let orders = [
        Order::Recursive,
        Order::FirstLevel,
        Order::Chained,
        Order::ChainedParallel,
        Order::ChainedAsync,
    ];
    let by = |order, aim| found(Some(Rays { order, aim }));
    for order in orders {
        assert!(by(order, Aim::Images).0 == fronts, "{order:?}");
    }
    let (seeds, of_seeds) = by(Order::Recursive, Aim::Centres);
    for order in orders {
        assert!(by(order, Aim::Centres).0 == seeds, "{order:?}");
    }
    // A larger share of the paths that images propose is valid.
    let share = |report: CoarseReport| report.num_valid as f64 / report.num_coarse as f64;
    assert!(share(report) > share(of_seeds));
    assert!(report.num_valid >= of_seeds.num_valid);
}
