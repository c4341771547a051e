//! Files of paths: paths that are read back give the same fields, and a file that does not fit is one message.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use keller::DVec3;
use keller::paths::{Interaction, Vertex};
use keller::scene::FaceId;
use keller_io::store::paths::{PathDigests, PathFileWriter};
use keller_run::{Error, Job, Link, PathBlock, PathEnds, PathRunOptions};

use crate::places::Folder;

const PATHS: &str = "[paths]\nmax_interactions = 2\nmax_diffractions = 1\n";

fn open(folder: &Folder) -> Arc<Job> {
    Job::open(&folder.file("s.toml"), Arc::new(())).unwrap()
}

/// All blocks, found or of a file.
fn blocks(job: &Arc<Job>, from: Option<&Path>) -> Result<Vec<PathBlock>, Error> {
    let options = PathRunOptions {
        from: from.map(Path::to_owned),
        ..PathRunOptions::default()
    };
    job.paths(&options)?.collect()
}

/// One block a Tx, wherever blocks ended.
fn by_tx(blocks: &[PathBlock]) -> Vec<PathBlock> {
    let mut all: Vec<PathBlock> = Vec::new();
    for block in blocks {
        match all.last_mut().filter(|last| last.tx == block.tx) {
            Some(last) => last.append(block.clone()),
            None => all.push(block.clone()),
        }
    }
    all
}

fn write(name: &Path, job: &Job, digests: &PathDigests, blocks: &[PathBlock]) {
    let mut file = PathFileWriter::create(name).unwrap();
    file.begin(digests, &job.about()).unwrap();
    for block in blocks {
        file.put(block).unwrap();
    }
    file.finish().unwrap();
}

/// Fields and channels, every digit of them.
fn results(job: &Arc<Job>, blocks: &[PathBlock]) -> String {
    let channeler = job.channeler().unwrap();
    let mut text = String::new();
    for block in blocks {
        writeln!(text, "{:?}", job.path_rows(block)).unwrap();
        for link in Link::of_block(block) {
            writeln!(text, "{:?}", channeler.row(&link)).unwrap();
        }
    }
    text
}

/// Replaces a text of the scenario.
fn change(folder: &Folder, from: &str, to: &str) {
    let file = folder.file("s.toml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{from} in {text}");
    fs::write(file, text.replace(from, to)).unwrap();
}

#[test]
fn fields_are_the_same_after_reading_back() {
    let folder = Folder::new(300, PATHS);
    let name = folder.file("town.paths");
    let job = open(&folder);
    let found = blocks(&job, None).unwrap();
    assert!(found.len() > 2, "{} blocks", found.len());
    write(
        &name,
        &job,
        &job.path_digests(PathEnds::Devices).unwrap(),
        &found,
    );
    let read = by_tx(&blocks(&job, Some(&name)).unwrap());
    let found = by_tx(&found);
    assert!(read == found, "the paths are the same");
    assert_eq!(results(&job, &read), results(&job, &found));

    // Elements that are not traced are no other points, and a comment is no other search.
    assert_eq!(
        job.path_digests(PathEnds::Elements).unwrap(),
        job.path_digests(PathEnds::Devices).unwrap()
    );
    // The paths at another frequency and with other walls are those that a search finds there.
    change(
        &folder,
        "frequency_hz = 3.5e9",
        "# twice as high\nfrequency_hz = 7e9",
    );
    change(
        &folder,
        PATHS,
        &format!("{PATHS}[materials.brick]\npermittivity = 3.1\n"),
    );
    let other = open(&folder);
    let read = by_tx(&blocks(&other, Some(&name)).unwrap());
    let searched = by_tx(&blocks(&other, None).unwrap());
    assert!(read == searched, "the paths are the same");
    let text = results(&other, &read);
    assert_eq!(text, results(&other, &searched));
    assert_ne!(text, results(&job, &found));
}

#[test]
fn paths_of_something_else_are_one_message() {
    let folder = Folder::new(60, PATHS);
    let name = folder.file("town.paths");
    let job = open(&folder);
    let found = blocks(&job, None).unwrap();
    let digests = job.path_digests(PathEnds::Devices).unwrap();
    write(&name, &job, &digests, &found);
    let scenario = fs::read_to_string(folder.file("s.toml")).unwrap();
    let refused = |message: &str| {
        let error = blocks(&open(&folder), Some(&name)).unwrap_err().to_string();
        assert!(
            error.contains(message),
            "expected: {message}\nfound: {error}"
        );
        assert!(error.contains("town.paths"), "{error}");
        fs::write(folder.file("s.toml"), &scenario).unwrap();
    };
    change(&folder, "[-22, 14, 6]", "[-22, 14, 6.001]");
    refused("these paths run between other Tx and Rx than those of");
    change(&folder, "max_diffractions = 1", "max_diffractions = 0");
    refused("these paths were found with other [paths] or search");
    change(
        &folder,
        PATHS,
        &format!("{PATHS}power_threshold_db = -120\n"),
    );
    refused("these paths were found with other [paths] or search");
    // A wall that waves pass has other paths, even where none of them was asked for.
    change(
        &folder,
        PATHS,
        &format!("{PATHS}[materials.brick]\nitu = \"brick\"\nthickness = 0.1\n"),
    );
    refused("or through other walls");
    let obj = fs::read_to_string(folder.file("town.obj")).unwrap();
    fs::write(
        folder.file("town.obj"),
        obj.replace("v 60 60 0", "v 60 61 0"),
    )
    .unwrap();
    refused("these paths are of another scene than that of");
    fs::write(folder.file("town.obj"), obj).unwrap();
    fs::write(&name, "tx,rx\n").unwrap();
    refused("this is no file of paths");
}

/// Files whose checksums are right, but whose paths no search found.
#[test]
fn blocks_that_are_missing_or_of_no_scene_are_damage() {
    let folder = Folder::new(40, PATHS);
    let name = folder.file("town.paths");
    let job = open(&folder);
    let found = blocks(&job, None).unwrap();
    let digests = job.path_digests(PathEnds::Devices).unwrap();
    let mut strange = found.clone();
    let with_paths = strange.iter_mut().find(|block| !block.paths.is_empty());
    with_paths.unwrap().paths[0].vertices.push(Vertex {
        interaction: Interaction::Reflection(FaceId::from_index(1_000_000)),
        point: DVec3::ZERO,
    });
    let [all_but_first, all_but_last] = [&found[1..], &found[..found.len() - 1]];
    for bad in [&strange[..], all_but_first, all_but_last, &[]] {
        write(&name, &job, &digests, bad);
        let error = blocks(&job, Some(&name)).unwrap_err().to_string();
        assert!(error.contains("the file is damaged"), "{error}");
    }
    let some = PathRunOptions {
        from: Some(name),
        rx: Some(0..3),
        ..PathRunOptions::default()
    };
    assert!(
        matches!(job.paths(&some), Err(Error::Input(_))),
        "a part of the receivers"
    );
}
