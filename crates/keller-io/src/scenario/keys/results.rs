//! Keys of what is computed: paths, channels, coverages, tiles.

use super::{Key, key};

/// `[paths]`
pub(in crate::scenario) const PATHS: &[Key] = &[
    key(
        "search",
        "auto, launch, complete, tiles, exhaustive",
        "`auto`",
        "How to look for paths.",
    ),
    key(
        "effort",
        "quick, default, thorough",
        "`default`",
        "How finely `launch` looks, and how finely rough walls are cut.",
    ),
    key(
        "line_of_sight",
        "true or false",
        "`true`",
        "Whether the direct path is wanted.",
    ),
    key(
        "max_interactions",
        "a whole number from 0 to 255",
        "the sum of `max_reflections`, `max_diffractions` and `max_scatterings`; without `max_reflections` 3, or more where \
         the other two need it",
        "Most reflections, diffractions and scatterings together.",
    ),
    key(
        "max_reflections",
        "a whole number from 0 to 255",
        "`max_interactions`, else 3",
        "Most reflections.",
    ),
    key(
        "max_diffractions",
        "a whole number from 0 to 255",
        "0",
        "Most edges that a path may bend around.",
    ),
    key(
        "max_transmissions",
        "a whole number from 0 to 255",
        "0",
        "Most walls that a path may pass straight through, counted apart.",
    ),
    key(
        "max_depth",
        "a whole number from 0 to 255: interactions and transmissions together",
        "no such limit",
        "Most interactions and transmissions together, as some other tools count their depth.",
    ),
    key(
        "max_scatterings",
        "0, 1 or 2 ([diffuse] has the power of all further scatterings); with the engine \"surfaces\" of [coverage] up to 12",
        "0",
        "Diffuse scattering at one rough wall, with reflections and diffractions before and after; or at two, with \
         reflections before and after. With `tubes`, nothing follows the first scattering. With the engine `surfaces`, up \
         to 12 walls scatter, with reflections and passages through walls before, between and after, diffractions \
         before, and up to one diffraction behind each.",
    ),
    key(
        "free_edges",
        "true or false",
        "`false`, with a warning where a tenth of all edges are borders of open walls",
        "Whether borders of open sheets diffract too.",
    ),
    key(
        "reflections_between_edges",
        "true or false",
        "`true`",
        "Whether reflections may come between two edges, and more than two edges may follow each other. Use \
         `false` for cities, where there are too many.",
    ),
    key(
        "ignore_displaced_air",
        "true or false",
        "`false`",
        "As in `[materials.NAME]`, for all walls.",
    ),
    key(
        "power_threshold_db",
        "a number, dB",
        "all paths are kept",
        "Leaves out paths with less gain. `tiles` does not even follow what is surely weaker, unless \
         `relative_threshold_db` is given.",
    ),
    key(
        "relative_threshold_db",
        "a positive number, dB",
        "all paths are kept",
        "Leaves out paths that are so far below the sum of all paths of their link.",
    ),
    key(
        "alternatives",
        "a list of one or more tables: [[paths.alternatives]]",
        "the limits of [paths] alone",
        "Limits of which any may hold: each table takes the limits of [paths] and overrides some. Paths are those \
         that at least one of them allows, such as two reflections, or one reflection and one diffraction.",
    ),
];

/// An entry of `alternatives` of `[paths]`
pub(in crate::scenario) const ALTERNATIVE: &[Key] = &[
    key(
        "line_of_sight",
        "true or false",
        "that of [paths]",
        "As in [paths].",
    ),
    key(
        "max_interactions",
        "a whole number from 0 to 255",
        "that of [paths]",
        "As in [paths].",
    ),
    key(
        "max_reflections",
        "a whole number from 0 to 255",
        "that of [paths]",
        "As in [paths].",
    ),
    key(
        "max_diffractions",
        "a whole number from 0 to 255",
        "that of [paths]",
        "As in [paths].",
    ),
    key(
        "max_transmissions",
        "a whole number from 0 to 255",
        "that of [paths]",
        "As in [paths].",
    ),
    key(
        "max_depth",
        "a whole number from 0 to 255",
        "that of [paths]",
        "As in [paths].",
    ),
    key(
        "max_scatterings",
        "0, 1 or 2 ([diffuse] has the power of all further scatterings)",
        "that of [paths]",
        "As in [paths].",
    ),
    key(
        "free_edges",
        "true or false",
        "that of [paths]",
        "As in [paths].",
    ),
    key(
        "reflections_between_edges",
        "true or false",
        "that of [paths]",
        "As in [paths].",
    ),
];

/// `[channel]`
pub(in crate::scenario) const CHANNEL: &[Key] = &[
    key(
        "bandwidth_hz",
        "a positive number of at most twice frequency_hz, Hz",
        "0",
        "Bandwidth around `frequency_hz`.",
    ),
    key(
        "num_frequencies",
        "a whole number from 1 to 1000000",
        "64 with a band, else 1",
        "How many equal parts the band is cut into. Responses are for the centre of each.",
    ),
    key(
        "dispersion",
        "carrier, full",
        "`carrier`",
        "`carrier`: amplitudes are those of the carrier. `full`: the field along every path is evaluated at every \
         frequency, materials included.",
    ),
    key(
        "window",
        "rectangular, hann, blackman",
        "`rectangular`",
        "Weights over the band for the band-limited power-delay profile.",
    ),
    key(
        "delay_resolution_s",
        "a positive number, seconds",
        "1 / `bandwidth_hz`, else 10 ns",
        "Width of the bins of the power-delay profile.",
    ),
    key(
        "snapshots",
        "a whole number from 1 to 1000000",
        "1",
        "At how many times the response is wanted.",
    ),
    key(
        "snapshot_interval_s",
        "a positive number, seconds",
        "needed with several snapshots",
        "Time from one snapshot to the next.",
    ),
];

/// `[coverage]`
pub(in crate::scenario) const COVERAGE: &[Key] = &[
    key(
        "name",
        "a text of letters, digits, `-`, `_` and `.`",
        "the number of the region, from 1",
        "What the region is called, where there are several: its files are `OUT-NAME.EXTENSION`.",
    ),
    key(
        "engine",
        "auto, points, tubes, beams, model, surfaces",
        "`auto`",
        "What fills the cells. `auto` takes `tubes` where they follow the paths and the scene is not small, else \
         `points`, and says which it took. `beams` is a fast model of streets with losses that are fitted, see \
         `[beams]`. `model` is a formula, see the key `model`. `surfaces` fills surfaces instead of cells.",
    ),
    key(
        "model",
        "free-space, hata-urban, hata-urban-large, hata-suburban, hata-open, cost231-hata, cost231-hata-metropolitan, \
         walfisch-ikegami, 3gpp-uma, 3gpp-umi, 3gpp-inh, itu-indoor-office, itu-indoor-corridor, \
         itu-indoor-industrial, cost231-multi-wall, itu-canyon-high-rise, itu-canyon-low-rise, bullington, deygout",
        "needed with `engine = \"model\"`",
        "The path loss model that `engine = \"model\"` fills cells with. `walfisch-ikegami` also reads `[streets]`.",
    ),
    key(
        "accuracy",
        "quick, default, exact",
        "`default`",
        "How closely `tubes` follow the exact paths.",
    ),
    key(
        "min",
        "three numbers [x, y, z], or two with `heights`, of at most 1e7, metres",
        "the scene's, or the building's",
        "A corner of the region. Without it or `max`, that corner moves outwards to whole cells of the coordinate \
         reference system, if the scene says where on earth it lies, so that the maps of several runs line up.",
    ),
    key(
        "max",
        "three numbers [x, y, z], or two with `heights`, of at most 1e7, metres",
        "the scene's, or the building's",
        "The opposite corner.",
    ),
    key(
        "bounds_deg",
        "four numbers [west, south, east, north], degrees on WGS 84, instead of `min` and `max`",
        "`min` and `max`",
        "The smallest box along x and y around these bounds. A volume is as high as the scene.",
    ),
    key(
        "building",
        "the name of a `[[building]]`",
        "a region of the scene",
        "The region lies in this building: `min` and `max` count in its own axes, rows and columns of cells run along \
         them, and without `min` and `max` the whole building is filled.",
    ),
    key(
        "rotation_deg",
        "a number from -360 to 360, degrees",
        "0",
        "Turns the region anticlockwise about its corner `min`: rows and columns of cells then run askew.",
    ),
    key(
        "resolution",
        "a positive number, or one for each axis, metres",
        "needed",
        "Size of a cell. Centres lie at `min + (i + 1/2) resolution`.",
    ),
    key(
        "surroundings_resolution",
        "a positive number, metres",
        "the resolution of the coarsest region",
        "Outside this region tubes are split only as finely as for cells of this size, so that a fine region in a \
         city costs little more than a coarse one.",
    ),
    key(
        "heights",
        "a list of numbers of at most 1e7, metres",
        "a volume",
        "Fills planes of cells at these heights.",
    ),
    key(
        "height_above",
        "ground, sea, floors",
        "`floors` with `building`, `ground` over a terrain, else `sea`",
        "What `heights` count from: the ground, as `height_above_ground` of a device, the scene's zero, or every floor \
         of the `building`. A terrain is connected ground that is not level and spans a quarter of the scene.",
    ),
    key(
        "noise_dbm",
        "a number, dBm",
        "no SINR",
        "Noise in a receiver's band. Gives signal to interference and noise, with all Tx transmitting at once.",
    ),
    key(
        "path_loss_limit_db",
        "a positive number, dB",
        "150 with `tubes`, else no limit",
        "Gains below minus this count as nothing.",
    ),
    key(
        "rooftops",
        "true or false",
        "`false`, with `beams` `true`",
        "With `tubes`: adds waves that come over the rooftops by several edges in a row, in the vertical plane. With \
         `beams`: whether waves come over roofs at all.",
    ),
    key(
        "per_tx",
        "true or false",
        "`true`",
        "Whether files hold the gains of every Tx. `false` keeps what cells receive from all; a table then has \
         one row for each cell, of its best server.",
    ),
    key(
        "multipath",
        "true or false",
        "`false`",
        "Whether files hold number of paths, line of sight, coherent sum, delays and angles beside every gain.",
    ),
];

/// `[beams]`
pub(in crate::scenario) const BEAMS: &[Key] = &[
    key(
        "corners",
        "a whole number from 0 to 16",
        "2",
        "The most corners around which a wave goes from street to street.",
    ),
    key(
        "through_walls",
        "true or false",
        "`true`",
        "Whether the straight line through walls counts.",
    ),
    key(
        "indoors",
        "true or false",
        "`false`",
        "Whether cells in buildings are filled too, through walls and over roofs.",
    ),
    key(
        "combine",
        "sum, strongest",
        "`sum`",
        "How several paths to one cell count: the sum of their powers, or the strongest alone.",
    ),
    key(
        "corner_loss_db",
        "three numbers [a, b, c]",
        "[15, 16, -2.5]",
        "A bend by the angle α (radians) around a corner costs a + b α + c α² dB.",
    ),
    key(
        "roof_loss_db",
        "three numbers [a, b, c]",
        "[11, 17, -2.7]",
        "The same for a bend over a roof.",
    ),
    key(
        "wall_loss_db",
        "two numbers [a, b]",
        "[10, 8]",
        "n walls on the straight line cost a + b n dB.",
    ),
];

/// `[streets]`
pub(in crate::scenario) const STREETS: &[Key] = &[
    key(
        "roof_height",
        "a number from 3.5 to 500, metres",
        "15",
        "Height of the roofs over the ground.",
    ),
    key(
        "street_width",
        "a number from 1 to 1000, metres",
        "half of `building_separation`",
        "Width of the street in which the receiver is.",
    ),
    key(
        "building_separation",
        "a number from 1 to 1000, metres",
        "30",
        "From the centre of a row of houses to that of the next.",
    ),
    key(
        "street_angle_deg",
        "a number from 0 to 90, degrees",
        "90",
        "Angle between the street and the line from Tx to receiver.",
    ),
    key(
        "city",
        "medium, metropolitan",
        "`medium`",
        "Medium-sized cities and suburbs with some trees, or metropolitan centres.",
    ),
];

/// `[tiles]`
pub(in crate::scenario) const TILES: &[Key] = &[
    key(
        "side",
        "a positive number, metres",
        "about 10 m, or less where a scene has fewer than 3 000 such tiles",
        "Wanted length of a tile's side.",
    ),
    key(
        "ground_side",
        "a positive number, metres",
        "`side`",
        "The same for faces on the ground.",
    ),
    key(
        "min_face_area",
        "a number of at least 0, square metres",
        "0",
        "Faces of less area get no tiles.",
    ),
    key(
        "terrain_grid",
        "true, false",
        "`true`",
        "Terrain of many facets is cut by one horizontal grid, so that a tile spans the bends in its cell. `false`: each \
         facet has its own tiles, however small it is.",
    ),
    key(
        "under_buildings",
        "true, false",
        "`false`",
        "Whether ground under buildings has tiles, and the undersides of buildings that reach into the ground. `true` \
         for devices in buildings that have no floor of their own.",
    ),
    key(
        "search_from_tiles",
        "true, false",
        "`false`",
        "`true`: coverages of surfaces look for paths with diffractions from every tile, as from a receiver of \
         `search = \"complete\"`. None of one diffraction is then lost; in a city it takes about 20 processor milliseconds a tile. \
         `false`: they go from tile to tile, which loses some of several interactions.",
    ),
    key(
        "sample_beyond",
        "a whole number of at least 1",
        "all are found",
        "Coverages of surfaces find paths with a diffraction one by one up to so many interactions, where each further \
         diffraction counts twice. Rays sample the power of the others, so that the time hardly depends on how many they \
         are. For paths of many interactions in cities: 3. Less is rough, and refused where `max_diffractions` is above 1.",
    ),
    key(
        "refine",
        "a list of tables: [[tiles.refine]]",
        "tiles are as large everywhere",
        "Where tiles are smaller, such as around a Tx.",
    ),
    key(
        "visibility",
        "the name of a file of `keller visibility`, relative to the scenario",
        "found at every run",
        "What the tiles see of each other, kept by `keller visibility` for the same tiles.",
    ),
];

/// An entry of `refine` of `[tiles]`
pub(in crate::scenario) const REFINE: &[Key] = &[
    key(
        "centre",
        "[x, y] or [x, y, z], metres",
        "needed",
        "The point around which tiles are smaller. Without z, distances from it are those seen from above.",
    ),
    key(
        "radius",
        "a positive number, metres",
        "needed",
        "How far from that point tiles are smaller.",
    ),
    key(
        "side",
        "a positive number, metres",
        "needed",
        "Longest side of a tile there.",
    ),
];
