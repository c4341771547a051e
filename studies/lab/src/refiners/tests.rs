//! Compares refiners on the same coarse paths.

use keller::Control;
use keller::paths::{Environment, Limits, TileFinder};
use keller::random::Random;
use keller::tiles::Tiling;

use super::{Refiner, Report, Starts, converge, refine_by};
use crate::test_city::{city, devices};

/// The exact refiner finds all paths of descents, bit by bit, and a line search leads to nearly all of the exact ones.
#[test]
fn descents_find_a_part_of_what_the_exact_refiner_finds() {
    let limits = Limits {
        max_interactions: 2,
        max_reflections: 2,
        max_diffractions: 1,
        ..Limits::default()
    };
    let control = Control::default();
    let mut sums = [Report::default(); 3];
    for seed in 0..4 {
        let world = city(seed);
        let mut random = Random(seed);
        let rx = devices(world.scene(), &mut random, 8);
        let tx = devices(world.scene(), &mut random, 1)[0];
        let tiling = Tiling::of_side(4.0);
        let environment = Environment::new(world.shared_scene(), tiling, &control).unwrap();
        let finder = TileFinder::new(&world, &limits, environment).unwrap();
        let coarse = finder.coarse(tx, &rx, &control).unwrap();
        let starts = Starts::new(&finder, tx, &rx, &coarse, &control).unwrap();
        let exact = finder.refine(tx, &rx, &coarse, &control);
        let (exact, _) = exact.unwrap();
        let refiners = [
            Refiner::Exact,
            Refiner::Descent(&starts),
            Refiner::LineSearch(&starts),
        ];
        for (refiner, sum) in refiners.into_iter().zip(&mut sums) {
            let refined = refine_by(&finder, refiner, tx, &rx, &coarse, &control);
            let (paths, report) = refined.unwrap();
            let alone = converge(&finder, refiner, tx, &rx, &coarse, &control);
            assert_eq!(alone.unwrap(), report.num_converged, "{refiner:?}");
            assert_eq!(paths.len(), report.num_valid, "{refiner:?}");
            assert!(paths.iter().all(|path| exact.contains(path)), "{seed}");
            sum.num_coarse += report.num_coarse;
            sum.num_converged += report.num_converged;
            sum.num_agreeing += report.num_agreeing;
            sum.num_valid += report.num_valid;
        }
    }
    let [exact, descent, line] = sums;
    assert_eq!(exact.num_agreeing, exact.num_converged);
    // The length has a shortest way through planes and lines without borders even where no wave goes that way.
    assert!(line.num_converged > exact.num_converged, "{sums:?}");
    assert!(
        100 * line.num_agreeing > 98 * exact.num_converged,
        "{sums:?}"
    );
    assert!(100 * line.num_valid > 98 * exact.num_valid, "{sums:?}");
    // Its short steps end before the paths are exact.
    assert!(
        100 * descent.num_converged > 98 * descent.num_coarse,
        "{sums:?}"
    );
    assert!(descent.num_agreeing < line.num_agreeing, "{sums:?}");
}
