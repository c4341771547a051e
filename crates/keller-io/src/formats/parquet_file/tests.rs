//! Pages that claim more than a file may hold are refused before they are unpacked.

use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::DoubleType;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::open;

/// A table with one column of so many equal numbers, in a few bytes.
fn table(count: usize) -> Vec<u8> {
    let schema = parse_message_type("message m { required double level; }").unwrap();
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .build();
    let mut bytes = Vec::new();
    let mut writer =
        SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let values = vec![1.0; count];
    let typed = column.typed::<DoubleType>();
    typed.write_batch(&values, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

fn opened(bytes: &[u8]) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.parquet");
    std::fs::write(&file, bytes).unwrap();
    open(Path::new(&file)).map(|_| ())
}

#[test]
fn many_equal_values_in_few_bytes_are_refused() {
    opened(&table(100_000)).unwrap();
    let bytes = table(5_000_000);
    assert!(bytes.len() < 20_000, "{}", bytes.len());
    let told = opened(&bytes).unwrap_err();
    assert!(told.contains("column level: it would take"), "{told}");
}

/// Whatever stands in the headers is an error or a table, and no panic.
#[test]
fn damaged_tables_do_not_panic() {
    let whole = table(1000);
    let mut random = fastrand::Rng::with_seed(5);
    let mut num_refused = 0;
    for _ in 0..3000 {
        let mut bytes = whole.clone();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(4..bytes.len() - 8);
            bytes[at] = random.u8(..);
        }
        num_refused += usize::from(opened(&bytes).is_err());
    }
    assert!(num_refused > 1000, "{num_refused}");
}
