//! Options of an import on the command line.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use glam::DVec2;
use keller_geo::crs::Crs;
use keller_geo::place::ReadOptions;
use keller_geo::place::insides::InsideOptions;
use keller_geo::place::mesh::MeshOptions;
use keller_geo::shown::shown;
use keller_geo::site::SiteOptions;
use keller_geo::terrain::TerrainOptions;

use crate::args::{HeightUnitArg, ImportArgs};
use crate::failure::Failure;

/// Metres in a foot (international).
const FOOT: f64 = 0.3048;

/// The coordinate reference system of a file on the command line.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct StatedCrs {
    /// The system of this file, whatever it names.
    pub(super) own: Option<String>,
    /// The system of the file if it names none.
    pub(super) missing: Option<String>,
}

/// `--crs` means metres of no known place.
const LOCAL: &str = "local";

/// A system that the command line states; none for `local`.
pub(super) fn parse_crs(text: &str) -> Result<Option<Crs>, Failure> {
    named_crs(text, text)
}

/// The system `crs`, which errors call as the command line says it: `argument`.
fn named_crs(argument: &str, crs: &str) -> Result<Option<Crs>, Failure> {
    if crs.eq_ignore_ascii_case(LOCAL) {
        return Ok(None);
    }
    let crs = Crs::parse(crs);
    crs.map(Some)
        .map_err(|error| Failure::Input(format!("--crs {}: {error}", shown(argument))))
}

/// Fails for a `--crs` that is of no file, or no system at all, before anything is read.
pub(super) fn check_crs(args: &ImportArgs) -> Result<(), Failure> {
    for text in &args.crs {
        let (name, crs) = split(text);
        named_crs(text, crs)?;
        if let Some(name) = name
            && !args.files.iter().any(|file| is_named(name, file))
        {
            let files: Vec<String> = args
                .files
                .iter()
                .map(|file| file.display().to_string())
                .collect();
            return Err(Failure::Input(format!(
                "--crs {}: there is no such file in this import; accepted: {}",
                shown(text),
                files.join(", ")
            )));
        }
    }
    Ok(())
}

/// The comparison of `--crs` with the systems that files name themselves.
#[derive(Debug, Default)]
pub(super) struct Claims {
    /// Files that name their own system, and which.
    named: Vec<(PathBuf, String)>,
    /// The number of files that took the one that is stated for those that name none.
    num_taken: usize,
    pub(super) warnings: Vec<String>,
}

impl Claims {
    /// A file that names `own`, if it names any.
    pub(super) fn add(&mut self, file: &Path, stated: &StatedCrs, own: Option<&str>) {
        let Some(own) = own else {
            self.num_taken += usize::from(stated.own.is_none() && stated.missing.is_some());
            return;
        };
        match &stated.own {
            Some(crs) if !agree(crs, own) => self.warnings.push(format!(
                "`{}`: the file names {}; --crs has it in {} instead",
                file.display(),
                shown(own),
                shown(crs)
            )),
            Some(_) => {}
            None => self.named.push((file.to_owned(), own.to_owned())),
        }
    }

    /// Warns of a `--crs` for files that name none, where all name one.
    pub(super) fn finish(&mut self, args: &ImportArgs) {
        let mut stated = args.crs.iter().map(|text| split(text));
        let missing = stated.rfind(|(name, _)| name.is_none());
        let Some((_, crs)) = missing else { return };
        let other = self.named.iter().find(|(_, own)| !agree(crs, own));
        if let (0, Some((file, own))) = (self.num_taken, other) {
            self.warnings.push(format!(
                "--crs {}: it is for files that name no coordinate reference system, and all name one: `{}` is in {}; `--crs FILE={}` counts whatever a file names",
                shown(crs),
                file.display(),
                shown(own),
                shown(crs)
            ));
        }
    }
}

/// Whether two texts name one system.
fn agree(a: &str, b: &str) -> bool {
    match [a, b].map(Crs::parse) {
        [Ok(a), Ok(b)] => a.agrees_with(&b),
        _ => a == b,
    }
}

/// The file that a `--crs` is of, if it is of one, and the system.
fn split(text: &str) -> (Option<&str>, &str) {
    // PROJ strings and WKT have signs of equality too.
    let is_definition = text.starts_with('+') || text.contains('[');
    match text.split_once('=').filter(|_| !is_definition) {
        Some((name, crs)) => (Some(name), crs),
        None => (None, text),
    }
}

fn is_named(name: &str, file: &Path) -> bool {
    Path::new(name) == file || Some(OsStr::new(name)) == file.file_name()
}

/// The system that `--crs` states for `file`; the last one counts.
pub(super) fn stated_crs(args: &[String], file: &Path) -> StatedCrs {
    let mut stated = StatedCrs::default();
    for text in args {
        match split(text) {
            (Some(name), crs) if is_named(name, file) => stated.own = Some(crs.to_owned()),
            (Some(_), _) => {}
            (None, crs) => stated.missing = Some(crs.to_owned()),
        }
    }
    stated
}

/// The options for reading files of buildings.
pub(super) fn read_options(args: &ImportArgs, stated: StatedCrs) -> ReadOptions {
    let mut options = ReadOptions {
        crs: stated.own,
        missing_crs: stated.missing,
        unit: match args.height_unit {
            HeightUnitArg::M => 1.0,
            HeightUnitArg::Ft => FOOT,
        },
        level_height: args.level_height,
        default_height: Some(args.default_height).filter(|height| *height > 0.0),
        ..ReadOptions::default()
    };
    options.height_keys.splice(0..0, args.height_key.clone());
    options
}

/// The options for making a scene of them.
pub(super) fn site_options(args: &ImportArgs) -> Result<SiteOptions, Failure> {
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
    for (name, value) in [("--storeys", args.storeys), ("--rooms", args.rooms)] {
        if let Some(value) = value.filter(|value| !(2.0..1e3).contains(value)) {
            return Err(Failure::Input(format!(
                "{name} {value}: accepted is a number from 2 to 1000, metres"
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
        insides: args.storeys.map(|storey| InsideOptions {
            storey,
            rooms: args.rooms,
        }),
        ..SiteOptions::default()
    })
}
