//! What `keller calibrate` may be asked.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{MachineArgs, SearchArgs};

#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    /// The scenario file (TOML), with a section [calibrate], or with [coverage] engine = "beams", whose losses are fitted. Its [[rx]] may be missing: receivers stand where measurements were taken
    pub(crate) scenario: PathBuf,
    /// Measurements (.csv, .parquet, .npz), as for `keller compare`
    #[arg(required_unless_present = "reference", value_name = "MEASURED")]
    pub(crate) measured: Vec<PathBuf>,
    /// Fit the losses of engine = "beams" to another engine instead of measurements: tubes or points, which compute the scenario's own cells with its [paths] and materials, or the coverage in a file that `keller coverage` wrote (.npz, .zarr)
    #[arg(long, value_name = "REFERENCE", conflicts_with = "measured")]
    pub(crate) reference: Option<String>,
    /// The largest number of cells of --reference, drawn at random [default: 10000; 1000 for points]
    #[arg(long, value_name = "N", requires = "reference", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) cells: Option<u32>,
    /// Write the calibrated scenario here (.toml), into the folder of the scenario [default: only print what was found]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,
    /// Write a page with tables and pictures, before and after, to .html, or all figures to .json
    #[arg(long, value_name = "OUT")]
    pub(crate) report: Option<PathBuf>,
    /// Keep the paths in this file, and take them from there if it exists: they hold for the same scene, Tx, places and limits
    #[arg(long, value_name = "FILE")]
    pub(crate) trace_cache: Option<PathBuf>,
    /// The optimiser. It works on a table with the loss of each interaction; lm then refines the result with the fields themselves
    #[arg(long, value_enum, default_value = "lm")]
    pub(crate) optimiser: OptimiserArg,
    /// Generations of --optimiser genetic
    #[arg(long, value_name = "N", default_value_t = 3000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) generations: u32,
    /// Sets of parameters in each generation of --optimiser genetic
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(3..=10_000))]
    pub(crate) population: u32,
    /// Evaluations of --optimiser annealing and random
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) evaluations: u32,
    /// The seed of --optimiser genetic, annealing and random
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The measurements that cross-validation leaves out of each fit: a random part of the places, a set (route), a Tx, or nothing
    #[arg(long, value_enum, default_value = "place")]
    pub(crate) fold_by: FoldArg,
    /// The number of parts of --fold-by place
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(2..))]
    pub(crate) folds: u16,
    /// Print all figures as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum OptimiserArg {
    /// Damped least squares (Levenberg and Marquardt)
    Lm,
    Genetic,
    Annealing,
    Random,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FoldArg {
    Place,
    Set,
    Tx,
    None,
}
