//! `keller visibility`: which tiles of a scene see which, kept in a file.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use keller::scene::Scene;
use keller::tiles::{Segments, Tiles, Tiling};
use keller_io::store::visibility::VisibilityFile;
use keller_run::{Observer, VisibilityRun};
use serde_json::{Value, json};

use super::scene::{in_file, scenario, settings};
use crate::args::VisibilityArgs;
use crate::ending;
use crate::failure::Failure;
use crate::files::Outputs;
use crate::messages::summarize;
use crate::progress::Progress;
use crate::stop;
use crate::summary::{Clock, Workers};
use crate::{job, memory};

pub(crate) fn run(args: &VisibilityArgs) -> Result<(), Failure> {
    let Some(out) = &args.out else {
        return describe(args);
    };
    let settings = settings(&args.file)?;
    let outputs = Outputs::default()
        .with("-o", Some(out.as_path()))
        .with_part();
    let inputs = settings.files.iter().chain(&settings.cache);
    let inputs = inputs.map(PathBuf::as_path);
    outputs.check(inputs.chain([args.file.as_path()]))?;
    let progress = Progress::new();
    let machine = job::used(&args.machine)?;
    let in_file = |error| in_file(&args.file, error);
    let scene = job::scene(&settings, &outputs, &progress)?.scene;
    let observer: Arc<dyn Observer> = progress.clone();
    let (scene, _) = machine.prepare(scene, &observer)?;
    let tiles = Tiles::new(&scene, tiling(args, &scene)?).map_err(in_file)?;
    let num_segments = Segments::new(&scene, &tiles, |_| true).all().len();
    stop::check()?;

    let (tiling, num_tiles) = (tiles.tiling().clone(), tiles.len());
    let mut run = VisibilityRun::open(out, scene, tiles)?;
    let part = run.writer().part().display().to_string();
    let num_resumed = run.writer().num_done();
    if num_resumed > 0 {
        progress.warn(format!(
            "{part}: goes on after {num_resumed} of {num_tiles} tiles that a run before this one has left"
        ));
    }
    ending::keep(format!(
        "finished blocks are kept in {part}, and the same command goes on with them"
    ));
    let filled = match &args.batch {
        Some(store) => run.fill_from_batch(store, &*progress),
        None => run.fill(&*progress),
    };
    if let Err(error) = filled {
        progress.clear();
        let kept = format!(
            "what {} of {num_tiles} tiles see is kept in {part}, and the same command goes on with it",
            run.writer().num_done()
        );
        return Err(job::ended(error, Some(kept)));
    }
    let num_pairs = run.writer().num_pairs();
    let bytes = run.finish()?;
    let mut facts = Facts {
        num_finer: tiling.finer.len(),
        tiling,
        num_tiles,
        num_segments: Some(num_segments),
        num_pairs,
        bytes,
        run: None,
    };
    facts.run = Some((progress.clock(), Workers::threads()));
    progress.clear();
    if args.json {
        writeln!(io::stdout().lock(), "{:#}", facts.json())?;
    }
    summarize!("{facts}");
    Ok(())
}

/// Prints the contents of a visibility file.
fn describe(args: &VisibilityArgs) -> Result<(), Failure> {
    let is_scene = |file: &Path| {
        let known = ["xml", "ply", "obj", "stl", "gltf", "glb", "toml"];
        let extension = file.extension().and_then(|e| e.to_str());
        extension.is_some_and(|e| known.iter().any(|k| e.eq_ignore_ascii_case(k)))
    };
    if is_scene(&args.file) {
        return Err(Failure::Input(format!(
            "{}: -o FILE is missing: it says where what its tiles see is written; without it only visibility files are described",
            args.file.display()
        )));
    }
    let file = VisibilityFile::describe(&args.file)?;
    let facts = Facts {
        tiling: file.header().tiling.clone(),
        num_finer: file.header().finer.count as usize,
        num_tiles: file.header().num_tiles,
        num_segments: None,
        num_pairs: file.num_pairs(),
        bytes: file.num_bytes() as u64,
        run: None,
    };
    let mut out = io::stdout().lock();
    if args.json {
        writeln!(out, "{:#}", facts.json())?;
    } else {
        writeln!(out, "{facts}")?;
    }
    Ok(())
}

/// The cut of tiles: as asked for, else as the scenario says, else as fits the scene.
fn tiling(args: &VisibilityArgs, scene: &Scene) -> Result<Tiling, Failure> {
    if let Some(area) = args.min_area
        && (area.is_nan() || area < 0.0)
    {
        return Err(Failure::Input(format!(
            "--min-area {area}: an area of 0 m² or more is needed"
        )));
    }
    let said = scenario(&args.file)?.map(|scenario| scenario.tiles);
    let said = said.unwrap_or_default().tiling(scene);
    Ok(Tiling {
        side: args.tile.unwrap_or(said.side),
        ground_side: args.ground_tile.or(said.ground_side),
        min_face_area: args.min_area.unwrap_or(said.min_face_area),
        terrain_grid: said.terrain_grid && !args.terrain_facets,
        under_buildings: said.under_buildings || args.under_buildings,
        finer: if args.refine.is_empty() {
            said.finer
        } else {
            args.refine.clone()
        },
    })
}

/// Facts about the visibility that was found.
struct Facts {
    tiling: Tiling,
    /// Points around which tiles are smaller.
    num_finer: usize,
    num_tiles: usize,
    /// The number of segments of edges; a file does not say.
    num_segments: Option<usize>,
    num_pairs: u64,
    /// The size of the file, bytes.
    bytes: u64,
    /// The time of the run, and the workers that it used.
    run: Option<(Clock, Workers)>,
}

impl Facts {
    fn mean_visible(&self) -> f64 {
        self.num_pairs as f64 / self.num_tiles.max(1) as f64
    }

    fn bytes_per_pair(&self) -> f64 {
        self.bytes as f64 / self.num_pairs.max(1) as f64
    }

    fn json(&self) -> Value {
        let mut object = json!({
            "tile_m": self.tiling.side,
            "ground_tile_m": self.tiling.ground_side,
            "min_area_m2": self.tiling.min_face_area,
            "terrain_grid": self.tiling.terrain_grid,
            "under_buildings": self.tiling.under_buildings,
            "finer": self.num_finer,
            "tiles": self.num_tiles,
            "pairs": self.num_pairs,
            "mean_visible": self.mean_visible(),
            "bytes": self.bytes,
            "bytes_per_pair": self.bytes_per_pair(),
        });
        if let Some(segments) = self.num_segments {
            object["segments"] = segments.into();
        }
        if let Some((clock, workers)) = &self.run {
            object["seconds"] = clock.json();
            object["peak_memory_bytes"] = memory::peak().into();
            object["threads"] = workers.threads.into();
        }
        object
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} tiles of {} m", self.num_tiles, self.tiling.side)?;
        if let Some(side) = self.tiling.ground_side {
            write!(f, " ({side} m on the ground)")?;
        }
        match self.num_finer {
            0 => {}
            1 => write!(f, ", finer around 1 point")?,
            num => write!(f, ", finer around {num} points")?,
        }
        if let Some(segments) = self.num_segments {
            write!(f, ", {segments} segments of edges")?;
        }
        write!(
            f,
            ", {} pairs, {:.1} visible from a tile in the mean; {} bytes, {:.2} a pair",
            self.num_pairs,
            self.mean_visible(),
            self.bytes,
            self.bytes_per_pair()
        )?;
        if let Some((clock, workers)) = &self.run {
            write!(f, "; {clock}; {workers}")?;
        }
        Ok(())
    }
}
