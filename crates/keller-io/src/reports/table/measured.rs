//! One row of a table of measurements and predictions.

use keller::DVec3;

use super::column::{Column, Row, Value, column};
use super::device::{DEGREES_UNIT, Device, NAME_UNIT};

/// A measurement and its prediction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeasuredRow {
    /// The index of the Tx.
    pub tx: u32,
    /// The index of the place.
    pub rx: u32,
    /// The set that it belongs to.
    pub set: String,
    /// The place of the measurement, metres.
    pub position: DVec3,
    /// The distance of that place from the Tx, metres.
    pub distance: f64,
    /// The measured path gain, dB.
    pub measured_gain_db: f64,
    /// Whether the signal lay below the receiver's noise, which is at the measured gain.
    pub is_limit: bool,
    /// The standard deviation of the measurement, dB.
    pub uncertainty_db: Option<f64>,
    /// The predicted path gain, dB; minus infinity without a path.
    pub predicted_gain_db: f64,
    /// The offset that was added to the prediction, dB.
    pub offset_db: f64,
    /// The number of paths.
    pub num_paths: u32,
    /// Whether the Tx sees the place.
    pub has_line_of_sight: bool,
    /// The measured delay spread, s.
    pub measured_delay_spread: Option<f64>,
    /// The predicted delay spread, s.
    pub predicted_delay_spread: Option<f64>,
    /// The Tx.
    pub tx_device: Device,
    /// The place.
    pub rx_device: Device,
    /// The line of the file of measurements.
    pub line: u32,
}

impl MeasuredRow {
    /// The predicted minus the measured gain, with the offset, dB; `None` for limits and without a path.
    pub fn error_db(&self) -> Option<f64> {
        let error = self.predicted_gain_db + self.offset_db - self.measured_gain_db;
        (!self.is_limit && error.is_finite()).then_some(error)
    }
}

impl Row for MeasuredRow {
    const TABLE: &'static str = "measurements";
    const COLUMNS: &'static [Column<Self>] = &[
        column("tx", "0-based index", |r| Value::Index(r.tx)),
        column("rx", "0-based index of the place", |r| Value::Index(r.rx)),
        column("set", "name", |r| Value::Name(&r.set)),
        column("x", "m", |r| Value::Number(r.position.x)),
        column("y", "m", |r| Value::Number(r.position.y)),
        column("z", "m", |r| Value::Number(r.position.z)),
        column("distance_m", "m, from the Tx", |r| {
            Value::Number(r.distance)
        }),
        column("measured_gain_db", "dB", |r| {
            Value::Number(r.measured_gain_db)
        }),
        column(
            "below_noise",
            "1 a limit: the signal lay below it, 0 not",
            |r| Value::Index(u32::from(r.is_limit)),
        ),
        column("uncertainty_db", "dB, of the measurement", |r| {
            Value::Maybe(r.uncertainty_db)
        }),
        column("predicted_gain_db", "dB, without the offset", |r| {
            Value::Number(r.predicted_gain_db)
        }),
        column("offset_db", "dB, added to the prediction", |r| {
            Value::Number(r.offset_db)
        }),
        column(
            "error_db",
            "dB, prediction with offset minus measurement",
            |r| Value::Maybe(r.error_db()),
        ),
        column("num_paths", "1", |r| Value::Index(r.num_paths)),
        column("line_of_sight", "1 free, 0 not", |r| {
            Value::Index(u32::from(r.has_line_of_sight))
        }),
        column("measured_delay_spread_s", "s", |r| {
            Value::Maybe(r.measured_delay_spread)
        }),
        column("predicted_delay_spread_s", "s, rms", |r| {
            Value::Maybe(r.predicted_delay_spread)
        }),
        column("tx_name", NAME_UNIT, |r| r.tx_device.name()),
        column("rx_name", NAME_UNIT, |r| r.rx_device.name()),
        column("rx_longitude", DEGREES_UNIT, |r| r.rx_device.longitude()),
        column("rx_latitude", DEGREES_UNIT, |r| r.rx_device.latitude()),
        column("line", "of the file of measurements", |r| {
            Value::Index(r.line)
        }),
    ];
}
