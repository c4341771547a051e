//! The layer of a coverage that maps, contours and models show.

use clap::ValueEnum;
use keller_io::reports::coverage::PicturedLayer;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayerArg {
    Gain,
    Loss,
    Power,
    Sinr,
    Server,
}

impl From<LayerArg> for PicturedLayer {
    fn from(arg: LayerArg) -> Self {
        match arg {
            LayerArg::Gain => Self::Gain,
            LayerArg::Loss => Self::Loss,
            LayerArg::Power => Self::Power,
            LayerArg::Sinr => Self::Sinr,
            LayerArg::Server => Self::Server,
        }
    }
}
