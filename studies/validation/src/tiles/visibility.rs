//! Measures the cost of visibility against the number of tiles: time, bytes a pair, memory. The number grows with
//! smaller tiles of one area, or with larger squares of tiles of one size.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use keller::Control;
use keller::scene::Scene;
use keller::tiles::{Tiles, Tiling, VisibilityQuery};
use keller_io::formats::import::import;
use keller_io::store::visibility::{Header, VisibilityFile, VisibilityWriter};

use super::crop::crop;
use crate::machine::{peak_memory, processor_seconds};

/// The largest city of Lu et al. 2019, section III.B: tiles, hours on a Tesla K80, bytes.
const PAPER: (usize, f64, f64) = (460_000, 9.0, 1.65e9);

/// Fills a file for each side of tiles, in the order given, and opens it. `SIDE@WIDTH` asks for the buildings of a
/// square of this width, metres, around the centre of the scene, on level ground.
pub(crate) fn visibility(scene: &Path, sides: &[&str]) -> Result<()> {
    let mesh = import(scene)?.mesh;
    let scene = Arc::new(Scene::new(&mesh)?);
    let (most, hours, bytes) = PAPER;
    println!("paper: {most} tiles, {hours} h on a K80, {bytes:.2e} bytes");
    println!(
        "side m | tiles | seen from one | s | processor s | µs a tile | ns a pair | bytes | a pair | open s | peak MB"
    );
    let folder = std::env::temp_dir().join(format!("keller-visibility-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let done = sides.iter().try_for_each(|side| {
        let (side, width) = side
            .split_once('@')
            .map_or((*side, None), |(side, width)| (side, Some(width)));
        let metres = |text: &str| -> Result<f64> {
            (text.parse()).with_context(|| format!("`{text}` is no length in metres"))
        };
        let square = width.map(|width| -> Result<Arc<Scene>> {
            let [low, high] = scene.bounds();
            let centre = (0.5 * (low + high)).truncate();
            Ok(Arc::new(Scene::new(&crop(&mesh, centre, metres(width)?))?))
        });
        let place = square.transpose()?.unwrap_or_else(|| Arc::clone(&scene));
        let name = width.map_or(String::new(), |width| format!("@{width}"));
        row(&place, metres(side)?, &name, &folder.join("rows.vis"))
    });
    std::fs::remove_dir_all(&folder)?;
    done
}

fn row(scene: &Arc<Scene>, side: f64, name: &str, file: &Path) -> Result<()> {
    let tiles = Tiles::new(scene, Tiling::of_side(side))?;
    let header = Header::new(scene, &tiles);
    let (start, before) = (Instant::now(), processor_seconds());
    let mut writer = VisibilityWriter::open(file, header.clone())?;
    writer.fill(&VisibilityQuery::new(scene, &tiles), &Control::default())?;
    let pairs = writer.num_pairs() as f64;
    let bytes = writer.finish()? as f64;
    let (wall, processor) = (start.elapsed().as_secs_f64(), processor_seconds() - before);
    // An open file counts as memory of the process too.
    let peak = peak_memory();
    let start = Instant::now();
    let opened = VisibilityFile::open(file, &header)?;
    let open = start.elapsed().as_secs_f64();
    ensure!(opened.num_pairs() as f64 == pairs, "the file has all pairs");
    let num = tiles.len() as f64;
    println!(
        "{side}{name} | {num} | {:.0} | {wall:.2} | {processor:.2} | {:.0} | {:.0} | {bytes:.3e} | {:.2} | {open:.3} | {:.0}",
        pairs / num,
        1e6 * processor / num,
        1e9 * processor / pairs,
        bytes / pairs,
        peak / 1e6
    );
    Ok(())
}
