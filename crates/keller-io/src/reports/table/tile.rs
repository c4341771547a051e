//! One row of a table of surfaces: the field of a Tx on a side of a tile.

use std::sync::Arc;

use super::column::{Column, Row, Value, column};
use super::device::NAME_UNIT;

/// One side of a tile and Tx in the units of its column names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TileRow {
    /// The index of the transmitter.
    pub tx: u32,
    /// The number of the tile.
    pub tile: u32,
    /// The number of the face that it is a part of, as `keller scene --list` numbers them.
    pub face: u32,
    /// The side: `front`, to which the face's normal points, or `back`.
    pub side: &'static str,
    /// The centre of the tile, metres.
    pub centre: [f64; 3],
    /// The area of the tile, square metres.
    pub area: f64,
    /// The path gain with the transmitter's antenna to an isotropic receiver of both polarisations, dB.
    pub path_gain_db: f64,
    /// The power that such a receiver receives, dBm.
    pub received_power_dbm: f64,
    /// The power that falls on the tile over that of the transmitter, dB.
    pub incident_power_db: f64,
    /// The diffusely scattered part of the path gain, dB; absent without one.
    pub diffuse_gain_db: Option<f64>,
    /// The part of the path gain that rays sampled, dB; absent without one.
    pub sampled_gain_db: Option<f64>,
    /// The number of paths that are not scattered.
    pub num_paths: u32,
    /// Whether the line of sight is one of them.
    pub has_line_of_sight: bool,
    /// The gain of the strongest of them, dB; absent without one, as all below.
    pub strongest_gain_db: Option<f64>,
    /// Its absolute delay, s.
    pub strongest_delay: Option<f64>,
    /// The zenith and azimuth from which it comes, radians.
    pub arrival: Option<[f64; 2]>,
    /// The gain of these paths added with their phases at the carrier, dB.
    pub coherent_gain_db: Option<f64>,
    /// The mean of the absolute delay of all power, s.
    pub mean_delay: Option<f64>,
    /// The rms spread of that delay, s.
    pub delay_spread: Option<f64>,
    /// An upper bound of the gain of the paths that the limit of path loss left out, dB; absent if none was.
    pub omitted_db: Option<f64>,
    /// The name of the transmitter, or its number if it has none.
    pub tx_name: Arc<str>,
}

impl Row for TileRow {
    const TABLE: &'static str = "tiles";
    const COLUMNS: &'static [Column<Self>] = &[
        column("tx", "0-based index", |r| Value::Index(r.tx)),
        column("tile", "0-based index", |r| Value::Index(r.tile)),
        column("face", "id of the face", |r| Value::Index(r.face)),
        column("side", "front or back of the face", |r| {
            Value::Letters(r.side)
        }),
        column("x", "m", |r| Value::Number(r.centre[0])),
        column("y", "m", |r| Value::Number(r.centre[1])),
        column("z", "m", |r| Value::Number(r.centre[2])),
        column("area_m2", "m^2", |r| Value::Number(r.area)),
        column(
            "path_gain_db",
            "dB, paths added as powers, antenna of the Tx, isotropic Rx of both polarisations",
            |r| Value::Number(r.path_gain_db),
        ),
        column("received_power_dbm", "dBm, the same", |r| {
            Value::Number(r.received_power_dbm)
        }),
        column(
            "incident_power_db",
            "dB, power on the tile over that of the Tx",
            |r| Value::Number(r.incident_power_db),
        ),
        column("diffuse_gain_db", "dB, scattered part of the gain", |r| {
            Value::Maybe(r.diffuse_gain_db)
        }),
        column(
            "sampled_gain_db",
            "dB, part of the gain that rays sampled",
            |r| Value::Maybe(r.sampled_gain_db),
        ),
        column("num_paths", "number of paths without scattering", |r| {
            Value::Index(r.num_paths)
        }),
        column("line_of_sight", "1 free, 0 not", |r| {
            Value::Index(u32::from(r.has_line_of_sight))
        }),
        column("strongest_gain_db", "dB, strongest of these paths", |r| {
            Value::Maybe(r.strongest_gain_db)
        }),
        column("strongest_delay_s", "s, its absolute delay", |r| {
            Value::Maybe(r.strongest_delay)
        }),
        column("zoa", "rad, its zenith of arrival", |r| {
            Value::Maybe(r.arrival.map(|a| a[0]))
        }),
        column("aoa", "rad, its azimuth of arrival", |r| {
            Value::Maybe(r.arrival.map(|a| a[1]))
        }),
        column(
            "coherent_gain_db",
            "dB, these paths added with their phases at the carrier",
            |r| Value::Maybe(r.coherent_gain_db),
        ),
        column("mean_delay_s", "s, mean absolute delay of all power", |r| {
            Value::Maybe(r.mean_delay)
        }),
        column("delay_spread_s", "s, its rms spread", |r| {
            Value::Maybe(r.delay_spread)
        }),
        column(
            "omitted_db",
            "dB, at most, gain of the paths below minus path_loss_limit_db, no part of any other column",
            |r| Value::Maybe(r.omitted_db),
        ),
        column("tx_name", NAME_UNIT, |r| Value::Name(&r.tx_name)),
    ];
}
