//! Paths of reflections to tiles that pass walls: looked for from the tiles, none is lost.

use crate::common::exact_tiles::{scene_of_kind, sides};
use crate::common::place::{at, both};
use crate::common::{Random, by_name, devices};
use keller::Control;
use keller::coverage::tiles::TileCoverage;
use keller::paths::{Environment, Limits, Search};
use keller::tiles::Tiling;

#[test]
fn no_path_of_reflections_through_walls_is_lost() {
    let limits = Limits {
        max_interactions: 2,
        max_reflections: 2,
        max_transmissions: 2,
        ..Limits::default()
    };
    for (kind, seed) in [("room", 1), ("room", 3), ("blocks", 1)] {
        let (mesh, bounds, _) = scene_of_kind(kind, seed);
        let world = by_name(&mesh, Some(0.1), 2e9);
        let tx = devices(world.scene(), &mut Random(seed), bounds, 1)[0];
        let tx = at(tx.to_array(), both());
        let side = if kind == "room" { 1.5 } else { 8.0 };
        let environment = Environment::new(
            world.shared_scene(),
            Tiling::of_side(side),
            &Control::default(),
        );
        let coverage = TileCoverage::new(&world, &limits, environment.unwrap()).unwrap();
        let choose = |num: usize| (0..num).step_by(1 + num / 150).collect();
        let (sides, recall) = sides(&world, &tx, &limits, &coverage, Search::Complete, choose);
        let sum = |k: usize| -> f64 {
            let of_sides = sides
                .iter()
                .map(|side| side.area * side.gain.map(|g| g[k]).iter().sum::<f64>());
            of_sides.sum()
        };
        assert_eq!(recall.missing_gain, 0.0);
        let found = sum(1) / sum(0);
        assert!(found > 1.0 - 1e-3, "{kind} {seed}: {found}");
    }
}
