//! The rows of the indoor tables: coarse paths, refinement, and the share of the exact paths that is found.

use std::collections::HashSet;
use std::time::Instant;

use anyhow::{Result, ensure};
use keller::Control;
use keller::antenna::Antenna;
use keller::field::PathField;
use keller::paths::{Interaction, Path, Search};
use keller::units::db_to_power;
use keller_lab::refiners::{Refiner, Starts, converge, refine_by};
use keller_lab::tile_rays::{self, Aim, Hit, Order, Rays, coarse_paths};
use keller_lab::vaara::threshold::{FieldUnit, path_gain_db};
use keller_lab::vaara::{coarse, search};
use rayon::prelude::*;

use super::place::{Place, limits_of, settings};
use super::thesis::{Row, rows};
use crate::geometry;

/// The longest expected time of a row, seconds: others are left out; and the largest ratio of the times of a row and of
/// the one with an interaction less.
const LONGEST: f64 = 60.0;
const GROWTH: f64 = 12.0;

/// Descents of more coarse paths are left out, and exact searches of rows with more interactions.
const MAX_FOR_DESCENTS: usize = 300_000;
const EXACT: [[usize; 2]; 7] = [[2, 0], [3, 0], [4, 0], [5, 0], [2, 1], [3, 1], [2, 2]];

/// Coarse paths of a row, here and in the document, and of those here the valid ones at each receiver.
pub(super) struct Count {
    pub(super) thesis: Row,
    pub(super) coarse: usize,
    pub(super) valid_by_rx: Vec<usize>,
}

/// A row that was run.
struct Found {
    row: Row,
    /// The coarse paths without the direct paths that no receiver has.
    hits: Vec<Hit>,
    paths: Vec<Path>,
    num_items: usize,
    search_seconds: f64,
}

pub(super) fn run(place: &Place) -> Result<Vec<Count>> {
    let all = found(place)?;
    statistics(&all);
    refinement(place, &all)?;
    recall(place, &all)?;
    let count = |found: &Found| {
        let mut valid_by_rx = vec![0; place.rx.len()];
        for path in &found.paths {
            valid_by_rx[path.rx] += 1;
        }
        Count {
            thesis: found.row,
            coarse: found.hits.len(),
            valid_by_rx,
        }
    };
    Ok(all.iter().map(count).collect())
}

fn found(place: &Place) -> Result<Vec<Found>> {
    let (mut all, mut last) = (Vec::new(), 0.0);
    let control = Control::default();
    for row in rows() {
        if row.limits[0] == 2 {
            last = 0.0;
        }
        if last * GROWTH > LONGEST {
            println!(
                "{:?}: left out, it would take more than a minute.\n",
                row.limits
            );
            last = f64::INFINITY;
            continue;
        }
        let finder = place.finder(row.limits)?;
        let start = Instant::now();
        let of_search = coarse(&finder, place.tx, &place.rx, &settings(), &control, |_| ())?;
        let search_seconds = start.elapsed().as_secs_f64();
        let outcome = search(&finder, place.tx, &place.rx, &settings(), &control)?;
        last = start.elapsed().as_secs_f64() - search_seconds;
        ensure!(of_search.0 == outcome.hits, "two searches differ");
        let direct: HashSet<usize> = outcome
            .paths
            .iter()
            .filter(|path| path.interactions().next().is_none())
            .map(|path| path.rx)
            .collect();
        let mut hits = outcome.hits;
        hits.retain(|hit| hit.num_interactions() > 0 || direct.contains(&hit.rx()));
        all.push(Found {
            row,
            hits,
            paths: outcome.paths,
            num_items: outcome.traffic.num_items,
            search_seconds,
        });
    }
    Ok(all)
}

fn statistics(all: &[Found]) {
    println!(
        "Coarse paths (the thesis' table 4 in brackets), the direct ones included. With doubles: what the search hands on, one for every tile by which a path comes.\n\n| # interactions, # diffractions | coarse paths | receivers | paths a receiver | with doubles | valid paths | their receivers | search s (thesis) |\n|---|--:|--:|--:|--:|--:|--:|--:|"
    );
    for found in all {
        let num_rx = |rx: &mut dyn Iterator<Item = usize>| rx.collect::<HashSet<_>>().len();
        let reached = num_rx(&mut found.hits.iter().map(Hit::rx));
        let row = &found.row;
        println!(
            "| {}, {} | {} ({}) | {reached} ({}) | {:.1} ({:.1}) | {} | {} ({}) | {} | {:.3} ({:.3}) |",
            row.limits[0],
            row.limits[1],
            found.hits.len(),
            row.coarse,
            row.receivers,
            found.hits.len() as f64 / reached.max(1) as f64,
            row.coarse as f64 / row.receivers as f64,
            found.num_items,
            found.paths.len(),
            row.valid,
            num_rx(&mut found.paths.iter().map(|path| path.rx)),
            found.search_seconds,
            1e-3 * row.async_ms,
        );
    }
}

fn refinement(place: &Place, all: &[Found]) -> Result<()> {
    println!(
        "\nRefinement of the coarse paths (the thesis' tables 17, 18 and 22 in brackets: four cores of an i5-2500k, of which it uses one, and its validation on a GTX 1070 with the fields). Descent and images: ms on all cores here, without validation; exact: ms of images with validation.\n\n| row | coarse | converged, descent | valid of converged | of descents at the exact point | descent ms | images ms | exact ms |\n|---|--:|--:|--:|--:|--:|--:|--:|"
    );
    let control = Control::default();
    for found in all {
        let row = &found.row;
        let finder = place.finder(row.limits)?;
        let coarse = coarse_paths(found.hits.clone());
        let (tx, rx) = (place.tx, &place.rx);
        let clock = |work: &mut dyn FnMut() -> Result<()>| -> Result<f64> {
            let start = Instant::now();
            work()?;
            Ok(1e3 * start.elapsed().as_secs_f64())
        };
        let images = clock(&mut || {
            converge(&finder, Refiner::Exact, tx, rx, &coarse, &control)?;
            Ok(())
        })?;
        let mut exact_paths = 0;
        let exact = clock(&mut || {
            exact_paths = finder.refine(tx, rx, &coarse, &control)?.1.num_valid;
            Ok(())
        })?;
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        let start = format!(
            "| {}, {} | {} ({})",
            row.limits[0],
            row.limits[1],
            coarse.len(),
            row.coarse
        );
        let of_thesis = [
            share(row.converged, row.coarse),
            share(row.valid, row.converged),
        ];
        if coarse.len() > MAX_FOR_DESCENTS {
            println!(
                "{start} | ({:.1} %) | {:.2} % of coarse ({:.2}) | | ({}) | {images:.1} | {exact:.1} ({}) |",
                of_thesis[0],
                share(exact_paths, coarse.len()),
                of_thesis[1],
                row.refine_ms,
                row.validate_ms
            );
            continue;
        }
        let starts = Starts::new(&finder, tx, rx, &coarse, &control)?;
        let descents = clock(&mut || {
            converge(
                &finder,
                Refiner::Descent(&starts),
                tx,
                rx,
                &coarse,
                &control,
            )?;
            Ok(())
        })?;
        let (_, report) = refine_by(
            &finder,
            Refiner::Descent(&starts),
            tx,
            rx,
            &coarse,
            &control,
        )?;
        println!(
            "{start} | {:.1} % ({:.1}) | {:.2} % ({:.2}) | {:.1} % | {descents:.1} ({}) | {images:.1} | {exact:.1} ({}) |",
            share(report.num_converged, report.num_coarse),
            of_thesis[0],
            share(report.num_valid, report.num_converged),
            of_thesis[1],
            share(report.num_agreeing, report.num_coarse),
            row.refine_ms,
            row.validate_ms,
        );
    }
    Ok(())
}

/// The key of a path: its receiver and interactions.
fn key(path: &Path) -> (usize, Vec<Interaction>) {
    (path.rx, path.interactions().collect())
}

fn recall(place: &Place, all: &[Found]) -> Result<()> {
    println!(
        "\nPaths of the search `complete`, which finds all there are, and the share of them and of their power that each search over tiles finds: the thesis' (rays from the centres of tiles), the same from images, and keller's fronts.\n\n| row | exact paths | s | centres | power | images | power | fronts | power | weaker than the threshold in V/m | at 1 m |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    );
    let control = Control::default();
    let antenna = Antenna::default();
    for found in all.iter().filter(|found| EXACT.contains(&found.row.limits)) {
        let limits = found.row.limits;
        let start = Instant::now();
        let (tx, rx) = (place.tx, &place.rx);
        let exact = geometry::paths(&place.world, tx, rx, &limits_of(limits), Search::Complete)?;
        let seconds = start.elapsed().as_secs_f64();
        let gains: Vec<f64> = exact
            .par_iter()
            .map(|path| PathField::new(path, &place.world).gain(&antenna, &antenna))
            .collect();
        let known: HashSet<_> = exact.iter().map(key).collect();
        let share = |paths: &[Path]| -> Result<[f64; 2]> {
            let keys: HashSet<_> = paths.iter().map(key).collect();
            ensure!(
                keys.is_subset(&known),
                "{limits:?}: a path that there is not"
            );
            let is_found: Vec<bool> = exact.iter().map(|path| keys.contains(&key(path))).collect();
            let power: f64 = gains.iter().sum();
            let of_found = gains
                .iter()
                .zip(&is_found)
                .filter(|(_, is_found)| **is_found);
            Ok([
                100.0 * keys.len() as f64 / known.len().max(1) as f64,
                100.0 * of_found.map(|(gain, _)| gain).sum::<f64>() / power,
            ])
        };
        let by = |aim| -> Result<[f64; 2]> {
            let finder = place.finder(limits)?;
            let rays = Rays {
                order: Order::ChainedParallel,
                aim,
            };
            let coarse = tile_rays::coarse(&finder, rays, tx, rx, &control)?;
            share(&finder.refine(tx, rx, &coarse, &control)?.0)
        };
        let centres = share(&found.paths)?;
        let images = by(Aim::Images)?;
        let finder = place.keller_finder(limits)?;
        let coarse = finder.coarse(tx, rx, &control)?;
        let fronts = share(&finder.refine(tx, rx, &coarse, &control)?.0)?;
        let below = |unit| {
            let least = db_to_power(path_gain_db(-100.0, unit, place.world.frequency()));
            gains.iter().filter(|gain| **gain < least).count()
        };
        println!(
            "| {}, {} | {} | {seconds:.2} | {:.1} % | {:.2} % | {:.1} % | {:.2} % | {:.1} % | {:.2} % | {} | {} |",
            limits[0],
            limits[1],
            known.len(),
            centres[0],
            centres[1],
            images[0],
            images[1],
            fronts[0],
            fronts[1],
            below(FieldUnit::VoltPerMetre),
            below(FieldUnit::AtOneMetre),
        );
    }
    Ok(())
}
