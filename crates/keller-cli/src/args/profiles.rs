//! How measured power-delay profiles are compared.

use clap::Args;
use keller_run::{CableDelay, ProfileOptions};

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ProfileArgs {
    /// The delay of cables in measured profiles (.npz): fitted for each Tx or for each link, or this many seconds
    #[arg(long, value_name = "DELAY", default_value = "tx", value_parser = cable_delay, allow_hyphen_values = true)]
    pub(crate) cable_delay: CableDelay,
    /// The largest fitted delay of cables, of either sign, s
    #[arg(long, value_name = "S", default_value = "4e-9", value_parser = seconds)]
    pub(crate) max_cable_delay: f64,
    /// Average the power of profiles over this before they are compared, s
    #[arg(long, value_name = "S", default_value = "2e-9", value_parser = seconds)]
    pub(crate) smooth: f64,
    /// Take the power of profiles before this delay as noise, s [default: before light can arrive]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) noise_until: Option<f64>,
}

impl From<ProfileArgs> for ProfileOptions {
    fn from(args: ProfileArgs) -> Self {
        Self {
            smoothing: args.smooth,
            cable_delay: args.cable_delay,
            max_cable_delay: args.max_cable_delay,
            noise_until: args.noise_until,
        }
    }
}

/// Longer times are mistakes in units, s.
const MAX_TIME: f64 = 1.0;

/// A time in seconds.
fn seconds(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok();
    let number = number.filter(|v: &f64| (0.0..=MAX_TIME).contains(v));
    number.ok_or_else(|| "seconds from 0 to 1 are needed, such as 2e-9".to_owned())
}

fn cable_delay(text: &str) -> Result<CableDelay, String> {
    match text.trim() {
        "tx" => Ok(CableDelay::PerTx),
        "link" => Ok(CableDelay::PerLink),
        number => {
            let number = number.parse().ok();
            let number = number.filter(|v: &f64| v.abs() <= MAX_TIME);
            let number =
                number.ok_or("tx, link, or seconds from -1 to 1, such as 12.5e-9, are needed")?;
            Ok(CableDelay::Known(number))
        }
    }
}
