//! All files are read through one door, `keller_geo::input`, which refuses anything that is no regular file or too
//! large.

use std::fs;
use std::path::{Path, PathBuf};

/// The functions that open files. `File::open` must be the end of a path: other types open by themselves, through the
/// door.
const OPENERS: [&str; 6] = [
    "File::open(",
    "File::options(",
    "OpenOptions",
    "fs::read(",
    "fs::read_to_string(",
    "Mmap",
];

/// The files in which they may stand, and the reason.
const EXCEPTIONS: [(&str, &str, &str); 9] = [
    ("keller-geo/src/input.rs", "File::open(", "the door"),
    ("keller-geo/src/input.rs", "OpenOptions", "the door"),
    ("keller-cli/src/memory.rs", "File::open(", "/proc"),
    ("keller-cli/src/memory.rs", "fs::read_to_string(", "/sys"),
    (
        "keller-cli/src/interrupt.rs",
        "fs::read_to_string(",
        "/proc",
    ),
    (
        "keller-io/src/formats/pending.rs",
        "File::open(",
        "the lock of its own temporary file",
    ),
    (
        "keller-io/src/formats/pending.rs",
        "OpenOptions",
        "its own temporary file, which is new",
    ),
    (
        "keller-io/src/store/folder.rs",
        "File::open(",
        "a folder, whose entries go to disk",
    ),
    (
        "keller-io/src/store/visibility/read.rs",
        "Mmap",
        "rows may exceed memory; the module says what it costs",
    ),
];

/// The Rust files in a folder that are no tests.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if name != "tests" {
                sources(&path, into);
            }
        } else if name.ends_with(".rs") && name != "tests.rs" {
            into.push(path);
        }
    }
}

/// Whether a line of code has an opener, and not a longer name that ends like it.
fn has(line: &str, opener: &str) -> bool {
    line.match_indices(opener).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

#[test]
fn files_are_read_through_one_door() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut files);
    }
    assert!(files.len() > 300, "{} files", files.len());
    let mut is_used = [false; EXCEPTIONS.len()];
    let mut wrong = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let name = file.strip_prefix(crates).unwrap().to_string_lossy();
        let name = name.replace('\\', "/");
        // Tests end a file.
        let code = text
            .split("\n#[cfg(test)]\nmod ")
            .next()
            .unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            let is_code = !line.trim_start().starts_with("//");
            for opener in OPENERS.iter().filter(|opener| is_code && has(line, opener)) {
                let known = EXCEPTIONS.iter();
                let known = known
                    .clone()
                    .position(|(of, what, _)| *of == name && what == opener);
                match known {
                    Some(index) => is_used[index] = true,
                    None => wrong.push(format!("{name}:{}: {opener}", number + 1)),
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "not through keller_geo::input: {wrong:#?}"
    );
    for ((file, opener, _), is_used) in EXCEPTIONS.iter().zip(is_used) {
        assert!(
            is_used,
            "{file} has no {opener}: it is no exception any more"
        );
    }
}

/// No process writes to these pipes: a reader that opens one waits for ever.
#[cfg(unix)]
#[test]
fn pipes_are_refused_by_every_reader() {
    use keller_io::reports::coverage::StoredGains;
    use keller_io::store::BatchStore;

    let folder = tempfile::tempdir().unwrap();
    let pipe = |name: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success(), "mkfifo makes a pipe");
        path
    };
    let told = |error: &dyn std::fmt::Display| {
        let told = error.to_string();
        assert!(told.contains("it is a pipe or a device"), "{told}");
    };
    told(&keller_io::store::paths::PathFile::open(&pipe("a.paths")).unwrap_err());
    pipe("store/plan.json");
    told(&BatchStore::open(&folder.path().join("store")).unwrap_err());
    told(&StoredGains::open(&pipe("c.npz")).unwrap_err());
    told(&keller_io::reports::table::StoredTable::open(&pipe("t.csv")).unwrap_err());
    told(&keller_io::reports::table::StoredTable::open(&pipe("t.parquet")).unwrap_err());
    told(&keller_io::formats::import(&pipe("s.obj")).unwrap_err());
    told(&keller_io::scenario::Scenario::load(&pipe("s.toml")).unwrap_err());
}
