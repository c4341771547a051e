use glam::DVec2;
use keller::coverage::Coverage;
use keller::units::power_to_db;

use super::*;
use crate::formats::About;
use crate::reports::table::{CellRow, Table};
use crate::store::{Unit, UnitStore};

/// Three cells and as many Tx as there are lists of gains.
fn coverage(gains: &[[f64; 3]]) -> Coverage {
    Coverage {
        region: Region {
            min: DVec2::ZERO,
            axis: DVec2::X,
            resolution: DVec2::ONE,
            num_columns: [3, 1],
            levels: Levels::AboveSea(vec![1.5]),
        },
        ground: Vec::new(),
        path_gain: gains.concat(),
        num_tx: gains.len(),
    }
}

pub(super) fn map(coverage: &Coverage) -> CoverageMap<'_> {
    let tx = |index: usize| MapTx {
        name: index.to_string().into(),
        position: DVec3::ZERO,
        power_dbm: 30.0,
    };
    CoverageMap {
        region: &coverage.region,
        ground: &coverage.ground,
        gains: Rc::new(coverage),
        tx: (0..coverage.num_tx).map(tx).collect(),
        noise_dbm: Some(-60.0),
        min_gain: 1e-10,
        has_gains_of_tx: true,
        figures: Figures::Nothing,
        is_volume: false,
        frame: None,
    }
}

/// The cells of a table of JSON.
fn rows(map: &CoverageMap<'_>) -> Vec<serde_json::Value> {
    let about = About {
        scenario: String::new(),
        georeference: None,
    };
    let mut text = Vec::new();
    let table: Table<'_, CellRow> = Table::json(&mut text, "rows", &about).unwrap();
    map.write_rows(table).unwrap();
    let table: serde_json::Value = serde_json::from_slice(&text).unwrap();
    table["cells"].as_array().unwrap().clone()
}

#[test]
fn gains_below_the_limit_neither_serve_nor_interfere() {
    // The first cell has a strong and a weak gain, the second a weak one, the third is inside a wall.
    let coverage = coverage(&[[1e-8, 1e-11, f64::NAN], [1e-11, 0.0, f64::NAN]]);
    let map = map(&coverage);
    let servers = map.servers(0..3).unwrap();
    let best: Vec<Option<usize>> = servers.iter().map(|s| s.best.map(|b| b.tx)).collect();
    assert_eq!(best, [Some(0), None, None]);
    // The ratio of 1e-8 W to a noise of 1e-9 W.
    assert!((servers[0].sinr(1e-9) - 10.0).abs() < 1e-9, "{servers:?}");
    let rows = rows(&map);
    assert_eq!(rows.len(), 1);
    let sinr_db = rows[0]["sinr_db"].as_f64().unwrap();
    assert!((sinr_db - 10.0).abs() < 1e-9, "{rows:?}");
    let strongest = map.strongest_gain_db(0).unwrap();
    assert_eq!(strongest[..2], [-80.0, f64::NEG_INFINITY]);
    assert!(strongest[2].is_nan());
}

#[test]
fn without_the_gains_of_every_tx_a_row_is_of_the_best_server() {
    let coverage = coverage(&[[1e-8, 1e-9, f64::NAN], [4e-8, 0.0, f64::NAN]]);
    let map = CoverageMap {
        has_gains_of_tx: false,
        ..map(&coverage)
    };
    let rows = rows(&map);
    let tx: Vec<u64> = rows.iter().map(|row| row["tx"].as_u64().unwrap()).collect();
    assert_eq!(tx, [1, 0]);
    let gain_db = rows[0]["path_gain_db"].as_f64().unwrap();
    assert!((gain_db - power_to_db(4e-8)).abs() < 1e-9, "{rows:?}");
    // The ratio of 4e-8 W to 1e-8 W of the other and 1e-9 W of noise.
    let sinr_db = rows[0]["sinr_db"].as_f64().unwrap();
    assert!((sinr_db - power_to_db(4.0 / 1.1)).abs() < 1e-9, "{rows:?}");
}

#[test]
fn servers_that_were_put_down_are_those_that_were_worked_out() {
    let folder = tempfile::tempdir().unwrap();
    let gains: Vec<[f64; 3]> = (1..=7)
        .map(|k| [1e-9 * f64::from(k * 5 % 7), 0.0, f64::NAN])
        .collect();
    let coverage = coverage(&gains);
    let direct = map(&coverage);
    let mut store = UnitStore::create(&folder.path().join("p"), [0; 16]).unwrap();
    for (tx, gains) in gains.iter().enumerate() {
        let unit = Unit {
            family: 0,
            region: 0,
            tx: vec![tx],
            range: 0..3,
        };
        let payload = KeptCells::payload(std::iter::once(gains.to_vec()), 24);
        store.put(unit, payload).unwrap();
    }
    let all: Vec<usize> = (0..7).collect();
    let cells = KeptCells::new(&store, &all, 1, 3);
    let kept = CoverageMap {
        gains: Rc::new(&cells),
        ..direct.clone()
    };
    kept.keep_servers().unwrap();
    assert!(cells.servers(0..3).unwrap().is_some(), "they are there");
    let bits = |map: &CoverageMap<'_>| format!("{:?}", map.servers(0..3).unwrap());
    assert_eq!(bits(&kept), bits(&direct));
}

/// A store of several chunks along x and y, and of several levels in one, has every cell in its place.
#[test]
fn chunks_have_every_cell_in_its_place() {
    use std::io::Read as _;
    let [nx, ny, nz] = [1100, 530, 2];
    let gain = |cell: usize| match cell % 11 {
        0 => 0.0,
        5 => f64::NAN,
        k => 1e-9 * (k * 7919 + cell % 1009) as f64,
    };
    let wide = Coverage {
        region: Region {
            min: DVec2::ZERO,
            axis: DVec2::X,
            resolution: DVec2::ONE,
            num_columns: [nx, ny],
            levels: Levels::AboveSea(vec![1.5, 4.0]),
        },
        ground: Vec::new(),
        path_gain: (0..nx * ny * nz).map(gain).collect(),
        num_tx: 1,
    };
    let map = CoverageMap {
        min_gain: 0.0,
        ..map(&wide)
    };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("w.zarr");
    let about = About {
        scenario: String::new(),
        georeference: None,
    };
    let store = crate::formats::OutputFolder::create(&out).unwrap();
    map.write_zarr(store, &about).unwrap();
    let chunk = |name: &str| -> Vec<f64> {
        let packed = std::fs::read(out.join("path_gain_db").join(name)).unwrap();
        let mut bytes = Vec::new();
        let mut unpack = flate2::read::ZlibDecoder::new(&packed[..]);
        unpack.read_to_end(&mut bytes).unwrap();
        assert_eq!(
            bytes.len(),
            4 * 512 * 512,
            "chunks at the ends are as large"
        );
        let values = bytes.as_chunks().0.iter();
        values.map(|b| f32::from_le_bytes(*b).into()).collect()
    };
    for (z, y, x) in [
        (0, 0, 0),
        (1, 529, 1099),
        (0, 511, 512),
        (1, 512, 511),
        (1, 77, 1024),
    ] {
        for x in x..(x + 30).min(nx) {
            let values = chunk(&format!("0.{z}.{}.{}", y / 512, x / 512));
            let value = values[y % 512 * 512 + x % 512];
            let expected = power_to_db(gain((z * ny + y) * nx + x));
            let is_same = value.is_nan() && expected.is_nan()
                || value == expected
                || (value - expected).abs() < 4e-6;
            assert!(is_same, "{value} for {expected} at {x} {y} {z}");
        }
    }
    // No value lies beyond the last column.
    assert!(chunk("0.0.0.2")[512 - 1].is_nan());
    // The power from the only Tx is its gain and a constant.
    assert!(!out.join("received_power_dbm").exists());
    assert!(out.join("best_server/0.1.2").exists());
}
