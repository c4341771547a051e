//! `keller visibility`: which tiles of a scene see which, kept in a file.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use keller::Control;
use keller::scene::Scene;
use keller::tiles::{Segments, Tiles, Tiling, look};
use keller_io::visibility::{Header, VisibilityError, VisibilityFile, VisibilityWriter};
use serde_json::{Value, json};

use super::scene::{in_file, settings};
use crate::args::VisibilityArgs;
use crate::failure::Failure;
use crate::files::Outputs;
use crate::interrupt;
use crate::job;
use crate::memory;
use crate::prepared::prepare;
use crate::progress::Progress;
use crate::summary::{Clock, Stage};

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
    let threads = job::use_threads(args.machine.threads)?;
    let in_file = |error| in_file(&args.file, error);
    let scene = prepare(&settings, &outputs, &progress, in_file)?.scene;
    let scene = job::with_dispatch(scene, args.machine.dispatch)?;
    let tiles = Tiles::new(&scene, tiling(args, &scene)?).map_err(in_file)?;
    let num_segments = Segments::new(&scene, &tiles, |_| true).all().len();
    interrupt::check()?;

    let mut writer = VisibilityWriter::open(out, Header::new(&scene, &tiles))?;
    let num_resumed = writer.num_done();
    if num_resumed > 0 {
        progress.warn(format!(
            "{}: goes on after {num_resumed} of {} tiles that a run before this one has left",
            writer.part().display(),
            tiles.len()
        ));
    }
    let looking = look(&scene, &tiles);
    let report = |_, done| progress.report(Stage::Visibility, done);
    let control = Control {
        cancelled: Some(interrupt::flag()),
        progress: Some(&report),
    };
    let told = |writer: &VisibilityWriter| {
        format!(
            "what {} of {} tiles see is kept in {}, and the same command goes on with it",
            writer.num_done(),
            tiles.len(),
            writer.part().display()
        )
    };
    interrupt::keep(format!(
        "finished blocks are kept in {}, and the same command goes on with them",
        writer.part().display()
    ));
    if let Err(error) = writer.fill(&looking, &control) {
        progress.clear();
        return Err(match error {
            VisibilityError::Stopped => Failure::Kept(format!("stopped; {}", told(&writer))),
            error => error.into(),
        });
    }
    let num_pairs = writer.num_pairs();
    let bytes = writer.finish()?;
    let mut facts = Facts {
        tiling: *tiles.tiling(),
        num_tiles: tiles.len() as u64,
        num_segments: Some(num_segments),
        num_pairs,
        bytes,
        run: None,
    };
    facts.run = Some((progress.clock(), threads));
    progress.clear();
    if args.json {
        writeln!(io::stdout().lock(), "{:#}", facts.json())?;
    }
    eprintln!("{facts}");
    Ok(())
}

/// What is in a visibility file.
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
        tiling: file.header().tiling,
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

/// How tiles are cut: as asked for, else as fits the scene.
fn tiling(args: &VisibilityArgs, scene: &Scene) -> Result<Tiling, Failure> {
    if args.min_area.is_nan() || args.min_area < 0.0 {
        return Err(Failure::Input(format!(
            "--min-area {}: an area of 0 m² or more is needed",
            args.min_area
        )));
    }
    let side = args.tile.unwrap_or_else(|| Tiling::of_scene(scene).side);
    Ok(Tiling {
        side,
        ground_side: args.ground_tile,
        least_face_area: args.min_area,
    })
}

/// What was found.
struct Facts {
    tiling: Tiling,
    num_tiles: u64,
    /// Of edges; a file does not say.
    num_segments: Option<usize>,
    num_pairs: u64,
    /// Of the file.
    bytes: u64,
    /// Time, and how many threads took it.
    run: Option<(Clock, usize)>,
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
            "min_area_m2": self.tiling.least_face_area,
            "tiles": self.num_tiles,
            "pairs": self.num_pairs,
            "mean_visible": self.mean_visible(),
            "bytes": self.bytes,
            "bytes_per_pair": self.bytes_per_pair(),
        });
        if let Some(segments) = self.num_segments {
            object["segments"] = segments.into();
        }
        if let Some((clock, threads)) = &self.run {
            object["seconds"] = clock.json();
            object["peak_memory_bytes"] = memory::peak().into();
            object["threads"] = (*threads).into();
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
        if let Some((clock, threads)) = &self.run {
            let plural = if *threads == 1 { "" } else { "s" };
            write!(f, "; {clock} {threads} thread{plural}")?;
        }
        Ok(())
    }
}
