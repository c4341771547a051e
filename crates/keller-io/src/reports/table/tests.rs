//! All written values are read back, and nothing half-written is ever left.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::{ListAccessor, RowAccessor};
use keller::{Complex64, DVec3};

use keller_geo::crs::Georeference;

use super::*;
use crate::formats::VERSION;

struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("keller-table-{}-{test}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn about() -> About {
    About {
        scenario: "# \"quoted\", \\ and\nlines\n".to_owned(),
        georeference: Some(Georeference {
            crs: "EPSG:25832".to_owned(),
            origin: [691_600.5, 5_334_760.0, 515.1],
        }),
    }
}

/// Rows with numbers of every size, and the ones that are easily lost: -0, subnormals, minus infinity.
fn rows(count: usize) -> Vec<PathRow> {
    let mut random = fastrand::Rng::with_seed(7);
    let mut number = move || (random.f64() - 0.5) * 10.0_f64.powi(random.i32(-30..30));
    (0..count)
        .map(|i| {
            let depth = i % 4;
            let mut point = || DVec3::new(number(), number(), number());
            PathRow {
                tx: 0,
                rx: u32::try_from(i).unwrap(),
                types: ["LOS", "R", "RT", "RRT"][depth].to_owned(),
                points: (0..depth).map(|_| point()).collect(),
                length: number(),
                delay: if i == 0 { 5e-324 } else { number() },
                coefficient: [(); 2].map(|()| [(); 2].map(|()| Complex64::new(number(), -0.0))),
                gain_db: if i == 1 { f64::NEG_INFINITY } else { number() },
                clutter_loss_db: number(),
                departure: [number(), number()],
                arrival: [number(), number()],
                objects: (0..depth)
                    .map(|k| u32::MAX - u32::try_from(k).unwrap())
                    .collect(),
                tx_device: Device::new(Some("a \"b\", c\nd"), 0, Some([11.57, 48.1])),
                rx_device: Device::new(None, i, (i % 2 == 0).then_some([-0.5, 1.0 / 3.0])),
            }
        })
        .collect()
}

fn write(out: &Path, rows: &[PathRow]) {
    let mut table = PathTable::create(out, &about()).unwrap();
    for row in rows {
        table.write(row).unwrap();
    }
    table.finish().unwrap();
}

/// The numbers of a row in the order of the columns.
fn numbers(row: &PathRow) -> Vec<f64> {
    let values = COLUMNS.iter().map(|c| (c.value)(row));
    values
        .filter_map(|value| match value {
            Value::Number(number) => Some(number),
            _ => None,
        })
        .collect()
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

fn points(text: &str) -> Vec<DVec3> {
    text.split(';')
        .filter(|p| !p.is_empty())
        .map(|p| {
            let xyz: Vec<f64> = p.split(' ').map(|x| x.parse().unwrap()).collect();
            DVec3::from_slice(&xyz)
        })
        .collect()
}

fn ids(text: &str) -> Vec<u32> {
    let ids = text.split(';').filter(|id| !id.is_empty());
    ids.map(|id| id.parse().unwrap()).collect()
}

#[test]
fn the_columns_are_the_documented_ones() {
    assert_eq!(
        COLUMNS.map(|c| c.name).join(", "),
        "tx, rx, types, points, length_m, delay_s, a_vv_re, a_vv_im, a_vh_re, a_vh_im, a_hv_re, a_hv_im, a_hh_re, a_hh_im, \
         gain_db, clutter_loss_db, zod, aod, zoa, aoa, objects, tx_name, rx_name, tx_longitude, tx_latitude, rx_longitude, \
         rx_latitude"
    );
}

#[test]
fn csv_reads_back_to_the_same_numbers() {
    let folder = Folder::new("csv");
    let (out, rows) = (folder.0.join("p.csv"), rows(50));
    write(&out, &rows);
    let mut reader = ::csv::Reader::from_path(&out).unwrap();
    let header: Vec<String> = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    assert_eq!(header, COLUMNS.map(|c| c.name));
    let read: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(read.len(), rows.len());
    for (record, row) in read.iter().zip(&rows) {
        assert_eq!(record[0].parse(), Ok(row.tx));
        assert_eq!(record[1].parse(), Ok(row.rx));
        assert_eq!(&record[2], row.types);
        assert_eq!(points(&record[3]), row.points);
        let values: Vec<f64> = (4..20).map(|i| record[i].parse().unwrap()).collect();
        assert_eq!(bits(&values), bits(&numbers(row)));
        assert_eq!(ids(&record[20]), row.objects);
        assert_eq!(&record[21], "a \"b\", c\nd");
        assert_eq!(&record[22], record[1].to_owned());
        let known = if row.rx % 2 == 0 { "0.333333333" } else { "" };
        assert_eq!([&record[23], &record[26]], ["11.57", known]);
    }
    assert_eq!(folder.names(), ["p.csv", "p.csv.meta.json"]);
    let meta = fs::read_to_string(folder.0.join("p.csv.meta.json")).unwrap();
    let meta: serde_json::Value = serde_json::from_str(&meta).unwrap();
    assert_eq!(meta["scenario"], about().scenario);
    assert_eq!(meta["keller"], VERSION);
    assert_eq!(meta["units"]["delay_s"], "s");
    assert_eq!(meta["crs"], "EPSG:25832");
    assert_eq!(
        meta["origin"],
        serde_json::json!([691_600.5, 5_334_760.0, 515.1])
    );
}

#[test]
fn json_reads_back_to_the_same_numbers() {
    let folder = Folder::new("json");
    let (out, rows) = (folder.0.join("p.json"), rows(50));
    write(&out, &rows);
    let text = fs::read_to_string(&out).unwrap();
    let read: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(read["scenario"], about().scenario);
    assert_eq!(read["keller"], VERSION);
    assert_eq!(read["crs"], "EPSG:25832");
    let paths = read["paths"].as_array().unwrap();
    assert_eq!(paths.len(), rows.len());
    for (path, row) in paths.iter().zip(&rows) {
        assert_eq!(path["rx"], row.rx);
        assert_eq!(path["types"], row.types);
        for (i, point) in row.points.iter().enumerate() {
            assert_eq!(path["points"][i], serde_json::json!(point.to_array()));
        }
        assert_eq!(path["objects"], serde_json::json!(row.objects));
        assert_eq!(path["tx_name"], "a \"b\", c\nd");
        assert_eq!(
            path["rx_longitude"].as_f64(),
            row.rx_device.lon_lat.map(|at| at[0])
        );
        for column in &COLUMNS {
            if let Value::Number(number) = (column.value)(row) {
                let expected = number.is_finite().then_some(number);
                assert_eq!(path[column.name].as_f64(), expected, "{}", column.name);
            }
        }
    }
    assert_eq!(folder.names(), ["p.json"]);
}

#[test]
fn parquet_reads_back_to_the_same_numbers_over_several_groups() {
    let folder = Folder::new("parquet");
    let (out, rows) = (folder.0.join("p.parquet"), rows(100_050));
    write(&out, &rows);
    let reader = SerializedFileReader::new(File::open(&out).unwrap()).unwrap();
    let metadata = reader.metadata();
    assert_eq!(metadata.num_row_groups(), 2);
    let entries = metadata.file_metadata().key_value_metadata().unwrap();
    let entry = |key: &str| {
        let entry = entries.iter().find(|e| e.key == key);
        entry.and_then(|e| e.value.clone()).unwrap()
    };
    assert_eq!(entry("scenario"), about().scenario);
    assert_eq!(entry("keller"), VERSION);
    assert_eq!(entry("crs"), "EPSG:25832");
    assert_eq!(entry("origin"), "[691600.5,5334760.0,515.1]");
    assert!(entry("units").contains("\"delay_s\":\"s\""));
    let mut count = 0;
    for (read, row) in reader.get_row_iter(None).unwrap().zip(&rows) {
        let read = read.unwrap();
        assert_eq!(read.get_uint(0).unwrap(), row.tx);
        assert_eq!(read.get_uint(1).unwrap(), row.rx);
        assert_eq!(read.get_string(2).unwrap(), &row.types);
        let points = read.get_list(3).unwrap();
        let points = (0..points.len()).map(|k| {
            let xyz = points.get_list(k).unwrap();
            assert_eq!(xyz.len(), 3);
            DVec3::from([0, 1, 2].map(|axis| xyz.get_double(axis).unwrap()))
        });
        assert_eq!(points.collect::<Vec<_>>(), row.points);
        let values: Vec<f64> = (4..20).map(|i| read.get_double(i).unwrap()).collect();
        assert_eq!(bits(&values), bits(&numbers(row)));
        let ids = read.get_list(20).unwrap();
        let ids = (0..ids.len()).map(|k| ids.get_uint(k).unwrap());
        assert_eq!(ids.collect::<Vec<_>>(), row.objects);
        assert_eq!(read.get_string(21).unwrap(), "a \"b\", c\nd");
        assert_eq!(read.get_double(26).unwrap().is_nan(), row.rx % 2 == 1);
        count += 1;
    }
    assert_eq!(count, rows.len());
}

#[test]
fn a_table_without_rows_is_still_a_table() {
    let folder = Folder::new("empty");
    for name in ["p.csv", "p.json", "p.parquet"] {
        write(&folder.0.join(name), &[]);
    }
    let csv = fs::read_to_string(folder.0.join("p.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1);
    let json = fs::read_to_string(folder.0.join("p.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["paths"], serde_json::json!([]));
    let file = File::open(folder.0.join("p.parquet")).unwrap();
    let parquet = SerializedFileReader::new(file).unwrap();
    assert_eq!(parquet.metadata().file_metadata().num_rows(), 0);
}

/// The error of a full disk appears once, without the words of libraries around it.
#[test]
fn a_full_disk_is_told_as_it_is() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let error = PathTable::json(Full, "out.json", &about()).unwrap_err();
    let full = io::Error::from(io::ErrorKind::StorageFull);
    assert_eq!(
        error.to_string(),
        format!("out.json: cannot be written: {full}")
    );
}

#[test]
fn equal_rows_are_equal_bytes() {
    let folder = Folder::new("bytes");
    let rows = rows(20);
    for extension in ["csv", "json", "parquet"] {
        let [a, b] = ["a", "b"].map(|n| folder.0.join(format!("{n}.{extension}")));
        write(&a, &rows);
        write(&b, &rows);
        assert_eq!(fs::read(a).unwrap(), fs::read(b).unwrap(), "{extension}");
    }
}

#[test]
fn an_unfinished_table_leaves_nothing_and_keeps_what_was_there() {
    let folder = Folder::new("unfinished");
    for name in ["p.csv", "p.json", "p.parquet"] {
        let out = folder.0.join(name);
        fs::write(&out, "old").unwrap();
        let mut table = PathTable::create(&out, &about()).unwrap();
        table.write(&rows(1)[0]).unwrap();
        drop(table);
        assert_eq!(fs::read_to_string(&out).unwrap(), "old", "{name}");
    }
    assert_eq!(folder.names(), ["p.csv", "p.json", "p.parquet"]);
}

#[test]
fn places_that_cannot_be_written_are_refused_at_once() {
    let folder = Folder::new("places");
    fs::create_dir(folder.0.join("d.csv")).unwrap();
    for (name, expected) in [
        (
            "p.txt",
            "no format for the extension .txt; accepted: a name that ends in .csv, .parquet or .json",
        ),
        ("p", "no extension says which format is wanted; accepted:"),
        ("no/p.csv", "cannot be written: "),
        ("d.csv", "cannot be written: it is a folder"),
    ] {
        let error = PathTable::create(&folder.0.join(name), &about()).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains(expected) && message.contains(name),
            "{message}"
        );
    }
    assert_eq!(folder.names(), ["d.csv"]);
}
