//! Time of each order in which rays are followed.

use std::time::Instant;

use anyhow::{Result, ensure};
use keller::Control;
use keller_lab::tile_rays::{self, Aim, Order, Rays, hits};
use keller_lab::vaara::buffers::Size;
use keller_lab::vaara::coarse;

use super::place::{Place, settings};
use super::thesis::rows;

/// Rows of moderate size.
const ROWS: [[usize; 2]; 6] = [[3, 0], [4, 0], [5, 0], [3, 1], [4, 1], [3, 2]];

const ORDERS: [Order; 5] = [
    Order::Recursive,
    Order::FirstLevel,
    Order::Chained,
    Order::ChainedParallel,
    Order::ChainedAsync,
];

/// The least of so many runs.
const RUNS: usize = 3;

pub(super) fn run(place: &Place) -> Result<()> {
    println!(
        "\nSearch by order, ms, doubles removed by a hash table. Unbounded: all hits are kept but in the asynchronous order. Bounded: the same orders with buffers of 5000 a receiver, one or, for the asynchronous order (else the parallel one), two. Thesis: original with its removal by sorting (table 12) and GPU MT Async (table 13).\n\n| row | buffer | recursive | first level split | chained | chained parallel | asynchronous | thesis original | thesis async |\n|---|---|--:|--:|--:|--:|--:|--:|--:|"
    );
    let control = Control::default();
    for row in rows().filter(|row| ROWS.contains(&row.limits)) {
        let mut same = Vec::new();
        for is_bounded in [false, true] {
            let mut cells = Vec::new();
            for order in ORDERS {
                let rays = Rays {
                    order,
                    aim: Aim::Centres,
                };
                let finder = place.finder(row.limits)?;
                let mut settings = settings();
                settings.streaming.rays = rays;
                settings.streaming.is_single_exact = true;
                settings.buffering.size = Size::PerRx(5000);
                settings.buffering.is_double = order == Order::ChainedAsync;
                let mut least = f64::INFINITY;
                let mut of_order = Vec::new();
                for _ in 0..RUNS {
                    let start = Instant::now();
                    if is_bounded {
                        of_order =
                            coarse(&finder, place.tx, &place.rx, &settings, &control, |_| ())?.0;
                        least = least.min(start.elapsed().as_secs_f64());
                    } else {
                        let found =
                            tile_rays::coarse(&finder, rays, place.tx, &place.rx, &control)?;
                        least = least.min(start.elapsed().as_secs_f64());
                        of_order = hits(&found);
                    }
                }
                if same.is_empty() {
                    same = of_order;
                } else {
                    ensure!(same == of_order, "{order:?} finds other paths");
                }
                cells.push(format!("{:.1}", 1e3 * least));
            }
            println!(
                "| {}, {} | {} | {} | {:.0} | {:.0} |",
                row.limits[0],
                row.limits[1],
                if is_bounded { "bounded" } else { "unbounded" },
                cells.join(" | "),
                row.original_ms + row.removal_ms.unwrap_or(0.0),
                row.async_ms,
            );
        }
    }
    println!("\nAll orders find the same coarse paths, with buffers and without.");
    Ok(())
}
