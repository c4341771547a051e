//! Stores that claim more than they hold cost an error, and no memory.

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::json;

use super::ZarrStore;

/// A store with an array `a`, whose first chunk holds so many zeros.
fn store(shape: &[usize], chunk: &[usize], kind: &str, zeros: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let array = folder.path().join("a");
    fs::create_dir(&array).unwrap();
    fs::write(folder.path().join(".zgroup"), "{}").unwrap();
    let about = json!({
        "shape": shape, "chunks": chunk, "dtype": kind, "order": "C", "compressor": { "id": "zlib" },
    });
    fs::write(array.join(".zarray"), about.to_string()).unwrap();
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&vec![0; zeros]).unwrap();
    let first = vec!["0"; shape.len()].join(".");
    fs::write(array.join(first), packed.finish().unwrap()).unwrap();
    folder
}

#[test]
fn what_a_store_claims_is_checked_before_it_is_unpacked() {
    const MANY: usize = 1 << 29;
    for (shape, chunk, kind, zeros, told) in [
        (
            &[MANY][..],
            &[MANY][..],
            "<f8",
            8,
            "it would take 4.0 GiB in memory",
        ),
        (&[MANY], &[8], "<f8", 8, "it would take 4.0 GiB in memory"),
        (&[usize::MAX, 8], &[1, 8], "<f8", 8, "it would take"),
        // A chunk is no larger than its array, and ends at its right size.
        (
            &[8],
            &[1 << 20],
            "<f8",
            8 << 20,
            "is not what keller writes",
        ),
        (
            &[8],
            &[8],
            "<f8",
            8 << 20,
            "a/0: more data follow than its shape needs",
        ),
        (&[8], &[8], "<f8", 8, "a/0: its data end too early"),
        (&[8], &[0], "<f8", 8, "is not what keller writes"),
        (&[16], &[8], "<f8", 64, "a/1: No such file"),
    ] {
        let folder = store(shape, chunk, kind, zeros);
        let found = ZarrStore::open(folder.path())
            .unwrap()
            .array("a")
            .unwrap_err();
        assert!(found.contains(told), "{found}");
    }
    let folder = store(&[2, 3], &[2, 3], "<f4", 24);
    let found = ZarrStore::open(folder.path()).unwrap().array("a").unwrap();
    assert_eq!(found.values, [0.0; 6]);
}

#[test]
fn texts_are_bounded_as_numbers_are() {
    for (shape, kind, zeros, told) in [
        (&[1][..], "<U4", 1 << 20, "more data follow"),
        (&[1 << 26], "<U4", 16, "it would take 3.5 GiB"),
        (&[2, 2], "<U4", 16, "texts of the shape [2, 2]"),
    ] {
        let folder = store(shape, shape, kind, zeros);
        let found = ZarrStore::open(folder.path())
            .unwrap()
            .texts("a")
            .unwrap_err();
        assert!(found.contains(told), "{found}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_chunk_is_refused() {
    let folder = store(&[8], &[8], "<f8", 64);
    let chunk = folder.path().join("a/0");
    fs::remove_file(&chunk).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&chunk).status();
    assert!(made.unwrap().success(), "mkfifo makes a pipe");
    let found = ZarrStore::open(folder.path())
        .unwrap()
        .array("a")
        .unwrap_err();
    assert!(found.contains("it is a pipe or a device"), "{found}");
}
