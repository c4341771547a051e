//! Every key a scenario may have, with what it accepts: the one place to look, for readers and for error messages.

/// A key and what it accepts, in words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) accepted: &'static str,
}

const fn key(name: &'static str, accepted: &'static str) -> Key {
    Key { name, accepted }
}

/// Outside any section.
pub(super) const TOP: &[Key] = &[
    key("frequency_hz", "a positive number, Hz"),
    key("scene", "a table: [scene]"),
    key("materials", "tables: [materials.NAME]"),
    key("tx", "tables: one or more [[tx]]"),
    key("rx", "tables: one or more [[rx]]"),
    key("paths", "a table: [paths]"),
    key("channel", "a table: [channel]"),
    key("coverage", "a table: [coverage]"),
    key("tiles", "a table: [tiles]"),
    key("clutter", "tables: one or more [[clutter]]"),
    key("moving", "tables: one or more [[moving]]"),
];

/// `[scene]`
pub(super) const SCENE: &[Key] = &[
    key("file", "the name of a scene file, relative to the scenario"),
    key(
        "files",
        "a list of names of scene files, relative to the scenario",
    ),
    key(
        "default_material",
        "the name of a material of [materials] or of ITU-R P.2040",
    ),
    key("default_thickness", "a positive number, metres"),
    key("up", "y, z: of files whose format does not say"),
    key("unit", "mm, cm, m, km, in, ft: of meshes"),
    key(
        "cache",
        "the name of the file in which keller keeps the built scene, relative to the scenario",
    ),
    key(
        "itu_below_range",
        "warn, allow, forbid: materials of ITU-R P.2040 below the frequencies that it states",
    ),
];

/// `[materials.NAME]`
pub(super) const MATERIAL: &[Key] = &[
    key("itu", "the name of a material of ITU-R P.2040"),
    key("permittivity", "a number of at least 1"),
    key("conductivity", "a number of at least 0, S/m"),
    key("pec", "true or false"),
    key("thickness", "a positive number, metres"),
    key(
        "layers",
        "a list of tables from front to back, each with thickness and one of itu, permittivity, pec",
    ),
    key("scattering", "a number from 0 to 1"),
    key(
        "scattering_pattern",
        "lambertian, directive, backscattering",
    ),
    key("scattering_alpha", "a whole number from 1 to 20"),
    key("scattering_alpha_back", "a whole number from 1 to 20"),
    key("scattering_forward_share", "a number from 0 to 1"),
    key("cross_polarization", "a number from 0 to 1"),
    key("roughness", "a number from 0 to 1000, metres"),
    key("bare_transmission", "true or false"),
];

/// One entry of `layers`.
pub(super) const LAYER: &[Key] = &[
    key("itu", "the name of a material of ITU-R P.2040"),
    key("permittivity", "a number of at least 1"),
    key("conductivity", "a number of at least 0, S/m"),
    key("pec", "true or false"),
    key("thickness", "a positive number, metres"),
];

/// `[[tx]]`
pub(super) const TX: &[Key] = &[
    key("name", "text"),
    key(
        "position",
        "[x, y, z], or [x, y] beside `height_above_ground` or `altitude`, of at most 1e7, metres",
    ),
    key(
        "longitude",
        "a number from -180 to 180, degrees on WGS 84, beside `latitude`",
    ),
    key(
        "latitude",
        "a number from -90 to 90, degrees on WGS 84, beside `longitude`",
    ),
    key(
        "height_above_ground",
        "a number of at most 1e7, metres over the ground below, or else `altitude`",
    ),
    key(
        "altitude",
        "a number of at most 1e7, metres over the zero of the scene's coordinate reference system",
    ),
    key(
        "file",
        "the name of a CSV file of sites, relative to the scenario",
    ),
    key("power_dbm", "a number, dBm"),
    key(
        "antenna",
        "isotropic, dipole, short_dipole, tr38901, or the name of a pattern file (.msi, .pln, .adf, .nsm, .csv, .npz), relative to the scenario",
    ),
    key(
        "cuts",
        "sum, weighted, hybrid: how the cuts of a pattern file combine",
    ),
    key(
        "gain_dbi",
        "a number, dBi: the largest gain, instead of the pattern's own",
    ),
    key(
        "electrical_tilt_deg",
        "a number from -30 to 30, degrees downwards",
    ),
    key("polarization", "V, H, VH, cross, or a slant in degrees"),
    key(
        "orientation_deg",
        "three numbers [bearing, downtilt, slant], degrees; the bearing counts from +x (east) towards +y (north)",
    ),
    AZIMUTH,
    DOWNTILT,
    key(
        "array",
        "a table { rows, columns, spacing_wavelengths } or { elements_m }",
    ),
    key("array_tracing", "phase, each"),
    VELOCITY,
];

/// Of whatever looks somewhere.
const AZIMUTH: Key = key(
    "azimuth_deg",
    "a number from -360 to 360, degrees clockwise from north (+y), or else `orientation_deg`",
);

/// Of whatever looks somewhere.
const DOWNTILT: Key = key(
    "downtilt_deg",
    "a number from -90 to 90, degrees below the horizon, or else `orientation_deg`",
);

/// Of whatever moves.
const VELOCITY: Key = key("velocity", "three numbers [vx, vy, vz] of at most 1e6, m/s");

/// `[[rx]]`
pub(super) const RX: &[Key] = &[
    key("name", "text"),
    key(
        "position",
        "[x, y, z], or [x, y] beside `height_above_ground` or `altitude`, of at most 1e7, metres",
    ),
    key(
        "longitude",
        "a number from -180 to 180, degrees on WGS 84, beside `latitude`",
    ),
    key(
        "latitude",
        "a number from -90 to 90, degrees on WGS 84, beside `longitude`",
    ),
    key(
        "height_above_ground",
        "a number of at most 1e7, metres over the ground below, or else `altitude`",
    ),
    key(
        "altitude",
        "a number of at most 1e7, metres over the zero of the scene's coordinate reference system",
    ),
    key(
        "file",
        "the name of a CSV file with columns x, y, z, or longitude, latitude, height_above_ground, relative to the scenario",
    ),
    key(
        "grid",
        "a table { min = [x, y], max = [x, y], spacing = metres, height = metres }, or height_above_ground",
    ),
    key(
        "antenna",
        "isotropic, dipole, short_dipole, tr38901, or the name of a pattern file (.msi, .pln, .adf, .nsm, .csv, .npz), relative to the scenario",
    ),
    key(
        "cuts",
        "sum, weighted, hybrid: how the cuts of a pattern file combine",
    ),
    key(
        "gain_dbi",
        "a number, dBi: the largest gain, instead of the pattern's own",
    ),
    key(
        "electrical_tilt_deg",
        "a number from -30 to 30, degrees downwards",
    ),
    key("polarization", "V, H, VH, cross, or a slant in degrees"),
    key(
        "orientation_deg",
        "three numbers [bearing, downtilt, slant], degrees; the bearing counts from +x (east) towards +y (north)",
    ),
    AZIMUTH,
    DOWNTILT,
    key(
        "array",
        "a table { rows, columns, spacing_wavelengths } or { elements_m }",
    ),
    key("array_tracing", "phase, each"),
    VELOCITY,
];

/// `grid` of `[[rx]]`
pub(super) const GRID: &[Key] = &[
    key("min", "two numbers [x, y] of at most 1e7, metres"),
    key("max", "two numbers [x, y] of at most 1e7, metres"),
    key("spacing", "a positive number, metres"),
    key(
        "height",
        "a number of at most 1e7, metres: z of every receiver; or else `height_above_ground`",
    ),
    key(
        "height_above_ground",
        "a number of at most 1e7, metres over the ground below each receiver",
    ),
];

/// `array` of `[[tx]]` and `[[rx]]`
pub(super) const ARRAY: &[Key] = &[
    key("rows", "a whole number from 1 to 65536"),
    key("columns", "a whole number from 1 to 65536"),
    key(
        "spacing_wavelengths",
        "two positive numbers [between rows, between columns], wavelengths",
    ),
    key(
        "elements_m",
        "a list of points [x, y, z] in the device's own frame, metres",
    ),
];

/// `[paths]`
pub(super) const PATHS: &[Key] = &[
    key("search", "auto, launch, complete, tiles, exhaustive"),
    key("effort", "quick, default, thorough"),
    key("line_of_sight", "true or false"),
    key("max_interactions", "a whole number from 0 to 255"),
    key("max_reflections", "a whole number from 0 to 255"),
    key("max_diffractions", "a whole number from 0 to 255"),
    key("max_transmissions", "a whole number from 0 to 255"),
    key(
        "max_depth",
        "a whole number from 0 to 255: interactions and transmissions together",
    ),
    key(
        "max_scatterings",
        "0 or 1; with the engine \"tiles\" of [coverage] up to 3",
    ),
    key("free_edges", "true or false"),
    key("edge_chains", "true or false"),
    key("bare_transmission", "true or false"),
    key("power_threshold_db", "a number, dB"),
    key("relative_threshold_db", "a positive number, dB"),
];

/// `[channel]`
pub(super) const CHANNEL: &[Key] = &[
    key(
        "bandwidth_hz",
        "a positive number of at most twice frequency_hz, Hz",
    ),
    key("num_frequencies", "a whole number from 1 to 1000000"),
    key("dispersion", "carrier, full"),
    key("window", "rectangular, hann, blackman"),
    key("delay_resolution_s", "a positive number, seconds"),
    key("snapshots", "a whole number from 1 to 1000000"),
    key("snapshot_interval_s", "a positive number, seconds"),
];

/// `[coverage]`
pub(super) const COVERAGE: &[Key] = &[
    key("engine", "auto, points, tubes, tiles"),
    key("accuracy", "quick, default, exact"),
    key(
        "min",
        "three numbers [x, y, z], or two with `heights`, of at most 1e7, metres",
    ),
    key(
        "max",
        "three numbers [x, y, z], or two with `heights`, of at most 1e7, metres",
    ),
    key(
        "bounds_deg",
        "four numbers [west, south, east, north], degrees on WGS 84, instead of `min` and `max`",
    ),
    key(
        "resolution",
        "a positive number, or one for each axis, metres",
    ),
    key("heights", "a list of numbers of at most 1e7, metres"),
    key("height_above", "ground, sea"),
    key("noise_dbm", "a number, dBm"),
    key("path_loss_limit_db", "a positive number, dB"),
    key("rooftops", "true or false"),
    key("per_tx", "true or false"),
    key("multipath", "true or false"),
];

/// `[tiles]`
pub(super) const TILES: &[Key] = &[
    key("side", "a positive number, metres"),
    key("ground_side", "a positive number, metres"),
    key("min_face_area", "a number of at least 0, square metres"),
    key(
        "visibility",
        "the name of a file of `keller visibility`, relative to the scenario",
    ),
];

/// `[[clutter]]`
pub(super) const CLUTTER: &[Key] = &[
    key("name", "text"),
    key(
        "polygon",
        "a list of three or more corners [x, y] of at most 1e7, metres",
    ),
    key("height", "a positive number, metres above `base`"),
    key("base", "a number of at most 1e7: z of its foot, metres"),
    key("attenuation_db_per_m", "a number of at least 0, dB/m"),
    key("max_attenuation_db", "a positive number, dB"),
];

/// `[[moving]]`
pub(super) const MOVING: &[Key] = &[
    key("material", "the name of a material of the scene"),
    VELOCITY,
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
