//! Experiments of the literature on cards of their time, with and without the card: the same results, and the time
//! compared with theirs.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::Result;
use keller::coverage::tiles::TileCoverage;
use keller::paths::{Environment, Path, TileFinder};
use keller::scene::Mesh;
use keller::tiles::{Tiles, Visibility};
use keller::{Control, World};
use keller_gpu::Gpu;

use super::measured::Measured;
use crate::tiles::table::ROWS;
use crate::tiles::{Area, Square, surfaces};

/// The rows of Vaara 2022 that take seconds at most: interactions and diffractions.
const OF_VAARA: [[usize; 2]; 6] = [[3, 0], [5, 0], [6, 0], [2, 1], [3, 1], [2, 2]];

/// Compares the experiments in the city of `mesh`.
pub(super) fn compare(name: &str, mesh: &Mesh, gpu: &Gpu, report: &mut String) -> Result<()> {
    eprintln!("{name}: paths over tiles");
    vaara(name, &Square::of_mesh(mesh)?, gpu, report)?;
    eprintln!("{name}: the field on all surfaces");
    lu(name, &Area::of_mesh(mesh)?, gpu, report)
}

/// The same world, and which tiles see each other there, with the card.
fn on_device(world: &World, gpu: &Gpu) -> Result<World> {
    let index = gpu.index(world.scene().index(), |error| eprintln!("{error}"))?;
    Ok(world.clone().with_accelerator(Arc::new(index)))
}

fn look(world: &World, tiles: &Tiles) -> Result<Visibility> {
    Ok(Visibility::new(
        world.shared_scene(),
        tiles,
        &Control::default(),
    )?)
}

/// Tables 8 and 15 of Vaara 2022: coarse paths over tiles, then exact ones.
fn vaara(name: &str, place: &Square, gpu: &Gpu, report: &mut String) -> Result<()> {
    let Square {
        world: here,
        tiles,
        tx,
        rx,
        side,
    } = place;
    let there = on_device(here, gpu)?;
    let sights = Measured::new(here, &there, gpu.kind(), |world| look(world, tiles))?;
    writeln!(
        report,
        "\n## Paths over tiles (Vaara 2022, tables 8 and 15): {name}\n\nThe same paths with and without; batches too small for a card stay on the \
         processor. {side:.0} m of the city, {} tiles, {} receivers; which tiles see each other: {:.2} s, {:.2} s with the card. Search and refinement with validation, seconds. Vaara 2022: a \
         GTX 1070, the search and the refinement on it.\n\n\
         | interactions, diffractions | processor | with the card | Vaara 2022 | share of rays | rays, millions |\n\
         |---|--:|--:|--:|--:|--:|",
        tiles.len(),
        rx.len(),
        sights.processor,
        sights.card,
    )?;
    let environment = Environment::with_rows(tiles.clone(), Arc::new(look(here, tiles)?));
    let control = Control::default();
    for row in ROWS.iter().filter(|row| OF_VAARA.contains(&row.most)) {
        let [interactions, diffractions] = row.most;
        let found = Measured::new(here, &there, gpu.kind(), |world| {
            let finder = TileFinder::new(world, &row.limits(), environment.clone())?;
            let coarse = finder.coarse(*tx, rx, &control)?;
            let (paths, _) = finder.refine(*tx, rx, &coarse, &control)?;
            Ok(bits(&paths))
        })?;
        let theirs = 1e-3 * (row.search_ms + row.refine_ms[2]);
        write_row(
            report,
            &format!("{interactions}, {diffractions}"),
            &found,
            theirs,
        )?;
    }
    Ok(())
}

/// A row of either table; `theirs` are the published seconds.
fn write_row(report: &mut String, label: &str, found: &Measured, theirs: f64) -> Result<()> {
    let Measured {
        processor,
        card,
        share,
        rays,
    } = found;
    writeln!(
        report,
        "| {label} | {processor:.3} | {card:.3} | {theirs} | {:.0} % | {:.1} |",
        100.0 * share,
        1e-6 * rays,
    )?;
    Ok(())
}

fn bits(paths: &[Path]) -> Vec<(usize, u64)> {
    let of = |path: &Path| (path.rx, path.length.to_bits());
    paths.iter().map(of).collect()
}

/// Section IV.A of Lu et al. 2019: the field on all surfaces.
fn lu(name: &str, place: &Area, gpu: &Gpu, report: &mut String) -> Result<()> {
    let Area { world, tiles, tx } = place;
    let there = on_device(world, gpu)?;
    let sights = Measured::new(world, &there, gpu.kind(), |world| look(world, tiles))?;
    writeln!(
        report,
        "\n## The field on all surfaces (Lu et al. 2019, section IV.A): {name}\n\nThe same fields with and without; batches too small for a card stay on the \
         processor. {} tiles of {:.1} m; which see each other: {:.2} s, {:.2} s with the card. Seconds; Lu et al. 2019: a Tesla K80.\n\n\
         | bounces | processor | with the card | Lu et al. 2019 | share of rays | rays, millions |\n\
         |--:|--:|--:|--:|--:|--:|",
        tiles.len(),
        tiles.tiling().side,
        sights.processor,
        sights.card,
    )?;
    let environment = Environment::with_rows(tiles.clone(), Arc::new(look(world, tiles)?));
    for (bounces, theirs) in (1..).zip(surfaces::PAPER) {
        let limits = surfaces::limits(bounces, 0);
        let found = Measured::new(world, &there, gpu.kind(), |world| {
            let coverage = TileCoverage::new(world, &limits, environment.clone())?;
            Ok(coverage.survey(tx, false, &Control::default())?.fields)
        })?;
        write_row(report, &bounces.to_string(), &found, theirs)?;
    }
    Ok(())
}
