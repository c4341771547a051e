//! Changes that calibration makes in the text of a scenario.

use keller::World;
use keller::calibration::{Background, Quantity};
use keller::comparison::Offsets;
use keller_io::scenario::{CalibratedMaterial, CalibratedScenario, Changing};

use super::parameters::Chosen;
use crate::Job;

/// The changes that a calibrated world, background and offsets mean.
pub(super) fn of(
    job: &Job,
    chosen: &Chosen,
    world: &World,
    background: Option<Background>,
    offsets: &Offsets,
) -> CalibratedScenario {
    let is_background = |quantity: &Quantity| !matches!(quantity, Quantity::Material(..));
    let mut materials: Vec<CalibratedMaterial> = Vec::new();
    for (quantity, range) in chosen.quantities.iter().zip(&chosen.ranges) {
        let (Quantity::Material(ids, property), Changing::Material(name, _)) =
            (quantity, &range.what)
        else {
            continue;
        };
        match materials.iter_mut().find(|known| known.name == *name) {
            Some(known) => known.properties.push(*property),
            None => materials.push(CalibratedMaterial {
                name: name.clone(),
                properties: vec![*property],
                material: world.materials()[ids[0].index()].clone(),
            }),
        }
    }
    CalibratedScenario {
        comments: Vec::new(),
        materials,
        background: background.filter(|_| chosen.quantities.iter().any(is_background)),
        losses: None,
        offsets_db: rounded_offsets(offsets, job.tx.len()),
    }
}

/// The offset of each Tx, dB. Thousandths are enough.
pub(super) fn rounded_offsets(offsets: &Offsets, num_tx: usize) -> Vec<f64> {
    let rounded = |db: f64| (1000.0 * db).round() / 1000.0 + 0.0;
    (0..num_tx).map(|tx| rounded(offsets.of(tx))).collect()
}
