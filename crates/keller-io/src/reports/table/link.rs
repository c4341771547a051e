//! One row of a table of links: gains, spreads and other figures of a Tx and an Rx.

use keller::channel::{Spreads, Statistics};
use keller::units::power_to_db;

use super::column::{Column, Row, Value, column};
use super::device::{DEGREES_UNIT, Device, NAME_UNIT};

/// One link in the units of its column names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinkRow {
    /// The index of the transmitter.
    pub tx: u32,
    /// The index of the receiver.
    pub rx: u32,
    /// The number of paths.
    pub num_paths: u32,
    /// The gain of all paths added with their phases, dB; minus infinity if nothing arrives.
    pub gain_coherent_db: f64,
    /// The gain of all paths added as powers, and of the power apart from them, dB; minus infinity if nothing arrives.
    pub gain_incoherent_db: f64,
    /// The power that the Rx receives with the same gain, dBm.
    pub received_power_dbm: f64,
    /// The spreads, which need some power.
    pub spreads: Option<Spreads>,
    /// Whether the Tx sees the Rx.
    pub has_line_of_sight: bool,
    /// The transmitter.
    pub tx_device: Device,
    /// The receiver.
    pub rx_device: Device,
    /// The gain of the diffuse field, dB, with `[diffuse]`; minus infinity if nothing arrives.
    pub diffuse_gain_db: Option<f64>,
    /// The time in which the diffuse energy of the Tx decays by the factor e, s.
    pub diffuse_decay_time: Option<f64>,
    /// The gain of the background, dB, with `[background]`.
    pub background_gain_db: Option<f64>,
    /// The gain of the paths that a threshold left out, added as powers like the incoherent gain, dB; minus infinity if
    /// it left out none, absent without a threshold or if it is not known.
    pub omitted_db: Option<f64>,
}

impl LinkRow {
    /// The columns of the power apart from the paths.
    const BESIDE: [&'static str; 3] = [
        "diffuse_gain_db",
        "diffuse_decay_time_s",
        "background_gain_db",
    ];
    /// The column of the power left out.
    const OMITTED: &'static str = "omitted_db";

    /// The row of a link with these statistics over which the Tx sends `power_dbm`. Its devices are known by their
    /// numbers alone, and their line of sight is left open.
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
            ..Self::default()
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

/// The columns of a table of links that depend on the scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkColumns {
    /// Whether there are columns of the power apart from the paths: `[diffuse]` or `[background]` require them.
    pub has_beside: bool,
    /// Whether there is a column of the power left out: a threshold requires it.
    pub has_omitted: bool,
}

impl LinkColumns {
    /// The columns of such a table, in its order.
    pub fn columns(self) -> Vec<&'static Column<LinkRow>> {
        let is_shown = |column: &&Column<LinkRow>| match column.name {
            name if LinkRow::BESIDE.contains(&name) => self.has_beside,
            LinkRow::OMITTED => self.has_omitted,
            _ => true,
        };
        LinkRow::COLUMNS.iter().filter(is_shown).collect()
    }
}

impl Row for LinkRow {
    const TABLE: &'static str = "links";
    const COLUMNS: &'static [Column<Self>] = &[
        column("tx", "0-based index", |r| Value::Index(r.tx)),
        column("rx", "0-based index", |r| Value::Index(r.rx)),
        column("num_paths", "1", |r| Value::Index(r.num_paths)),
        column(
            "gain_coherent_db",
            "dB, paths added with their phases at the carrier",
            |r| Value::Number(r.gain_coherent_db),
        ),
        column(
            "gain_incoherent_db",
            "dB, paths and any diffuse field and background added as powers",
            |r| Value::Number(r.gain_incoherent_db),
        ),
        column(
            "received_power_dbm",
            "dBm, paths and any diffuse field and background added as powers",
            |r| Value::Number(r.received_power_dbm),
        ),
        column(
            "k_factor_db",
            "dB, line of sight, else the strongest path, over all others",
            |r| Value::Maybe(r.k_factor_db()),
        ),
        column("mean_delay_s", "s, absolute", |r| {
            r.spread(|s| s.mean_delay)
        }),
        column("delay_spread_s", "s, rms", |r| r.spread(|s| s.delay_spread)),
        column("zsd", "rad, zenith spread of departure", |r| {
            r.spread(|s| s.departure[0])
        }),
        column("asd", "rad, azimuth spread of departure", |r| {
            r.spread(|s| s.departure[1])
        }),
        column("zsa", "rad, zenith spread of arrival", |r| {
            r.spread(|s| s.arrival[0])
        }),
        column("asa", "rad, azimuth spread of arrival", |r| {
            r.spread(|s| s.arrival[1])
        }),
        column("mean_doppler_hz", "Hz", |r| r.spread(|s| s.mean_doppler)),
        column("doppler_spread_hz", "Hz, rms", |r| {
            r.spread(|s| s.doppler_spread)
        }),
        column("line_of_sight", "1 free, 0 not", |r| {
            Value::Index(u32::from(r.has_line_of_sight))
        }),
        column("tx_name", NAME_UNIT, |r| r.tx_device.name()),
        column("rx_name", NAME_UNIT, |r| r.rx_device.name()),
        column("tx_longitude", DEGREES_UNIT, |r| r.tx_device.longitude()),
        column("tx_latitude", DEGREES_UNIT, |r| r.tx_device.latitude()),
        column("rx_longitude", DEGREES_UNIT, |r| r.rx_device.longitude()),
        column("rx_latitude", DEGREES_UNIT, |r| r.rx_device.latitude()),
        column(Self::BESIDE[0], "dB, part of the incoherent gain", |r| {
            Value::Maybe(r.diffuse_gain_db)
        }),
        column(
            Self::BESIDE[1],
            "s, in which the diffuse energy of the Tx falls by the factor e",
            |r| Value::Maybe(r.diffuse_decay_time),
        ),
        column(Self::BESIDE[2], "dB, part of the incoherent gain", |r| {
            Value::Maybe(r.background_gain_db)
        }),
        column(
            Self::OMITTED,
            "dB, paths below a threshold added as powers, no part of any other column",
            |r| Value::Maybe(r.omitted_db),
        ),
    ];
}
