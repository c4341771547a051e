//! The command line.

mod batch;
mod calibrate;
mod channel;
mod fingerprint;
mod layer;
mod profiles;
mod reference;
mod scenes;
mod view;
mod visibility;

pub(crate) use batch::{
    BatchArgs, BatchCollectArgs, BatchCommand, BatchPlanArgs, BatchRunArgs, BatchStatusArgs,
    BatchVerifyArgs, SlurmArgs,
};
pub(crate) use calibrate::{CalibrateArgs, FoldArg, OptimiserArg};
pub(crate) use channel::ChannelArgs;
pub(crate) use fingerprint::FingerprintArgs;
pub(crate) use layer::LayerArg;
pub(crate) use profiles::ProfileArgs;
pub(crate) use reference::{CompletionsArgs, ReferenceArgs};
pub(crate) use scenes::{HeightUnitArg, ImportArgs, MeshArgs, NewArgs, SceneArgs};
pub(crate) use view::ViewArgs;
pub(crate) use visibility::VisibilityArgs;

use std::ffi::OsString;
use std::path::PathBuf;

use bytesize::ByteSize;
use clap::{Args, Parser, Subcommand, ValueEnum};
use keller::Frequency;
use keller::antenna::Combination;
use keller::models::Model;
use keller::paths::Effort;
use keller_io::scenario::{Scenario, SearchChoice};
use keller_run::GpuChoice;

/// Predicts how radio waves travel through a real place: every exact path, the same every time.
#[derive(Debug, Parser)]
#[command(name = "keller", version, about, propagate_version = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Use at most this much memory, such as 500MB or 2GiB; a run that needs more ends with exit code 3 [default: all there is].
    /// Results do not depend on it
    #[arg(long, value_name = "SIZE", global = true)]
    pub(crate) memory: Option<ByteSize>,
    /// The number of threads [default: one for each core]. Results do not depend on it
    #[arg(long, value_name = "N", global = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Say nothing on standard error but warnings and errors: no progress, no notes, no summary
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Read files in this folder and below alone, over links and `..` too: for scenarios and scenes of others
    #[arg(long, value_name = "FOLDER", global = true)]
    pub(crate) only_from: Option<PathBuf>,
}

/// Options, and commands, that had other names before 0.1.0. Before an option may stand the command that had it.
const RENAMED: [(&str, &str); 18] = [
    ("devices", "gpus"),
    ("--device", "--gpu"),
    ("--deviation", "--level-std-db"),
    ("compare --offset", "--fit-offset"),
    ("fingerprint --offset", "--offset-std-db"),
    ("--for", "--result"),
    ("--histories", "--trace-cache"),
    ("--items", "--unit-size"),
    ("--unit", "--height-unit"),
    ("--units", "--only"),
    ("sweep", "batch"),
    ("--sweep", "--batch"),
    ("--map", "--picture"),
    ("--map-of", "--picture-of"),
    ("--view", "--picture"),
    ("--plot", "--profile"),
    ("--model", "--glb"),
    ("--finer", "--refine"),
];

/// A sentence that says the new name of the first option or command with an old one; `None` if there is none. The command is the first
/// argument.
pub(crate) fn renamed(args: impl Iterator<Item = OsString>) -> Option<String> {
    let args: Vec<OsString> = args.collect();
    args.iter().enumerate().find_map(|(index, arg)| {
        let name = arg.to_str()?.split('=').next()?;
        let is_it = |old: &str| match old.split_once(' ') {
            Some((command, old)) => old == name && args[..index].iter().any(|arg| arg == command),
            None => old == name && (index == 0 || old.starts_with('-')),
        };
        let (_, new) = RENAMED.iter().find(|(old, _)| is_it(old))?;
        Some(format!("{name} is called {new} now"))
    })
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build a small town, find the paths in it, and say where the files are
    Demo(DemoArgs),
    /// Make a scene from maps: building footprints, city models, terrain and meshes
    Import(ImportArgs),
    /// Describe a scene file: counts, materials, bounds, defects
    Scene(SceneArgs),
    /// Write a scenario for a scene, with comments, to start from
    New(NewArgs),
    /// Find every path of a scenario
    Paths(PathsArgs),
    /// Describe an antenna pattern: gain, directivity, beamwidths, tilt
    Antenna(AntennaArgs),
    /// Turn the paths of a scenario into channels: gains, spreads, impulse and frequency responses
    Channel(ChannelArgs),
    /// Compute the path gain from every Tx in the cells of a region, or on surfaces
    Coverage(CoverageArgs),
    /// Compare predictions with measurements: errors, with and without offsets, as a table or a page
    Compare(CompareArgs),
    /// Fit materials, losses and offsets of a scenario to measurements, with standard errors
    Calibrate(CalibrateArgs),
    /// Find where devices may be, from the levels that they measure from several Tx and a coverage of all places
    Fingerprint(FingerprintArgs),
    /// Cut a scene into tiles and find which tiles see each other, or describe such a file
    Visibility(VisibilityArgs),
    /// Show a scene and results in the browser: turn it, cut it, click a receiver and see its paths
    View(ViewArgs),
    /// Compute a result on many machines: plan it in parts, compute these in any order, and see what is missing
    Batch(BatchArgs),
    /// List the graphics cards that can trace rays
    Gpus(GpusArgs),
    /// Print the JSON schema of scenarios, by which editors complete and check them
    Schema,
    /// Print a script by which a shell completes commands, options and their values
    Completions(CompletionsArgs),
    /// Write the pages of the book's Reference, the Python module of all commands, and man pages
    #[command(hide = true)]
    Reference(ReferenceArgs),
}

#[derive(Debug, Args)]
pub(crate) struct GpusArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Which town: the same number gives the same town
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The folder to write to
    #[arg(short, long, value_name = "DIR", default_value = "keller-demo")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PathsArgs {
    /// The scenario file (TOML)
    pub(crate) scenario: PathBuf,
    /// Write the table of paths here (.csv, .parquet or .json), or the paths themselves for --paths of later runs (.paths)
    /// [default: a table on standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON: the table of paths, or with --out the summary
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw a plan with devices and the strongest paths of each link here (.svg or .png)
    #[arg(long, value_name = "PICTURE")]
    pub(crate) picture: Option<PathBuf>,
    /// Draw all paths on that plan
    #[arg(long, requires = "picture")]
    pub(crate) all_paths: bool,
    /// Go on with the receivers that a run stopped by Ctrl-C has left in OUT.part
    #[arg(long)]
    pub(crate) resume: bool,
    /// Take the paths from this file (.paths, written by `keller paths`) instead of searching. Materials, antennas and frequencies may be
    /// others than those with which they were found
    #[arg(long, value_name = "FILE", conflicts_with_all = ["resume", "batch"])]
    pub(crate) paths: Option<PathBuf>,
    /// Take the result from the store of a batch (`keller batch`), and compute only what is missing there
    #[arg(long, value_name = "STORE", conflicts_with = "resume")]
    pub(crate) batch: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct CoverageArgs {
    /// The scenario file (TOML), with a section [coverage]. With several [[coverage]], each region has files of its own: OUT-NAME.EXT
    pub(crate) scenario: PathBuf,
    /// Write here: one row for each cell and Tx to .csv, .parquet or .json, all arrays to .npz or .zarr, a map to .tif (GeoTIFF),
    /// .png, .svg, .kmz, .geojson or .glb [default: a summary of every Tx]. Surfaces go to tables, .npz, .png and .glb
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON: the table of cells, or with --out the summary
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw maps, at up to six heights, here (.svg, .png), or on the globe with the Tx (.kmz). Beside the .png of one height in a scene
    /// that says where on earth it lies comes a world file (.pgw)
    #[arg(long, value_name = "PICTURE")]
    pub(crate) picture: Option<PathBuf>,
    /// The layer of maps, contours and models: the strongest path gain, the smallest path loss, the power from the best server, its SINR,
    /// or which Tx is that server [default: gain]
    #[arg(long, value_enum)]
    pub(crate) layer: Option<LayerArg>,
    /// The title above the map [default: the name of the scenario, the layer, the frequency and the height]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Write the contours of that layer here (.geojson)
    #[arg(long, value_name = "GEOJSON")]
    pub(crate) contours: Option<PathBuf>,
    /// The values at which contours run, in the unit of the layer, such as -60,-80,-100 [default: every 10]
    #[arg(long, value_name = "LEVELS", value_delimiter = ',', value_parser = level, allow_hyphen_values = true)]
    pub(crate) levels: Vec<f64>,
    /// Write the scene with that layer in it here, for browsers and Blender (.glb)
    #[arg(long, value_name = "GLB")]
    pub(crate) glb: Option<PathBuf>,
    /// Write every ray to every tile here, one row each (.csv, .parquet or .json); only with the engine "surfaces"
    #[arg(long, value_name = "TABLE")]
    pub(crate) rays: Option<PathBuf>,
    /// Resume from the blocks that a stopped run has left in OUT.part
    #[arg(long)]
    pub(crate) resume: bool,
    /// Take the result from the store of a batch (`keller batch`), and compute only what is missing there
    #[arg(long, value_name = "STORE", conflicts_with = "resume")]
    pub(crate) batch: Option<PathBuf>,
    /// Fill a map for each position of a Tx that this file names, or standard input (-), with the engine "beams" and the region prepared
    /// once. Each line is "x y z", metres, of the first Tx, or "NAME x y z"; blank lines and those that begin with # are skipped. Each
    /// map is an array of numpy (.npy, float32): path gain in dB [levels, y, x], as of .npz. It goes to standard output before the next
    /// line is read, or with -o OUT.npy all go to one array [positions, levels, y, x]. The first line that cannot be read, or asks for a Tx
    /// below the ground, ends the run with exit code 2 and an error that names it; maps of earlier lines are whole
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["json", "picture", "layer", "title", "contours", "levels", "glb", "rays", "resume", "batch", "search", "effort"]
    )]
    pub(crate) positions: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The scenario file (TOML). Its [[rx]] may be missing: receivers stand where measurements were taken
    pub(crate) scenario: PathBuf,
    /// Measurements (.csv, .parquet, .npz): places as in files of [[rx]], the Tx, and `path_gain_db`, `path_loss_db` or
    /// `received_power_dbm`; or power-delay profiles (.npz)
    #[arg(required = true, value_name = "MEASURED")]
    pub(crate) measured: Vec<PathBuf>,
    /// Write here: a page with tables and pictures to .html, all figures to .json, one row for each measurement to .csv or .parquet
    /// [default: a table on standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,
    /// Print all figures as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Another scenario that predicts the same measurements, to find which of the two is nearer
    #[arg(long, value_name = "SCENARIO")]
    pub(crate) against: Option<PathBuf>,
    /// Path loss models that predict the same measurements, for comparison: their names as in [coverage], with commas between
    /// them, or `all` for those that are stated for the frequency
    #[arg(long, value_name = "MODELS", value_parser = models)]
    pub(crate) models: Option<ModelsArg>,
    /// What is added to predictions: nothing, one number for all, or one for each Tx, fitted to the measurements. Pages and JSON have
    /// all three
    #[arg(long, value_enum, value_name = "OFFSET", default_value = "none")]
    pub(crate) fit_offset: OffsetArg,
    /// Take predictions from the nearest cells or tiles of this result of `keller coverage` (.npz, .zarr), instead of from paths. A
    /// scenario of --against predicts by paths
    #[arg(long, value_name = "FILE", conflicts_with = "average")]
    pub(crate) coverage: Option<PathBuf>,
    /// How the paths to a place add up: as powers, or with their phases, and the power averaged over a disc of --radius
    #[arg(
        long,
        value_enum,
        default_value = "incoherent",
        requires_if("coherent", "radius")
    )]
    pub(crate) average: AverageArg,
    /// The radius of these horizontal discs, metres; 32 points on each are traced
    #[arg(long, value_name = "M", value_parser = radius)]
    pub(crate) radius: Option<f64>,
    /// Take the paths from this file (.paths, written by `keller paths` for receivers at these places) instead of searching. A scenario of
    /// --against searches
    #[arg(long, value_name = "FILE", conflicts_with_all = ["average", "coverage"])]
    pub(crate) paths: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) profiles: ProfileArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

/// Which path loss models are compared.
#[derive(Debug, Clone)]
pub(crate) enum ModelsArg {
    All,
    Named(Vec<Model>),
}

impl ModelsArg {
    /// The models; of all, those that are stated for the frequency.
    pub(crate) fn at(&self, frequency: Frequency) -> Vec<Model> {
        let holds = |model: &Model| {
            let [min, max] = model.range().frequency;
            (min..=max).contains(&frequency.hz())
        };
        match self {
            Self::All => Model::NAMES
                .map(|(_, model)| model)
                .into_iter()
                .filter(holds)
                .collect(),
            Self::Named(models) => models.clone(),
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum OffsetArg {
    None,
    One,
    Tx,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AverageArg {
    Incoherent,
    Coherent,
}

/// Path loss models by name, or all.
fn models(text: &str) -> Result<ModelsArg, String> {
    if text == "all" {
        return Ok(ModelsArg::All);
    }
    let named = text.split(',').map(|name| {
        let known = Model::NAMES.iter().find(|(known, _)| *known == name.trim());
        known.map(|(_, model)| *model).ok_or_else(|| {
            let names = Model::NAMES.map(|(name, _)| name).join(", ");
            format!("no model is called `{name}`; accepted: all, {names}")
        })
    });
    named.collect::<Result<_, _>>().map(ModelsArg::Named)
}

/// A positive number of at most a kilometre.
fn radius(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok();
    let number = number.filter(|v: &f64| *v > 0.0 && *v <= 1000.0);
    number.ok_or_else(|| "a number of metres above 0 and up to 1000 is needed".to_owned())
}

/// A finite number.
fn level(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|v: &f64| v.is_finite());
    number.ok_or_else(|| "numbers in dB are needed, such as -60,-80,-100".to_owned())
}

/// How paths are searched for.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct SearchArgs {
    /// How to search for paths, in place of what the scenario says
    #[arg(long, value_enum)]
    pub(crate) search: Option<SearchArg>,
    /// How completely to search, in place of what the scenario says
    #[arg(long, value_enum)]
    pub(crate) effort: Option<EffortArg>,
}

impl SearchArgs {
    /// Puts what was asked for in place of what `scenario` says.
    pub(crate) fn overrule(self, scenario: &mut Scenario) {
        if let Some(search) = self.search {
            scenario.paths.search = search.into();
        }
        if let Some(effort) = self.effort {
            scenario.paths.effort = effort.into();
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct AntennaArgs {
    /// A pattern file (.msi, .pln, .adf, .nsm, .csv, .npz), or `isotropic`, `dipole`, `short_dipole`, `tr38901`
    pub(crate) file: PathBuf,
    /// How the cuts of the file become a pattern in all directions [default: sum]
    #[arg(long, value_enum)]
    pub(crate) cuts: Option<CutsArg>,
    /// Write the pattern here: .csv for all directions, .svg for a drawing of both cuts
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// How the machine is used. Results do not depend on it.
#[derive(Debug, Clone, Args)]
pub(crate) struct MachineArgs {
    /// The processor or graphics card for large batches of rays and the visibility of tiles: cpu, gpu, auto (a card if there is one), or part of a name of `keller gpus`
    #[arg(
        long,
        value_name = "GPU",
        default_value = "cpu",
        hide_default_value = true
    )]
    pub(crate) gpu: GpuChoice,
    /// Keep the built scene in this file and read it from there, whatever `[scene] cache` says
    #[arg(long, value_name = "FILE")]
    pub(crate) scene_cache: Option<PathBuf>,
    /// Which instructions ray intersection uses [default: the best there are]
    #[arg(long, value_enum, hide = true)]
    pub(crate) dispatch: Option<DispatchArg>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum CutsArg {
    Sum,
    Weighted,
    Hybrid,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SearchArg {
    Auto,
    Launch,
    Complete,
    Tiles,
    Tubes,
    Exhaustive,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EffortArg {
    Quick,
    Default,
    Thorough,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DispatchArg {
    Portable,
    Avx2,
    Avx512,
}

impl From<CutsArg> for Combination {
    fn from(arg: CutsArg) -> Self {
        match arg {
            CutsArg::Sum => Self::Sum,
            CutsArg::Weighted => Self::Weighted,
            CutsArg::Hybrid => Self::Hybrid,
        }
    }
}

impl From<SearchArg> for SearchChoice {
    fn from(arg: SearchArg) -> Self {
        match arg {
            SearchArg::Auto => Self::Auto,
            SearchArg::Launch => Self::Launch,
            SearchArg::Complete => Self::Complete,
            SearchArg::Tiles => Self::Tiles,
            SearchArg::Tubes => Self::Tubes,
            SearchArg::Exhaustive => Self::Exhaustive,
        }
    }
}

impl From<EffortArg> for Effort {
    fn from(arg: EffortArg) -> Self {
        match arg {
            EffortArg::Quick => Self::Quick,
            EffortArg::Default => Self::Default,
            EffortArg::Thorough => Self::Thorough,
        }
    }
}
