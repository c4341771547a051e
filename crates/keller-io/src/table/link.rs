//! One row of a table of links: gains, spreads and other figures of a Tx and an Rx.

use keller::channel::{Spreads, Statistics};
use keller::units::power_to_db;

use super::column::{Column, Row, Value, column};
use super::device::{DEGREES_UNIT, Device, NAME_UNIT};

/// One link in the units of its column names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinkRow {
    /// Index of the transmitter.
    pub tx: u32,
    /// Index of the receiver.
    pub rx: u32,
    /// Number of paths.
    pub num_paths: u32,
    /// Gain of all paths added with their phases, dB; minus infinity if nothing arrives.
    pub gain_coherent_db: f64,
    /// Gain of all paths added as powers, and of the power beside them, dB; minus infinity if nothing arrives.
    pub gain_incoherent_db: f64,
    /// What the Rx receives, with the same gain, dBm.
    pub received_power_dbm: f64,
    /// What needs some power.
    pub spreads: Option<Spreads>,
    /// Whether the Tx sees the Rx.
    pub has_line_of_sight: bool,
    /// The transmitter.
    pub tx_device: Device,
    /// The receiver.
    pub rx_device: Device,
}

impl LinkRow {
    /// The row of a link with these statistics over which the Tx sends `power_dbm`. Its devices are known by their numbers alone, and
    /// whether one sees the other is left open.
    ///
    /// # Panics
    /// If an index or a count does not fit in 32 bits.
    pub fn new(tx: usize, rx: usize, power_dbm: f64, statistics: &Statistics) -> Self {
        let index = |i: usize| u32::try_from(i).expect("tables count in 32 bits");
        let gain_incoherent_db = power_to_db(statistics.incoherent_gain);
        Self {
            tx: index(tx),
            rx: index(rx),
            num_paths: index(statistics.num_paths),
            gain_coherent_db: power_to_db(statistics.coherent_gain),
            gain_incoherent_db,
            received_power_dbm: power_dbm + gain_incoherent_db,
            spreads: statistics.spreads,
            has_line_of_sight: false,
            tx_device: Device::default(),
            rx_device: Device::default(),
        }
    }

    /// The K factor, dB; infinite for a single path.
    pub fn k_factor_db(&self) -> Option<f64> {
        self.spreads.map(|s| power_to_db(s.k_factor))
    }

    fn spread(&self, value: fn(&Spreads) -> f64) -> Value<'_> {
        Value::Maybe(self.spreads.as_ref().map(value))
    }
}

/// The same with the power beside the paths, where a scenario has `[diffuse]` or `[background]`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinkBesideRow {
    /// The columns of every table of links. Gain and received power hold the power beside the paths too.
    pub link: LinkRow,
    /// Gain of the diffuse field, dB, with `[diffuse]`; minus infinity if nothing arrives.
    pub diffuse_gain_db: Option<f64>,
    /// The time in which the diffuse energy of the Tx decays by the factor e, s.
    pub diffuse_decay_time: Option<f64>,
    /// Gain of the background, dB, with `[background]`.
    pub background_gain_db: Option<f64>,
}

/// The columns of links, which `$link` finds in a row, with what their powers add up, and more.
macro_rules! columns {
    ($link:expr, $powers:literal, $($more:expr),*) => {
        &[
            column("tx", "0-based index", |r| Value::Index($link(r).tx)),
            column("rx", "0-based index", |r| Value::Index($link(r).rx)),
            column("num_paths", "1", |r| Value::Index($link(r).num_paths)),
            column(
                "gain_coherent_db",
                "dB, paths added with their phases at the carrier",
                |r| Value::Number($link(r).gain_coherent_db),
            ),
            column("gain_incoherent_db", concat!("dB, ", $powers), |r| {
                Value::Number($link(r).gain_incoherent_db)
            }),
            column("received_power_dbm", concat!("dBm, ", $powers), |r| {
                Value::Number($link(r).received_power_dbm)
            }),
            column(
                "k_factor_db",
                "dB, line of sight, else the strongest path, over all others",
                |r| Value::Maybe($link(r).k_factor_db()),
            ),
            column("mean_delay_s", "s, absolute", |r| {
                $link(r).spread(|s| s.mean_delay)
            }),
            column("delay_spread_s", "s, rms", |r| $link(r).spread(|s| s.delay_spread)),
            column("zsd", "rad, zenith spread of departure", |r| {
                $link(r).spread(|s| s.departure[0])
            }),
            column("asd", "rad, azimuth spread of departure", |r| {
                $link(r).spread(|s| s.departure[1])
            }),
            column("zsa", "rad, zenith spread of arrival", |r| {
                $link(r).spread(|s| s.arrival[0])
            }),
            column("asa", "rad, azimuth spread of arrival", |r| {
                $link(r).spread(|s| s.arrival[1])
            }),
            column("mean_doppler_hz", "Hz", |r| $link(r).spread(|s| s.mean_doppler)),
            column("doppler_spread_hz", "Hz, rms", |r| {
                $link(r).spread(|s| s.doppler_spread)
            }),
            column("line_of_sight", "1 free, 0 not", |r| {
                Value::Index(u32::from($link(r).has_line_of_sight))
            }),
            column("tx_name", NAME_UNIT, |r| $link(r).tx_device.name()),
            column("rx_name", NAME_UNIT, |r| $link(r).rx_device.name()),
            column("tx_longitude", DEGREES_UNIT, |r| $link(r).tx_device.longitude()),
            column("tx_latitude", DEGREES_UNIT, |r| $link(r).tx_device.latitude()),
            column("rx_longitude", DEGREES_UNIT, |r| $link(r).rx_device.longitude()),
            column("rx_latitude", DEGREES_UNIT, |r| $link(r).rx_device.latitude()),
            $($more),*
        ]
    };
}

impl Row for LinkRow {
    const TABLE: &'static str = "links";
    const COLUMNS: &'static [Column<Self>] =
        columns!(std::convert::identity::<&Self>, "paths added as powers",);
}

impl Row for LinkBesideRow {
    const TABLE: &'static str = "links";
    const COLUMNS: &'static [Column<Self>] = columns!(
        of_link,
        "paths, diffuse field and background added as powers",
        column("diffuse_gain_db", "dB, part of the incoherent gain", |r| {
            Value::Maybe(r.diffuse_gain_db)
        }),
        column(
            "diffuse_decay_time_s",
            "s, in which the diffuse energy of the Tx falls by the factor e",
            |r| Value::Maybe(r.diffuse_decay_time)
        ),
        column(
            "background_gain_db",
            "dB, part of the incoherent gain",
            |r| { Value::Maybe(r.background_gain_db) }
        )
    );
}

fn of_link(row: &LinkBesideRow) -> &LinkRow {
    &row.link
}
