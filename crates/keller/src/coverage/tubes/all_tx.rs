//! The coverage of several Tx, one after the other.

use glam::DVec3;

use super::{Settings, Tubes};
use crate::coverage::{Coverage, Region};
use crate::paths::Devices;
use crate::{Control, Error, Stage, Tx, World};

/// The path gains of every Tx in every cell of `region`.
///
/// # Errors
/// [`Error::NoDevice`], [`Error::DevicePosition`] for a Tx that cannot be used, [`Error::Cancelled`].
pub fn coverage(
    world: &World,
    tx: &[Tx],
    region: Region,
    settings: &Settings,
    control: &Control<'_>,
) -> Result<Coverage, Error> {
    let positions: Vec<DVec3> = tx.iter().map(|tx| tx.position).collect();
    Devices::tx(world.scene(), positions)?;
    let tubes = Tubes::new(world, &region, *settings);
    let num_cells = region.num_cells();
    let mut path_gain = Vec::with_capacity(tx.len() * num_cells);
    for (index, sender) in tx.iter().enumerate() {
        let report = |stage, done: f64| {
            control.report(stage, (index as f64 + done) / tx.len() as f64);
        };
        let of_tx = Control {
            progress: Some(&report),
            ..*control
        };
        path_gain.extend(tubes.gains(sender, 0..num_cells, &of_tx)?);
    }
    control.report(Stage::Coverage, 1.0);
    Ok(Coverage {
        region,
        ground: tubes.ground,
        path_gain,
        num_tx: tx.len(),
    })
}
