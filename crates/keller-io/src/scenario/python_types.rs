//! The types of keys in Python: a `TypedDict` for every table of a scenario, and one for the keywords of functions.

use std::fmt::Write;

use super::key_types::{Key, Shape};
use super::keys::{RX, TOP, TX};

/// The Python module `keller.options`.
///
/// ```
/// let module = keller_io::scenario::python_types();
/// assert!(module.contains("class PathOptions(TypedDict, total=False):"));
/// ```
pub fn python_types() -> String {
    let mut text = HEAD.to_owned();
    let antenna: Vec<&Key> = TX.iter().filter(|key| is_of_antenna(key)).collect();
    let about = "The keys of ``[[tx]]`` and ``[[rx]]`` that say what an antenna is.";
    class(
        &mut text,
        "AntennaKeywords",
        "TypedDict",
        about,
        &antenna,
        NONE,
    );
    for table in tables() {
        let (own, parent) = match BASES.iter().find(|base| base.of == table.class) {
            None => (table.keys.iter().collect(), "TypedDict"),
            Some(base) => {
                let (own, others): (Vec<&Key>, Vec<&Key>) = table
                    .keys
                    .iter()
                    .filter(|key| base.parent == "TypedDict" || !is_of_antenna(key))
                    .partition(|key| base.without.contains(&key.name));
                class(
                    &mut text,
                    base.class,
                    base.parent,
                    base.about,
                    &others,
                    NONE,
                );
                (own, base.class)
            }
        };
        let about = format!("The keys of {}.", table.written);
        let none = NONE.filter(|_| table.is_section);
        class(&mut text, table.class, parent, &about, &own, none);
    }
    text + TAIL
}

const HEAD: &str = r#""""The keys of scenarios as types: what keywords and dicts of this package accept.

Type checkers and editors know keywords by them. A dict that is made before it is handed over needs its type::

    panel: keller.options.ArrayOptions = {"rows": 4, "columns": 4, "spacing_wavelengths": [0.5, 0.5]}

Written by ``keller reference --python`` from the program's own table of keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypedDict

from numpy.typing import NDArray

_File = str | PathLike[str]
_Numbers = Sequence[float] | NDArray[Any]
"#;

const TAIL: &str = r#"

class PathsKeywords(PathOptions, ChannelOptions, total=False):
    """The keywords of :meth:`keller.World.paths`."""


class CoverageKeywords(CoverageOptions, PathOptions, BeamOptions, StreetOptions, TileOptions, total=False):
    """The keywords of :meth:`keller.World.coverage`."""


class BeamsKeywords(CoverageOptions, BeamOptions, total=False):
    """The keywords of :meth:`keller.World.beams`."""
"#;

/// The keywords of a function that takes other keys of a table as arguments of their own.
struct Base {
    of: &'static str,
    class: &'static str,
    parent: &'static str,
    without: &'static [&'static str],
    about: &'static str,
}

const BASES: [Base; 3] = [
    Base {
        of: "MaterialOptions",
        class: "WallKeywords",
        parent: "TypedDict",
        without: &["itu", "thickness"],
        about: "The keywords of :meth:`keller.Material.itu`.",
    },
    Base {
        of: "TxOptions",
        class: "TxKeywords",
        parent: "AntennaKeywords",
        without: &["position", "antenna"],
        about: "The keywords of :class:`keller.Tx`.",
    },
    Base {
        of: "RxOptions",
        class: "RxKeywords",
        parent: "AntennaKeywords",
        without: &["position", "antenna"],
        about: "The keywords of :class:`keller.Rx`.",
    },
];

/// Whether a key of a device belongs to its antenna: not to its place, its name, its power or its movement.
fn is_of_antenna(key: &Key) -> bool {
    const OTHERS: [&str; 8] = [
        "name",
        "position",
        "longitude",
        "latitude",
        "height_above_ground",
        "altitude",
        "file",
        "velocity",
    ];
    let is_shared = [TX, RX].map(|keys| keys.iter().any(|one| one.name == key.name));
    is_shared == [true; 2] && key.name != "antenna" && !OTHERS.contains(&key.name)
}

/// A table of a scenario.
struct Table {
    class: &'static str,
    written: String,
    keys: &'static [Key],
    /// Whether its keys are keywords, which may be None.
    is_section: bool,
}

/// Every table, nested ones before their parents.
fn tables() -> Vec<Table> {
    let mut all = Vec::new();
    collect(TOP, true, &mut all);
    all.push(Table {
        class: "ScenarioOptions",
        written: "a scenario".to_owned(),
        keys: TOP,
        is_section: false,
    });
    all
}

fn collect(of: &'static [Key], is_top: bool, all: &mut Vec<Table>) {
    for key in of {
        let shapes = key.kind.shape.alternatives();
        let tables = shapes.iter().filter_map(|shape| match shape {
            Shape::Table(class, keys) => Some((*class, ["[", "]"], *keys)),
            Shape::Tables(class, keys) => Some((*class, ["[[", "]]"], *keys)),
            Shape::Named(class, keys) => Some((*class, ["[", ".NAME]"], *keys)),
            _ => None,
        });
        for (class, brackets, keys) in tables {
            let [open, close] = if is_top { brackets } else { ["", ""] };
            let written = format!("``{open}{}{close}``", key.name);
            if all.iter().any(|table| table.class == class) {
                continue;
            }
            collect(keys, false, all);
            all.push(Table {
                class,
                written,
                keys,
                is_section: is_top,
            });
        }
    }
}

/// The type that a keyword accepts in addition to those of the key.
const NONE: Option<&str> = Some("None");

fn class(
    text: &mut String,
    name: &str,
    parent: &str,
    about: &str,
    keys: &[&Key],
    none: Option<&str>,
) {
    writeln!(text, "\n\nclass {name}({parent}, total=False):").expect(WRITES);
    writeln!(text, "    \"\"\"{about}\"\"\"\n").expect(WRITES);
    for key in keys {
        let mut types: Vec<String> = Vec::new();
        for shape in key.kind.shape.alternatives() {
            for one in type_of(shape).split(" | ").map(str::to_owned) {
                if !types.contains(&one) {
                    types.push(one);
                }
            }
        }
        types.extend(none.map(str::to_owned));
        writeln!(text, "{}", attribute(key.name, &types)).expect(WRITES);
    }
}

const WRITES: &str = "writing to a String does not fail";

fn type_of(shape: &Shape) -> String {
    match shape {
        Shape::Flag => "bool".to_owned(),
        Shape::Number(_) => "float".to_owned(),
        Shape::Whole(..) => "int".to_owned(),
        Shape::Choice(words) => format!("Literal[\"{}\"]", words.join("\", \"")),
        Shape::Text | Shape::Name(_) => "str".to_owned(),
        Shape::File(_) => "_File".to_owned(),
        Shape::Vector(..) | Shape::List(Shape::Number(_)) => "_Numbers".to_owned(),
        Shape::List(item @ Shape::Vector(..)) => {
            format!("Sequence[{}] | NDArray[Any]", type_of(item))
        }
        Shape::List(item) => format!("Sequence[{}]", type_of(item)),
        Shape::Table(class, _) => (*class).to_owned(),
        Shape::Tables(class, _) => format!("Sequence[{class}]"),
        Shape::Named(class, _) => format!("Mapping[str, {class}]"),
        Shape::AnyTable => "Mapping[str, Any]".to_owned(),
        Shape::Any(shapes) => {
            let types: Vec<_> = shapes.iter().map(type_of).collect();
            types.join(" | ")
        }
    }
}

/// The type of a key, in several lines if one would be too long.
fn attribute(name: &str, types: &[String]) -> String {
    const WIDTH: usize = 120;
    let line = format!("    {name}: {}", types.join(" | "));
    if line.len() <= WIDTH {
        return line;
    }
    let types: Vec<_> = types
        .iter()
        .map(|one| {
            if one.len() + "        | ".len() <= WIDTH {
                return one.clone();
            }
            let words = one.trim_start_matches("Literal[").trim_end_matches(']');
            let words = words.replace(", ", ",\n            ");
            format!("Literal[\n            {words},\n        ]")
        })
        .collect();
    format!(
        "    {name}: (\n        {}\n    )",
        types.join("\n        | ")
    )
}
