//! One row of a table of rays: a path to the centre of a tile.

use super::column::{Column, Row, Value, column};
use super::device::NAME_UNIT;
use super::row::{A_UNIT, PathRow};

/// One path to a tile in the units of its column names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RayRow {
    /// The number of the tile.
    pub tile: u32,
    /// The side on which the path ends: `front`, to which the normal of the tile's face points, or `back`.
    pub side: &'static str,
    /// The number of the face that the tile is a part of, as `keller scene --list` numbers them.
    pub face: u32,
    /// The centre of the tile, metres, at which the path ends.
    pub centre: [f64; 3],
    /// The path; its `rx` is the tile.
    pub path: PathRow,
}

impl Row for RayRow {
    const TABLE: &'static str = "rays";
    const COLUMNS: &'static [Column<Self>] = &[
        column("tx", "0-based index", |r| Value::Index(r.path.tx)),
        column("tile", "0-based index", |r| Value::Index(r.tile)),
        column("side", "front or back of the face", |r| {
            Value::Letters(r.side)
        }),
        column("face", "id of the face", |r| Value::Index(r.face)),
        column("x", "m", |r| Value::Number(r.centre[0])),
        column("y", "m", |r| Value::Number(r.centre[1])),
        column("z", "m", |r| Value::Number(r.centre[2])),
        column(
            "types",
            "LOS, or letters from Tx to tile: R reflection, D diffraction, T transmission",
            |r| Value::Letters(&r.path.types),
        ),
        column(
            "objects",
            "ids of the faces (of the edge for D), as `keller scene --list` has them",
            |r| Value::Ids(&r.path.objects),
        ),
        column("points", "interaction points x y z, m", |r| {
            Value::Points(&r.path.points)
        }),
        column("length_m", "m", |r| Value::Number(r.path.length)),
        column("delay_s", "s", |r| Value::Number(r.path.delay)),
        column(
            "gain_db",
            "dB, antenna of the Tx, isotropic Rx of both polarisations",
            |r| Value::Number(r.path.gain_db),
        ),
        column("zod", "rad, zenith of departure", |r| {
            Value::Number(r.path.departure[0])
        }),
        column("aod", "rad, azimuth of departure", |r| {
            Value::Number(r.path.departure[1])
        }),
        column("zoa", "rad, zenith of arrival", |r| {
            Value::Number(r.path.arrival[0])
        }),
        column("aoa", "rad, azimuth of arrival", |r| {
            Value::Number(r.path.arrival[1])
        }),
        column("a_vv_re", A_UNIT, |r| {
            Value::Number(r.path.coefficient[0][0].re)
        }),
        column("a_vv_im", A_UNIT, |r| {
            Value::Number(r.path.coefficient[0][0].im)
        }),
        column("a_vh_re", A_UNIT, |r| {
            Value::Number(r.path.coefficient[0][1].re)
        }),
        column("a_vh_im", A_UNIT, |r| {
            Value::Number(r.path.coefficient[0][1].im)
        }),
        column("a_hv_re", A_UNIT, |r| {
            Value::Number(r.path.coefficient[1][0].re)
        }),
        column("a_hv_im", A_UNIT, |r| {
            Value::Number(r.path.coefficient[1][0].im)
        }),
        column("a_hh_re", A_UNIT, |r| {
            Value::Number(r.path.coefficient[1][1].re)
        }),
        column("a_hh_im", A_UNIT, |r| {
            Value::Number(r.path.coefficient[1][1].im)
        }),
        column("tx_name", NAME_UNIT, |r| r.path.tx_device.name()),
    ];
}
