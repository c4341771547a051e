//! The arguments of `keller view`.

use std::path::PathBuf;

use clap::Args;

use super::{MachineArgs, MeshArgs};

#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    /// What to show: a scenario (.toml) or scene files (.xml, .ply, .obj, .stl, .gltf, .glb), then results of it: paths (.csv,
    /// .parquet, .json, .paths), channels (.csv, .parquet, .json, .npz), measurements (.csv, .parquet), coverages (.npz, .zarr).
    /// Results belong to the scenario before them. Each further scenario, and each further file of paths, is a snapshot that the page steps through
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Write the page here (.html): one file that needs no network [default: open it in the browser]
    #[arg(short, long, value_name = "VIEW", conflicts_with = "serve")]
    pub(crate) out: Option<PathBuf>,
    /// Serve the page on this machine, to this machine alone, until Ctrl-C. The browser then loads only the data that it shows,
    /// which suits large results
    #[arg(long)]
    pub(crate) serve: bool,
    /// Do not open the browser; with --serve only print the address
    #[arg(long, requires = "serve")]
    pub(crate) no_open: bool,
    #[command(flatten)]
    pub(crate) mesh: MeshArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}
