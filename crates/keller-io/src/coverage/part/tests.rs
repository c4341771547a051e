use std::io::{Read, Seek, SeekFrom, Write};

use std::fs::OpenOptions;

use super::*;

const CELLS: usize = 3 * Part::CHUNK - 100;
const RUN: [u8; 16] = [7; 16];

fn gains(tx: usize, cells: Range<usize>) -> Vec<f64> {
    cells.map(|cell| (tx * CELLS + cell) as f64).collect()
}

/// A part file of two Tx: of the first all is finished, of the second the block in the middle.
fn begun(folder: &Path) -> PathBuf {
    let name = folder.join("a.npz.part");
    let mut part = Part::create(&name, RUN, 2, CELLS).unwrap();
    for block in part.missing(&[0], usize::MAX) {
        part.put(0, block.clone(), &gains(0, block)).unwrap();
    }
    let centre = part.missing(&[1], Part::CHUNK)[1].clone();
    part.put(1, centre.clone(), &gains(1, centre)).unwrap();
    name
}

/// Spoils a byte.
fn spoil(name: &Path, at: u64) {
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(name)
        .unwrap();
    let mut byte = [0];
    file.seek(SeekFrom::Start(at)).unwrap();
    file.read_exact(&mut byte).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(&[byte[0] ^ 1]).unwrap();
}

#[test]
fn a_run_goes_on_with_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let name = begun(folder.path());
    let mut part = Part::resume(&name, RUN, 2, CELLS).unwrap();
    assert!(part.missing(&[0], usize::MAX).is_empty());
    assert_eq!(
        part.missing(&[1], usize::MAX),
        [0..Part::CHUNK, 2 * Part::CHUNK..CELLS],
        "before and after the block in the middle"
    );
    for block in part.missing(&[1], 0) {
        part.put(1, block.clone(), &gains(1, block)).unwrap();
    }
    assert_eq!(part.done(), 1.0);
    let mut found = Vec::new();
    for tx in 0..2 {
        part.row(tx, 5..CELLS, &mut found).unwrap();
        assert_eq!(found, gains(tx, 5..CELLS));
    }
}

#[test]
fn blocks_are_as_large_as_memory_allows() {
    let folder = tempfile::tempdir().unwrap();
    let part = Part::create(&folder.path().join("p"), RUN, 1, CELLS).unwrap();
    assert_eq!(
        part.missing(&[0], CELLS - 1),
        [0..2 * Part::CHUNK, 2 * Part::CHUNK..CELLS]
    );
    assert_eq!(part.missing(&[0], 3 * Part::CHUNK), vec![0..CELLS]);
}

#[test]
fn torn_blocks_are_missing_and_the_others_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let name = begun(folder.path());
    let first_gain = HEADER_BYTES + 8 * 6;
    // Within the second chunk of the first Tx.
    spoil(&name, first_gain + 8 * Part::CHUNK as u64 + 12_345);
    let part = Part::resume(&name, RUN, 2, CELLS).unwrap();
    assert_eq!(
        part.missing(&[0], usize::MAX),
        vec![Part::CHUNK..2 * Part::CHUNK]
    );
    drop(part);
    // The disk was full, or the machine stopped: half of the second chunk is all there is.
    let file = OpenOptions::new().write(true).open(&name).unwrap();
    file.set_len(first_gain + 12 * Part::CHUNK as u64).unwrap();
    drop(file);
    let part = Part::resume(&name, RUN, 2, CELLS).unwrap();
    assert_eq!(part.missing(&[0], usize::MAX), vec![Part::CHUNK..CELLS]);
    assert_eq!(part.missing(&[1], usize::MAX), vec![0..CELLS]);
}

#[test]
fn a_file_of_another_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let name = begun(folder.path());
    for (run, cells) in [([8; 16], CELLS), (RUN, CELLS + 1)] {
        let error = Part::create(&name, run, 2, cells).unwrap_err().to_string();
        assert!(
            error.contains("finished blocks of another scenario"),
            "{error}"
        );
        let error = Part::resume(&name, run, 2, cells).unwrap_err().to_string();
        assert!(error.contains("a.npz.part"), "{error}");
        assert!(error.contains("another scenario"), "{error}");
    }
    let error = Part::create(&name, RUN, 2, CELLS).unwrap_err().to_string();
    assert!(error.contains("of this very coverage"), "{error}");
    let part = Part::resume(&name, RUN, 2, CELLS).unwrap();
    let error = Part::resume(&name, RUN, 2, CELLS).unwrap_err().to_string();
    assert!(error.contains("another run is writing it"), "{error}");
    part.remove().unwrap();
    fs::write(&name, "frequency_hz = 1").unwrap();
    let error = Part::resume(&name, RUN, 2, CELLS).unwrap_err().to_string();
    assert!(error.contains("no part file"), "{error}");
    let error = Part::create(&name, RUN, 2, CELLS).unwrap_err().to_string();
    assert!(error.contains("no part file"), "{error}");
    assert_eq!(fs::read_to_string(&name).unwrap(), "frequency_hz = 1");
}

#[test]
fn a_part_without_blocks_is_nobodys_loss() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("a.npz.part");
    drop(Part::create(&name, RUN, 2, CELLS).unwrap());
    let part = Part::create(&name, [8; 16], 3, CELLS).unwrap();
    assert_eq!(part.done(), 0.0);
    let length = fs::metadata(&name).unwrap().len();
    assert_eq!(length, Part::num_bytes(3, CELLS, false));
}
