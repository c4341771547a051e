//! Keys of the results: paths, channels, coverages.

use keller::channel::Window;
use keller::coverage::tubes::Accuracy;
use keller::models::Model;
use keller::paths::Effort;

use super::place::{COORDINATE, PLACES, XY, XYZ};
use crate::scenario::key_types::{
    FLAG, Key, Range, Shape, TEXT, any, choice, key, name, names_of, number, positive, tables,
    vector, whole, within,
};

/// Every effort, by the name that a scenario and the command line use.
pub const EFFORT_NAMES: [(&str, Effort); 3] = [
    ("quick", Effort::Quick),
    ("default", Effort::Default),
    ("thorough", Effort::Thorough),
];

/// The accuracies with which tubes follow the exact paths.
pub(in crate::scenario) const ACCURACIES: [(&str, Accuracy); 3] = [
    ("quick", Accuracy::Quick),
    ("default", Accuracy::Default),
    ("exact", Accuracy::Exact),
];

/// The weights over a band.
pub(in crate::scenario) const WINDOWS: [(&str, Window); 3] = [
    ("rectangular", Window::Rectangular),
    ("hann", Window::Hann),
    ("blackman", Window::Blackman),
];

/// The largest depth: deeper than any search reaches, and small enough for a byte.
const MAX_DEPTH: usize = 255;

/// The keys of `[paths]`.
pub(in crate::scenario) const PATHS: &[Key] = &[
    key(
        "search",
        choice(&["auto", "launch", "complete", "tiles", "tubes", "exhaustive"]),
        "`auto`",
        "How to look for paths.",
    ),
    key(
        "effort",
        choice(&names_of(&EFFORT_NAMES)),
        "`default`",
        "How finely `launch` and `tubes` look, and how finely rough walls are cut.",
    ),
    key(
        "line_of_sight",
        FLAG,
        "`true`",
        "Whether the direct path is wanted.",
    ),
    key(
        "max_interactions",
        whole(0, MAX_DEPTH),
        "the sum of `max_reflections`, `max_diffractions` and `max_scatterings`; without `max_reflections` 3, or more where \
         the other two need it",
        "Most reflections, diffractions and scatterings together.",
    ),
    key(
        "max_reflections",
        whole(0, MAX_DEPTH),
        "`max_interactions`, else 3",
        "Most reflections.",
    ),
    key(
        "max_diffractions",
        whole(0, MAX_DEPTH),
        "0",
        "Most edges that a path may bend around.",
    ),
    key(
        "max_transmissions",
        whole(0, MAX_DEPTH),
        "0",
        "Most walls that a path may pass straight through, counted apart.",
    ),
    key(
        "max_depth",
        whole(0, MAX_DEPTH).note(": interactions and transmissions together"),
        "no such limit",
        "Most interactions and transmissions together, as some other tools count their depth.",
    ),
    key(
        "max_scatterings",
        whole(0, 12).said(
            "0, 1 or 2 ([diffuse] has the power of all further scatterings); with the engine \
             \"surfaces\" of [coverage] up to 12",
        ),
        "0",
        "Diffuse scattering at one rough wall, with reflections and diffractions before and after; or at two, with \
         reflections before and after. With `tubes`, nothing follows the first scattering. With the engine `surfaces`, up \
         to 12 walls scatter, with reflections and passages through walls before, between and after, diffractions \
         before, and up to one diffraction behind each.",
    ),
    key(
        "free_edges",
        FLAG,
        "`false`, with a warning where a tenth of all edges are borders of open walls",
        "Whether borders of open sheets diffract too.",
    ),
    key(
        "reflections_between_edges",
        FLAG,
        "`true`",
        "Whether reflections may come between two edges, and more than two edges may follow each other. Use \
         `false` for cities, where there are too many.",
    ),
    key(
        "ignore_displaced_air",
        FLAG,
        "`false`",
        "As in `[materials.NAME]`, for all walls.",
    ),
    key(
        "power_threshold_db",
        number("dB"),
        "all paths are kept",
        "Leaves out paths with less gain. `tiles` does not even follow what is surely weaker, unless \
         `relative_threshold_db` is given, and `tubes` in any case.",
    ),
    key(
        "relative_threshold_db",
        positive("dB"),
        "all paths are kept",
        "Leaves out paths that are so far below the sum of all paths of their link. `tubes` does not even follow what is \
         weaker for all receivers.",
    ),
    key(
        "alternatives",
        tables("AlternativeOptions", ALTERNATIVE)
            .said("a list of one or more tables: [[paths.alternatives]]"),
        "the limits of [paths] alone",
        "Limits of which any may hold: each table takes the limits of [paths] and overrides some. Paths are those \
         that at least one of them allows, such as two reflections, or one reflection and one diffraction.",
    ),
];

/// The keys of an entry of `alternatives` of `[paths]`.
pub(in crate::scenario) const ALTERNATIVE: &[Key] = &[
    key("line_of_sight", FLAG, "that of [paths]", "As in [paths]."),
    key(
        "max_interactions",
        whole(0, MAX_DEPTH),
        "that of [paths]",
        "As in [paths].",
    ),
    key(
        "max_reflections",
        whole(0, MAX_DEPTH),
        "that of [paths]",
        "As in [paths].",
    ),
    key(
        "max_diffractions",
        whole(0, MAX_DEPTH),
        "that of [paths]",
        "As in [paths].",
    ),
    key(
        "max_transmissions",
        whole(0, MAX_DEPTH),
        "that of [paths]",
        "As in [paths].",
    ),
    key(
        "max_depth",
        whole(0, MAX_DEPTH),
        "that of [paths]",
        "As in [paths].",
    ),
    key(
        "max_scatterings",
        whole(0, 12).said("0, 1 or 2 ([diffuse] has the power of all further scatterings)"),
        "that of [paths]",
        "As in [paths].",
    ),
    key("free_edges", FLAG, "that of [paths]", "As in [paths]."),
    key(
        "reflections_between_edges",
        FLAG,
        "that of [paths]",
        "As in [paths].",
    ),
];

/// The keys of `[channel]`.
pub(in crate::scenario) const CHANNEL: &[Key] = &[
    key(
        "bandwidth_hz",
        positive("").note(" of at most twice frequency_hz, Hz"),
        "0",
        "Bandwidth around `frequency_hz`.",
    ),
    key(
        "num_frequencies",
        whole(1, 1_000_000),
        "64 with a band, else 1",
        "How many equal parts the band is cut into. Responses are for the centre of each.",
    ),
    key(
        "dispersion",
        choice(&["carrier", "full"]),
        "`carrier`",
        "`carrier`: amplitudes are those of the carrier. `full`: the field along every path is evaluated at every \
         frequency, materials included.",
    ),
    key(
        "window",
        choice(&names_of(&WINDOWS)),
        "`rectangular`",
        "Weights over the band for the band-limited power-delay profile.",
    ),
    key(
        "delay_resolution_s",
        positive("seconds"),
        "1 / `bandwidth_hz`, else 10 ns",
        "Width of the bins of the power-delay profile.",
    ),
    key(
        "snapshots",
        whole(1, 1_000_000),
        "1",
        "At how many times the response is wanted.",
    ),
    key(
        "snapshot_interval_s",
        positive("seconds"),
        "needed with several snapshots",
        "Time from one snapshot to the next.",
    ),
];

/// The keys of `[coverage]`.
pub(in crate::scenario) const COVERAGE: &[Key] = &[
    key(
        "name",
        TEXT.said("a text of letters, digits, `-`, `_` and `.`"),
        "the number of the region, from 1",
        "What the region is called, where there are several: its files are `OUT-NAME.EXTENSION`.",
    ),
    key(
        "engine",
        choice(&["auto", "points", "tubes", "beams", "model", "surfaces"]),
        "`auto`",
        "What fills the cells. `auto` takes `tubes` where they follow the paths and the scene is not small, else \
         `points`, and says which it took. `beams` is a fast model of streets with losses that are fitted, see \
         `[beams]`. `model` is a formula, see the key `model`. `surfaces` fills surfaces instead of cells.",
    ),
    key(
        "model",
        choice(&names_of(&Model::NAMES)),
        "needed with `engine = \"model\"`",
        "The path loss model that `engine = \"model\"` fills cells with. `walfisch-ikegami` also reads `[streets]`.",
    ),
    key(
        "accuracy",
        choice(&names_of(&ACCURACIES)),
        "`default`",
        "How closely `tubes` follow the exact paths.",
    ),
    key(
        "min",
        any(PLACES).said("three numbers [x, y, z], or two with `heights`, of at most 1e7, metres"),
        "the scene's, or the building's",
        "A corner of the region. Without it or `max`, that corner moves outwards to whole cells of the coordinate \
         reference system, if the scene says where on earth it lies, so that the maps of several runs line up.",
    ),
    key(
        "max",
        any(PLACES).said("three numbers [x, y, z], or two with `heights`, of at most 1e7, metres"),
        "the scene's, or the building's",
        "The opposite corner.",
    ),
    key(
        "bounds_deg",
        vector(&["west", "south", "east", "north"], Range::AtMost(180.0))
            .unit("degrees on WGS 84, instead of `min` and `max`"),
        "`min` and `max`",
        "The smallest box along x and y around these bounds. A volume is as high as the scene.",
    ),
    key(
        "building",
        name("a `[[building]]`"),
        "a region of the scene",
        "The region lies in this building: `min` and `max` count in its own axes, rows and columns of cells run along \
         them, and without `min` and `max` the whole building is filled.",
    ),
    key(
        "rotation_deg",
        within(-360.0, 360.0, "degrees"),
        "0",
        "Turns the region anticlockwise about its corner `min`: rows and columns of cells then run askew.",
    ),
    key(
        "resolution",
        any(&[
            Shape::Number(Range::Positive),
            Shape::Vector(&XYZ, Range::Positive),
            Shape::Vector(&XY, Range::Positive),
        ])
        .said("a positive number, or one for each axis, metres"),
        "needed",
        "Size of a cell. Centres lie at `min + (i + 1/2) resolution`.",
    ),
    key(
        "surroundings_resolution",
        positive("metres"),
        "the resolution of the coarsest region",
        "Outside this region tubes are split only as finely as for cells of this size, so that a fine region in a \
         city costs little more than a coarse one.",
    ),
    key(
        "heights",
        any(&[
            Shape::List(&Shape::Number(COORDINATE)),
            Shape::Number(COORDINATE),
        ])
        .said("a list of numbers of at most 1e7, metres"),
        "a volume",
        "Fills planes of cells at these heights.",
    ),
    key(
        "height_above",
        choice(&["ground", "sea", "floors"]),
        "`floors` with `building`, `ground` over a terrain, else `sea`",
        "What `heights` count from: the ground, as `height_above_ground` of a device, the scene's zero, or every floor \
         of the `building`. A terrain is connected ground that is not level and spans a quarter of the scene.",
    ),
    key(
        "noise_dbm",
        number("dBm"),
        "no SINR",
        "Noise in a receiver's band. Gives signal to interference and noise, with all Tx transmitting at once.",
    ),
    key(
        "path_loss_limit_db",
        positive("dB"),
        "150 with `tubes`, else no limit",
        "Gains below minus this count as nothing.",
    ),
    key(
        "rooftops",
        FLAG,
        "`false`, with `beams` `true`",
        "With `tubes`: adds waves that come over the rooftops by several edges in a row, in the vertical plane. With \
         `beams`: whether waves come over roofs at all.",
    ),
    key(
        "per_tx",
        FLAG,
        "`true`",
        "Whether files hold the gains of every Tx. `false` keeps what cells receive from all; a table then has \
         one row for each cell, of its best server.",
    ),
    key(
        "multipath",
        FLAG,
        "`false`",
        "Whether files hold number of paths, line of sight, coherent sum, delays and angles beside every gain.",
    ),
];
