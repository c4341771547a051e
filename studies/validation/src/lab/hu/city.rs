//! The ladder on COST 231 Munich and etoile, and its scale.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};
use glam::{DVec2, DVec3};
use keller::Tx;
use keller::coverage::Region;
use keller::coverage::tubes::Accuracy;
use keller::paths::Search;
use keller::units::db_to_power;
use keller_lab::launching::tlars::Splitting;

use super::methods::{Errors, Method, Run, limits};
use super::{LIMIT_DB, pictures};
use crate::beams::masts;
use crate::machine;
use crate::tubes::{Place, Reference};

/// Cells drawn by lot, whose exact paths are found.
const CELLS: usize = 4000;

/// The height of the lowest cell, metres over the sea, and of the highest above it; and corners of the whole city,
/// metres. Walls lie on whole centimetres.
const FLOOR: f64 = 505.0013;
const HEIGHT: f64 = 100.0;
const CITY: [DVec2; 2] = [DVec2::new(0.0013, 0.0029), DVec2::new(2400.0, 3400.0)];

/// Reflections of the ladder.
const REFLECTIONS: usize = 2;

/// The over-launching of the document.
const OVER: usize = 11;

/// Half the side of the cube that the first tubes are aimed at where they split inside the city, voxels.
const AROUND: usize = 32;

/// The steps from GORL to keller's coverage.
const STEPS: [Method; 9] = [
    Method::Gorl(1),
    Method::Gorl(3),
    Method::Gorl(OVER),
    Method::Tlars(None, Splitting::AtParents),
    Method::Tlars(Some(AROUND), Splitting::AtParents),
    Method::Tlars(Some(AROUND), Splitting::AtTx),
    Method::Tubes(Accuracy::Quick),
    Method::Tubes(Accuracy::Default),
    Method::Tubes(Accuracy::Exact),
];

/// Rays beyond which nothing is launched.
const MAX_RAYS: usize = 100_000_000;

/// The cities, by the names of their folders.
pub(super) const MUNICH: &str = "cost231_munich";
pub(super) const ETOILE: &str = "etoile";

/// A part of Munich in cells of a size: all of it, or a square about the Tx.
pub(super) fn part(data: &Path, resolution: f64, half_side: Option<f64>) -> Result<Place> {
    part_of(MUNICH, data, resolution, half_side)
}

/// A part of a city in cells of a size: all of it, or a square about the Tx.
fn part_of(
    name: &'static str,
    data: &Path,
    resolution: f64,
    half_side: Option<f64>,
) -> Result<Place> {
    let mut place = Place::load(name, data, resolution)?;
    let (mut low, mut high, floor) = if name == MUNICH {
        (CITY[0], CITY[1], FLOOR)
    } else {
        let [low, high] = place.world.scene().bounds();
        (low.truncate(), high.truncate(), low.z + CITY[0].x)
    };
    if let Some(half) = half_side {
        let at = place.tx.position.truncate();
        low = low.max((at - half).floor() + CITY[0]);
        high = high.min(low + 2.0 * half);
    }
    place.region = Region::volume(
        low.extend(floor),
        high.extend(floor + HEIGHT),
        DVec3::splat(resolution),
    )?;
    Ok(place)
}

fn reference(place: &Place, reflections: usize) -> Result<Reference> {
    let start = Instant::now();
    let least = db_to_power(-LIMIT_DB);
    let reference = Reference::new(place, &limits(reflections), Search::Complete, least, CELLS)?;
    let [nx, ny, nz] = place.region.shape();
    println!(
        "\n{}, {nx} x {ny} x {nz} voxels of {} m, {reflections} R, {LIMIT_DB} dB; {} exact paths to {CELLS} cells in {:.1} s\n",
        place.name,
        place.region.resolution.x,
        reference.num_paths(),
        start.elapsed().as_secs_f64()
    );
    Ok(reference)
}

/// Time, memory and errors of each step, on the whole city at 5 m and on a square at 2 m.
pub(super) fn ladder(name: &'static str, data: &Path, folder: Option<&Path>) -> Result<()> {
    for (resolution, half_side) in [(5.0, None), (2.0, Some(150.0))] {
        let place = part_of(name, data, resolution, half_side)?;
        let reference = reference(&place, REFLECTIONS)?;
        println!(
            "| method | rays | s | processor s | MB | {} |",
            Errors::HEAD
        );
        println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
        let mut maps = Vec::new();
        let mut missed = Vec::new();
        for method in STEPS {
            let rays = method.num_rays(&place.region, &place.tx);
            if rays.is_some_and(|rays| rays > MAX_RAYS) {
                println!(
                    "| {} | {} | | | | | | | | |",
                    method.name(),
                    rays.unwrap_or(0)
                );
                continue;
            }
            let run = Run::of(
                method,
                &place.world,
                &place.region,
                &place.tx,
                &limits(REFLECTIONS),
            )?;
            let errors = Errors::beside(&reference, &run.gains, method.is_strongest());
            println!(
                "| {} | {} | {:.2} | {:.2} | {:.0} | {} |",
                method.name(),
                rays.map_or(String::new(), |rays| rays.to_string()),
                run.seconds,
                run.processor_seconds,
                run.megabytes,
                errors.row()
            );
            missed.push((method, errors.missed));
            maps.push((method, run.gains));
        }
        let of = |method: Method| missed.iter().find(|(m, _)| *m == method).map(|m| m.1);
        let [gorl, tlars] = [Method::Gorl(1), Method::Tlars(None, Splitting::AtParents)].map(of);
        ensure!(
            tlars < gorl,
            "TLARS misses {tlars:?} of the cells, GORL {gorl:?}"
        );
        if let Some(folder) = folder {
            pictures::city(
                &folder.join(format!("hu-{name}-{resolution}.png")),
                &place,
                &maps,
            )?;
        }
    }
    Ok(())
}

/// Seconds over resolution, reflections and transmitters.
pub(super) fn scale(data: &Path) -> Result<()> {
    println!("\nprocessor seconds by resolution, {REFLECTIONS} R, a square of 600 m\n");
    scale_head("m");
    for resolution in [10.0, 5.0, 2.0, 1.0] {
        let place = part(data, resolution, Some(300.0))?;
        scale_row(
            &place,
            &resolution.to_string(),
            REFLECTIONS,
            std::slice::from_ref(&place.tx),
        )?;
    }
    let place = part(data, 5.0, None)?;
    println!("\nprocessor seconds by reflections, the whole city at 5 m\n");
    scale_head("R");
    for reflections in 1..=3 {
        scale_row(
            &place,
            &reflections.to_string(),
            reflections,
            std::slice::from_ref(&place.tx),
        )?;
    }
    println!("\nprocessor seconds by transmitters, {REFLECTIONS} R, the whole city at 10 m\n");
    let place = part(data, 10.0, None)?;
    let tx: Vec<Tx> = masts(&place, CITY, 100, 13.0)
        .into_iter()
        .map(|position| Tx {
            position,
            antenna: place.tx.antenna.clone(),
        })
        .collect();
    scale_head("Tx");
    for count in [1, 10, 100] {
        scale_row(&place, &count.to_string(), REFLECTIONS, &tx[..count])?;
    }
    Ok(())
}

const SCALED: [Method; 5] = [
    Method::Gorl(1),
    Method::Tlars(None, Splitting::AtParents),
    Method::Tlars(Some(AROUND), Splitting::AtParents),
    Method::Tubes(Accuracy::Default),
    Method::Tubes(Accuracy::Exact),
];

fn scale_head(what: &str) {
    let names = SCALED.map(Method::name);
    println!("| {what} | voxels | {} |", names.join(" | "));
    println!("|--:|--:{}|", "|--:".repeat(SCALED.len()));
}

fn scale_row(place: &Place, name: &str, reflections: usize, tx: &[Tx]) -> Result<()> {
    let mut row = vec![name.to_owned(), place.region.num_cells().to_string()];
    for method in SCALED {
        let before = machine::processor_seconds();
        for tx in tx {
            method.gains(&place.world, &place.region, tx, &limits(reflections))?;
        }
        row.push(format!("{:.2}", machine::processor_seconds() - before));
    }
    println!("| {} |", row.join(" | "));
    Ok(())
}
