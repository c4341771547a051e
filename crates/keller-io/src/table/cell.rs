//! One row of a table of coverage: what a cell receives from a Tx.

use super::row::{Column, Row, Value, column};

/// One cell and Tx in the units of its column names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CellRow {
    /// Index of the transmitter.
    pub tx: u32,
    /// The middle of the cell, metres.
    pub centre: [f64; 3],
    /// Path gain with the transmitter's antenna and an isotropic receiver of both polarisations, dB.
    pub path_gain_db: f64,
    /// What an isotropic receiver of both polarisations receives, dBm.
    pub received_power_dbm: f64,
    /// That power over the noise and the power of all other transmitters, dB, if the noise is known.
    pub sinr_db: Option<f64>,
    /// Longitude and latitude of the middle on WGS 84, degrees, if it is known where on earth the scene lies.
    pub lon_lat: Option<[f64; 2]>,
}

impl Row for CellRow {
    const TABLE: &'static str = "cells";
    const COLUMNS: &'static [Column<Self>] = &[
        column("tx", "0-based index", |r| Value::Index(r.tx)),
        column("x", "m", |r| Value::Number(r.centre[0])),
        column("y", "m", |r| Value::Number(r.centre[1])),
        column("z", "m", |r| Value::Number(r.centre[2])),
        column(
            "path_gain_db",
            "dB, paths added as powers, antenna of the Tx, isotropic Rx of both polarisations",
            |r| Value::Number(r.path_gain_db),
        ),
        column("received_power_dbm", "dBm, the same", |r| {
            Value::Number(r.received_power_dbm)
        }),
        column("sinr_db", "dB, over noise and all other Tx", |r| {
            Value::Maybe(r.sinr_db)
        }),
        column("longitude", "degrees, WGS 84, if known", |r| {
            Value::Maybe(r.lon_lat.map(|at| at[0]))
        }),
        column("latitude", "degrees, WGS 84, if known", |r| {
            Value::Maybe(r.lon_lat.map(|at| at[1]))
        }),
    ];
}
