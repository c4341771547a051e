//! One row of a table of coverage: the power that a cell receives from a Tx.

use std::sync::Arc;

use super::column::{Column, Row, Value, column};
use super::device::NAME_UNIT;
use crate::reports::coverage::Figure;

/// One cell and Tx in the units of its column names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CellRow {
    /// The index of the transmitter.
    pub tx: u32,
    /// The centre of the cell, metres.
    pub centre: [f64; 3],
    /// The path gain with the transmitter's antenna and an isotropic receiver of both polarisations, dB.
    pub path_gain_db: f64,
    /// The power that an isotropic receiver of both polarisations receives, dBm.
    pub received_power_dbm: f64,
    /// That power over the noise and the power of all other transmitters, dB, if the noise is known.
    pub sinr_db: Option<f64>,
    /// The longitude and latitude of the centre on WGS 84, degrees, if the scene's place on earth is known.
    pub lon_lat: Option<[f64; 2]>,
    /// Whether chains over rooftops are beyond their theory, if they were asked for.
    pub is_doubtful: Option<bool>,
    /// The name of the transmitter, or its number if it has none.
    pub tx_name: Arc<str>,
}

/// A row of a cell and Tx with the combined properties of the paths of the Tx to the cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MultipathRow {
    /// The columns of every table of cells.
    pub cell: CellRow,
    /// Every [`Figure`], in the order of [`Figure::MULTIPATH`]; gains in dB, NaN for an undefined one.
    pub figures: [f64; Figure::MULTIPATH.len()],
}

impl MultipathRow {
    fn figure(&self, k: usize) -> Value<'_> {
        let value = self.figures[k];
        if Figure::MULTIPATH[k].is_whole() {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "counts of 32 bits"
            )]
            return Value::Index(value as u32);
        }
        Value::Maybe((!value.is_nan()).then_some(value))
    }
}

/// The columns of cells, which `$cell` finds in a row, and more.
macro_rules! columns {
    ($cell:expr, $($more:expr),*) => {
        &[
            column("tx", "0-based index", |r| Value::Index($cell(r).tx)),
            column("x", "m", |r| Value::Number($cell(r).centre[0])),
            column("y", "m", |r| Value::Number($cell(r).centre[1])),
            column("z", "m", |r| Value::Number($cell(r).centre[2])),
            column(
                "path_gain_db",
                "dB, paths added as powers, antenna of the Tx, isotropic Rx of both polarisations",
                |r| Value::Number($cell(r).path_gain_db),
            ),
            column("received_power_dbm", "dBm, the same", |r| {
                Value::Number($cell(r).received_power_dbm)
            }),
            column("sinr_db", "dB, over noise and all other Tx", |r| {
                Value::Maybe($cell(r).sinr_db)
            }),
            column("longitude", "degrees, WGS 84, if known", |r| {
                Value::Maybe($cell(r).lon_lat.map(|at| at[0]))
            }),
            column("latitude", "degrees, WGS 84, if known", |r| {
                Value::Maybe($cell(r).lon_lat.map(|at| at[1]))
            }),
            column("doubtful_rooftops", "1 where beyond the theory, else 0", |r| {
                Value::Maybe($cell(r).is_doubtful.map(|is| f64::from(u8::from(is))))
            }),
            column("tx_name", NAME_UNIT, |r| Value::Name(&$cell(r).tx_name)),
            $($more),*
        ]
    };
}

impl Row for CellRow {
    const TABLE: &'static str = "cells";
    const COLUMNS: &'static [Column<Self>] = columns!(std::convert::identity::<&Self>,);
}

impl Row for MultipathRow {
    const TABLE: &'static str = "cells";
    const COLUMNS: &'static [Column<Self>] = columns!(
        of_cell,
        figure(0, |r| r.figure(0)),
        figure(1, |r| r.figure(1)),
        figure(2, |r| r.figure(2)),
        figure(3, |r| r.figure(3)),
        figure(4, |r| r.figure(4)),
        figure(5, |r| r.figure(5)),
        figure(6, |r| r.figure(6)),
        figure(7, |r| r.figure(7)),
        figure(8, |r| r.figure(8)),
        figure(9, |r| r.figure(9)),
        figure(10, |r| r.figure(10)),
        figure(11, |r| r.figure(11)),
        figure(12, |r| r.figure(12)),
        figure(13, |r| r.figure(13))
    );
}

fn of_cell(row: &MultipathRow) -> &CellRow {
    &row.cell
}

/// The column of a figure by its index `k`, which a function pointer cannot hold.
const fn figure(k: usize, value: fn(&MultipathRow) -> Value<'_>) -> Column<MultipathRow> {
    let [name, unit, _] = Figure::MULTIPATH[k].names();
    column(name, unit, value)
}
