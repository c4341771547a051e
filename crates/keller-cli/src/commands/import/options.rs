//! What the command line says of an import.

use std::ffi::OsStr;
use std::path::Path;

use glam::DVec2;
use keller_geo::place::ReadOptions;
use keller_geo::place::mesh::MeshOptions;
use keller_geo::site::SiteOptions;
use keller_geo::terrain::TerrainOptions;

use crate::args::{ImportArgs, UnitArg};
use crate::failure::Failure;

/// Metres in a foot (international).
const FOOT: f64 = 0.3048;

/// What the command line says of the system of a file.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct StatedCrs {
    /// Of this file, whatever it names.
    pub(super) own: Option<String>,
    /// If the file names none.
    pub(super) missing: Option<String>,
}

/// What `--crs` says of `file`; the last one counts.
pub(super) fn stated_crs(args: &[String], file: &Path) -> StatedCrs {
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

/// How files of buildings are read.
pub(super) fn read_options(args: &ImportArgs, stated: StatedCrs) -> ReadOptions {
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

/// How they become a scene.
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
