//! The contents of a view, as `viewer/src/format.ts` reads it: the manifest. Arrays are in separate parts.
//!
//! Coordinates in the manifest are metres of the scene; those in parts are relative to its `origin`.

use serde::Serialize;

/// The version of the format.
pub(super) const VERSION: u32 = 1;

/// The numbers in a part.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ArrayRef {
    pub(super) part: usize,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) shape: Vec<usize>,
    /// The scale of coded numbers: a code c of at least 2 is `offset + scale * (c - 2)`, 0 is no value and 1 is minus
    /// infinity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scale: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) offset: Option<f64>,
}

/// The manifest of a view.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Manifest<'a> {
    pub(super) format: &'static str,
    pub(super) version: u32,
    pub(super) title: &'a str,
    pub(super) program: &'static str,
    pub(super) origin: [f64; 3],
    pub(super) bounds: [[f64; 3]; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) earth: Option<&'a Earth>,
    /// The uncompressed size of each part, bytes.
    pub(super) parts: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scene: Option<&'a ViewScene>,
    pub(super) snapshots: &'a [Snapshot],
    pub(super) maps: &'a [CellMap],
    pub(super) surfaces: &'a [Surfaces],
    pub(super) measured: &'a [MeasuredPoints],
}

/// The longitudes and latitudes (degrees, WGS 84) on an even grid, rows from south to north.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Earth {
    /// The scene's coordinate reference system.
    pub crs: String,
    /// The first and last column, metres of the scene.
    pub x: [f64; 2],
    /// The first and last row, metres of the scene.
    pub y: [f64; 2],
    /// The longitudes of each row.
    pub longitude: Vec<Vec<f64>>,
    /// The latitudes of each row.
    pub latitude: Vec<Vec<f64>>,
}

/// The scene.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ViewScene {
    pub(super) source: String,
    pub(super) materials: Vec<ViewMaterial>,
    pub(super) positions: ArrayRef,
    pub(super) triangles: ArrayRef,
    pub(super) material: ArrayRef,
    pub(super) face: ArrayRef,
    pub(super) kind: ArrayRef,
    pub(super) floors: Vec<f64>,
    pub(super) clutter: Vec<ViewClutter>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ViewMaterial {
    pub(super) name: String,
    pub(super) colour: [f64; 3],
    pub(super) about: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ViewClutter {
    pub(super) name: String,
    pub(super) positions: ArrayRef,
    pub(super) triangles: ArrayRef,
}

/// The devices, with their paths and links, at one time or of one run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Snapshot {
    pub(super) label: String,
    pub(super) tx: Vec<ViewTx>,
    pub(super) rx: ViewReceivers,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) paths: Option<ViewPaths>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) links: Option<ViewLinks>,
}

/// A Tx.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ViewTx {
    /// Its name, or its index.
    pub name: String,
    /// Its position, metres.
    pub at: [f64; 3],
    /// Its power, dBm.
    pub power_dbm: f64,
    /// The direction of its antenna, if it has one: degrees from +x towards +y, and degrees below the horizon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction_deg: Option<[f64; 2]>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ViewReceivers {
    pub(super) count: usize,
    pub(super) positions: ArrayRef,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) names: Option<Vec<String>>,
}

/// The paths, sorted by Tx, Rx and length.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ViewPaths {
    pub(super) source: String,
    pub(super) count: usize,
    pub(super) tx: ArrayRef,
    pub(super) rx: ArrayRef,
    pub(super) gain_db: ArrayRef,
    pub(super) delay_s: ArrayRef,
    pub(super) length_m: ArrayRef,
    pub(super) angles: ArrayRef,
    pub(super) types: Vec<String>,
    #[serde(rename = "type")]
    pub(super) kind: ArrayRef,
    pub(super) starts: ArrayRef,
    pub(super) points: ArrayRef,
    pub(super) objects: ArrayRef,
}

/// The quantities of every link.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ViewLinks {
    pub(super) source: String,
    pub(super) columns: Vec<LinkColumn>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct LinkColumn {
    pub(super) key: String,
    pub(super) label: String,
    pub(super) unit: String,
    pub(super) values: ArrayRef,
}

/// A coverage of cells.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct CellMap {
    pub(super) source: String,
    pub(super) first: [f64; 2],
    pub(super) dx: [f64; 2],
    pub(super) dy: [f64; 2],
    pub(super) nx: usize,
    pub(super) ny: usize,
    pub(super) heights: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ground: Option<ArrayRef>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) limit_db: Option<f64>,
    pub(super) tx: Vec<String>,
    pub(super) layers: Vec<CellLayer>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct CellLayer {
    pub(super) key: String,
    pub(super) label: String,
    pub(super) unit: String,
    /// The kind: `number`, or `server` for indices of Tx.
    pub(super) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tx: Option<usize>,
    pub(super) range: [f64; 2],
    pub(super) slices: Vec<ArrayRef>,
}

/// A coverage of surfaces.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Surfaces {
    pub(super) source: String,
    pub(super) count: usize,
    pub(super) positions: ArrayRef,
    pub(super) triangles: ArrayRef,
    pub(super) tile: ArrayRef,
    pub(super) tx: Vec<String>,
    pub(super) layers: Vec<SurfaceLayer>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct SurfaceLayer {
    pub(super) key: String,
    pub(super) label: String,
    pub(super) unit: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tx: Option<usize>,
    pub(super) range: [f64; 2],
    pub(super) values: ArrayRef,
}

/// Measured points with their predictions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct MeasuredPoints {
    pub(super) source: String,
    pub(super) count: usize,
    pub(super) positions: ArrayRef,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) names: Option<Vec<String>>,
    pub(super) columns: Vec<MeasuredColumn>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct MeasuredColumn {
    pub(super) key: String,
    pub(super) label: String,
    pub(super) unit: String,
    /// The kind: `number`, or `residual` for values around zero.
    pub(super) kind: &'static str,
    pub(super) values: ArrayRef,
}
