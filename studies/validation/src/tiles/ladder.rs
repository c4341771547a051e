//! The ways of Vaara 2022 to follow rays, side by side with fronts.

use std::time::Instant;

use anyhow::Result;
use keller::paths::{Environment, Limits, TileFinder};
use keller::{Control, DVec3, World};
use keller_lab::tile_rays::{self, Aim, Order, Rays};

/// The least time of so many runs counts.
const RUNS: usize = 3;

/// Interactions and diffractions.
const ROWS: [(usize, usize); 4] = [(3, 0), (5, 0), (2, 1), (3, 1)];

/// Every order from the centres of tiles as in Vaara 2022, then from images, then fronts.
pub(super) fn ladder(
    world: &World,
    environment: &Environment,
    tx: DVec3,
    rx: &[DVec3],
) -> Result<()> {
    let orders = [
        Order::Recursive,
        Order::FirstLevel,
        Order::Chained,
        Order::ChainedParallel,
        Order::ChainedAsync,
        Order::ChainedDoubles,
    ];
    let of = |aim| orders.map(|order| Some(Rays { order, aim }));
    // Margin 0 asks for the centres of tiles, as Vaara 2022 does.
    let seeds = of(Aim::Centres).map(|rays| (rays, Some(0.0)));
    let images = of(Aim::Images).map(|rays| (rays, Some(0.0)));
    let fronts = [(None, Some(0.0)), (None, None)];
    let control = Control::default();
    for (interactions, diffractions) in ROWS {
        let limits = Limits {
            max_interactions: interactions,
            max_reflections: interactions,
            max_diffractions: diffractions,
            ..Limits::default()
        };
        let mut chained = Vec::new();
        for (rays, margin) in seeds.iter().chain(&images).chain(&fronts).copied() {
            let mut finder = TileFinder::new(world, &limits, environment.clone())?;
            if let Some(margin) = margin {
                finder = finder.with_margin(margin);
            }
            let mut seconds = f64::INFINITY;
            let mut coarse = None;
            for _ in 0..RUNS {
                let start = Instant::now();
                coarse = Some(match rays {
                    Some(rays) => tile_rays::coarse(&finder, rays, tx, rx, &control)?,
                    None => finder.coarse(tx, rx, &control)?,
                });
                seconds = seconds.min(start.elapsed().as_secs_f64());
            }
            let coarse = coarse.expect("there are runs");
            // Double paths are removed after, at the same time, and not at all.
            if let Some(Rays { order, .. }) = rays {
                chained.push((order, seconds));
            }
            let (_, report) = finder.refine(tx, rx, &coarse, &control)?;
            let name = rays.map_or("fronts".to_owned(), |rays| {
                format!("{:?} {:?}", rays.order, rays.aim)
            });
            println!(
                "{interactions} {diffractions}, {name}, margin {}: {seconds:.3} s, {} coarse, {} converged, {} valid",
                margin.unwrap_or(1.0),
                report.num_coarse,
                report.num_converged,
                report.num_valid
            );
        }
        let time = |order, which: usize| {
            let mut all = chained.iter().filter(|(o, _)| *o == order);
            all.nth(which).expect("it was run").1
        };
        for (which, aim) in [Aim::Centres, Aim::Images].into_iter().enumerate() {
            let off = time(Order::ChainedDoubles, which);
            println!(
                "{interactions} {diffractions}, {aim:?}, double paths: kept {off:.3} s, removed after {:.2} times that, beside {:.2} times",
                time(Order::ChainedParallel, which) / off,
                time(Order::ChainedAsync, which) / off,
            );
        }
    }
    Ok(())
}
