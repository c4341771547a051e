//! Walls that are passed and edges that diffract, one by one, in a part of COST 231 Munich.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use keller::coverage::tubes::Accuracy;
use keller::paths::{Effort, Limits, Search};
use keller::units::db_to_power;
use keller_lab::launching::tlars::Splitting;

use super::LIMIT_DB;
use super::city::part;
use super::methods::{Errors, Method, Run};
use crate::tubes::Reference;

/// Edges of a voxel and half the side of the square, metres.
const VOXEL: f64 = 5.0;
const HALF_SIDE: f64 = 300.0;

/// The largest numbers of reflections, transmissions and diffractions of a path, and the number of cells drawn by lot,
/// whose exact paths are found. These take long behind edges.
const STEPS: [([usize; 3], usize); 4] = [
    ([1, 0, 0], 2000),
    ([1, 2, 0], 2000),
    ([1, 0, 1], 500),
    ([1, 2, 1], 200),
];

const METHODS: [Method; 2] = [
    Method::Tlars(None, Splitting::AtParents),
    Method::Tubes(Accuracy::Default),
];

/// Time and errors of each step.
pub(super) fn check(data: &Path) -> Result<()> {
    let place = part(data, VOXEL, Some(HALF_SIDE))?;
    println!(
        "\nCOST 231 Munich, a square of {} m, voxels of {VOXEL} m, {LIMIT_DB} dB\n",
        2.0 * HALF_SIDE
    );
    println!("| limits | method | s | processor s | {} |", Errors::HEAD);
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|");
    for ([reflections, transmissions, diffractions], cells) in STEPS {
        let limits = Limits {
            max_interactions: reflections + diffractions,
            max_reflections: reflections,
            max_transmissions: transmissions,
            max_diffractions: diffractions,
            ..Limits::default()
        };
        let search = match transmissions {
            0 => Search::Complete,
            _ => Search::Launch(Effort::Thorough),
        };
        let name = format!("{reflections} R, {transmissions} T, {diffractions} D");
        let start = Instant::now();
        let reference = Reference::new(&place, &limits, search, db_to_power(-LIMIT_DB), cells)?;
        println!(
            "| {name} | {} exact paths to {cells} cells | {:.1} | | | | | | |",
            reference.num_paths(),
            start.elapsed().as_secs_f64()
        );
        for method in METHODS {
            let run = Run::of(method, &place.world, &place.region, &place.tx, &limits)?;
            println!(
                "| {name} | {} | {:.2} | {:.2} | {} |",
                method.name(),
                run.seconds,
                run.processor_seconds,
                Errors::beside(&reference, &run.gains, method.is_strongest()).row()
            );
        }
    }
    Ok(())
}
