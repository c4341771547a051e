//! The tiles that see each other, with and without the card: the same rows, and the time.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, ensure};
use keller::Control;
use keller::scene::Scene;
use keller::tiles::{Tiles, Tiling, Visibility, VisibilityQuery};
use keller_gpu::{Gpu, Kind};

use crate::machine::processor_seconds;

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
        "\n## Which tiles see each other: {name}\n\nThe same rows with and without. Lu et al. 2019, section III.B: 460 000 tiles, 9 hours on a Tesla \
         K80.\n\n\
         | tiles of, m | tiles | rows | seen from one | processor, s | with the card, s | ratio | its processor time, s |\n\
         |--:|--:|--:|--:|--:|--:|--:|--:|"
    )?;
    for side in sides {
        let index = gpu.index(scene.index(), |error| eprintln!("{error}"))?;
        let there = Arc::new(scene.clone().with_accelerator(Arc::new(index)));
        let here = Arc::new(scene.clone());
        let tiles = Tiles::new(scene, Tiling::of_side(*side))?;
        eprintln!("{name}: {} tiles of {side} m", tiles.len());
        let is_card = gpu.kind() != Kind::Software;
        let num = if is_card {
            tiles.len()
        } else {
            FEW.min(tiles.len())
        };
        let control = Control::default();
        let found = if is_card {
            let all = |scene: &Arc<Scene>| Visibility::new(scene, &tiles, &control);
            Compared::new([&here, &there], all, Visibility::num_pairs)?
        } else {
            let some =
                |scene: &Arc<Scene>| VisibilityQuery::new(scene, &tiles).rows(0..num, &control);
            Compared::new([&here, &there], some, |rows| rows.num_pairs)?
        };
        let [processor, card] = found.seconds;
        writeln!(
            report,
            "| {side} | {} | {num} | {:.0} | {processor:.2} | {card:.2} | {:.2} | {:.2} |",
            tiles.len(),
            found.num_pairs as f64 / num.max(1) as f64,
            processor / card,
            found.spent
        )?;
    }
    Ok(())
}

/// The results of both, which are the same.
struct Compared {
    num_pairs: u64,
    /// The times of the processor, and with the card, seconds.
    seconds: [f64; 2],
    /// The processor's time with the card, seconds.
    spent: f64,
}

impl Compared {
    fn new<T: PartialEq>(
        [here, there]: [&Arc<Scene>; 2],
        look: impl Fn(&Arc<Scene>) -> Result<T, keller::Error>,
        num_pairs: impl Fn(&T) -> u64,
    ) -> Result<Self> {
        let timed = |scene| -> Result<(T, f64, f64)> {
            let (start, before) = (Instant::now(), processor_seconds());
            let rows = look(scene)?;
            let spent = processor_seconds() - before;
            Ok((rows, start.elapsed().as_secs_f64(), spent))
        };
        let (expected, processor, _) = timed(here)?;
        let (found, card, spent) = timed(there)?;
        ensure!(found == expected, "the card finds other rows");
        Ok(Self {
            num_pairs: num_pairs(&found),
            seconds: [processor, card],
            spent,
        })
    }
}
