//! The legend of a drawing's colours, for the extras of its node.

use serde::Serialize;

use crate::reports::palette::{self, Palette, hex};
use crate::reports::plot::ColourScale;

/// The legend of a drawing's colours.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Legend {
    /// The quantity that is drawn, such as `path gain`.
    pub quantity: String,
    /// Its unit; names have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The values of the first and the last colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// The colours from the first value to the last one, evenly spaced, or those of `servers`: `#rrggbb`.
    pub colours: Vec<String>,
    /// The names of the Tx that the colours stand for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<String>,
    /// Whether low values are bright.
    #[serde(skip)]
    is_reversed: bool,
}

impl Legend {
    /// The legend of a quantity in the colours of a scale.
    pub(crate) fn of_scale(quantity: &str, unit: &str, scale: ColourScale) -> Self {
        /// The number of colours that are listed.
        const COLOURS: u32 = 16;
        let share = |k: u32| f64::from(k) / f64::from(COLOURS - 1);
        Self {
            quantity: quantity.to_owned(),
            unit: Some(unit.to_owned()),
            range: Some([scale.low, scale.high]),
            colours: (0..COLOURS).map(|k| scale.palette.css(share(k))).collect(),
            servers: Vec::new(),
            is_reversed: scale.palette == Palette::Loss,
        }
    }

    /// The legend of Tx, each in a colour of its own.
    pub(crate) fn of_servers(quantity: &str, servers: Vec<String>) -> Self {
        Self {
            quantity: quantity.to_owned(),
            unit: None,
            range: None,
            colours: (0..servers.len())
                .map(|k| hex(palette::server(k)))
                .collect(),
            servers,
            is_reversed: false,
        }
    }

    /// The legend in words, such as `path gain from -120 dB (dark) to -60 dB (bright)`.
    pub(crate) fn words(&self) -> String {
        let quantity = &self.quantity;
        let (Some([low, high]), Some(unit)) = (self.range, &self.unit) else {
            return quantity.clone();
        };
        let [first, last] = if self.is_reversed {
            ["bright", "dark"]
        } else {
            ["dark", "bright"]
        };
        format!("{quantity} from {low:.0} {unit} ({first}) to {high:.0} {unit} ({last})")
    }
}
