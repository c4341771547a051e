//! Arguments of `keller channel`.

use std::path::PathBuf;

use clap::Args;

use super::{MachineArgs, SearchArgs};

#[derive(Debug, Args)]
pub(crate) struct ChannelArgs {
    /// The scenario file (TOML)
    pub(crate) scenario: PathBuf,
    /// Write here: one row for each link to .csv, .parquet or .json, or all arrays to .npz [default: a table on standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON: the table of links, or with --out the summary
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw a plan with devices and the strongest paths of each link here (.svg or .png)
    #[arg(long, value_name = "PICTURE")]
    pub(crate) picture: Option<PathBuf>,
    /// Draw all paths on that plan
    #[arg(long, requires = "picture")]
    pub(crate) all_paths: bool,
    /// Draw the power-delay profile of one link here (.svg or .png)
    #[arg(long, value_name = "PICTURE")]
    pub(crate) profile: Option<PathBuf>,
    /// Which link --profile shows, as indices of Tx and Rx [default: the first link that has a path]
    #[arg(long, value_name = "TX,RX", value_parser = link, requires = "profile")]
    pub(crate) link: Option<(usize, usize)>,
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

/// `TX,RX`
fn link(text: &str) -> Result<(usize, usize), String> {
    text.split_once(',')
        .and_then(|(tx, rx)| Some((tx.trim().parse().ok()?, rx.trim().parse().ok()?)))
        .ok_or_else(|| "two indices are needed, such as 0,3".to_owned())
}
