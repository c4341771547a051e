//! The layers of a coverage in maps, contours and models: one quantity of every cell, in the colours of its scale.

use std::io;

use keller::units::power_to_db;

use super::layer::Layer;
use super::{CoverageMap, pieces};
use crate::reports::palette::{self, Palette, Rgb};
use crate::reports::plot::{ColourScale, Quantity, Scale};

/// The quantity that a picture shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PicturedLayer {
    /// The strongest path gain of any Tx, dB.
    Gain,
    /// The smallest path loss of any Tx, dB.
    Loss,
    /// The power from the best server, dBm.
    Power,
    /// The ratio of that power to interference and noise, dB.
    Sinr,
    /// The index of the best server.
    Server,
}

/// The range of SINR with different colours: below it nothing is received, above it nothing is gained, dB.
const SINR_RANGE: [f64; 2] = [-10.0, 30.0];

impl PicturedLayer {
    /// The name of its values in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gain => "path gain",
            Self::Loss => "path loss",
            Self::Power => "received power",
            Self::Sinr => "SINR",
            Self::Server => "best server",
        }
    }

    /// The unit of its values; servers have none.
    pub fn unit(self) -> Option<&'static str> {
        match self {
            Self::Gain | Self::Loss | Self::Sinr => Some("dB"),
            Self::Power => Some("dBm"),
            Self::Server => None,
        }
    }

    /// The title of a map of it that shows so many Tx, such as `best server power, dBm`.
    pub fn title(self, num_tx: usize) -> String {
        let of_several = match self {
            Self::Gain => "strongest path gain",
            Self::Loss => "smallest path loss",
            Self::Power => "best server power",
            Self::Sinr => "SINR of the best server",
            Self::Server => self.name(),
        };
        let words = if num_tx == 1 { self.name() } else { of_several };
        match self.unit() {
            Some(unit) => format!("{words}, {unit}"),
            None => words.to_owned(),
        }
    }

    /// The quantity of its values on a map.
    pub fn quantity(self) -> Quantity<'static> {
        let (name, scale) = match self {
            Self::Gain => ("path gain / dB", Scale::Gain),
            Self::Loss => ("path loss / dB", Scale::Loss),
            Self::Power => ("received power / dBm", Scale::Gain),
            Self::Sinr => ("SINR / dB", Scale::Sinr),
            Self::Server => return Quantity::Servers,
        };
        let range = self.range();
        Quantity::Numbers { name, range, scale }
    }

    /// The range of values with different colours.
    fn range(self) -> [f64; 2] {
        match self {
            Self::Sinr => SINR_RANGE,
            _ => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    /// The colours of its values; `None` if none is finite.
    pub(super) fn colours<'v>(
        self,
        values: impl IntoIterator<Item = &'v f64>,
    ) -> Option<LayerColours> {
        let palette = match self {
            Self::Gain | Self::Power => Palette::Gain,
            Self::Loss => Palette::Loss,
            Self::Sinr => Palette::Sinr,
            Self::Server => {
                let mut values = values.into_iter();
                return values
                    .any(|value| value.is_finite())
                    .then_some(LayerColours::Servers);
            }
        };
        ColourScale::within(values, self.range(), palette).map(LayerColours::Scale)
    }
}

/// The colours of the values of a layer.
#[derive(Debug, Clone, Copy)]
pub(super) enum LayerColours {
    Scale(ColourScale),
    Servers,
}

impl LayerColours {
    /// The colour of a value; `None` for one that is not finite.
    pub(super) fn of(self, value: f64) -> Option<Rgb> {
        match self {
            Self::Scale(scale) => scale.colour(value),
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "an index of a Tx"
            )]
            Self::Servers => value
                .is_finite()
                .then(|| palette::server(value.max(0.0) as usize)),
        }
    }
}

impl CoverageMap<'_> {
    /// A quantity at a level as pictures show it, `[ny, nx]`: minus infinity where nothing is received, NaN where no
    /// receiver can be.
    ///
    /// # Errors
    /// If gains cannot be read.
    pub fn pictured(&self, layer: PicturedLayer, level: usize) -> io::Result<Vec<f64>> {
        let layer = match layer {
            PicturedLayer::Gain => return self.strongest_gain_db(level),
            PicturedLayer::Loss => {
                let gains = self.strongest_gain_db(level)?.into_iter();
                let loss = |gain: f64| if gain.is_finite() { -gain } else { gain };
                return Ok(gains.map(loss).collect());
            }
            PicturedLayer::Power => Layer::Received,
            PicturedLayer::Sinr => Layer::Sinr,
            PicturedLayer::Server => Layer::BestServer,
        };
        let [nx, ny, _] = self.region.shape();
        let noise = self.noise_power().unwrap_or(0.0);
        let mut values = Vec::with_capacity(nx * ny);
        for piece in pieces(level * nx * ny..(level + 1) * nx * ny) {
            values.extend(self.servers(piece)?.iter().map(|cell| match cell.best {
                Some(_) => layer.value(cell, noise),
                None if cell.others.is_nan() => f64::NAN,
                None => f64::NEG_INFINITY,
            }));
        }
        Ok(values)
    }

    /// The strongest path gain of any transmitter at a level, dB, `[ny, nx]`. Minus infinity where no path leads, NaN
    /// where no receiver can be.
    ///
    /// # Errors
    /// If gains cannot be read.
    pub fn strongest_gain_db(&self, level: usize) -> io::Result<Vec<f64>> {
        let [nx, ny, _] = self.region.shape();
        let of_level = level * nx * ny;
        let mut strongest = vec![f64::NEG_INFINITY; nx * ny];
        for tx in 0..self.tx.len() {
            self.each_gains(tx, of_level..of_level + nx * ny, |first, gains| {
                for (best, gain) in strongest[first - of_level..].iter_mut().zip(gains) {
                    let gain = power_to_db(*gain);
                    // One NaN makes the cell NaN.
                    if gain > *best || gain.is_nan() {
                        *best = gain;
                    }
                }
                Ok::<(), io::Error>(())
            })?;
        }
        Ok(strongest)
    }

    /// The origin of [`Self::pictured`]: the transmitter if there is one alone.
    pub(super) fn strongest_of(&self) -> &str {
        match &self.tx[..] {
            [tx] => &tx.name,
            _ => "strongest",
        }
    }
}
