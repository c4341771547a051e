//! What visibility costs against the number of tiles: time, bytes a pair, memory.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use keller::Control;
use keller::scene::Scene;
use keller::tiles::{Tiles, Tiling, VisibilityQuery};
use keller_io::visibility::{Header, VisibilityFile, VisibilityWriter};

use crate::machine::{peak_memory, processor_seconds};

/// The largest city of Lu et al. 2019, section IV: tiles, hours on a Tesla K80, bytes.
const PAPER: (usize, f64, f64) = (460_000, 9.0, 1.65e9);

/// Fills a file for each side of tiles, in the order given, and opens it.
pub(crate) fn visibility(scene: &Path, sides: &[&str]) -> Result<()> {
    let scene = Arc::new(keller_run::open_scene(scene)?);
    let (most, hours, bytes) = PAPER;
    println!("paper: {most} tiles, {hours} h on a K80, {bytes:.2e} bytes");
    println!(
        "side m | tiles | seen from one | s | processor s | µs a tile | ns a pair | bytes | a pair | open s | peak MB"
    );
    let folder = std::env::temp_dir().join(format!("keller-visibility-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let done = sides.iter().try_for_each(|side| {
        let side: f64 = side
            .parse()
            .with_context(|| format!("`{side}` is no side in metres"))?;
        row(&scene, side, &folder.join("rows.vis"))
    });
    std::fs::remove_dir_all(&folder)?;
    done
}

fn row(scene: &Arc<Scene>, side: f64, file: &Path) -> Result<()> {
    let tiles = Tiles::new(scene, Tiling::of_side(side))?;
    let header = Header::new(scene, &tiles);
    let (start, before) = (Instant::now(), processor_seconds());
    let mut writer = VisibilityWriter::open(file, header)?;
    writer.fill(&VisibilityQuery::new(scene, &tiles), &Control::default())?;
    let pairs = writer.num_pairs() as f64;
    let bytes = writer.finish()? as f64;
    let (wall, processor) = (start.elapsed().as_secs_f64(), processor_seconds() - before);
    let start = Instant::now();
    let opened = VisibilityFile::open(file, &header)?;
    let open = start.elapsed().as_secs_f64();
    ensure!(opened.num_pairs() as f64 == pairs, "the file has all pairs");
    let num = tiles.len() as f64;
    println!(
        "{side} | {num} | {:.0} | {wall:.2} | {processor:.2} | {:.0} | {:.0} | {bytes:.3e} | {:.2} | {open:.3} | {:.0}",
        pairs / num,
        1e6 * processor / num,
        1e9 * processor / pairs,
        bytes / pairs,
        peak_memory() / 1e6
    );
    Ok(())
}
