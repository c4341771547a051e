use std::fs;
use std::path::PathBuf;

use keller::DVec3;
use keller::paths::{Interaction, PatchArea, Path, Vertex};
use keller::scene::{EdgeId, FaceId};

use super::*;

const DIGESTS: PathDigests = PathDigests {
    scene: [1; 16],
    devices: [2; 16],
    search: [3; 16],
};

/// A path with every kind of interaction, and numbers that have no short decimals.
fn block(tx: usize) -> PathBlock {
    let vertex = |interaction, x| Vertex {
        interaction,
        point: DVec3::new(x, 1.0 / 3.0, -0.0),
    };
    let area = PatchArea::from_square_metres(0.1);
    PathBlock {
        tx,
        rx: 3..6,
        is_reached: vec![true, true, false],
        counts: vec![1, 0, 0],
        paths: vec![Path {
            tx,
            rx: 3,
            tx_position: DVec3::splat(0.1),
            rx_position: DVec3::new(7.7, 5e-324, -1e300),
            vertices: vec![
                vertex(Interaction::Reflection(FaceId::from_index(4)), 1.0),
                vertex(Interaction::Transmission(FaceId::from_index(5)), 2.0),
                vertex(Interaction::Diffraction(EdgeId::from_index(6)), 3.0),
                vertex(Interaction::Scattering(FaceId::from_index(7), area), 4.0),
            ],
            length: 1e3 / 7.0,
        }],
        omitted: (tx > 0).then(|| vec![1e-12 / 3.0, 0.0, 5e-324]),
    }
}

/// A folder with a file of three blocks.
fn written() -> (tempfile::TempDir, PathBuf, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("town.paths");
    let mut writer = PathFileWriter::create(&name).unwrap();
    let about = About {
        scenario: "frequency_hz = 1e9 # ö".to_owned(),
        georeference: None,
    };
    writer.begin(&DIGESTS, &about).unwrap();
    for tx in 0..3 {
        writer.put(&block(tx)).unwrap();
    }
    assert!(!name.exists(), "no half file has the name");
    writer.finish().unwrap();
    let whole = fs::read(&name).unwrap();
    (folder, name, whole)
}

/// All blocks, or the first error.
fn all(name: &FilePath) -> Result<Vec<PathBlock>, StoreError> {
    Ok(blocks(PathFile::open(name)?))
}

/// The blocks of a file, one Tx after the other.
fn blocks(file: PathFile) -> Vec<PathBlock> {
    let store = file.into_store();
    let of = |tx| {
        let number = store.beginning_of(&block(tx).unit()).unwrap();
        PathBlock::from_bytes(&store.payload(number).unwrap()).unwrap()
    };
    (0..3).map(of).collect()
}

#[test]
fn paths_come_back_to_the_last_bit() {
    let (_folder, name, whole) = written();
    let file = PathFile::open(&name).unwrap();
    assert_eq!(
        (file.digests(), file.scenario()),
        (&DIGESTS, "frequency_hz = 1e9 # ö")
    );
    let found = blocks(file);
    let expected: Vec<PathBlock> = (0..3).map(block).collect();
    assert_eq!(found, expected);
    // Equality ignores the sign of zeros; written again, every bit is the same.
    let point = found[0].paths[0].vertices[0].point;
    assert!(point.z.is_sign_negative(), "{point}");
    let again = name.with_file_name("again.paths");
    let mut writer = PathFileWriter::create(&again).unwrap();
    let about = About {
        scenario: "frequency_hz = 1e9 # ö".to_owned(),
        georeference: None,
    };
    writer.begin(&DIGESTS, &about).unwrap();
    for block in &found {
        writer.put(block).unwrap();
    }
    writer.finish().unwrap();
    assert_eq!(fs::read(again).unwrap(), whole);
}

#[test]
fn a_file_that_is_cut_anywhere_is_an_error() {
    let (_folder, name, whole) = written();
    for length in 0..whole.len() {
        fs::write(&name, &whole[..length]).unwrap();
        let error = all(&name).unwrap_err();
        let told = ["ends too early", "no file of paths"];
        let is_told = told.iter().any(|told| error.to_string().contains(told));
        assert!(is_told, "{length} of {} bytes: {error}", whole.len());
    }
    fs::write(&name, [&whole[..], b"x"].concat()).unwrap();
    let error = all(&name).unwrap_err().to_string();
    assert!(error.contains("is damaged"), "a byte too many: {error}");
}

#[test]
fn a_byte_that_changes_anywhere_is_an_error() {
    let (_folder, name, whole) = written();
    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 0x5a;
        fs::write(&name, &changed).unwrap();
        let message = all(&name).unwrap_err().to_string();
        let is_told = ["no file of paths", "is damaged", "ends too early"];
        assert!(
            is_told.iter().any(|told| message.contains(told)),
            "byte {place}: {message}"
        );
    }
}

#[test]
fn other_files_and_versions_are_one_message() {
    let (folder, name, whole) = written();
    let at = whole
        .windows(VERSION.len())
        .position(|part| part == VERSION.as_bytes());
    let at = at.unwrap();
    // The version changes, in a head whose checksum is right.
    let mut changed = whole.clone();
    changed[at] = b'9';
    let length = u64::from_le_bytes(changed[40..48].try_into().unwrap());
    let head = 64..64 + usize::try_from(length).unwrap();
    let header = records::header(KIND, [0; 16], &changed[head]);
    changed[..header.len()].copy_from_slice(&header);
    fs::write(&name, &changed).unwrap();
    let message = all(&name).unwrap_err().to_string();
    assert!(
        message.contains("wrote these paths, and this is keller"),
        "{message}"
    );
    fs::write(&name, "tx,rx,delay_s\n0,0,1e-9\n").unwrap();
    let message = all(&name).unwrap_err().to_string();
    assert!(message.contains("this is no file of paths"), "{message}");
    assert!(all(folder.path()).is_err(), "a folder");
    let missing = all(&folder.path().join("none.paths")).unwrap_err();
    assert!(
        missing.to_string().contains("there is no such file"),
        "{missing}"
    );
}
