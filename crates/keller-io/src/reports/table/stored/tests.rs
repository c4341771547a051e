//! Tables read back as they were written, in every format.

use glam::DVec3;

use super::StoredTable;
use crate::formats::About;
use crate::reports::table::{PathRow, Table};

fn rows() -> Vec<PathRow> {
    let row = |tx, rx, types: &str, points: &[[f64; 3]], ids: &[u32], gain| PathRow {
        tx,
        rx,
        types: types.to_owned(),
        points: points.iter().map(|p| DVec3::from(*p)).collect(),
        objects: ids.to_vec(),
        gain_db: gain,
        delay: 1.25e-7,
        ..PathRow::default()
    };
    vec![
        row(0, 0, "LOS", &[], &[], -61.5),
        row(
            0,
            1,
            "RD",
            &[[1.0, -2.5, 3.0], [4.0, 5.0, 1e-9]],
            &[7, u32::MAX],
            f64::NEG_INFINITY,
        ),
        row(1, 0, "LOS", &[], &[], -70.0),
        row(1, 1, "S", &[[0.1, 0.2, 0.3]], &[12], -99.25),
    ]
}

#[test]
fn all_formats_give_back_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let about = About {
        scenario: String::new(),
        georeference: None,
    };
    for extension in ["csv", "json", "parquet"] {
        let file = folder.path().join("paths").with_extension(extension);
        let mut table = Table::<PathRow>::create(&file, &about).unwrap();
        for row in rows() {
            table.write(&row).unwrap();
        }
        table.finish().unwrap();

        let table = StoredTable::open(&file).unwrap();
        assert_eq!(table.len(), 4, "{extension}");
        assert_eq!(table.indices("rx").unwrap(), [0, 1, 0, 1], "{extension}");
        assert_eq!(table.texts("types").unwrap(), ["LOS", "RD", "LOS", "S"]);
        assert_eq!(table.numbers("delay_s").unwrap(), [1.25e-7; 4]);
        let gains = table.numbers("gain_db").unwrap();
        assert_eq!([gains[0], gains[2], gains[3]], [-61.5, -70.0, -99.25]);
        // JSON has no infinity.
        assert!(gains[1] == f64::NEG_INFINITY || extension == "json" && gains[1].is_nan());
        let points = table.points("points").unwrap();
        assert_eq!(points.starts, [0, 0, 2, 2, 3], "{extension}");
        assert_eq!(points.items[1], DVec3::new(4.0, 5.0, 1e-9));
        let ids = table.ids("objects").unwrap();
        assert_eq!(
            (ids.starts, ids.items),
            (vec![0, 0, 2, 2, 3], vec![7, u32::MAX, 12])
        );
        assert!(table.numbers("longitude").is_err());
        assert!(table.numbers("types").is_err(), "{extension}");
    }
}

#[test]
fn broken_tables_are_refused_with_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("paths.csv");
    std::fs::write(&file, "tx,rx\n0,1\n0,one\n").unwrap();
    let problem = StoredTable::open(&file).unwrap().indices("rx").unwrap_err();
    assert!(problem.to_string().contains("line 3"), "{problem}");
    std::fs::write(&file, "tx,rx\n0,1\n0\n").unwrap();
    let problem = StoredTable::open(&file).unwrap_err().to_string();
    assert!(
        problem.contains("line 3 has 1 values for 2 columns"),
        "{problem}"
    );
    let file = folder.path().join("paths.parquet");
    std::fs::write(&file, "no parquet").unwrap();
    assert!(StoredTable::open(&file).is_err());
}

#[test]
fn a_table_without_rows_has_its_columns() {
    let folder = tempfile::tempdir().unwrap();
    let about = About {
        scenario: String::new(),
        georeference: None,
    };
    for extension in ["csv", "json", "parquet"] {
        let file = folder.path().join("none").with_extension(extension);
        let table = Table::<PathRow>::create(&file, &about).unwrap();
        table.finish().unwrap();
        let table = StoredTable::open(&file).unwrap();
        assert!(
            table.is_empty() && table.has(&["tx", "types", "points", "objects"]),
            "{extension}"
        );
        assert_eq!(table.points("points").unwrap().starts, [0], "{extension}");
    }
}
