//! Finds the imports between the modules of a crate: the names that a source takes, followed to the files that define
//! them.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

/// A module by its path in the crate; the crate's root is empty.
pub(crate) type Module = Vec<String>;

/// A name of several parts, such as `crate::a::B`.
type NamePath = Vec<String>;

/// The names in a source.
#[derive(Default)]
struct Source {
    /// All paths of at least two parts.
    paths: Vec<NamePath>,
    /// The paths that names brought in by `use` stand for.
    uses: BTreeMap<String, NamePath>,
}

/// The modules that each module of a crate imports, but for its own submodules and those that it is a submodule of.
pub(crate) fn imports(modules: &BTreeMap<Module, String>) -> BTreeMap<Module, BTreeSet<Module>> {
    let sources: BTreeMap<_, _> = modules.iter().map(|(m, text)| (m, read(text))).collect();
    let of_module = |(module, source): (&&Module, &Source)| {
        let paths = source.paths.iter();
        let imported = paths.flat_map(|path| named(&sources, module, path));
        let imported =
            imported.filter(|other| !module.starts_with(other) && !other.starts_with(module));
        ((*module).clone(), imported.collect())
    };
    sources.iter().map(of_module).collect()
}

/// The modules that a path in `module` names: the one that defines its last part, and all that re-export it on the
/// way.
fn named(sources: &BTreeMap<&Module, Source>, module: &Module, path: &[String]) -> Vec<Module> {
    let mut named = Vec::new();
    let mut at = module.clone();
    let mut rest: Vec<_> = path.iter().rev().cloned().collect();
    while let Some(part) = rest.pop() {
        match part.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => _ = at.pop(),
            _ => {
                let child = [at.as_slice(), slice::from_ref(&part)].concat();
                let used = sources.get(&at).and_then(|source| source.uses.get(&part));
                if sources.contains_key(&child) {
                    at = child;
                } else if let Some(used) = used {
                    named.push(at.clone());
                    rest.extend(used.iter().rev().cloned());
                } else {
                    // The module defines it, or it is of another crate.
                    break;
                }
            }
        }
    }
    named.push(at);
    named
}

/// Reads the names in a source, comments and unit tests left out.
fn read(text: &str) -> Source {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = text.lines().map(|line| line.split("//").next().unwrap());
    let code = lines.collect::<Vec<_>>().join("\n");
    let tokens = tokens(&code);
    let mut source = Source::default();
    let mut rest = tokens.as_slice();
    while let [first, behind @ ..] = rest {
        let mut found = Vec::new();
        let is_use = *first == "use";
        rest = read_paths(if is_use { behind } else { rest }, &[], &mut found);
        for (name, path) in found {
            // A crate may have an item of its own name, which stands for nothing else in this one.
            if is_use && path.first() != Some(&name) {
                source.uses.insert(name, path.clone());
            }
            if path.len() > 1 {
                source.paths.push(path);
            }
        }
    }
    source
}

/// The names, the double colons and all other characters of a code.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = if is_in_name(first) {
            rest.find(|c| !is_in_name(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    tokens
}

/// Whether names consist of such characters.
fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Appends the path that `tokens` begin with, behind `head`, to `found`, with the name that a `use` gives it: one path
/// for each name in braces. Returns what follows.
fn read_paths<'a>(
    tokens: &'a [&'a str],
    head: &[String],
    found: &mut Vec<(String, NamePath)>,
) -> &'a [&'a str] {
    let mut path = head.to_vec();
    let mut rest = tokens;
    while let [part, "::", behind @ ..] = rest {
        path.push((*part).to_owned());
        rest = behind;
    }
    match rest {
        ["{", list @ ..] if !path.is_empty() => {
            rest = list;
            while let [first, behind @ ..] = rest {
                match *first {
                    "}" => return behind,
                    "," => rest = behind,
                    _ => rest = read_paths(rest, &path, found),
                }
            }
            rest
        }
        [part, behind @ ..] => {
            if part.starts_with(is_in_name) && *part != "self" {
                path.push((*part).to_owned());
            }
            let last = path.last().cloned().unwrap_or_default();
            let (name, behind) = match behind {
                ["as", name, end @ ..] if !end.starts_with(&["::"]) => ((*name).to_owned(), end),
                _ => (last, behind),
            };
            found.push((name, path));
            behind
        }
        [] => rest,
    }
}

/// The sets of modules that import each other, directly or through others.
pub(crate) fn rings_of(imports: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<BTreeSet<Module>> {
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

#[test]
fn names_are_read_as_the_compiler_reads_them() {
    let code = "use crate::a::{self, b::{C, d as e}, *};\npub use super::super::f::G;\nlet x = self::h::i(1);\n\
                use std::fs; // use crate::no::where;\nuse l::l;\nfn f() { crate::j::K { m } as crate::j::M }\n\
                #[cfg(test)]\nmod tests {\n    use super::m;\n}\n";
    let source = read(code);
    let found: Vec<_> = source.paths.iter().map(|path| path.join("::")).collect();
    let expected = [
        "crate::a",
        "crate::a::b::C",
        "crate::a::b::d",
        "crate::a",
        "super::super::f::G",
        "self::h::i",
        "std::fs",
        "l::l",
        "crate::j::K",
        "crate::j::M",
    ];
    assert_eq!(found, expected);
    let found: Vec<_> = source
        .uses
        .iter()
        .map(|(name, path)| format!("{name} = {}", path.join("::")))
        .collect();
    let expected = [
        "C = crate::a::b::C",
        "G = super::super::f::G",
        "a = crate::a",
        "e = crate::a::b::d",
        "fs = std::fs",
    ];
    assert_eq!(found, expected);
}

#[test]
fn names_are_followed_to_the_files_that_define_them() {
    let module = |path: &str| path.split_terminator("::").map(str::to_owned).collect();
    let modules: BTreeMap<Module, _> = [
        ("", "mod a;\nmod e;\nuse a::B as C;\npub use a::d;"),
        ("a", "mod b;\npub use b::B;\npub mod d;"),
        ("a::b", "use super::d::D;\nuse super::Own;"),
        ("a::d", "use super::B;\nfn f() { B::new() }"),
        ("e", "use crate::C;\nuse crate::d;\nfn f() { d::D::new() }"),
    ]
    .map(|(path, text)| (module(path), text.to_owned()))
    .into();
    let found: Vec<_> = imports(&modules)
        .iter()
        .filter(|(_, imported)| !imported.is_empty())
        .map(|(from, imported)| {
            let imported: Vec<_> = imported.iter().map(|module| module.join("::")).collect();
            format!("{}: {}", from.join("::"), imported.join(", "))
        })
        .collect();
    assert_eq!(found, ["a::b: a::d", "a::d: a::b", "e: a, a::b, a::d"]);
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
