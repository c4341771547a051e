//! The arguments of `keller visibility`.

use std::path::PathBuf;

use clap::Args;
use glam::DVec2;
use keller::tiles::Finer;

use super::MachineArgs;

#[derive(Debug, Args)]
pub(crate) struct VisibilityArgs {
    /// A scene file (.xml, .ply, .obj, .stl, .gltf, .glb), a scenario (.toml) for all of its scene files, or a visibility file to
    /// describe
    #[arg(value_name = "SCENE")]
    pub(crate) file: PathBuf,
    /// Write the visibility here; a run that was stopped resumes from FILE.part
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Take what tiles see from the store of a batch (`keller batch`), and compute only what is missing there
    #[arg(long, value_name = "STORE", requires = "out")]
    pub(crate) batch: Option<PathBuf>,
    /// The wanted length of a tile's sides, metres [default: what [tiles] of the scenario says; else 10, or less where a scene has fewer
    /// than 3000 such tiles]
    #[arg(long, value_name = "M")]
    pub(crate) tile: Option<f64>,
    /// The same for faces that lie on the ground [default: what the scenario says, else as --tile]
    #[arg(long, value_name = "M")]
    pub(crate) ground_tile: Option<f64>,
    /// Faces of less area than this get no tiles, m² [default: what the scenario says, else 0]
    #[arg(long, value_name = "M2")]
    pub(crate) min_area: Option<f64>,
    /// Cut each facet of terrain by itself instead of all by one grid
    #[arg(long)]
    pub(crate) terrain_facets: bool,
    /// Give tiles to ground under buildings too
    #[arg(long)]
    pub(crate) under_buildings: bool,
    /// Make tiles with sides of at most SIDE within RADIUS of a point, all in metres, as `refine` in [tiles] of a scenario does; may be
    /// given several times
    #[arg(long, value_name = "X,Y[,Z],RADIUS,SIDE", value_parser = refine, allow_hyphen_values = true)]
    pub(crate) refine: Vec<Finer>,
    /// Print a summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

/// `X,Y,RADIUS,SIDE` or `X,Y,Z,RADIUS,SIDE`
fn refine(text: &str) -> Result<Finer, String> {
    let numbers: Option<Vec<f64>> = text
        .split(',')
        .map(|part| part.trim().parse().ok())
        .collect();
    let (at, z, radius, side) = match numbers.as_deref() {
        Some(&[x, y, radius, side]) => (DVec2::new(x, y), None, radius, side),
        Some(&[x, y, z, radius, side]) => (DVec2::new(x, y), Some(z), radius, side),
        _ => return Err("four or five numbers are needed, such as 20,35,50,2".to_owned()),
    };
    Ok(Finer {
        at,
        z,
        radius,
        side,
    })
}
