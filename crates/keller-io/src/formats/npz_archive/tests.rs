//! Archives that claim more than they hold cost an error, and no memory.

use std::io::{Cursor, Write};
use std::path::Path;

use zip::write::{SimpleFileOptions, ZipWriter};

use super::NpzArchive;
use crate::formats::npy::header;

/// An archive of arrays: name, kind, shape, and the number of zeros after the header.
fn archive(arrays: &[(&str, &str, &[usize], usize)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, kind, shape, zeros) in arrays {
        let name = format!("{name}.npy");
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(&header(kind, shape)).unwrap();
        zip.write_all(&vec![0; *zeros]).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn open(bytes: &[u8]) -> NpzArchive<Cursor<&[u8]>> {
    NpzArchive::new(Cursor::new(bytes), bytes.len() as u64).unwrap()
}

#[test]
fn zeros_beyond_a_hundred_times_the_file_are_not_unpacked() {
    const COUNT: usize = 20_000_000;
    let bytes = archive(&[("a", "|u1", &[COUNT], COUNT)]);
    assert!(bytes.len() < 100_000, "{}", bytes.len());
    let told = open(&bytes).array("a").unwrap_err();
    assert!(
        told.contains("array a: it would take 152.6 MiB in memory"),
        "{told}"
    );
    // The arrays are few each, and too many together.
    let one = 5_000_000;
    let bytes = archive(&[("a", "|u1", &[one], one), ("b", "|u1", &[one], one)]);
    let mut both = open(&bytes);
    both.array("a").unwrap();
    let told = both.array("b").unwrap_err();
    assert!(told.contains("array b: it would take 38.1 MiB"), "{told}");
}

#[test]
fn shapes_that_do_not_fit_the_data_are_refused_by_the_header() {
    for (kind, shape, zeros, told) in [
        (
            "<f8",
            &[usize::MAX, 2][..],
            16,
            "16 bytes of data for the shape",
        ),
        ("<f8", &[3], 16, "16 bytes of data for the shape [3]"),
        ("<f8", &[2], 24, "24 bytes of data for the shape [2]"),
        ("<U0", &[2], 8, "texts of the kind `<U0`"),
        ("<U99999999", &[2], 8, "texts of the kind `<U99999999`"),
        ("|O", &[2], 16, "numbers of the kind `|O`"),
    ] {
        let bytes = archive(&[("a", kind, shape, zeros)]);
        let found = open(&bytes).array("a").unwrap_err();
        assert!(found.contains(told), "{found}");
        assert!(open(&bytes).texts("a").is_err());
    }
    let bytes = archive(&[("a", "<f8", &[0, usize::MAX], 0)]);
    assert!(open(&bytes).array("a").unwrap().values.is_empty());
}

/// The length in the directory of an archive is as little to be trusted as everything else in it.
#[test]
fn an_archive_that_lies_about_lengths_is_read_one_byte_beyond() {
    let honest = archive(&[("a", "<f8", &[2], 4096)]);
    let length = u32::try_from(header("<f8", &[2]).len() + 4096).unwrap();
    for told in [length - 4096 + 16, u32::MAX - 1] {
        let mut bytes = honest.clone();
        let places: Vec<usize> = (0..bytes.len() - 4)
            .filter(|at| bytes[*at..*at + 4] == length.to_le_bytes())
            .collect();
        assert!(!places.is_empty(), "the directory holds it");
        for at in places {
            bytes[at..at + 4].copy_from_slice(&told.to_le_bytes());
        }
        assert!(open(&bytes).array("a").is_err());
    }
}

#[test]
fn a_coverage_of_more_cells_than_its_axes_have_is_refused_by_its_headers() {
    const COUNT: usize = 4_000_000;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c.npz");
    let write = |gains: &[usize]| {
        let bytes = archive(&[
            ("tx_name", "<U1", &[1], 4),
            ("x", "<f8", &[2], 16),
            ("y", "<f8", &[2], 16),
            ("z", "<f8", &[1], 8),
            ("path_gain_db", "|u1", gains, COUNT),
        ]);
        std::fs::write(&file, bytes).unwrap();
    };
    write(&[1, 1, 2000, 2000]);
    let told = crate::reports::coverage::StoredGains::open(Path::new(&file));
    let told = told.unwrap_err().to_string();
    let wanted =
        "path_gain_db has the shape [1, 1, 2000, 2000] where [1, 1, 2, 2] fits the other arrays";
    assert!(told.contains(wanted), "{told}");
}
