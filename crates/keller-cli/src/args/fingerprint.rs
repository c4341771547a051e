//! The arguments of `keller fingerprint`.

use std::path::PathBuf;

use clap::Args;
use keller::fingerprint::Deviations;

use super::MachineArgs;

#[derive(Debug, Args)]
pub(crate) struct FingerprintArgs {
    /// The scenario file (TOML) with the Tx. Its [[rx]] may be missing
    pub(crate) scenario: PathBuf,
    /// What devices measured (.csv, .parquet): the Tx, and `path_gain_db`, `path_loss_db` or `received_power_dbm`; `device` says which
    /// rows belong together. With places as in files of [[rx]], the result has the distance to the likeliest place
    #[arg(required = true, value_name = "MEASURED")]
    pub(crate) measured: Vec<PathBuf>,
    /// The result of `keller coverage` with all places that a device may be at: cells (.npz, .zarr) or surfaces (.npz)
    #[arg(long, value_name = "FILE")]
    pub(crate) coverage: PathBuf,
    /// The standard deviation of a measured level from the predicted one, dB. What a column `uncertainty_db` says of a measurement comes on top
    #[arg(long, value_name = "DB", default_value_t = Deviations::default().level_db, value_parser = deviation)]
    pub(crate) level_std_db: f64,
    /// The standard deviation of what a device adds to all its levels alike, dB: its antenna, cables, the hand that holds it. 0 for nothing,
    /// inf if nothing is known of it
    #[arg(long, value_name = "DB", default_value_t = 0.0, value_parser = offset)]
    pub(crate) offset_std_db: f64,
    /// Write here: one row for each device to .csv, .parquet or .json, the probability of every place to .npz [default: a table on
    /// standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,
    /// Print the table as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw where one device may be here (.svg or .png)
    #[arg(long, value_name = "PICTURE")]
    pub(crate) picture: Option<PathBuf>,
    /// Which device --picture shows, by name or index [default: the first]
    #[arg(long, value_name = "NAME", requires = "picture")]
    pub(crate) picture_of: Option<String>,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

fn deviation(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    let number = number.filter(|number| *number > 0.0 && *number <= 100.0);
    number.ok_or_else(|| "accepted: a number above 0 and at most 100, dB".to_owned())
}

fn offset(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    let number = number.filter(|number| *number >= 0.0);
    number.ok_or_else(|| "accepted: a number from 0 on, dB, or inf".to_owned())
}
