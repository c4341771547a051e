//! Arguments about scenes and where they come from.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use keller_io::formats::import::{MeshOptions, Unit, Up};

#[derive(Debug, Args)]
pub(crate) struct SceneArgs {
    /// A scene file (.xml, .ply, .obj, .stl, .gltf, .glb), or a scenario (.toml) for all of its scene files
    pub(crate) file: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// List every face and edge with its id
    #[arg(long)]
    pub(crate) list: bool,
    /// Draw the scene from the air here (.png)
    #[arg(long, value_name = "PICTURE")]
    pub(crate) picture: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) mesh: MeshArgs,
}

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// Scene files (.xml, .ply, .obj, .stl, .gltf, .glb)
    #[arg(required = true, value_name = "SCENE")]
    pub(crate) files: Vec<PathBuf>,
    /// Write the scenario here (.toml); a file that is there is not replaced
    #[arg(short, long, value_name = "SCENARIO", default_value = "scenario.toml")]
    pub(crate) out: PathBuf,
    /// The carrier frequency, Hz
    #[arg(long, value_name = "HZ", default_value_t = 3.5e9)]
    pub(crate) frequency: f64,
    #[command(flatten)]
    pub(crate) mesh: MeshArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Buildings (.geojson, .json, .jsonl, .shp, .osm, .pbf, .res), terrain (.tif, .asc, .hgt), meshes (.obj, .ply, .glb, ...)
    #[arg(required = true, value_name = "PLACE")]
    pub(crate) files: Vec<PathBuf>,
    /// Write the scene here (.glb)
    #[arg(short, long, value_name = "SCENE", default_value = "scene.glb")]
    pub(crate) out: PathBuf,
    /// The coordinate reference system of files that name none (EPSG:25832, a PROJ string, `local`), or with FILE= that of one
    /// file, whatever the file names; may be repeated
    #[arg(long, value_name = "[FILE=]CRS", allow_hyphen_values = true)]
    pub(crate) crs: Vec<String>,
    /// Import only the part in this box, in degrees; in metres if no file names a coordinate reference system
    #[arg(long, value_name = "WEST,SOUTH,EAST,NORTH", value_parser = bounds, allow_hyphen_values = true)]
    pub(crate) bounds: Option<[f64; 4]>,
    /// Put a flat ground at this elevation, metres [default: the terrain, or a ground through the feet of the buildings]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub(crate) ground: Option<f64>,
    /// How far the ground reaches beyond the buildings, metres
    #[arg(long, value_name = "M", default_value_t = 100.0)]
    pub(crate) margin: f64,
    /// The largest distance between the terrain's heights and its triangles, metres
    #[arg(long, value_name = "M", default_value_t = 0.5)]
    pub(crate) terrain_error: f64,
    /// The attribute that holds heights above the ground, tried before the usual names
    #[arg(long, value_name = "NAME")]
    pub(crate) height_key: Option<String>,
    /// The unit of heights that name none
    #[arg(long, value_enum, value_name = "UNIT", default_value = "m")]
    pub(crate) height_unit: HeightUnitArg,
    /// The height of buildings for which files give none, metres; 0 leaves them out
    #[arg(long, value_name = "M", default_value_t = 10.0)]
    pub(crate) default_height: f64,
    /// The height of a storey, metres
    #[arg(long, value_name = "M", default_value_t = 3.0)]
    pub(crate) level_height: f64,
    /// The material of walls for which files give none [default: `wall`, which is concrete unless a scenario defines it]
    #[arg(long, value_name = "MATERIAL")]
    pub(crate) wall: Option<String>,
    /// The material of roofs for which files give none [default: `roof`, which is concrete unless a scenario defines it]
    #[arg(long, value_name = "MATERIAL")]
    pub(crate) roof: Option<String>,
    /// Make up an inside for each building in place of its hull, for [[building]] of a scenario: floors so many metres apart
    /// and a core, of the materials `facade`, `floor`, `inner_wall`, `core` and `roof`, without ground
    #[arg(long, value_name = "M")]
    pub(crate) storeys: Option<f64>,
    /// With --storeys: rooms of about this length and width, metres [default: halls]
    #[arg(long, value_name = "M", requires = "storeys")]
    pub(crate) rooms: Option<f64>,
    /// Draw the scene from the air here (.png)
    #[arg(long, value_name = "PICTURE")]
    pub(crate) picture: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) mesh: MeshArgs,
}

/// What meshes do not say themselves.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct MeshArgs {
    /// Which axis of OBJ, PLY and STL files points up [default: from their comments, else from their shape]
    #[arg(long, value_enum)]
    up: Option<UpArg>,
    /// The unit of coordinates in meshes [default: metres, unless a comment says otherwise]
    #[arg(long, value_enum, value_name = "UNIT")]
    mesh_unit: Option<MeshUnitArg>,
}

impl MeshArgs {
    pub(crate) fn options(self) -> MeshOptions {
        let mut options = MeshOptions::default();
        self.overrule(&mut options);
        options
    }

    /// Puts what was asked for in place of what a scenario says.
    pub(crate) fn overrule(self, options: &mut MeshOptions) {
        if let Some(up) = self.up {
            options.up = Some(match up {
                UpArg::Y => Up::Y,
                UpArg::Z => Up::Z,
            });
        }
        if let Some(unit) = self.mesh_unit {
            options.unit = Some(match unit {
                MeshUnitArg::Mm => Unit::Millimetre,
                MeshUnitArg::Cm => Unit::Centimetre,
                MeshUnitArg::M => Unit::Metre,
                MeshUnitArg::Km => Unit::Kilometre,
                MeshUnitArg::In => Unit::Inch,
                MeshUnitArg::Ft => Unit::Foot,
            });
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum UpArg {
    Y,
    Z,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MeshUnitArg {
    Mm,
    Cm,
    M,
    Km,
    In,
    Ft,
}

/// `WEST,SOUTH,EAST,NORTH`
fn bounds(text: &str) -> Result<[f64; 4], String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    let bounds: Option<[f64; 4]> = numbers.and_then(|numbers| numbers.try_into().ok());
    // A box across the antimeridian is less than half the earth: else west and east are mixed up.
    let is_box =
        |west: f64, east: f64| west < east || (0.0 < west && east < 0.0 && west - east > 180.0);
    bounds
        .filter(|&[west, south, east, north]| is_box(west, east) && south < north)
        .ok_or_else(|| "four numbers are needed, west below east and south below north, such as 11.5,48.1,11.6,48.2; across the antimeridian 179.9,-17,-179.9,-16.5".to_owned())
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum HeightUnitArg {
    M,
    Ft,
}
