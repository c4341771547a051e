//! Receivers reached and paths a receiver in a square of a city (table 2 of Vaara 2022).

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, ensure};
use keller::Control;
use keller::paths::{Environment, TileFinder};
use keller::tiles::Visibility;
use keller_lab::tile_rays::Hit;
use keller_lab::vaara::buffers::{Buffering, Size};
use keller_lab::vaara::search;

use super::place::{limits_of, settings};
use crate::tiles::Square;

/// Limits; coarse paths and receivers of the document (table 2), and valid paths (appendix, table 16).
const ROWS: [([usize; 2], [usize; 3]); 4] = [
    ([2, 0], [1170, 348, 747]),
    ([3, 0], [4527, 459, 2550]),
    ([4, 0], [17_295, 529, 7917]),
    ([2, 1], [33_085, 566, 29_596]),
];

/// The buffer of a receiver in the document, and a small one.
const SIZES: [usize; 2] = [10_000, 20];

pub(super) fn run(scene: &Path) -> Result<()> {
    let Square {
        world,
        tiles,
        tx,
        rx,
        side,
    } = Square::of_city(scene)?;
    let control = Control::default();
    let num_tiles = tiles.len();
    let rows = Visibility::new(world.shared_scene(), &tiles, &control)?;
    let environment = Environment::with_rows(tiles, Arc::new(rows));
    println!(
        "\nOutdoors: {side:.0} m of the city, {num_tiles} tiles (thesis 7389), {} Rx (719). Coarse paths with the direct ones there are. Buffers of {} and {} a receiver give the same paths.\n\n| row | coarse paths | receivers | paths a receiver | valid | their receivers | s with a large buffer | a small one |\n|---|--:|--:|--:|--:|--:|--:|--:|",
        rx.len(),
        SIZES[0],
        SIZES[1]
    );
    for (limits, [coarse, receivers, valid]) in ROWS {
        let finder =
            TileFinder::new(&world, &limits_of(limits), environment.clone())?.with_margin(0.0);
        let mut seconds = Vec::new();
        let mut outcomes = Vec::new();
        for size in SIZES {
            let settings = keller_lab::vaara::Settings {
                buffering: Buffering {
                    size: Size::PerRx(size),
                    is_double: true,
                },
                ..settings()
            };
            let start = Instant::now();
            outcomes.push(search(&finder, tx, &rx, &settings, &control)?);
            seconds.push(start.elapsed().as_secs_f64());
        }
        let found = &outcomes[0];
        ensure!(
            found.hits == outcomes[1].hits,
            "buffers find other coarse paths"
        );
        ensure!(found.paths == outcomes[1].paths, "buffers find other paths");
        let is_direct = |path: &&keller::paths::Path| path.interactions().next().is_none();
        let direct: HashSet<usize> = found.paths.iter().filter(is_direct).map(|p| p.rx).collect();
        let is_there = |hit: &&Hit| hit.num_interactions() > 0 || direct.contains(&hit.rx());
        let num_coarse = found.hits.iter().filter(is_there).count();
        let reached: HashSet<usize> = found.hits.iter().filter(is_there).map(Hit::rx).collect();
        let of_valid: HashSet<usize> = found.paths.iter().map(|path| path.rx).collect();
        println!(
            "| {}, {} | {num_coarse} ({coarse}) | {} ({receivers}) | {:.2} ({:.2}) | {} ({valid}) | {} | {:.2} | {:.2} |",
            limits[0],
            limits[1],
            reached.len(),
            num_coarse as f64 / reached.len().max(1) as f64,
            coarse as f64 / receivers as f64,
            found.paths.len(),
            of_valid.len(),
            seconds[0],
            seconds[1],
        );
    }
    Ok(())
}
