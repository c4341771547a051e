//! The cells that are most wrong, with the paths that might explain it.

use keller::paths::{Interaction, Path as Ray};
use keller::units::power_to_db;

use super::place::Place;
use super::reference::{Cell, Reference};

/// Paths shown of a cell.
const PATHS: usize = 4;

/// The largest relative difference between the missing power and that of a path that explains it.
const SAME: f64 = 0.1;

/// Prints the cells with the largest errors, those that only one engine has by how strong they are.
pub(super) fn show(place: &Place, reference: &Reference, gains: &[f64], count: usize) {
    let mut wrong: Vec<(f64, &Cell)> = reference
        .cells
        .iter()
        .filter_map(|cell| Some((weight(reference, cell, gains)?, cell)))
        .collect();
    wrong.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, cell) in wrong.into_iter().take(count) {
        let (found, exact) = (gains[cell.number], cell.gain(reference.min_gain));
        println!(
            "  {:.2}{}: {:.2} dB for {:.2}",
            cell.centre,
            if cell.is_indoors { " indoors" } else { "" },
            power_to_db(found),
            power_to_db(exact)
        );
        let mut paths: Vec<&(Ray, f64)> = cell.paths.iter().collect();
        paths.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (path, gain) in paths.into_iter().take(PATHS) {
            let is_missed = (exact - found - gain).abs() < SAME * gain;
            println!(
                "    {:8.2} dB {}{}",
                power_to_db(*gain),
                sequence(place, path),
                if is_missed {
                    "  <- as much is missed"
                } else {
                    ""
                }
            );
        }
    }
}

/// The error of a cell, dB; if only one has it, by how far it is above the least that counts.
fn weight(reference: &Reference, cell: &Cell, gains: &[f64]) -> Option<f64> {
    let error = reference.error(cell, gains)?;
    if error.is_finite() {
        return Some(error.abs());
    }
    let either = gains[cell.number].max(cell.gain(reference.min_gain));
    Some(power_to_db(either / reference.min_gain))
}

/// Kinds and planes in their order.
pub(super) fn sequence(place: &Place, path: &Ray) -> String {
    if path.is_line_of_sight() {
        return "line of sight".to_owned();
    }
    let steps = path.interactions().map(|met| {
        let index = match met {
            Interaction::Reflection(face) | Interaction::Transmission(face) => {
                place.world.scene().plane_of(face).index()
            }
            Interaction::Diffraction(_) | Interaction::Scattering(..) => met.object_index(),
        };
        format!("{}{index}", met.kind().letter())
    });
    steps.collect::<Vec<_>>().join(" ")
}
