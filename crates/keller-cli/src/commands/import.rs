//! `keller import`: files of a place become a scene.

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use glam::DVec2;
use keller::clutter::{Clutter, Volume};
use keller::scene::{Defects, Scene};
use keller_geo::crs::{Crs, Frame};
use keller_geo::place::mesh::MeshOptions;
use keller_geo::place::{self, ReadOptions};
use keller_geo::site::{GroundKind, Site, SiteError, SiteOptions, Sources, assemble};
use keller_geo::terrain::{Raster, TerrainOptions};
use keller_io::OutputFile;
use keller_io::export::{Beside, glb};
use keller_io::import::{Imported, Object};
use serde_json::{Value, json};

use crate::args::{ImportArgs, UnitArg};
use crate::failure::Failure;
use crate::interrupt;
use crate::pictures::view;
use crate::progress::Progress;
use crate::report::write_table;
use crate::summary::{Clock, Stage, peak_memory};

/// Metres in a foot (international).
const FOOT: f64 = 0.3048;

/// What was read.
#[derive(Default)]
struct Files {
    sources: Sources,
    /// Meshes, which need nothing but to be put beside the rest.
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
    let out = OutputFile::create(&args.out).map_err(|error| Failure::Input(error.to_string()))?;
    let picture = view(args.view.as_deref())?;
    let progress = Progress::new();
    let files = read(args, &progress)?;

    progress.report(Stage::Assemble, 0.0);
    let joined = join(files, &options, &progress)?;
    interrupt::check()?;
    progress.report(Stage::Scene, 0.0);
    let volumes = joined.clutter.iter().map(|(_, volume)| volume.clone());
    let scene = Scene::new(&joined.imported.mesh)?.with_clutter(Clutter::new(volumes.collect()));
    interrupt::check()?;

    progress.report(Stage::Write, 0.0);
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
        eprintln!("{}", facts.clock);
    }
    Ok(())
}

/// Reads every file in its own coordinates.
fn read(args: &ImportArgs, progress: &Progress) -> Result<Files, Failure> {
    let mut files = Files::default();
    for (number, file) in args.files.iter().enumerate() {
        interrupt::check()?;
        progress.report(Stage::Import, number as f64 / args.files.len() as f64);
        let crs = stated_crs(&args.crs, file);
        match extension(file).as_str() {
            "tif" | "tiff" | "asc" | "hgt" => {
                let (raster, warnings) = read_raster(file, crs)?;
                warn_all(&warnings, progress);
                files.sources.rasters.push(raster);
            }
            "xml" | "ply" | "obj" | "stl" | "gltf" | "glb" => {
                let imported = keller_io::import(file)?;
                files.meshes.push((file.clone(), imported));
            }
            _ => {
                let place = place::read_with(file, &read_options(args, crs));
                let mut place = place.map_err(|error| Failure::Input(error.to_string()))?;
                let warnings = std::mem::take(&mut place.warnings);
                warn_all(&warnings, progress);
                files.sources.places.push((file.clone(), place));
            }
        }
    }
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
        SiteError::Crs { .. } | SiteError::Far { .. } | SiteError::Degrees { .. } => {
            "; `--crs FILE=CRS` states the coordinate reference system of a file"
        }
        SiteError::Place { .. } => {
            "; `--crs FILE=CRS` states it, and `local` means metres of no known place"
        }
        _ => "",
    };
    Failure::Input(format!("{error}{hint}"))
}

/// What the command line says of the system of a file.
#[derive(Debug, Default, Clone, PartialEq)]
struct StatedCrs {
    /// Of this file, whatever it names.
    own: Option<String>,
    /// If the file names none.
    missing: Option<String>,
}

/// What `--crs` says of `file`; the last one counts.
fn stated_crs(args: &[String], file: &Path) -> StatedCrs {
    let mut stated = StatedCrs::default();
    for text in args {
        // PROJ strings and WKT have signs of equality too.
        let is_definition = text.starts_with('+') || text.contains('[');
        match text.split_once('=').filter(|_| !is_definition) {
            Some((name, crs))
                if Path::new(name) == file || Some(OsStr::new(name)) == file.file_name() =>
            {
                stated.own = Some(crs.to_owned());
            }
            Some(_) => {}
            None => stated.missing = Some(text.clone()),
        }
    }
    stated
}

fn read_raster(file: &Path, stated: StatedCrs) -> Result<(Raster, Vec<String>), Failure> {
    const LOCAL: &str = "local";
    let parse = |text: Option<String>| {
        let text = text.filter(|text| text != LOCAL);
        let crs = text.as_deref().map(Crs::parse).transpose();
        crs.map_err(|error| Failure::Input(format!("--crs: {error}")))
    };
    let own = parse(stated.own)?;
    let read = Raster::read(file, own.as_ref());
    let mut read = read.map_err(|error| Failure::Input(error.to_string()))?;
    if read.raster.crs.is_none() {
        read.raster.crs = parse(stated.missing)?;
    }
    Ok((read.raster, read.warnings))
}

fn read_options(args: &ImportArgs, stated: StatedCrs) -> ReadOptions {
    let mut options = ReadOptions {
        crs: stated.own,
        missing_crs: stated.missing,
        unit: match args.unit {
            UnitArg::M => 1.0,
            UnitArg::Ft => FOOT,
        },
        level_height: args.level_height,
        default_height: Some(args.default_height).filter(|height| *height > 0.0),
        ..ReadOptions::default()
    };
    options.height_keys.splice(0..0, args.height_key.clone());
    options
}

fn site_options(args: &ImportArgs) -> Result<SiteOptions, Failure> {
    for (name, value) in [
        ("--margin", args.margin),
        ("--default-height", args.default_height),
        ("--level-height", args.level_height),
    ] {
        let is_usable = (0.0..1e5).contains(&value);
        if !is_usable {
            return Err(Failure::Input(format!(
                "{name} {value}: accepted is a number from 0 to 1e5, metres"
            )));
        }
    }
    let default = MeshOptions::default();
    Ok(SiteOptions {
        bounds: args
            .bounds
            .map(|[west, south, east, north]| [DVec2::new(west, south), DVec2::new(east, north)]),
        margin: args.margin,
        ground: args.ground,
        terrain: TerrainOptions {
            max_error: args.terrain_error,
            ..TerrainOptions::default()
        },
        mesh: MeshOptions {
            wall_material: args.wall.clone().unwrap_or(default.wall_material),
            roof_material: args.roof.clone().unwrap_or(default.roof_material),
            ..MeshOptions::default()
        },
        ..SiteOptions::default()
    })
}

fn extension(file: &Path) -> String {
    let extension = file.extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}

/// What an import came to.
struct Facts {
    out: PathBuf,
    num_buildings: usize,
    num_volumes: usize,
    num_triangles: usize,
    ground: Option<GroundKind>,
    terrain_error: f64,
    crs: Option<String>,
    /// Longitude and latitude of the local (0, 0), degrees.
    lon_lat: Option<[f64; 2]>,
    size: [f64; 3],
    defects: Defects,
    num_free_edges: usize,
    clock: Clock,
}

impl Facts {
    fn of(joined: &Joined, scene: &Scene, args: &ImportArgs, clock: Clock) -> Self {
        let georeference = joined.imported.georeference.as_ref();
        let frame = georeference.and_then(|georeference| Frame::new(georeference).ok());
        let [low, high] = scene.bounds();
        Self {
            out: args.out.clone(),
            num_buildings: joined.num_buildings,
            num_volumes: joined.clutter.len(),
            num_triangles: joined.imported.mesh.triangles.len(),
            ground: joined.ground,
            terrain_error: args.terrain_error,
            crs: georeference.map(|georeference| georeference.crs.clone()),
            lon_lat: frame
                .and_then(|frame| frame.to_lon_lat(DVec2::ZERO).ok())
                .map(|at| at.to_array()),
            size: (high - low).to_array(),
            defects: scene.defects(),
            num_free_edges: scene.edges().iter().filter(|edge| !edge.is_wedge()).count(),
            clock,
        }
    }

    fn ground(&self) -> String {
        match self.ground {
            None => "as in the files".to_owned(),
            Some(GroundKind::Plane(elevation)) => format!("a plane at {elevation} m"),
            Some(GroundKind::Feet { triangles }) => {
                format!("{triangles} triangles through the feet of the buildings")
            }
            Some(GroundKind::Terrain { nodes, triangles }) => format!(
                "{triangles} triangles within {} m of {nodes} heights",
                self.terrain_error
            ),
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let [x, y, z] = self.size;
        let crs = self
            .crs
            .as_deref()
            .unwrap_or("not known: metres of the files");
        let mut rows = vec![
            ("file", self.out.display().to_string()),
            ("buildings", self.num_buildings.to_string()),
            ("volumes of vegetation", self.num_volumes.to_string()),
            ("triangles", self.num_triangles.to_string()),
            ("ground", self.ground()),
            ("size", format!("{x:.0} m x {y:.0} m x {z:.0} m")),
            ("coordinate reference system", crs.to_owned()),
        ];
        if let Some([lon, lat]) = self.lon_lat {
            rows.push((
                "longitude, latitude of (0, 0)",
                format!("{lon:.6}, {lat:.6}"),
            ));
        }
        rows.push(("defects", Flaws(&self.defects).to_string()));
        let rows: Vec<Vec<String>> = rows
            .into_iter()
            .map(|(name, value)| vec![name.to_owned(), value])
            .collect();
        write_table(out, &["scene ", " "], &rows)
    }

    fn json(&self) -> Value {
        let ground = match self.ground {
            None => Value::Null,
            Some(GroundKind::Plane(elevation)) => json!({ "plane_m": elevation }),
            Some(GroundKind::Feet { triangles }) => json!({ "triangles": triangles }),
            Some(GroundKind::Terrain { nodes, triangles }) => {
                json!({ "triangles": triangles, "heights": nodes, "max_error_m": self.terrain_error })
            }
        };
        json!({
            "file": self.out,
            "buildings": self.num_buildings,
            "volumes": self.num_volumes,
            "triangles": self.num_triangles,
            "ground": ground,
            "size_m": self.size,
            "crs": self.crs,
            "longitude_latitude": self.lon_lat,
            "cracks": self.defects.near_vertices,
            "t_junctions": self.defects.t_junctions,
            "non_manifold_edges": self.defects.non_manifold_edges,
            "overlapping_triangles": self.defects.overlapping_triangles,
            "free_edges": self.num_free_edges,
            "seconds": self.clock.json(),
            "peak_memory_bytes": peak_memory(),
        })
    }
}

/// Defects that there are, in words.
struct Flaws<'a>(&'a Defects);

impl fmt::Display for Flaws<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [
            ("cracks closed", self.0.near_vertices),
            ("T-junctions", self.0.t_junctions),
            (
                "triangles without area left out",
                self.0.zero_area_triangles,
            ),
            ("duplicate triangles left out", self.0.duplicate_triangles),
            (
                "pairs of overlapping triangles",
                self.0.overlapping_triangles,
            ),
            ("borders of more than two faces", self.0.non_manifold_edges),
        ];
        let found: Vec<String> = all
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(what, count)| format!("{count} {what}"))
            .collect();
        if found.is_empty() {
            return f.write_str("none");
        }
        f.write_str(&found.join(", "))
    }
}
