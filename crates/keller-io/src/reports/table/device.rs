//! The columns of tables for a Tx or an Rx in addition to its index.

use std::sync::Arc;

use super::column::Value;

/// A Tx or an Rx as tables show it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Device {
    /// Its name, or its number if it has none.
    pub name: Arc<str>,
    /// Its longitude and latitude on WGS 84, degrees, if the scene's place on earth is known.
    pub lon_lat: Option<[f64; 2]>,
}

impl Device {
    /// A device; degrees are kept to a tenth of a millimetre.
    pub fn new(name: Option<&str>, index: usize, lon_lat: Option<[f64; 2]>) -> Self {
        /// The number of steps of a degree.
        const STEPS: f64 = 1e9;
        Self {
            name: name.map_or_else(|| index.to_string().into(), Into::into),
            lon_lat: lon_lat.map(|at| at.map(|degrees| (degrees * STEPS).round() / STEPS)),
        }
    }

    pub(super) fn name(&self) -> Value<'_> {
        Value::Name(&self.name)
    }

    pub(super) fn longitude(&self) -> Value<'_> {
        Value::Maybe(self.lon_lat.map(|at| at[0]))
    }

    pub(super) fn latitude(&self) -> Value<'_> {
        Value::Maybe(self.lon_lat.map(|at| at[1]))
    }
}

/// The content of columns of names and degrees.
pub(super) const NAME_UNIT: &str = "name, else 0-based index";
pub(super) const DEGREES_UNIT: &str = "degrees, WGS 84, if known";
