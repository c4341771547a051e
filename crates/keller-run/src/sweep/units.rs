//! How the work of a job is cut into units.

use std::ops::Range;
use std::sync::Arc;

use keller::tiles::Tiles;
use keller_io::sweep::{Unit, Work};
use keller_io::visibility::BLOCK;

use crate::{Error, Job};

/// Receivers of a unit.
const UNIT_RX: usize = 1 << 12;

/// Tiles of a unit of visibility.
const UNIT_TILES: usize = 4 * BLOCK;

/// The units of the job of a family, in the order of its results, about so many items each.
pub(super) fn units_of(
    job: &Arc<Job>,
    work: Work,
    family: usize,
    items: Option<usize>,
) -> Result<Vec<Unit>, Error> {
    let unit = |region: usize, tx: Vec<usize>, range: Range<usize>| Unit {
        family,
        region,
        tx,
        range,
    };
    let num_tiles = || {
        let scene = job.world.scene();
        Tiles::new(scene, job.scenario.tiles.tiling(scene)).map(|tiles| tiles.len())
    };
    let all_tx = 0..job.scenario.tx.len();
    Ok(match work {
        Work::Cells => {
            let mut units = Vec::new();
            for region in 0..job.regions()?.len() {
                let run = job.coverage(region)?;
                let of_region = run.units(items).into_iter();
                units.extend(of_region.map(|(tx, cells)| unit(region, tx, cells)));
            }
            units
        }
        Work::Surfaces => {
            let num_tiles = num_tiles()?;
            all_tx.map(|tx| unit(0, vec![tx], 0..num_tiles)).collect()
        }
        Work::Paths | Work::Channels => {
            let most = items.unwrap_or(UNIT_RX).max(1);
            let ranges = ranges(job.scenario.receivers.rx.len(), most);
            let of_tx = |tx: usize| ranges.iter().map(move |rx| unit(0, vec![tx], rx.clone()));
            all_tx.flat_map(of_tx).collect()
        }
        Work::Visibility => {
            let most = items.unwrap_or(UNIT_TILES).div_ceil(BLOCK).max(1) * BLOCK;
            let ranges = ranges(num_tiles()?, most).into_iter();
            ranges.map(|tiles| unit(0, Vec::new(), tiles)).collect()
        }
    })
}

/// `0..count` in ranges of `most`.
fn ranges(count: usize, most: usize) -> Vec<Range<usize>> {
    let starts = (0..count).step_by(most);
    starts.map(|first| first..count.min(first + most)).collect()
}
