//! An array of a coverage: its name, its dimensions, and the source and type of its values.

use super::Figure;
use super::layer::Layer;

/// An array of a file.
#[derive(Debug)]
pub(super) struct MapArray {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    pub(super) long_name: &'static str,
    pub(super) dimensions: &'static [&'static str],
    pub(super) shape: Vec<usize>,
    pub(super) number: Number,
    /// The values, the last dimension running fastest.
    pub(super) values: Values,
}

impl MapArray {
    /// An array of coordinates, with their unit and description.
    pub(super) fn real(
        name: &'static str,
        [unit, long_name]: [&'static str; 2],
        dimensions: &'static [&'static str],
        shape: &[usize],
        values: Vec<f64>,
    ) -> Self {
        Self {
            name,
            unit,
            long_name,
            dimensions,
            shape: shape.to_vec(),
            number: Number::Real64,
            values: Values::Real(values),
        }
    }
}

#[derive(Debug)]
pub(super) enum Values {
    /// A few values in memory.
    Real(Vec<f64>),
    PathGain,
    Figure(Figure),
    Layer(Layer),
}

/// The type of a value. Decibels have few digits, and so have indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    Real64,
    Real32,
    Whole32,
    Whole16,
    Whole8,
}

impl Number {
    /// The name of the type in numpy and Zarr.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Real64 => "<f8",
            Self::Real32 => "<f4",
            Self::Whole32 => "<i4",
            Self::Whole16 => "<i2",
            Self::Whole8 => "|i1",
        }
    }

    pub(super) fn is_whole(self) -> bool {
        !matches!(self, Self::Real64 | Self::Real32)
    }

    pub(super) fn size(self) -> usize {
        match self {
            Self::Real64 => 8,
            Self::Real32 | Self::Whole32 => 4,
            Self::Whole16 => 2,
            Self::Whole8 => 1,
        }
    }

    /// Adds a value, little-endian; a whole number is -1 where no Tx serves and where no receiver can be.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "decibels of few digits; indices of Tx and numbers of paths, for which there is room"
    )]
    pub(super) fn put(self, value: f64, bytes: &mut Vec<u8>) {
        let whole = || if value.is_nan() { -1.0 } else { value };
        match self {
            Self::Real64 => bytes.extend(value.to_le_bytes()),
            Self::Real32 => bytes.extend((value as f32).to_le_bytes()),
            Self::Whole32 => bytes.extend((whole() as i32).to_le_bytes()),
            Self::Whole16 => bytes.extend((whole() as i16).to_le_bytes()),
            Self::Whole8 => bytes.extend((whole() as i8).to_le_bytes()),
        }
    }

    /// The smallest type that holds indices of so many Tx.
    pub(super) fn of_servers(num_tx: usize) -> Self {
        if i16::try_from(num_tx).is_ok() {
            Self::Whole16
        } else {
            Self::Whole32
        }
    }
}
