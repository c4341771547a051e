//! One row of a table of devices that were located by their fingerprints.

use keller::DVec3;

use super::column::{Column, Row, Value, column};
use super::device::{DEGREES_UNIT, Device, NAME_UNIT};

/// A device and its likely places.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LocatedRow {
    /// The index of the device.
    pub device: u32,
    /// The number of its levels, limits counted.
    pub num_levels: u32,
    /// The number of the likeliest cell or tile in arrays.
    pub place: u32,
    /// Its centre, metres.
    pub likeliest: DVec3,
    /// The probability of that place alone.
    pub probability: f64,
    /// The mean over all places, weighted with their probability, metres.
    pub mean: DVec3,
    /// The rms distance from the mean, metres.
    pub spread: f64,
    /// The smallest areas that hold the device with 50 and 95 % probability, m2.
    pub areas: [f64; 2],
    /// Its true place, metres, if that is known.
    pub truth: Option<DVec3>,
    /// The probability of all places that are denser than the true one.
    pub denser: Option<f64>,
    /// The device; its degrees are those of the likeliest place.
    pub own: Device,
}

impl LocatedRow {
    /// The distance from the true place to the likeliest one, metres.
    pub fn error(&self) -> Option<f64> {
        self.truth.map(|truth| truth.distance(self.likeliest))
    }
}

impl Row for LocatedRow {
    const TABLE: &'static str = "devices";
    const COLUMNS: &'static [Column<Self>] = &[
        column("device", "0-based index", |r| Value::Index(r.device)),
        column("device_name", NAME_UNIT, |r| r.own.name()),
        column("num_levels", "1", |r| Value::Index(r.num_levels)),
        column(
            "place",
            "0-based number of the likeliest cell, or twice that of the tile, its back one more",
            |r| Value::Index(r.place),
        ),
        column("x", "m, its centre", |r| Value::Number(r.likeliest.x)),
        column("y", "m", |r| Value::Number(r.likeliest.y)),
        column("z", "m", |r| Value::Number(r.likeliest.z)),
        column("longitude", DEGREES_UNIT, |r| r.own.longitude()),
        column("latitude", DEGREES_UNIT, |r| r.own.latitude()),
        column("probability", "1, of that place alone", |r| {
            Value::Number(r.probability)
        }),
        column("mean_x", "m, the mean over all places", |r| {
            Value::Number(r.mean.x)
        }),
        column("mean_y", "m", |r| Value::Number(r.mean.y)),
        column("mean_z", "m", |r| Value::Number(r.mean.z)),
        column("spread_m", "m, rms distance from the mean", |r| {
            Value::Number(r.spread)
        }),
        column(
            "area_50_m2",
            "m², the least that holds the device with 50 % probability",
            |r| Value::Number(r.areas[0]),
        ),
        column("area_95_m2", "m², with 95 %", |r| {
            Value::Number(r.areas[1])
        }),
        column(
            "error_m",
            "m, from the measured place to the likeliest",
            |r| Value::Maybe(r.error()),
        ),
        column(
            "denser_probability",
            "1, of all places that are denser than the measured one: below 0.95 in the area of 95 %",
            |r| Value::Maybe(r.denser),
        ),
    ];
}
