//! Every key a scenario may have: what it accepts, what holds without it, and what it means. Readers, error messages and
//! the book's Reference take the keys from here.

/// A key of a scenario, in words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    pub(super) name: &'static str,
    /// What values it accepts, with their unit.
    pub(super) accepted: &'static str,
    /// What holds without it.
    pub(super) absent: &'static str,
    /// What it means, in a sentence.
    pub(super) meaning: &'static str,
}

const fn key(
    name: &'static str,
    accepted: &'static str,
    absent: &'static str,
    meaning: &'static str,
) -> Key {
    Key {
        name,
        accepted,
        absent,
        meaning,
    }
}

/// A table of a scenario and its keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeySection {
    /// How the scenario writes it, in Markdown.
    pub(super) title: &'static str,
    /// What to know about all of its keys.
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
        title: "`[channel]`",
        about: "For `keller channel`.",
        keys: CHANNEL,
    },
    KeySection {
        title: "`[coverage]`",
        about: "For `keller coverage`. A scenario with this section needs no `[[rx]]`.",
        keys: COVERAGE,
    },
    KeySection {
        title: "`[tiles]`",
        about: "For the search and the engine `tiles`.",
        keys: TILES,
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
];

/// Outside any section.
pub(super) const TOP: &[Key] = &[
    key(
        "frequency_hz",
        "a positive number, Hz",
        "needed",
        "The carrier frequency.",
    ),
    key("scene", "a table: [scene]", "needed", "The scene files."),
    key(
        "materials",
        "tables: [materials.NAME]",
        "the scene file's own definitions, else ITU-R P.2040",
        "What walls are made of.",
    ),
    key(
        "tx",
        "tables: one or more [[tx]]",
        "needed",
        "A transmitter.",
    ),
    key(
        "rx",
        "tables: one or more [[rx]]",
        "needed, unless there is a [coverage]",
        "A receiver, or many.",
    ),
    key(
        "paths",
        "a table: [paths]",
        "all defaults",
        "Which paths to look for, and how.",
    ),
    key(
        "channel",
        "a table: [channel]",
        "the carrier alone, once",
        "Band and snapshots of `keller channel`.",
    ),
    key(
        "coverage",
        "a table: [coverage]",
        "needed for `keller coverage`",
        "The cells of `keller coverage`.",
    ),
    key(
        "tiles",
        "a table: [tiles]",
        "all defaults",
        "How surfaces are cut into tiles.",
    ),
    key(
        "clutter",
        "tables: one or more [[clutter]]",
        "nothing",
        "A volume, such as a wood, that waves cross with loss.",
    ),
    key(
        "moving",
        "tables: one or more [[moving]]",
        "nothing moves but devices",
        "Everything made of one material moves.",
    ),
];

/// `[scene]`
pub(super) const SCENE: &[Key] = &[
    key(
        "file",
        "the name of a scene file, relative to the scenario",
        "one of `file`, `files` is needed",
        "The scene file. Its extension says the format.",
    ),
    key(
        "files",
        "a list of names of scene files, relative to the scenario",
        "one of `file`, `files` is needed",
        "Several files that together are the scene.",
    ),
    key(
        "default_material",
        "the name of a material of [materials] or of ITU-R P.2040",
        "an unknown name is an error",
        "The material of names that nothing defines.",
    ),
    key(
        "default_thickness",
        "a positive number, metres",
        "half spaces",
        "Makes a slab of every wall that has no thickness of its own, so that waves can pass.",
    ),
    key(
        "up",
        "y, z: of files whose format does not say",
        "a comment at the head of the file, else the shape of all such files, else `z` with a warning",
        "The axis of OBJ, PLY and STL files that points up.",
    ),
    key(
        "unit",
        "mm, cm, m, km, in, ft: of meshes",
        "metres, unless a comment at the head of the file says otherwise",
        "The unit of meshes that do not say where on earth they lie. Absurd sizes give a warning.",
    ),
    key(
        "cache",
        "the name of the file in which keller keeps the built scene, relative to the scenario",
        "the scene is built at every run",
        "Keeps the built scene. keller reads it instead of the scene files while these, `up` and `unit` are unchanged, and makes it anew with a note otherwise.",
    ),
    key(
        "itu_below_range",
        "warn, allow, forbid: materials of ITU-R P.2040 below the frequencies that it states",
        "`warn`",
        "What to do below a material's frequency range: extrapolate down to 100 MHz with or without a warning, or \
         refuse.",
    ),
];

/// `[materials.NAME]`
pub(super) const MATERIAL: &[Key] = &[
    key(
        "itu",
        "the name of a material of ITU-R P.2040",
        "one of `itu`, `permittivity`, `pec`, `layers` is needed",
        "Takes permittivity and conductivity from ITU-R P.2040-3 at the carrier, or at each frequency of a band.",
    ),
    key(
        "permittivity",
        "a number of at least 1",
        "see `itu`",
        "Real part of the relative permittivity, the same at every frequency.",
    ),
    key(
        "conductivity",
        "a number of at least 0, S/m",
        "0",
        "Conductivity, beside `permittivity`.",
    ),
    key(
        "pec",
        "true or false",
        "see `itu`",
        "A perfect electric conductor.",
    ),
    key(
        "thickness",
        "a positive number, metres",
        "a half space, which nothing passes",
        "Makes the wall a slab that waves can pass.",
    ),
    key(
        "layers",
        "a list of tables from front to back, each with thickness and one of itu, permittivity, pec",
        "see `itu`",
        "A slab of several layers. The front is the side to which the face's normal points.",
    ),
    key(
        "scattering",
        "a number from 0 to 1",
        "0",
        "Amplitude scattered diffusely over the amplitude that a smooth wall reflects.",
    ),
    key(
        "scattering_pattern",
        "lambertian, directive, backscattering",
        "`lambertian`",
        "The shape of the scattered lobe.",
    ),
    key(
        "scattering_alpha",
        "a whole number from 1 to 20",
        "4",
        "How narrow the forward lobe is.",
    ),
    key(
        "scattering_alpha_back",
        "a whole number from 1 to 20",
        "4",
        "How narrow the backward lobe is.",
    ),
    key(
        "scattering_forward_share",
        "a number from 0 to 1",
        "0.8",
        "Weight of the forward lobe of a `backscattering` wall.",
    ),
    key(
        "cross_polarization",
        "a number from 0 to 1",
        "0",
        "Share of the scattered power in the other polarisation.",
    ),
    key(
        "roughness",
        "a number from 0 to 1000, metres",
        "0",
        "Standard deviation of the surface's height. It weakens reflections.",
    ),
    key(
        "bare_transmission",
        "true or false",
        "`false`",
        "`true` keeps the coefficient from face to face, as other tools do. `false` lets the slab replace as much \
         air as it is thick, in phase and delay.",
    ),
];

/// One entry of `layers`.
pub(super) const LAYER: &[Key] = &[
    key(
        "itu",
        "the name of a material of ITU-R P.2040",
        "one of `itu`, `permittivity`, `pec` is needed",
        "As in `[materials.NAME]`.",
    ),
    key(
        "permittivity",
        "a number of at least 1",
        "see `itu`",
        "As in `[materials.NAME]`.",
    ),
    key(
        "conductivity",
        "a number of at least 0, S/m",
        "0",
        "As in `[materials.NAME]`.",
    ),
    key(
        "pec",
        "true or false",
        "see `itu`",
        "As in `[materials.NAME]`.",
    ),
    key(
        "thickness",
        "a positive number, metres",
        "needed",
        "Thickness of the layer.",
    ),
];

/// `[[tx]]`
pub(super) const TX: &[Key] = &[
    key(
        "name",
        "text",
        "the device's index",
        "A name for tables and maps.",
    ),
    key(
        "position",
        "[x, y, z], or [x, y] beside `height_above_ground` or `altitude`, of at most 1e7, metres",
        "one place is needed",
        "Where the device stands.",
    ),
    key(
        "longitude",
        "a number from -180 to 180, degrees on WGS 84, beside `latitude`",
        "one place is needed",
        "Instead of `position`, in a scene that says where on earth it lies.",
    ),
    key(
        "latitude",
        "a number from -90 to 90, degrees on WGS 84, beside `longitude`",
        "one place is needed",
        "Instead of `position`, in a scene that says where on earth it lies.",
    ),
    key(
        "height_above_ground",
        "a number of at most 1e7, metres over the ground below, or else `altitude`",
        "z of `position`",
        "Height above the lowest face under the device on which something can stand: an open sheet, the top of a \
         closed body, the floor of a room that holds the scene.",
    ),
    key(
        "altitude",
        "a number of at most 1e7, metres over the zero of the scene's coordinate reference system",
        "z of `position`",
        "Height above the zero of the heights of the scene's coordinate reference system.",
    ),
    key(
        "file",
        "the name of a CSV file of sites, relative to the scenario",
        "one place is needed",
        "A table with one site in each row.",
    ),
    key(
        "power_dbm",
        "a number, dBm",
        "30",
        "Transmit power. Tables of paths hold gains, which do not depend on it.",
    ),
    key(
        "antenna",
        "isotropic, dipole, short_dipole, tr38901, or the name of a pattern file (.msi, .pln, .adf, .nsm, .csv, \
         .npz), relative to the scenario",
        "`isotropic`",
        "The antenna of the device, or of each element of its array. `tr38901` is the sector element of 3GPP TR \
         38.901.",
    ),
    key(
        "cuts",
        "sum, weighted, hybrid: how the cuts of a pattern file combine",
        "`sum`",
        "How the two cuts of a pattern file become a pattern in all directions.",
    ),
    key(
        "gain_dbi",
        "a number, dBi: the largest gain, instead of the pattern's own",
        "the pattern's own",
        "The gain in the direction where it is largest.",
    ),
    key(
        "electrical_tilt_deg",
        "a number from -30 to 30, degrees downwards",
        "0",
        "Bends the pattern down all round, on top of the tilt that a file's cuts already hold.",
    ),
    key(
        "polarization",
        "V, H, VH, cross, or a slant in degrees",
        "`V`",
        "Polarisation; `VH` and `cross` are two ports each.",
    ),
    key(
        "orientation_deg",
        "three numbers [bearing, downtilt, slant], degrees; the bearing counts from +x (east) towards +y (north)",
        "`[0, 0, 0]`",
        "Orientation after 3GPP TR 38.901.",
    ),
    key(
        "azimuth_deg",
        "a number from -360 to 360, degrees clockwise from north (+y), or else `orientation_deg`",
        "`orientation_deg`",
        "Where the antenna looks, as a compass counts.",
    ),
    key(
        "downtilt_deg",
        "a number from -90 to 90, degrees below the horizon, or else `orientation_deg`",
        "`orientation_deg`",
        "How far the antenna looks below the horizon.",
    ),
    key(
        "array",
        "a table { rows, columns, spacing_wavelengths } or { elements_m }",
        "one antenna",
        "Several such antennas on one device.",
    ),
    key(
        "array_tracing",
        "phase, each",
        "`phase`",
        "`phase`: one trace to the device's position, and each element's phase by the path's direction. `each`: \
         every element is traced as a device of its own.",
    ),
    key(
        "velocity",
        "three numbers [vx, vy, vz] of at most 1e6, m/s",
        "`[0, 0, 0]`",
        "Velocity, for Doppler shifts.",
    ),
];

/// `[[rx]]`
pub(super) const RX: &[Key] = &[
    key(
        "name",
        "text",
        "the device's index",
        "A name for tables and maps.",
    ),
    key(
        "position",
        "[x, y, z], or [x, y] beside `height_above_ground` or `altitude`, of at most 1e7, metres",
        "one place is needed",
        "Where the device stands.",
    ),
    key(
        "longitude",
        "a number from -180 to 180, degrees on WGS 84, beside `latitude`",
        "one place is needed",
        "Instead of `position`, in a scene that says where on earth it lies.",
    ),
    key(
        "latitude",
        "a number from -90 to 90, degrees on WGS 84, beside `longitude`",
        "one place is needed",
        "Instead of `position`, in a scene that says where on earth it lies.",
    ),
    key(
        "height_above_ground",
        "a number of at most 1e7, metres over the ground below, or else `altitude`",
        "z of `position`",
        "Height above the lowest face under the device on which something can stand: an open sheet, the top of a \
         closed body, the floor of a room that holds the scene.",
    ),
    key(
        "altitude",
        "a number of at most 1e7, metres over the zero of the scene's coordinate reference system",
        "z of `position`",
        "Height above the zero of the heights of the scene's coordinate reference system.",
    ),
    key(
        "file",
        "the name of a CSV file with columns x, y, z, or longitude, latitude, height_above_ground, relative to \
         the scenario",
        "one place is needed",
        "A table with one receiver in each row. `#` begins a comment line.",
    ),
    key(
        "grid",
        "a table { min = [x, y], max = [x, y], spacing = metres, height = metres }, or height_above_ground",
        "one place is needed",
        "Receivers at min, min + spacing, ... up to and including max; x runs fastest.",
    ),
    key(
        "antenna",
        "isotropic, dipole, short_dipole, tr38901, or the name of a pattern file (.msi, .pln, .adf, .nsm, .csv, \
         .npz), relative to the scenario",
        "`isotropic`",
        "The antenna of the device, or of each element of its array. `tr38901` is the sector element of 3GPP TR \
         38.901.",
    ),
    key(
        "cuts",
        "sum, weighted, hybrid: how the cuts of a pattern file combine",
        "`sum`",
        "How the two cuts of a pattern file become a pattern in all directions.",
    ),
    key(
        "gain_dbi",
        "a number, dBi: the largest gain, instead of the pattern's own",
        "the pattern's own",
        "The gain in the direction where it is largest.",
    ),
    key(
        "electrical_tilt_deg",
        "a number from -30 to 30, degrees downwards",
        "0",
        "Bends the pattern down all round, on top of the tilt that a file's cuts already hold.",
    ),
    key(
        "polarization",
        "V, H, VH, cross, or a slant in degrees",
        "`V`",
        "Polarisation; `VH` and `cross` are two ports each.",
    ),
    key(
        "orientation_deg",
        "three numbers [bearing, downtilt, slant], degrees; the bearing counts from +x (east) towards +y (north)",
        "`[0, 0, 0]`",
        "Orientation after 3GPP TR 38.901.",
    ),
    key(
        "azimuth_deg",
        "a number from -360 to 360, degrees clockwise from north (+y), or else `orientation_deg`",
        "`orientation_deg`",
        "Where the antenna looks, as a compass counts.",
    ),
    key(
        "downtilt_deg",
        "a number from -90 to 90, degrees below the horizon, or else `orientation_deg`",
        "`orientation_deg`",
        "How far the antenna looks below the horizon.",
    ),
    key(
        "array",
        "a table { rows, columns, spacing_wavelengths } or { elements_m }",
        "one antenna",
        "Several such antennas on one device.",
    ),
    key(
        "array_tracing",
        "phase, each",
        "`phase`",
        "`phase`: one trace to the device's position, and each element's phase by the path's direction. `each`: \
         every element is traced as a device of its own.",
    ),
    key(
        "velocity",
        "three numbers [vx, vy, vz] of at most 1e6, m/s",
        "`[0, 0, 0]`",
        "Velocity, for Doppler shifts.",
    ),
];

/// `grid` of `[[rx]]`
pub(super) const GRID: &[Key] = &[
    key(
        "min",
        "two numbers [x, y] of at most 1e7, metres",
        "needed",
        "The first corner.",
    ),
    key(
        "max",
        "two numbers [x, y] of at most 1e7, metres",
        "needed",
        "The opposite corner.",
    ),
    key(
        "spacing",
        "a positive number, metres",
        "needed",
        "Distance between neighbouring points.",
    ),
    key(
        "height",
        "a number of at most 1e7, metres: z of every receiver; or else `height_above_ground`",
        "one of `height`, `height_above_ground` is needed",
        "Height of all points in the scene's metres.",
    ),
    key(
        "height_above_ground",
        "a number of at most 1e7, metres over the ground below each receiver",
        "one of `height`, `height_above_ground` is needed",
        "Height of each point above its ground.",
    ),
];

/// `array` of `[[tx]]` and `[[rx]]`
pub(super) const ARRAY: &[Key] = &[
    key(
        "rows",
        "a whole number from 1 to 65536",
        "needed for a panel",
        "Number of rows.",
    ),
    key(
        "columns",
        "a whole number from 1 to 65536",
        "needed for a panel",
        "Number of columns.",
    ),
    key(
        "spacing_wavelengths",
        "two positive numbers [between rows, between columns], wavelengths",
        "needed for a panel",
        "Spacing of a panel in the device's y-z plane, at the carrier.",
    ),
    key(
        "elements_m",
        "a list of points [x, y, z] in the device's own frame, metres",
        "needed, if it is no panel",
        "Places of the elements.",
    ),
];

/// `[paths]`
pub(super) const PATHS: &[Key] = &[
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
        "`max_reflections`, else 3",
        "Most reflections, diffractions and scatterings together.",
    ),
    key(
        "max_reflections",
        "a whole number from 0 to 255",
        "`max_interactions`",
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
        "0 or 1; with the engine \"tiles\" of [coverage] up to 3",
        "0",
        "Diffuse scattering at one rough wall, with reflections and diffractions before and after. With `tubes`, \
         nothing follows the scattering. With the engine `tiles`, up to 3 walls in a row scatter after all else.",
    ),
    key(
        "free_edges",
        "true or false",
        "`false`, with a warning where a tenth of all edges are borders of open walls",
        "Whether borders of open sheets diffract too.",
    ),
    key(
        "edge_chains",
        "true or false",
        "`true`",
        "Whether reflections may come between two edges, and more than two edges may follow each other. Use \
         `false` for cities, where there are too many.",
    ),
    key(
        "bare_transmission",
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
];

/// `[channel]`
pub(super) const CHANNEL: &[Key] = &[
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
pub(super) const COVERAGE: &[Key] = &[
    key(
        "engine",
        "auto, points, tubes, tiles",
        "`auto`",
        "What fills the cells. `auto` takes `tubes` where they follow the paths and the scene is not small, else \
         `points`, and says which it took. `tiles` computes surfaces instead of cells.",
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
        "the scene's",
        "A corner of the region.",
    ),
    key(
        "max",
        "three numbers [x, y, z], or two with `heights`, of at most 1e7, metres",
        "the scene's",
        "The opposite corner.",
    ),
    key(
        "bounds_deg",
        "four numbers [west, south, east, north], degrees on WGS 84, instead of `min` and `max`",
        "`min` and `max`",
        "The smallest box along x and y around these bounds. A volume is as high as the scene.",
    ),
    key(
        "resolution",
        "a positive number, or one for each axis, metres",
        "needed",
        "Size of a cell. Centres lie at `min + (i + 1/2) resolution`.",
    ),
    key(
        "heights",
        "a list of numbers of at most 1e7, metres",
        "a volume",
        "Fills planes of cells at these heights.",
    ),
    key(
        "height_above",
        "ground, sea",
        "`sea`",
        "What `heights` count from: the ground, as `height_above_ground` of a device, or the scene's zero.",
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
        "`false`",
        "With `tubes`: adds waves that come over the rooftops by several edges in a row, in the vertical plane.",
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

/// `[tiles]`
pub(super) const TILES: &[Key] = &[
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
        "visibility",
        "the name of a file of `keller visibility`, relative to the scenario",
        "found at every run",
        "What the tiles see of each other, kept by `keller visibility` for the same tiles.",
    ),
];

/// `[[clutter]]`
pub(super) const CLUTTER: &[Key] = &[
    key("name", "text", "none", "A name for messages."),
    key(
        "polygon",
        "a list of three or more corners [x, y] of at most 1e7, metres",
        "needed",
        "The outline from above.",
    ),
    key(
        "height",
        "a positive number, metres above `base`",
        "needed",
        "Height of the volume.",
    ),
    key(
        "base",
        "a number of at most 1e7: z of its foot, metres",
        "the lowest place of the scene",
        "Where the volume begins.",
    ),
    key(
        "attenuation_db_per_m",
        "a number of at least 0, dB/m",
        "needed",
        "Loss of a short way inside.",
    ),
    key(
        "max_attenuation_db",
        "a positive number, dB",
        "no such limit",
        "What the loss of a long way inside comes to.",
    ),
];

/// `[[moving]]`
pub(super) const MOVING: &[Key] = &[
    key(
        "material",
        "the name of a material of the scene",
        "needed",
        "The material that moves.",
    ),
    key(
        "velocity",
        "three numbers [vx, vy, vz] of at most 1e6, m/s",
        "needed",
        "Its velocity.",
    ),
];

/// What the key `name` of `keys` accepts, in words.
pub(super) fn accepted(keys: &[Key], name: &str) -> &'static str {
    let entry = keys.iter().find(|key| key.name == name);
    entry.map_or("nothing", |key| key.accepted)
}

/// The names of `keys`, separated by commas.
pub(super) fn names(keys: &[Key]) -> String {
    keys.iter().map(|k| k.name).collect::<Vec<_>>().join(", ")
}

/// `, did you mean `x`?` for the candidate nearest to `found`; empty if none is near.
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
