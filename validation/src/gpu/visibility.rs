//! Which tiles see each other, with and without the device: the same rows, and the time.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, ensure};
use keller::Control;
use keller::scene::Scene;
use keller::tiles::{Earlier, RowBuilder, Tiles, Tiling, VisibilityQuery};
use keller_gpu::{Gpu, Kind};

use crate::machine::processor_seconds;

/// Rows that are looked for together: later ones know of earlier ones.
const STEP: usize = 16 * 1024;

/// Rows that software in place of a card is asked for.
const FEW: usize = 1024;

/// Compares the rows of tiles of these sides, metres.
pub(super) fn compare(
    name: &str,
    scene: &Scene,
    sides: &[f64],
    gpu: &Gpu,
    report: &mut String,
) -> Result<()> {
    writeln!(
        report,
        "\n## Which tiles see each other: {name}\n\nThe same rows with and without. Lu et al. 2019, section IV: 460 000 tiles, 9 hours on a Tesla \
         K80.\n\n\
         | tiles of, m | tiles | rows | seen from one | processor, s | with the device, s | ratio | its processor time, s |\n\
         |--:|--:|--:|--:|--:|--:|--:|--:|"
    )?;
    for side in sides {
        let index = gpu.index(scene.index(), |error| eprintln!("{error}"))?;
        let there = Arc::new(scene.clone().with_device(Arc::new(index)));
        let here = Arc::new(scene.clone());
        let tiles = Tiles::new(scene, Tiling::of_side(*side))?;
        let most = if gpu.kind() == Kind::Software {
            FEW
        } else {
            usize::MAX
        };
        let num = tiles.len().min(most);
        eprintln!("{name}: {} tiles of {side} m", tiles.len());
        let timed = |scene: &Arc<Scene>| -> Result<(RowBuilder, f64, f64)> {
            let (start, before) = (Instant::now(), processor_seconds());
            let rows = rows(scene, &tiles, num)?;
            let spent = processor_seconds() - before;
            Ok((rows, start.elapsed().as_secs_f64(), spent))
        };
        let (expected, processor, _) = timed(&here)?;
        let (found, device, spent) = timed(&there)?;
        ensure!(found == expected, "{name}, {side} m: other rows");
        writeln!(
            report,
            "| {side} | {} | {num} | {:.0} | {processor:.2} | {device:.2} | {:.2} | {spent:.2} |",
            tiles.len(),
            found.num_pairs as f64 / num.max(1) as f64,
            processor / device
        )?;
    }
    Ok(())
}

/// The first rows.
fn rows(scene: &Arc<Scene>, tiles: &Tiles, num: usize) -> Result<RowBuilder> {
    let query = VisibilityQuery::new(scene, tiles);
    let mut all = RowBuilder::default();
    while all.ends.len() < num {
        let start = all.ends.len();
        let mut earlier = Earlier::new(start..num.min(start + STEP));
        let mut begin = 0;
        for (tile, end) in (0..).zip(&all.ends) {
            let end = usize::try_from(*end)?;
            earlier.add(tile, &all.bytes[begin..end]);
            begin = end;
        }
        all.append(&query.rows_after(&earlier, &Control::default())?);
    }
    Ok(all)
}
