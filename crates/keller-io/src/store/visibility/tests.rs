use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use glam::DVec2;
use keller::scene::{Mesh, MeshTriangle, Scene};
use keller::tiles::{Finer, Tiles, Tiling, Visibility, VisibilityQuery, VisibilityRows, row_ids};
use keller::{Control, DVec3};

use super::*;
use crate::store::records;

/// Two walls that face each other, with a narrower one between.
fn scene(gap: f64) -> Arc<Scene> {
    let mut mesh = Mesh::default();
    mesh.material_index("concrete");
    for (x, half) in [(0.0, 20.0), (gap, 5.0), (2.0 * gap, 20.0)] {
        let first = u32::try_from(mesh.vertices.len()).unwrap();
        let corners = [(-half, 0.0), (half, 0.0), (half, 40.0), (-half, 40.0)];
        mesh.vertices
            .extend(corners.map(|(y, z)| DVec3::new(x, y, z)));
        for corners in [[0, 1, 2], [0, 2, 3]] {
            mesh.triangles.push(MeshTriangle {
                vertices: corners.map(|k| first + k),
                material: 0,
            });
        }
    }
    Arc::new(Scene::new(&mesh).unwrap())
}

/// Tiles of more than one block.
fn tiles(scene: &Scene) -> Tiles {
    Tiles::new(scene, Tiling::of_side(1.5)).unwrap()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A whole file.
    fn written(&self, name: &str, scene: &Arc<Scene>, tiles: &Tiles) -> PathBuf {
        let file = self.file(name);
        let mut writer = VisibilityWriter::open(&file, Header::new(scene, tiles)).unwrap();
        let query = VisibilityQuery::new(scene, tiles);
        writer.fill(&query, &Control::default()).unwrap();
        let length = writer.finish().unwrap();
        assert_eq!(length, fs::metadata(&file).unwrap().len());
        file
    }
}

#[test]
fn a_file_has_the_rows_that_memory_has() {
    let (scene, folder) = (scene(10.0), Folder::new());
    let tiles = tiles(&scene);
    assert!(tiles.len() > BLOCK, "{}", tiles.len());
    let file = folder.written("f", &scene, &tiles);
    let found = VisibilityFile::open(&file, &Header::new(&scene, &tiles)).unwrap();
    let expected = Visibility::new(&scene, &tiles, &Control::default()).unwrap();
    assert_eq!(found.num_pairs(), expected.num_pairs());
    for tile in 0..tiles.len() {
        assert_eq!(found.row(tile), expected.row(tile), "{tile}");
    }
    assert!(found.row(tiles.len()).is_empty());
    assert!(!folder.file("f.part").exists());
}

#[test]
fn every_changed_byte_is_found() {
    let (scene, folder) = (scene(10.0), Folder::new());
    let tiles = tiles(&scene);
    let whole = fs::read(folder.written("f", &scene, &tiles)).unwrap();
    let parse = |bytes: Vec<u8>| VisibilityFile::parse(bytes, "f".as_ref());
    parse(whole.clone()).unwrap();
    let step = (whole.len() / 300).max(1);
    let header = Header::new(&scene, &tiles).bytes().len();
    let end = whole.len() - 24;
    let everywhere = (0..whole.len()).step_by(step);
    for at in (0..header + 100).chain(everywhere).chain(end..whole.len()) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        let error = parse(bytes).unwrap_err().to_string();
        assert!(error.starts_with("`f`: "), "byte {at}: {error}");
    }
    let everywhere = (0..whole.len()).step_by(step);
    for length in (0..header + 100).chain(everywhere).chain(end..whole.len()) {
        let error = parse(whole[..length].to_vec()).unwrap_err().to_string();
        let is_told = error.contains("ends after") || length == 0 && error.contains("empty");
        assert!(is_told, "{length}: {error}");
    }
    let mut longer = whole.clone();
    longer.push(0);
    let error = parse(longer).unwrap_err().to_string();
    assert!(error.contains("follow"), "{error}");
}

/// A row is not trusted because its checksum agrees.
#[test]
fn rows_of_tiles_that_there_are_not_are_refused() {
    let header = Header {
        scene: [0; 16],
        tiles: [0; 16],
        num_tiles: 2,
        tiling: Tiling::of_side(1.0),
        finer: FinerDigest::default(),
    };
    let file = |num_pairs: u64, ends: [u64; 2], rows: &[u8]| {
        let [first, second] = ends;
        let numbers = [num_pairs, first, second].map(u64::to_le_bytes);
        let rows = [numbers.as_flattened(), rows].concat();
        let record = [records::record(&header.unit(0), &rows), rows].concat();
        let bytes = [header.bytes(), record, records::end(1)].concat();
        VisibilityFile::parse(bytes, "f".as_ref())
    };
    // Tile 0 sees tile 1, which sees nothing.
    let sound = file(1, [2, 2], &[1, 0]).unwrap();
    assert_eq!(sound.row(0), [1, 0]);
    for (num_pairs, ends, rows) in [
        (1, [2, 2], [2, 0]),
        (3, [2, 2], [0, 2]),
        (1, [2, 3], [1, 0]),
        (1, [2, 1], [1, 0]),
        (1, [3, 2], [1, 0]),
        (1, [u64::MAX, 2], [1, 0]),
        (1, [2, u64::MAX], [1, 0]),
        (0, [0, 0], [1, 0]),
        (2, [2, 2], [1, 0]),
    ] {
        let error = file(num_pairs, ends, &rows).unwrap_err().to_string();
        assert!(error.contains("block 0 is damaged"), "{error}");
    }
}

/// Blocks may be whole and yet belong to another file.
#[test]
fn blocks_in_another_order_are_refused() {
    let (scene, folder) = (scene(10.0), Folder::new());
    let tiles = tiles(&scene);
    let file = folder.written("f", &scene, &tiles);
    let header = Header::new(&scene, &tiles);
    let whole = fs::read(file).unwrap();
    let start = header.bytes().len();
    let length = u64::from_le_bytes(whole[start..start + 8].try_into().unwrap());
    let second = start + 24 + usize::try_from(length).unwrap();
    let (first, rest) = (&whole[start..second], &whole[second..whole.len() - 24]);
    assert!(!rest.is_empty(), "there are two blocks");
    let num_blocks = header.num_blocks();
    for (blocks, num_found, told) in [
        ([rest, first].concat(), num_blocks, "block 0 is damaged"),
        ([first, first].concat(), 2, "block 1 is damaged"),
        (first.to_vec(), 1, "block 1 is damaged"),
        (
            [first, rest, first].concat(),
            num_blocks + 1,
            "bytes follow",
        ),
        ([first, rest].concat(), num_blocks - 1, "bytes follow"),
    ] {
        let bytes = [&whole[..start], &blocks, &records::end(num_found)].concat();
        let error = VisibilityFile::parse(bytes, "f".as_ref()).unwrap_err();
        assert!(error.to_string().contains(told), "{told}: {error}");
    }
}

#[test]
fn a_torn_part_goes_on_after_its_last_whole_block() {
    let (scene, folder) = (scene(10.0), Folder::new());
    let tiles = tiles(&scene);
    let whole = fs::read(folder.written("whole", &scene, &tiles)).unwrap();
    let file = folder.file("f");
    let header = Header::new(&scene, &tiles);
    let begin = header.bytes().len();
    let end = whole.len() - 24;
    let in_header = [0, 50, 64, 70, begin];
    let in_blocks = [begin + 10, begin + 24, begin + 60, whole.len() / 2, end - 1];
    let lengths = in_header
        .into_iter()
        .chain(in_blocks)
        .chain([end, whole.len() - 1]);
    for (k, length) in lengths.enumerate() {
        // The end is cut off, or never reached the disk.
        for torn in [whole[..length].to_vec(), {
            let mut torn = whole.clone();
            torn[length.max(begin)..].fill(0);
            torn
        }] {
            fs::write(folder.file("f.part"), torn).unwrap();
            let writer = VisibilityWriter::open(&file, header.clone()).unwrap();
            assert_eq!(writer.num_done() == tiles.len(), length >= end, "{k}");
            drop(writer);
            folder.written("f", &scene, &tiles);
            assert_eq!(fs::read(&file).unwrap(), whole, "{k}");
        }
    }
}

#[test]
fn foreign_files_are_refused_with_the_reason() {
    let folder = Folder::new();
    let (here, there) = (scene(10.0), scene(11.0));
    let own = tiles(&here);
    let file = folder.written("f", &here, &own);
    let refused = |header: &Header| VisibilityFile::open(&file, header).unwrap_err().to_string();
    let other = refused(&Header::new(&there, &tiles(&there)));
    assert!(other.contains("of another scene"), "{other}");
    let coarse = Tiles::new(&here, Tiling::of_side(3.0)).unwrap();
    let other = refused(&Header::new(&here, &coarse));
    assert!(other.contains("1.5 m") && other.contains("3 m"), "{other}");
    let finer = |x: f64| {
        let near = Finer {
            at: DVec2::new(x, 0.0),
            z: None,
            radius: 5.0,
            side: 0.5,
        };
        let tiling = Tiling {
            finer: vec![near],
            ..Tiling::of_side(1.5)
        };
        Tiles::new(&here, tiling).unwrap()
    };
    let other = refused(&Header::new(&here, &finer(0.0)));
    assert!(other.contains("finer around 1 point"), "{other}");
    let near = folder.written("near", &here, &finer(0.0));
    let opened = |x: f64| VisibilityFile::open(&near, &Header::new(&here, &finer(x)));
    assert!(opened(0.0).is_ok());
    let other = opened(3.0).unwrap_err().to_string();
    assert!(other.contains("finer in other places"), "{other}");
    // The part of another file is neither continued nor thrown away.
    fs::rename(&file, folder.file("g.part")).unwrap();
    let error = VisibilityWriter::open(&folder.file("g"), Header::new(&here, &coarse));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("remove it to begin anew"), "{error}");
    assert!(folder.file("g.part").exists());
    let whole = fs::read(folder.file("g.part")).unwrap();
    let refused = |bytes: Vec<u8>| {
        let error = VisibilityFile::parse(bytes, "f".as_ref());
        error.unwrap_err().to_string()
    };
    let header = Header::new(&here, &own).bytes();
    let versions = [(2_u32, "older"), (4, "newer"), (u32::MAX, "newer")];
    for (version, told) in versions {
        let head = [&version.to_le_bytes()[..], &header[68..]].concat();
        let begin = records::header(*b"visible ", [0; 16], &head);
        let error = refused([&begin, &whole[begin.len()..]].concat());
        assert!(
            error.contains(&format!("of the format is {told}")),
            "{error}"
        );
    }
    let error = refused(b"keller visible\r\n\x02\0\0\0\0\x04\0\0".to_vec());
    assert!(error.contains("of the format is older"), "{error}");
    for other in [records::header(*b"run     ", [0; 16], &[]), b"ply".to_vec()] {
        let error = refused(other);
        assert!(error.contains("no visibility file"), "{error}");
    }
}

/// Seeds of an older version would fuzz nothing but the refusal.
#[test]
fn seeds_of_the_fuzzer_are_whole_files() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/visibility");
    let seeds = fs::read_dir(folder).unwrap().map(|seed| seed.unwrap());
    let mut num_seeds = 0;
    for seed in seeds {
        // The first byte is for the fuzzer.
        let bytes = fs::read(seed.path()).unwrap().split_off(1);
        let file = VisibilityFile::parse(bytes, &seed.path()).unwrap();
        let num_tiles = file.header().num_tiles;
        let lengths = (0..num_tiles).map(|tile| row_ids(file.row(tile)).map(|run| run.len()));
        let num_ids: usize = lengths.map(Iterator::sum::<usize>).sum();
        assert_eq!(u64::try_from(num_ids).unwrap(), file.num_pairs());
        assert!(num_ids > 0, "{} is empty", seed.path().display());
        num_seeds += 1;
    }
    assert!(num_seeds > 0, "no seeds in {folder}");
}
