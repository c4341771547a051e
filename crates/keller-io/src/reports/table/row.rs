//! One row of a path table, and the list of its columns.

use super::column::{Column, Row, Value, column};
use super::device::{DEGREES_UNIT, Device, NAME_UNIT};
use keller::field::PathField;
use keller::paths::Path;
use keller::units::power_to_db;
use keller::{Complex64, DVec3};

/// One path with the field along it, in the units of its column names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PathRow {
    /// The index of the transmitter.
    pub tx: u32,
    /// The index of the receiver.
    pub rx: u32,
    /// The types of interactions: `LOS`, or one letter for each from Tx to Rx: R, D, T, S.
    pub types: String,
    /// The interaction points from Tx to Rx, metres.
    pub points: Vec<DVec3>,
    /// The unfolded length, metres.
    pub length: f64,
    /// The absolute delay, seconds.
    pub delay: f64,
    /// The 2x2 coefficient in unit theta (v) and phi (h) vectors: rows Rx, columns Tx.
    pub coefficient: [[Complex64; 2]; 2],
    /// The path gain with the antennas of the scenario, dB; minus infinity for a path that carries no power.
    pub gain_db: f64,
    /// The loss by vegetation and other clutter, dB; it is in the coefficient and the gain.
    pub clutter_loss_db: f64,
    /// The zenith and azimuth of departure at the Tx, radians.
    pub departure: [f64; 2],
    /// The zenith and azimuth of arrival at the Rx, pointing to where the wave comes from, radians.
    pub arrival: [f64; 2],
    /// The face or edge of each interaction, as `keller scene --list` numbers them: edges for the letter D, else faces.
    pub objects: Vec<u32>,
    /// The transmitter.
    pub tx_device: Device,
    /// The receiver.
    pub rx_device: Device,
}

impl Row for PathRow {
    const TABLE: &'static str = "paths";
    const COLUMNS: &'static [Column<Self>] = &COLUMNS;
}

/// Every column of a path table, in its order.
pub const COLUMNS: [Column<PathRow>; 27] = [
    column("tx", "0-based index", |r| Value::Index(r.tx)),
    column("rx", "0-based index", |r| Value::Index(r.rx)),
    column(
        "types",
        "LOS, or letters from Tx to Rx: R reflection, D diffraction, T transmission, S scattering",
        |r| Value::Letters(&r.types),
    ),
    column("points", "interaction points x y z, m", |r| {
        Value::Points(&r.points)
    }),
    column("length_m", "m", |r| Value::Number(r.length)),
    column("delay_s", "s", |r| Value::Number(r.delay)),
    column("a_vv_re", A_UNIT, |r| Value::Number(r.coefficient[0][0].re)),
    column("a_vv_im", A_UNIT, |r| Value::Number(r.coefficient[0][0].im)),
    column("a_vh_re", A_UNIT, |r| Value::Number(r.coefficient[0][1].re)),
    column("a_vh_im", A_UNIT, |r| Value::Number(r.coefficient[0][1].im)),
    column("a_hv_re", A_UNIT, |r| Value::Number(r.coefficient[1][0].re)),
    column("a_hv_im", A_UNIT, |r| Value::Number(r.coefficient[1][0].im)),
    column("a_hh_re", A_UNIT, |r| Value::Number(r.coefficient[1][1].re)),
    column("a_hh_im", A_UNIT, |r| Value::Number(r.coefficient[1][1].im)),
    column("gain_db", "dB, with the antennas of the scenario", |r| {
        Value::Number(r.gain_db)
    }),
    column(
        "clutter_loss_db",
        "dB, in the coefficient and the gain",
        |r| Value::Number(r.clutter_loss_db),
    ),
    column("zod", "rad, zenith of departure", |r| {
        Value::Number(r.departure[0])
    }),
    column("aod", "rad, azimuth of departure", |r| {
        Value::Number(r.departure[1])
    }),
    column("zoa", "rad, zenith of arrival", |r| {
        Value::Number(r.arrival[0])
    }),
    column("aoa", "rad, azimuth of arrival", |r| {
        Value::Number(r.arrival[1])
    }),
    column(
        "objects",
        "ids of the faces (of the edge for D), as `keller scene --list` has them",
        |r| Value::Ids(&r.objects),
    ),
    column("tx_name", NAME_UNIT, |r| r.tx_device.name()),
    column("rx_name", NAME_UNIT, |r| r.rx_device.name()),
    column("tx_longitude", DEGREES_UNIT, |r| r.tx_device.longitude()),
    column("tx_latitude", DEGREES_UNIT, |r| r.tx_device.latitude()),
    column("rx_longitude", DEGREES_UNIT, |r| r.rx_device.longitude()),
    column("rx_latitude", DEGREES_UNIT, |r| r.rx_device.latitude()),
];

/// The amplitude of the coefficient: no antenna pattern, carrier phase included; its square is a path gain.
pub(super) const A_UNIT: &str =
    "1, first letter Rx, second Tx, unit theta/phi vectors, no antenna pattern";

impl PathRow {
    /// The row of `path` with the field along it; `gain` is the path gain with antennas, linear. Its devices are known
    /// by their numbers alone.
    ///
    /// # Panics
    /// If an index or id does not fit in 32 bits.
    pub fn new(path: &Path, field: &PathField, gain: f64) -> Self {
        let index =
            |i: usize| u32::try_from(i).expect("tables number devices and objects in 32 bits");
        Self {
            tx: index(path.tx),
            rx: index(path.rx),
            types: path.types(),
            points: path.inner_points().collect(),
            length: path.length,
            delay: field.delay,
            coefficient: field.coefficient,
            gain_db: power_to_db(gain),
            clutter_loss_db: field.clutter_loss_db,
            departure: [field.departure.zenith, field.departure.azimuth],
            arrival: [field.arrival.zenith, field.arrival.azimuth],
            objects: path
                .interactions()
                .map(|met| index(met.object_index()))
                .collect(),
            tx_device: Device::default(),
            rx_device: Device::default(),
        }
    }
}
