//! `keller import`: files of a place become a scene.

mod facts;
mod options;

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use keller::clutter::{Clutter, Volume};
use keller_geo::place;
use keller_geo::site::{GroundKind, Site, SiteError, SiteOptions, Sources, assemble};
use keller_geo::terrain::Raster;
use keller_io::formats::OutputFile;
use keller_io::formats::import::{Imported, Object, import_each};
use keller_io::reports::export::{Beside, glb};
use keller_run::{RunStage, build_scene};

use self::facts::Facts;
use self::options::{
    Claims, StatedCrs, check_crs, parse_crs, read_options, site_options, stated_crs,
};
use crate::args::ImportArgs;
use crate::failure::Failure;
use crate::files::Outputs;
use crate::messages::summarize;
use crate::stop;

use crate::pictures::view;
use crate::progress::Progress;

/// The contents of the files that were read.
#[derive(Default)]
struct Files {
    sources: Sources,
    /// Meshes, which only need to be added to the rest.
    meshes: Vec<(PathBuf, Imported)>,
}

/// One scene of all files.
struct Joined {
    imported: Imported,
    /// Vegetation, by name.
    clutter: Vec<(String, Volume)>,
    num_buildings: usize,
    ground: Option<GroundKind>,
}

pub(crate) fn run(args: &ImportArgs) -> Result<(), Failure> {
    let is_glb = args.out.extension().and_then(OsStr::to_str);
    if !is_glb.is_some_and(|extension| extension.eq_ignore_ascii_case("glb")) {
        return Err(Failure::Input(format!(
            "{}: scenes are written as GLB; accepted: a name that ends in .glb",
            args.out.display()
        )));
    }
    let options = site_options(args)?;
    check_crs(args)?;
    let outputs = Outputs::default()
        .with("-o", Some(args.out.as_path()))
        .with("--picture", args.picture.as_deref());
    outputs.check(args.files.iter().map(PathBuf::as_path))?;
    let out = OutputFile::create(&args.out).map_err(|error| Failure::Input(error.to_string()))?;
    let picture = view(args.picture.as_deref())?;
    let progress = Progress::new();
    let files = read(args, &progress)?;
    let sources = files.meshes.iter().flat_map(|(_, mesh)| &mesh.sources);
    outputs.check(sources.map(PathBuf::as_path))?;

    progress.report(RunStage::Assemble, 0.0);
    let joined = join(files, &options, &progress)?;
    stop::check()?;
    let volumes = joined.clutter.iter().map(|(_, volume)| volume.clone());
    let scene = build_scene(&joined.imported.mesh, &*progress)?
        .with_clutter(Clutter::new(volumes.collect()));
    stop::check()?;

    progress.report(RunStage::Write, 0.0);
    let imported = &joined.imported;
    let beside = Beside {
        clutter: &joined.clutter,
        georeference: imported.georeference.as_ref(),
        ..Beside::default()
    };
    let bytes = glb(&imported.mesh, &imported.objects, &beside);
    out.write(|writer| writer.write_all(&bytes))?;
    if let Some(picture) = picture {
        picture.write(&scene)?;
    }
    let facts = Facts::of(&joined, &scene, args, progress.clock());
    progress.clear();
    let mut stdout = BufWriter::new(io::stdout().lock());
    if args.json {
        writeln!(stdout, "{:#}", facts.json())?;
    } else {
        facts.write(&mut stdout)?;
    }
    stdout.flush()?;
    if !args.json {
        summarize!("{}", facts.clock);
    }
    Ok(())
}

/// Reads every file in its own coordinates.
fn read(args: &ImportArgs, progress: &Progress) -> Result<Files, Failure> {
    let mut files = Files::default();
    let mut meshes = Vec::new();
    let mut claims = Claims::default();
    for (number, file) in args.files.iter().enumerate() {
        stop::check()?;
        progress.report(RunStage::Import, number as f64 / args.files.len() as f64);
        let crs = stated_crs(&args.crs, file);
        match extension(file).as_str() {
            "tif" | "tiff" | "asc" | "hgt" => {
                let (raster, own, warnings) = read_raster(file, &crs)?;
                claims.add(file, &crs, own.as_deref());
                warn_all(&warnings, progress);
                files.sources.rasters.push(raster);
            }
            "xml" | "ply" | "obj" | "stl" | "gltf" | "glb" => meshes.push(file.clone()),
            _ => {
                let place = place::read_with(file, &read_options(args, crs.clone()));
                let mut place = place.map_err(|error| Failure::Input(error.to_string()))?;
                claims.add(file, &crs, place.file_crs.as_deref());
                // If there are bounds, warnings are about the files within them, which `assemble` knows.
                if args.bounds.is_none() {
                    warn_all(&std::mem::take(&mut place.warnings), progress);
                }
                files.sources.places.push((file.clone(), place));
            }
        }
    }
    claims.finish(args);
    warn_all(&claims.warnings, progress);
    files.meshes = import_each(&meshes, args.mesh.options())?;
    Ok(files)
}

/// One scene of all files.
fn join(files: Files, options: &SiteOptions, progress: &Progress) -> Result<Joined, Failure> {
    let Files { sources, meshes } = files;
    let has_site = !(sources.places.is_empty() && sources.rasters.is_empty());
    let site = if has_site {
        assemble(sources, options).map_err(|error| with_hint(&error))?
    } else {
        Site::default()
    };
    warn_all(&site.warnings, progress);
    if has_site && site.georeference.is_none() {
        progress.warn(
            "no file names a coordinate reference system: coordinates are the metres of the files, and nothing can be put on a map; \
             `--crs EPSG:25832`, say, states one",
        );
    }
    let object = |(name, triangles)| Object { name, triangles };
    let mut imported = Imported {
        mesh: site.mesh,
        objects: site.parts.into_iter().map(object).collect(),
        georeference: site.georeference,
        ..Imported::default()
    };
    for (file, mesh) in meshes {
        imported.append(mesh, &file)?;
    }
    warn_all(&imported.warnings, progress);
    let mut clutter = site.volumes;
    let volumes = std::mem::take(&mut imported.volumes).into_iter();
    clutter.extend(volumes.map(|volume| ("clutter".to_owned(), volume)));
    Ok(Joined {
        imported,
        clutter,
        num_buildings: site.num_buildings,
        ground: site.ground,
    })
}

fn warn_all(warnings: &[impl fmt::Display], progress: &Progress) {
    for warning in warnings {
        progress.warn(warning);
    }
}

fn with_hint(error: &SiteError) -> Failure {
    let hint = match error {
        SiteError::Crs { .. }
        | SiteError::Far { .. }
        | SiteError::Degrees { .. }
        | SiteError::Beside { .. } => {
            "; `--crs FILE=CRS` states the coordinate reference system of a file"
        }
        SiteError::Place { .. } => {
            "; `--crs FILE=CRS` states it, and `local` means metres of no known place"
        }
        _ => "",
    };
    Failure::Input(format!("{error}{hint}"))
}

/// A raster, the system that its file names, and its warnings.
fn read_raster(
    file: &Path,
    stated: &StatedCrs,
) -> Result<(Raster, Option<String>, Vec<String>), Failure> {
    let parse = |text: &Option<String>| text.as_deref().map_or(Ok(None), parse_crs);
    let own = parse(&stated.own)?;
    let read = Raster::read(file, own.as_ref());
    let mut read = read.map_err(|error| Failure::Input(error.to_string()))?;
    if read.raster.crs.is_none() {
        read.raster.crs = parse(&stated.missing)?;
    }
    let named = read.file_crs.map(|crs| crs.name().to_owned());
    Ok((read.raster, named, read.warnings))
}

fn extension(file: &Path) -> String {
    let extension = file.extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}
