//! The arguments of `keller batch`.

use std::ops::Range;
use std::path::PathBuf;

use bytesize::ByteSize;
use clap::{Args, Subcommand, ValueEnum};

use super::MachineArgs;

#[derive(Debug, Args)]
pub(crate) struct BatchArgs {
    #[command(subcommand)]
    pub(crate) command: BatchCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BatchCommand {
    /// Cut the work of a scenario into units, and make the store to which workers write them
    Plan(BatchPlanArgs),
    /// Compute units that are missing in a store: all, or a part of them
    Run(BatchRunArgs),
    /// Write the result, as the command that the batch was planned for does; of several variants, one after the other
    Collect(BatchCollectArgs),
    /// Say how many units are there, and which are missing
    Status(BatchStatusArgs),
    /// Read every unit and check it
    Verify(BatchVerifyArgs),
    /// Print a script for Slurm that computes the missing units as a job array
    Slurm(SlurmArgs),
}

#[derive(Debug, Args)]
pub(crate) struct BatchPlanArgs {
    /// The scenario file (TOML)
    pub(crate) scenario: PathBuf,
    /// The folder of the store, on a disk that all workers reach. Planning again keeps the units that are there
    #[arg(short, long, value_name = "STORE")]
    pub(crate) out: PathBuf,
    /// The command that will write the result [default: coverage if the scenario has one, else paths]
    #[arg(long, value_enum, value_name = "COMMAND")]
    pub(crate) result: Option<ResultArg>,
    /// About so many cells, receivers or tiles in a unit, so that it takes some seconds [default: 32768 cells, 4096 receivers or tiles].
    /// Tubes and beams fill a whole region at once, and surfaces all tiles of a Tx
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) unit_size: Option<u32>,
    /// Keep every ray to every tile, for --rays of `keller coverage`
    #[arg(long)]
    pub(crate) rays: bool,
    /// Print a summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

/// A command whose result a batch computes.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ResultArg {
    Paths,
    Channel,
    Coverage,
    Visibility,
}

impl ResultArg {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Paths => "paths",
            Self::Channel => "channel",
            Self::Coverage => "coverage",
            Self::Visibility => "visibility",
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct BatchRunArgs {
    /// The store
    pub(crate) store: PathBuf,
    /// Only these units, such as 0-49 or 7, with commas between several
    #[arg(long, value_name = "A-B,...", value_parser = units, value_delimiter = ',')]
    pub(crate) only: Vec<Units>,
    /// Only every N-th unit from the I-th on, such as 0/4: N workers with the shards 0/N to N-1/N share all units
    #[arg(long, value_name = "I/N", value_parser = shard, conflicts_with = "only")]
    pub(crate) shard: Option<Shard>,
    /// The scenario, where it has another name than on the machine that planned
    #[arg(long, value_name = "FILE")]
    pub(crate) scenario: Option<PathBuf>,
    /// Print a summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

#[derive(Debug, Args)]
pub(crate) struct BatchCollectArgs {
    /// The store. Units that are missing are computed
    pub(crate) store: PathBuf,
    /// Write here: any name that --out of that command accepts. Each variant has a file of its own, with its number in the name
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: PathBuf,
    /// The scenario, where it has another name than on the machine that planned
    #[arg(long, value_name = "FILE")]
    pub(crate) scenario: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

#[derive(Debug, Args)]
pub(crate) struct BatchStatusArgs {
    /// The store
    pub(crate) store: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BatchVerifyArgs {
    /// The store
    pub(crate) store: PathBuf,
    /// Remove damaged units, so that `keller batch run` computes them again, and what killed workers have left. No worker may run
    #[arg(long)]
    pub(crate) repair: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SlurmArgs {
    /// The store
    pub(crate) store: PathBuf,
    /// How many elements the array has at most; each computes its share of the missing units, which should take 5 to 30 minutes
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) shards: u32,
    /// Cores of an element
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) cpus: u16,
    /// Time limit of an element
    #[arg(long, value_name = "HH:MM:SS", default_value = "01:00:00", value_parser = time)]
    pub(crate) time: String,
    /// Memory of an element, such as 4GB [default: what the cluster gives]
    #[arg(long, value_name = "SIZE")]
    pub(crate) mem: Option<ByteSize>,
    /// A further option of sbatch, such as partition=short; may be given several times
    #[arg(long = "option", value_name = "KEY=VALUE", allow_hyphen_values = true)]
    pub(crate) options: Vec<String>,
}

/// A time as Slurm takes it: minutes, or parts with colons, and days before a dash.
fn time(text: &str) -> Result<String, String> {
    let is_time = text
        .split(['-', ':'])
        .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    if is_time {
        Ok(text.to_owned())
    } else {
        Err("a time is needed, such as 30, 00:30:00 or 1-12:00:00".to_owned())
    }
}

/// Numbers of units.
pub(crate) type Units = Range<usize>;

/// Every `count`-th unit from `first` on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shard {
    pub(crate) first: usize,
    pub(crate) count: usize,
}

/// `A-B`, both included, or `A`.
fn units(text: &str) -> Result<Units, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let numbers = first.trim().parse().ok().zip(last.trim().parse().ok());
    numbers
        .filter(|(first, last): &(usize, usize)| first <= last && *last < usize::MAX)
        .map(|(first, last)| first..last + 1)
        .ok_or_else(|| "numbers of units are needed, such as 0-49 or 7".to_owned())
}

/// `I/N`
fn shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(first, count)| {
        let (first, count) = (first.trim().parse().ok()?, count.trim().parse().ok()?);
        (first < count).then_some(Shard { first, count })
    });
    numbers
        .ok_or_else(|| "a shard and how many there are, such as 0/4 to 3/4, is needed".to_owned())
}
