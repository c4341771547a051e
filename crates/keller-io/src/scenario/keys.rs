//! Every key of a scenario: its accepted values, its default, and its meaning. Readers, error messages, the book's
//! Reference, the JSON schema and Python's types take the keys from here.

mod calibrate;
mod devices;
mod engines;
mod place;
mod results;

use super::key_types::{Key, Shape, any, at_least, file, key, of, table, tables};

pub use calibrate::OFFSET_NAMES;
pub(super) use calibrate::{
    BACKGROUND, CALIBRATE, CALIBRATE_BACKGROUND, CALIBRATE_MATERIAL, DIFFUSE, RANGE,
};
pub(super) use devices::{ARRAY, GRID, POLARIZATIONS, RX, TX};
pub(super) use engines::{BEAMS, CITIES, COMBINATIONS, REFINE, STREETS, TILES};
pub(super) use place::{
    BUILDING, CLUTTER, LAYER, MATERIAL, MOVING, OPENING, REPLACED, SCENE, UP_NAMES,
};
pub use results::EFFORT_NAMES;
pub(super) use results::{ACCURACIES, ALTERNATIVE, CHANNEL, COVERAGE, PATHS, WINDOWS};

/// A table of a scenario and its keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeySection {
    /// The title as the scenario writes it, in Markdown.
    pub(super) title: &'static str,
    /// A note about all of its keys.
    pub(super) about: &'static str,
    pub(super) keys: &'static [Key],
}

/// Every table of keys, in the order of the Reference.
pub(super) const SECTIONS: &[KeySection] = &[
    KeySection {
        title: "Outside any section",
        about: "",
        keys: TOP,
    },
    KeySection {
        title: "`[scene]`",
        about: "",
        keys: SCENE,
    },
    KeySection {
        title: "`[[building]]`",
        about: "One section for each building with an inside. Its model takes the place of a building of the scene \
         files, whose hull is taken out, so that its facade counts once. What does not fit is told by warnings and by \
         `keller scene`.",
        keys: BUILDING,
    },
    KeySection {
        title: "A place of `replaces` of `[[building]]`",
        about: "In a scene that says where on earth it lies.",
        keys: REPLACED,
    },
    KeySection {
        title: "`[[opening]]`",
        about: "One section for each kind of windows or doors. They are cut into upright walls of the scene files and \
         of buildings before the scene is built, one section after the other: doors go before windows, which keep \
         away from them. In every row, openings are centred between the ends of the wall and the faces that join it. Where \
         these are nearer to each other than `spacing`, such as the walls of small rooms, not each room has one.",
        keys: OPENING,
    },
    KeySection {
        title: "`[materials.NAME]`",
        about: "NAME is a material of the scene file; the prefixes `mat-` and `itu_`, and upper case, make no \
         difference.",
        keys: MATERIAL,
    },
    KeySection {
        title: "An entry of `layers`",
        about: "",
        keys: LAYER,
    },
    KeySection {
        title: "`[[tx]]`",
        about: "One section for each transmitter.",
        keys: TX,
    },
    KeySection {
        title: "`[[rx]]`",
        about: "One section for each receiver, or for a file or grid of receivers.",
        keys: RX,
    },
    KeySection {
        title: "`grid` of `[[rx]]`",
        about: "",
        keys: GRID,
    },
    KeySection {
        title: "`array` of `[[tx]]` and `[[rx]]`",
        about: "A panel has `rows`, `columns` and `spacing_wavelengths`; any other array has `elements_m`.",
        keys: ARRAY,
    },
    KeySection {
        title: "`[paths]`",
        about: "",
        keys: PATHS,
    },
    KeySection {
        title: "An entry of `alternatives`",
        about: "`alternatives = [{ max_reflections = 2 }, { max_reflections = 1, max_diffractions = 1, max_interactions \
         = 2 }]` in `[paths]` finds what two reflections give, and what one edge with one reflection gives.",
        keys: ALTERNATIVE,
    },
    KeySection {
        title: "`[channel]`",
        about: "For `keller channel`.",
        keys: CHANNEL,
    },
    KeySection {
        title: "`[coverage]`",
        about: "For `keller coverage`. A scenario with this section needs no `[[rx]]`. Several regions, each with its \
         own resolution, axes, levels and engine, are several `[[coverage]]`.",
        keys: COVERAGE,
    },
    KeySection {
        title: "`[beams]`",
        about: "For the engine `beams`: which paths it follows, and what they cost beside free space.",
        keys: BEAMS,
    },
    KeySection {
        title: "`[streets]`",
        about: "For `model = \"walfisch-ikegami\"` of `[coverage]`: rows of houses as this model knows them.",
        keys: STREETS,
    },
    KeySection {
        title: "`[tiles]`",
        about: "For the search `tiles` and the engine `surfaces`.",
        keys: TILES,
    },
    KeySection {
        title: "An entry of `refine`",
        about: "`refine = [{ centre = [20, 35], radius = 50, side = 2 }]` in `[tiles]` divides each cell of which any part is \
         nearer to that point than 50 m into equal parts of at most 2 m. Other cells stay as they are. Where several \
         entries apply, the smallest side counts.",
        keys: REFINE,
    },
    KeySection {
        title: "`[[clutter]]`",
        about: "One section for each volume.",
        keys: CLUTTER,
    },
    KeySection {
        title: "`[[moving]]`",
        about: "One section for each material that moves.",
        keys: MOVING,
    },
    KeySection {
        title: "`[diffuse]`",
        about: "The power that walls reflect more often than paths do, or scatter. With the section, even an empty one, \
         it is added to that of the paths.",
        keys: DIFFUSE,
    },
    KeySection {
        title: "`[background]`",
        about: "Power that falls with the distance alone, added to that of the paths: what clutter scatters.",
        keys: BACKGROUND,
    },
    KeySection {
        title: "`[calibrate]`",
        about: "For `keller calibrate`: what measurements may change.",
        keys: CALIBRATE,
    },
    KeySection {
        title: "`[calibrate.materials.NAME]`",
        about: "NAME as in `[materials.NAME]`.",
        keys: CALIBRATE_MATERIAL,
    },
    KeySection {
        title: "`[calibrate.background]`",
        about: "",
        keys: CALIBRATE_BACKGROUND,
    },
    KeySection {
        title: "A range of `[calibrate]`",
        about: "`permittivity = [2, 8]`, or `permittivity = { min = 2, max = 8, start = 4, prior = [5, 1] }`.",
        keys: RANGE,
    },
    KeySection {
        title: "`[variants]`",
        about: "Variants of the scenario, by other values of any of its keys. Commands take one of them by its number, as \
         in `keller coverage 'town.toml#3'`; `keller batch` computes all. Variants that differ in their Tx alone share \
         what they can: a coverage traces each place of a Tx once.",
        keys: VARIANTS,
    },
];

/// The smallest frequency, Hz: below it a wave is longer than a town.
pub(super) const MIN_HZ: f64 = 1e6;

/// The keys outside any section.
pub(super) const TOP: &[Key] = &[
    key(
        "frequency_hz",
        at_least(MIN_HZ, "Hz"),
        "needed",
        "The carrier frequency.",
    ),
    key(
        "scene",
        table("SceneOptions", SCENE),
        "needed",
        "The scene files.",
    ),
    key(
        "building",
        tables("BuildingOptions", BUILDING),
        "only the scene files",
        "A model of a building with rooms that takes the place of a building of the scene files.",
    ),
    key(
        "opening",
        tables("OpeningOptions", OPENING),
        "walls as the scene files have them",
        "Windows or doors in upright walls.",
    ),
    key(
        "materials",
        of(Shape::Named("MaterialOptions", MATERIAL)),
        "the scene file's own definitions, else ITU-R P.2040",
        "What walls are made of.",
    ),
    key("tx", tables("TxOptions", TX), "needed", "A transmitter."),
    key(
        "rx",
        tables("RxOptions", RX),
        "needed, unless there is a [coverage]",
        "A receiver, or many.",
    ),
    key(
        "paths",
        table("PathOptions", PATHS),
        "all defaults",
        "Which paths to look for, and how.",
    ),
    key(
        "channel",
        table("ChannelOptions", CHANNEL),
        "the carrier alone, once",
        "Band and snapshots of `keller channel`.",
    ),
    key(
        "coverage",
        any(&[
            Shape::Table("CoverageOptions", COVERAGE),
            Shape::Tables("CoverageOptions", COVERAGE),
        ])
        .said("a table: [coverage], or several: [[coverage]]"),
        "needed for `keller coverage`",
        "The cells of `keller coverage`.",
    ),
    key(
        "beams",
        table("BeamOptions", BEAMS),
        "all defaults",
        "Paths and losses of the engine `beams`.",
    ),
    key(
        "streets",
        table("StreetOptions", STREETS),
        "all defaults",
        "Rows of houses, for the model `walfisch-ikegami`.",
    ),
    key(
        "tiles",
        table("TileOptions", TILES),
        "all defaults",
        "How surfaces are cut into tiles.",
    ),
    key(
        "clutter",
        tables("ClutterOptions", CLUTTER),
        "nothing",
        "A volume, such as a wood, that waves cross with loss.",
    ),
    key(
        "moving",
        tables("MovingOptions", MOVING),
        "nothing moves but devices",
        "Everything made of one material moves.",
    ),
    key(
        "diffuse",
        table("DiffuseOptions", DIFFUSE),
        "only paths count",
        "Adds what walls reflect too often for paths, or scatter.",
    ),
    key(
        "background",
        table("BackgroundOptions", BACKGROUND),
        "only paths count",
        "Adds power that falls with the distance.",
    ),
    key(
        "calibrate",
        table("CalibrateOptions", CALIBRATE),
        "needed for `keller calibrate`",
        "What measurements may change.",
    ),
    key(
        "variants",
        table("VariantOptions", VARIANTS),
        "the scenario alone",
        "Variants of the scenario.",
    ),
];

/// The keys of `[variants]`.
pub(super) const VARIANTS: &[Key] = &[
    key(
        "grid",
        of(Shape::AnyTable).note(" of keys, each with a list of values"),
        "no grid",
        "Every combination of these values is a variant; the last key changes first. A key with dots stands in quotes: \
         `\"materials.wall.thickness\"`, `\"tx.mast.power_dbm\"` for the [[tx]] of that name, `\"tx.0.power_dbm\"` for the \
         first, `\"tx.*.power_dbm\"` for all.",
    ),
    key(
        "table",
        file("a CSV file"),
        "no table",
        "Its header has such keys, and each row is a variant; an empty cell leaves its key as it is. With a grid, each row \
         goes with each of its combinations.",
    ),
];

/// The key `name` of `keys`.
///
/// # Panics
/// If there is none.
pub(super) fn find(keys: &'static [Key], name: &str) -> &'static Key {
    let found = keys.iter().find(|key| key.name == name);
    found.unwrap_or_else(|| panic!("`{name}` is in no key table that has {}", names(keys)))
}

/// The names of `keys`, separated by commas.
pub(super) fn names(keys: &[Key]) -> String {
    keys.iter().map(|k| k.name).collect::<Vec<_>>().join(", ")
}

/// The keys that had other names before 0.1.0, each as the old name and the new one.
pub const RENAMED: [(&str, &str); 11] = [
    ("at", "centre"),
    ("bare_transmission", "ignore_displaced_air"),
    ("complete", "search_from_tiles"),
    ("edge_chains", "reflections_between_edges"),
    ("every", "spacing"),
    ("exact_interactions", "sample_beyond"),
    ("finer", "refine"),
    ("roof_bend_db", "roof_loss_db"),
    ("street_bend_db", "corner_loss_db"),
    ("sweep", "variants"),
    ("wall_db", "wall_loss_db"),
];

/// The end of an error about a key that is none of `keys`: its new name, one that is spelt much like it, or `;`.
pub(super) fn hint(found: &str, keys: &[Key]) -> String {
    let names = || keys.iter().map(|key| key.name);
    let is_old = |(old, new): &&(&str, &str)| *old == found && names().any(|name| name == *new);
    if let Some((_, new)) = RENAMED.iter().find(is_old) {
        return format!(", it is called `{new}` now;");
    }
    match suggestion(found, names()) {
        hint if hint.is_empty() => ";".to_owned(),
        hint => hint,
    }
}

/// The values that had other names before 0.1.0, each as the key, the old name and the new one.
const RENAMED_VALUES: [(&str, &str, &str); 1] = [("engine", "tiles", "surfaces")];

/// The end of an error about a value that is none of `values` of `key`: its new name, one that is spelt much like it,
/// or `;`.
pub(super) fn value_hint<'a>(
    key: &str,
    found: &str,
    values: impl Iterator<Item = &'a str>,
) -> String {
    let is_old = |(of, old, _): &&(&str, &str, &str)| *of == key && *old == found;
    if let Some((.., new)) = RENAMED_VALUES.iter().find(is_old) {
        return format!(", it is called `{new}` now;");
    }
    match suggestion(found, values) {
        hint if hint.is_empty() => ";".to_owned(),
        hint => hint,
    }
}

/// The text `, did you mean `x`?` for the candidate nearest to `found`; empty if none is near.
pub(super) fn suggestion<'a>(found: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    const NEAR: f64 = 0.75;
    let found = found.to_lowercase();
    candidates
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&found, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness >= NEAR)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or_else(String::new, |(_, name)| format!(", did you mean `{name}`?"))
}
