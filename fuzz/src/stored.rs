//! What readers of stored results promise: an error, or something that can be used.

use std::fs;
use std::path::{Path, PathBuf};

use keller::paths::Path as RayPath;
use keller_io::formats::import::MeshOptions;
use keller_io::reports::coverage::StoredGains;
use keller_io::reports::surfaces::FinishedTx;
use keller_io::reports::table::StoredTable;
use keller_io::scenario::{Measurements, Scenario};
use keller_io::store::BatchStore;
use keller_io::store::paths::{PathBlock, PathFile};
use keller_io::store::scene_cache::{self, Found, Wanted};
use keller_io::store::visibility::rows_of_bytes;
use twox_hash::XxHash3_64;

use crate::told;

/// Reads `data` as a file of paths, with checksums made to fit. Panics unless it is an error with words, or blocks whose numbers fit.
pub fn check_paths(data: &[u8]) {
    let mut bytes = data.to_vec();
    seal_records(&mut bytes);
    let file = scratch("fuzz.paths");
    fs::write(&file, bytes).expect("a file in a folder of our own");
    match PathFile::open(&file) {
        Err(error) => told(&error),
        Ok(file) => {
            let store = file.into_store();
            for (number, _) in store.units() {
                match store.payload(number) {
                    Err(error) => told(&error),
                    Ok(bytes) => PathBlock::from_bytes(&bytes).iter().for_each(check_block),
                }
            }
        }
    }
}

/// Lets the checksums of a container fit: of its header, its head and its records.
pub(crate) fn seal_records(bytes: &mut [u8]) {
    let word = |bytes: &[u8], at: usize| {
        let word = bytes.get(at..at + 8)?.try_into().ok()?;
        usize::try_from(u64::from_le_bytes(word)).ok()
    };
    let put = |bytes: &mut [u8], at: usize, range: std::ops::Range<usize>| {
        let sum = bytes.get(range).map(XxHash3_64::oneshot);
        if let (Some(place), Some(sum)) = (bytes.get_mut(at..at + 8), sum) {
            place.copy_from_slice(&sum.to_le_bytes());
        }
    };
    let Some(head) = word(bytes, 40).and_then(|length| length.checked_add(64)) else {
        return;
    };
    put(bytes, 48, 64..head);
    put(bytes, 56, 0..56);
    let mut at = head;
    while let Some(length) = word(bytes, at).filter(|length| *length > 0) {
        let Some(end) = (at + 24).checked_add(length) else {
            return;
        };
        put(bytes, at + 8, at + 24..end);
        put(bytes, at + 16, at..at + 16);
        at = end;
    }
}

fn check_block(block: &PathBlock) {
    assert_eq!(block.rx.len(), block.counts.len());
    assert_eq!(block.rx.len(), block.is_reached.len());
    assert_eq!(block.counts.iter().sum::<usize>(), block.paths.len());
    let is_finite = |path: &RayPath| {
        let points = path.vertices.iter().map(|vertex| vertex.point);
        points
            .chain([path.tx_position, path.rx_position])
            .all(|point| point.is_finite())
    };
    assert!(block.paths.iter().all(is_finite), "a point that is nowhere");
}

/// Reads `data` as what a unit came to: the first byte says of which work. Panics if what it gives does not fit.
pub fn check_unit(data: &[u8]) {
    let Some((first, bytes)) = data.split_first() else {
        return;
    };
    match first % 3 {
        0 => {
            if let Some(finished) = FinishedTx::from_bytes(bytes) {
                let gains = finished
                    .fields
                    .as_flattened()
                    .iter()
                    .map(|field| field.path_gain);
                assert!(!gains.into_iter().any(f64::is_nan), "NaN");
            }
        }
        1 => PathBlock::from_bytes(bytes).iter().for_each(check_block),
        _ => {
            if let Some(rows) = rows_of_bytes(bytes, 2, 1 << 16) {
                for row in 0..2 {
                    assert!(rows.row(row).len() <= bytes.len());
                }
            }
        }
    }
}

/// Reads `data` as the plan of a batch. Panics unless it is an error with words.
pub fn check_plan(data: &[u8]) {
    let folder = scratch("fuzz-store");
    fs::create_dir_all(&folder).expect("a folder of our own");
    fs::write(folder.join("plan.json"), data).expect("a file in it");
    match BatchStore::open(&folder) {
        Err(error) => told(&error),
        Ok(store) => {
            let plan = store.plan();
            assert!(
                plan.units
                    .iter()
                    .all(|unit| unit.family < plan.families.len())
            );
        }
    }
}

/// Reads `data` as a scene that was kept, with checksums made to fit. Panics unless it is an error with words, or something that says
/// what it is.
pub fn check_kept(data: &[u8]) {
    let mut bytes = data.to_vec();
    seal_records(&mut bytes);
    let wanted = Wanted {
        files: &[],
        options: MeshOptions::default(),
        buildings: &[],
        openings: &[],
        terrain_wedge_deg: None,
        terrain_error_m: None,
    };
    match scene_cache::parse(&bytes, Path::new("fuzz.keller"), &wanted) {
        Err(error) => told(&error),
        Ok(Found::Stale(why) | Found::Damaged(why)) => told(&why),
        Ok(Found::Nothing | Found::Fitting(_)) => {}
    }
}

/// Reads `data` as arrays of stored gains. Panics unless it is an error with words.
pub fn check_gains(data: &[u8]) {
    let file = scratch("fuzz.npz");
    fs::write(&file, data).expect("a file in a folder of our own");
    if let Err(error) = StoredGains::open(&file) {
        told(&error);
    }
}

/// Reads `data` as a table of paths or links. Panics unless it is an error with words.
pub fn check_table(data: &[u8]) {
    let Some((first, bytes)) = data.split_first() else {
        return;
    };
    let file = scratch(["fuzz.csv", "fuzz.json", "fuzz.parquet"][usize::from(first % 3)]);
    fs::write(&file, bytes).expect("a file in a folder of our own");
    match StoredTable::open(&file) {
        Err(error) => told(&error),
        Ok(table) => {
            for name in table.names() {
                table.numbers(&name).map_or_else(|error| told(&error), drop);
                table.texts(&name).map_or_else(|error| told(&error), drop);
            }
        }
    }
}

/// Reads `data` as measurements, of devices or of links. Panics unless it is an error with words.
pub fn check_measurements(data: &[u8]) {
    const SCENE: &str = "v 0 0 0\nv 9 0 0\nv 0 9 0\nf 1 2 3\n";
    const SCENARIO: &str = "frequency_hz = 3.5e9\n[scene]\nfile = \"fuzz.obj\"\n[[tx]]\nname = \"a\"\nposition = [1, 1, 5]\n[[rx]]\nposition = [2, 2, 2]\n";
    let [table, scene, scenario] = ["fuzz-measured.csv", "fuzz.obj", "fuzz.toml"].map(scratch);
    for (file, bytes) in [
        (&scene, SCENE.as_bytes()),
        (&scenario, SCENARIO.as_bytes()),
        (&table, data),
    ] {
        fs::write(file, bytes).expect("a file in a folder of our own");
    }
    let scenario = Scenario::load(&scenario).expect("it is right");
    let table = [table];
    for read in [Measurements::load, Measurements::load_devices] {
        if let Err(error) = read(&table, &scenario) {
            told(&error);
        }
    }
}

/// A name in a folder that no other fuzzer uses.
fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("keller-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder of our own");
    folder.join(name)
}
