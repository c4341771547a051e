//! The layers of a coverage: the powers that a cell receives from all Tx, as files store them.

use keller::coverage::layers::Servers;
use keller::units::power_to_db;

use super::CoverageMap;

/// A quantity of every cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    BestServer,
    Received,
    SecondServer,
    SecondReceived,
    Total,
    Sinr,
}

/// The names of a layer in files.
pub(super) struct LayerNames {
    /// The name of an array.
    pub(super) name: &'static str,
    /// The title of a band, and its description.
    pub(super) title: &'static str,
    pub(super) unit: &'static str,
    pub(super) long_name: &'static str,
}

impl Layer {
    pub(super) fn names(self) -> LayerNames {
        let [name, title, unit, long_name] = match self {
            Self::BestServer => [
                "best_server",
                "best server",
                "1",
                "index of the transmitter received best",
            ],
            Self::Received => [
                "received_power_dbm",
                "received power",
                "dBm",
                "power received from the best server",
            ],
            Self::SecondServer => [
                "second_server",
                "second server",
                "1",
                "index of the transmitter received second best",
            ],
            Self::SecondReceived => [
                "second_power_dbm",
                "second power",
                "dBm",
                "power received from the second best server",
            ],
            Self::Total => [
                "total_power_dbm",
                "total power",
                "dBm",
                "power received from all transmitters together",
            ],
            Self::Sinr => [
                "sinr_db",
                "SINR",
                "dB",
                "signal of the best server over interference and noise",
            ],
        };
        LayerNames {
            name,
            title,
            unit,
            long_name,
        }
    }

    /// Whether its values are indices of Tx: -1 where there is none.
    pub(super) fn is_whole(self) -> bool {
        matches!(self, Self::BestServer | Self::SecondServer)
    }

    /// Its value in a cell; an index is NaN where no receiver can be.
    pub(super) fn value(self, cell: &Servers, noise_power: f64) -> f64 {
        let index = |server: Option<keller::coverage::layers::Server>| match server {
            Some(server) => server.tx as f64,
            None if cell.others.is_nan() => f64::NAN,
            None => -1.0,
        };
        let dbm = |power: f64| power_to_db(power) + 30.0;
        match self {
            Self::BestServer => index(cell.best),
            Self::SecondServer => index(cell.second),
            Self::Received => dbm(cell.power()),
            Self::SecondReceived => dbm(cell.second_power()),
            Self::Total => dbm(cell.total()),
            Self::Sinr => power_to_db(cell.sinr(noise_power)),
        }
    }
}

impl CoverageMap<'_> {
    /// The layers that have information: a second server needs a second Tx, and interference and noise the noise. The
    /// power from a single Tx is its path gain and a constant.
    pub(super) fn layers(&self) -> Vec<Layer> {
        let mut layers = vec![Layer::BestServer];
        if self.tx.len() != 1 || !self.has_gains_of_tx {
            layers.insert(0, Layer::Received);
        }
        if self.tx.len() > 1 {
            layers.extend([Layer::SecondServer, Layer::SecondReceived, Layer::Total]);
        }
        layers.extend(self.noise_dbm.map(|_| Layer::Sinr));
        layers
    }
}
