//! The layout of the sources of all crates: modules import downwards only, and files are short enough to read.
//!
//! A file imports what it names by a path, in a `use` or elsewhere. A name that a module re-exports is an import of
//! that module and of the file that defines the name. A module and its own submodules belong together: what they name
//! of each other does not count. Test modules may import what they test.

mod imports;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use imports::{Module, imports, rings_of};

/// The longest file there may be, lines.
const MAX_LINES: usize = 500;

#[test]
fn no_files_import_each_other_in_a_ring() {
    let mut rings = Vec::new();
    for folder in crates() {
        let name = folder.file_name().unwrap().to_str().unwrap();
        for ring in rings_of(&imports(&modules(&folder.join("src")))) {
            let files: Vec<_> = ring
                .iter()
                .map(|m| format!("{name}::{}", m.join("::")))
                .collect();
            rings.push(files.join(", "));
        }
    }
    assert!(
        rings.is_empty(),
        "files import each other:\n{}",
        rings.join("\n")
    );
}

/// Each folder of `keller-io/src` is a hall; what one of its files imports, the hall does.
#[test]
fn the_halls_of_files_do_not_import_each_other_in_a_ring() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("keller-io");
    let mut halls: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    let hall = |module: &Module| module.iter().take(1).cloned().collect::<Module>();
    for (module, imported) in imports(&modules(&src.join("src"))) {
        let others = imported.iter().map(hall);
        let others = others.filter(|other| *other != hall(&module));
        halls.entry(hall(&module)).or_default().extend(others);
    }
    let names: Vec<_> = halls.keys().map(|hall| hall.join("")).collect();
    assert_eq!(names, ["", "formats", "reports", "scenario", "store"]);
    assert_eq!(rings_of(&halls), BTreeSet::new());
    let formats = &halls[&vec!["formats".to_owned()]];
    assert!(formats.is_empty(), "formats stand on {formats:?}");
}

#[test]
fn no_file_is_longer_than_can_be_read_at_once() {
    let mut long = Vec::new();
    for folder in crates() {
        for file in ["src", "tests"]
            .iter()
            .flat_map(|part| sources(&folder.join(part)))
        {
            let count = fs::read_to_string(&file).unwrap().lines().count();
            if count > MAX_LINES {
                long.push(format!("{}: {count} lines", file.display()));
            }
        }
    }
    assert!(
        long.is_empty(),
        "more than {MAX_LINES} lines:\n{}",
        long.join("\n")
    );
}

/// The folders of all crates, those of the studies included.
fn crates() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folders = [crates, &crates.with_file_name("studies")];
    let entries = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path());
    let mut crates: Vec<_> = entries
        .filter(|path| path.join("Cargo.toml").is_file())
        .collect();
    crates.sort();
    crates
}

/// All Rust files in a folder and below it.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut entries: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let below = entries.into_iter().flat_map(|path| {
        if path.is_dir() {
            sources(&path)
        } else {
            vec![path]
        }
    });
    below
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// The text of each module of a crate but for its test modules.
fn modules(src: &Path) -> BTreeMap<Module, String> {
    let mut modules = BTreeMap::new();
    for file in sources(src) {
        let path = file.strip_prefix(src).unwrap().with_extension("");
        let mut module: Module = path
            .iter()
            .map(|part| part.to_str().unwrap().to_owned())
            .collect();
        if module.iter().any(|part| part == "tests") {
            continue;
        }
        if matches!(module.last().unwrap().as_str(), "mod" | "lib" | "main") {
            module.pop();
        }
        modules.insert(module, fs::read_to_string(file).unwrap());
    }
    modules
}
