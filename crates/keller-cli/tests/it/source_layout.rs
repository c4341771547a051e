//! How the sources of all crates are laid out: modules import downwards only, and files are short enough to read.
//!
//! A file imports what it names by a path that begins with `crate::`, `super::` or `self::`, in a `use` or elsewhere. A
//! module and its own submodules belong together: what they name of each other does not count. Test modules may import
//! what they test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module by its path in the crate; the crate's root is empty.
type Module = Vec<String>;

/// The longest file there may be, lines.
const MAX_LINES: usize = 500;

/// Two rings are still to be broken: their files, or the folder of all of them. Empty the list when they are.
const KNOWN_RINGS: [&str; 4] = [
    "keller::paths::finder",
    "keller::paths::refine",
    "keller::paths::to_tiles",
    "keller::coverage::tubes",
];

#[test]
fn no_files_import_each_other_in_a_ring() {
    let mut rings = Vec::new();
    for folder in crates() {
        let name = folder.file_name().unwrap().to_str().unwrap();
        for ring in rings_of(&imports(&folder.join("src"))) {
            let files: Vec<_> = ring
                .iter()
                .map(|m| format!("{name}::{}", m.join("::")))
                .collect();
            let is_known = |file: &String| KNOWN_RINGS.iter().any(|known| file.starts_with(known));
            if !files.iter().all(is_known) {
                rings.push(files.join(", "));
            }
        }
    }
    assert!(
        rings.is_empty(),
        "files import each other:\n{}",
        rings.join("\n")
    );
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

#[test]
fn imports_are_read_as_the_compiler_reads_them() {
    let code = "use crate::a::{self, b::{C, d as e}, *};\npub use super::super::f::G;\nlet x = self::h::i(1);\n\
                use std::fs; // use crate::no::where;\nfn f() { crate::j::K { l } }\n#[cfg(test)]\nmod tests {\n    use super::m;\n}\n";
    let found: Vec<_> = paths(code).iter().map(|path| path.join("::")).collect();
    let expected = [
        "crate::a::self",
        "crate::a::b::C",
        "crate::a::b::d",
        "crate::a",
        "super::super::f::G",
        "self::h::i",
        "crate::j::K",
    ];
    assert_eq!(found, expected);
}

#[test]
fn rings_are_found_through_any_number_of_files() {
    let module = |name: &str| vec![name.to_owned()];
    let edges = [
        ("a", "b"),
        ("b", "c"),
        ("c", "a"),
        ("d", "a"),
        ("e", "f"),
        ("f", "e"),
        ("a", "g"),
    ];
    let mut imports = BTreeMap::new();
    for (from, to) in edges {
        imports
            .entry(module(from))
            .or_insert_with(BTreeSet::new)
            .insert(module(to));
    }
    let join = |ring: &BTreeSet<Module>| ring.iter().flatten().cloned().collect::<String>();
    let rings: Vec<_> = rings_of(&imports).iter().map(join).collect();
    assert_eq!(rings, ["abc", "ef"]);
}

/// The folders of all crates.
fn crates() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let entries = fs::read_dir(folder)
        .unwrap()
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

/// Which modules each module of a crate imports, but for its own submodules and those that it is a submodule of.
fn imports(src: &Path) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut files = BTreeMap::new();
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
        files.insert(module, fs::read_to_string(file).unwrap());
    }
    let import = |module: &Module, path: &[String]| {
        let mut at = if path[0] == "crate" {
            Vec::new()
        } else {
            module.clone()
        };
        for part in path {
            match part.as_str() {
                "crate" | "self" => {}
                "super" => _ = at.pop(),
                name => at.push(name.to_owned()),
            }
        }
        // What follows the module is a name in it.
        while !files.contains_key(&at) && !at.is_empty() {
            at.pop();
        }
        at
    };
    let of_module = |(module, text): (&Module, &String)| {
        let imported = paths(text).into_iter().map(|path| import(module, &path));
        let imported =
            imported.filter(|other| !module.starts_with(other) && !other.starts_with(module));
        (module.clone(), imported.collect())
    };
    files.iter().map(of_module).collect()
}

/// All paths in a source that begin with `crate::`, `super::` or `self::`, comments and unit tests left out.
fn paths(text: &str) -> Vec<Vec<String>> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = text.lines().map(|line| line.split("//").next().unwrap());
    let code = lines.collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    let mut rest = code.as_str();
    while let Some(start) = ["crate::", "super::", "self::"]
        .iter()
        .filter_map(|word| rest.find(word))
        .min()
    {
        rest = read_paths(&rest[start..], &[], &mut found);
    }
    found
}

/// Appends the path that `text` begins with, behind `head`, to `found`: one path for each name in braces. Returns what
/// follows.
fn read_paths<'a>(text: &'a str, head: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
    let mut path = head.to_vec();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if let Some(mut list) = rest.strip_prefix('{').filter(|_| !path.is_empty()) {
            while !list.trim_start().starts_with('}') {
                let before = list.len();
                list = read_paths(list, &path, found).trim_start();
                // A comma, or what renames.
                list = &list[list.find([',', '}']).unwrap_or(list.len())..];
                list = list.strip_prefix(',').unwrap_or(list);
                assert!(list.len() < before, "braces that do not close: {text}");
            }
            return &list.trim_start()[1..];
        }
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        if end > 0 {
            path.push(rest[..end].to_owned());
        }
        let Some(behind) = rest[end..].strip_prefix("::").filter(|_| end > 0) else {
            found.push(path);
            return &rest[end..];
        };
        rest = behind;
    }
}

/// The sets of modules that import each other, directly or through others.
fn rings_of(imports: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<BTreeSet<Module>> {
    let reached_from = |module: &Module| {
        let mut reached = BTreeSet::new();
        let mut next = vec![module];
        while let Some(module) = next.pop() {
            let imported = imports.get(module).into_iter().flatten();
            next.extend(imported.filter(|other| reached.insert((*other).clone())));
        }
        reached
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        imports.keys().map(|m| (m, reached_from(m))).collect();
    let ring_of = |module: &&Module| {
        let back = |other: &&Module| {
            reached
                .get(*other)
                .is_some_and(|reached| reached.contains(*module))
        };
        reached[*module].iter().filter(back).cloned().collect()
    };
    reached
        .keys()
        .map(ring_of)
        .filter(|ring: &BTreeSet<Module>| ring.len() > 1)
        .collect()
}
