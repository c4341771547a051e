//! Keys of the devices: transmitters, receivers, their arrays.

use keller::antenna::{ArrayTracing, Combination, Pattern, Polarization};
use keller::geometry::tolerance::MAX_COORDINATE;

use super::place::{COORDINATE, PLACES, VELOCITIES, XYZ};
use crate::scenario::key_types::{
    FLAG, Key, Range, Shape, TEXT, any, at_most, choice, file, key, list, names_of, number,
    positive, table, vector, whole, within,
};

/// The polarisations that have names.
pub(in crate::scenario) const POLARIZATIONS: [(&str, Polarization); 4] = [
    ("V", Polarization::V),
    ("H", Polarization::H),
    ("VH", Polarization::VH),
    ("cross", Polarization::Cross),
];

const PATTERNS: [&str; 4] = names_of(&Pattern::NAMES);

/// The keys of `[[tx]]`.
pub(in crate::scenario) const TX: &[Key] = &[
    NAME,
    POSITION,
    LONGITUDE,
    LATITUDE,
    HEIGHT_ABOVE_GROUND,
    ALTITUDE,
    key(
        "file",
        file("a CSV file of sites"),
        "one place is needed",
        "A table with one site in each row.",
    ),
    key(
        "power_dbm",
        number("dBm"),
        "30",
        "Transmit power. Tables of paths hold gains, which do not depend on it.",
    ),
    key(
        "offset_db",
        within(-100.0, 100.0, "dB"),
        "0",
        "Added to the gain of the antenna: what `keller calibrate` found to be missing.",
    ),
    ANTENNA,
    CUTS,
    GAIN_DBI,
    ELECTRICAL_TILT_DEG,
    POLARIZATION,
    ORIENTATION_DEG,
    AZIMUTH_DEG,
    DOWNTILT_DEG,
    DEVICE_ARRAY,
    ARRAY_TRACING,
    VELOCITY,
];

/// The keys of `[[rx]]`.
pub(in crate::scenario) const RX: &[Key] = &[
    NAME,
    POSITION,
    LONGITUDE,
    LATITUDE,
    HEIGHT_ABOVE_GROUND,
    ALTITUDE,
    key(
        "file",
        file("a CSV file with columns x, y, z, or longitude, latitude, height_above_ground"),
        "one place is needed",
        "A table with one receiver in each row. `#` begins a comment line.",
    ),
    key(
        "grid",
        table("GridOptions", GRID).said(
            "a table { min = [x, y], max = [x, y], spacing = metres, height = metres }, or \
             height_above_ground",
        ),
        "one place is needed",
        "Receivers at min, min + spacing, ... up to and including max; x runs fastest.",
    ),
    key(
        "strict",
        FLAG.unit("beside file or grid"),
        "`false`",
        "Whether a receiver on or in a wall, or over no ground, is an error. Otherwise it is left out with a warning, and \
         the others keep their numbers.",
    ),
    ANTENNA,
    CUTS,
    GAIN_DBI,
    ELECTRICAL_TILT_DEG,
    POLARIZATION,
    ORIENTATION_DEG,
    AZIMUTH_DEG,
    DOWNTILT_DEG,
    DEVICE_ARRAY,
    ARRAY_TRACING,
    VELOCITY,
];

/// The keys of `grid` of `[[rx]]`.
pub(in crate::scenario) const GRID: &[Key] = &[
    key(
        "min",
        vector(&["x", "y"], COORDINATE).unit("metres"),
        "needed",
        "The first corner.",
    ),
    key(
        "max",
        vector(&["x", "y"], COORDINATE).unit("metres"),
        "needed",
        "The opposite corner.",
    ),
    key(
        "spacing",
        positive("metres"),
        "needed",
        "Distance between neighbouring points.",
    ),
    key(
        "height",
        at_most(
            MAX_COORDINATE,
            "metres: z of every receiver; or else `height_above_ground`",
        ),
        "one of `height`, `height_above_ground` is needed",
        "Height of all points in the scene's metres.",
    ),
    key(
        "height_above_ground",
        at_most(MAX_COORDINATE, "metres over the ground below each receiver"),
        "one of `height`, `height_above_ground` is needed",
        "Height of each point above its ground.",
    ),
];

/// The keys of `array` of `[[tx]]` and `[[rx]]`.
pub(in crate::scenario) const ARRAY: &[Key] = &[
    key(
        "rows",
        whole(1, 65_536),
        "needed for a panel",
        "Number of rows.",
    ),
    key(
        "columns",
        whole(1, 65_536),
        "needed for a panel",
        "Number of columns.",
    ),
    key(
        "spacing_wavelengths",
        vector(&["between rows", "between columns"], Range::Positive).unit("wavelengths"),
        "needed for a panel",
        "Spacing of a panel in the device's y-z plane, at the carrier.",
    ),
    key(
        "elements_m",
        list(&Shape::Vector(&XYZ, Range::All))
            .said("a list of points [x, y, z] in the device's own frame, metres"),
        "needed, if it is no panel",
        "Places of the elements.",
    ),
];

// Keys that `[[tx]]` and `[[rx]]` share.
const NAME: Key = key(
    "name",
    TEXT,
    "the device's index",
    "A name for tables and maps.",
);

const POSITION: Key = key(
    "position",
    any(PLACES).said(
        "[x, y, z], or [x, y] beside `height_above_ground` or `altitude`, of at most 1e7, metres",
    ),
    "one place is needed",
    "Where the device stands.",
);

const LONGITUDE: Key = key(
    "longitude",
    within(-180.0, 180.0, "degrees on WGS 84, beside `latitude`"),
    "one place is needed",
    "Instead of `position`, in a scene that says where on earth it lies.",
);

const LATITUDE: Key = key(
    "latitude",
    within(-90.0, 90.0, "degrees on WGS 84, beside `longitude`"),
    "one place is needed",
    "Instead of `position`, in a scene that says where on earth it lies.",
);

const HEIGHT_ABOVE_GROUND: Key = key(
    "height_above_ground",
    at_most(
        MAX_COORDINATE,
        "metres over the ground below, or else `altitude`",
    ),
    "z of `position`",
    "Height above the lowest face under the device on which something can stand: an open sheet, the top of a \
     closed body, the floor of a room that holds the scene.",
);

const ALTITUDE: Key = key(
    "altitude",
    at_most(
        MAX_COORDINATE,
        "metres over the zero of the scene's coordinate reference system",
    ),
    "z of `position`",
    "Height above the zero of the heights of the scene's coordinate reference system.",
);

const ANTENNA: Key = key(
    "antenna",
    any(&[
        Shape::Choice(&PATTERNS),
        Shape::File("a pattern file (.msi, .pln, .adf, .nsm, .csv, .npz)"),
    ]),
    "`isotropic`",
    "The antenna of the device, or of each element of its array. `tr38901` is the sector element of 3GPP TR \
     38.901.",
);

const CUTS: Key = key(
    "cuts",
    choice(&names_of(&Combination::NAMES)).note(": how the cuts of a pattern file combine"),
    "`sum`",
    "How the two cuts of a pattern file become a pattern in all directions.",
);

const GAIN_DBI: Key = key(
    "gain_dbi",
    within(
        -100.0,
        100.0,
        "dBi: the largest gain, instead of the pattern's own",
    ),
    "the pattern's own",
    "The gain in the direction where it is largest.",
);

const ELECTRICAL_TILT_DEG: Key = key(
    "electrical_tilt_deg",
    within(-30.0, 30.0, "degrees downwards"),
    "0",
    "Bends the pattern down all round, on top of the tilt that a file's cuts already hold.",
);

const POLARIZATION: Key = key(
    "polarization",
    any(&[
        Shape::Choice(&names_of(&POLARIZATIONS)),
        Shape::Number(Range::All),
    ])
    .said("V, H, VH, cross, or a slant in degrees"),
    "`V`",
    "Polarisation; `VH` and `cross` are two ports each.",
);

const ORIENTATION_DEG: Key = key(
    "orientation_deg",
    vector(&["bearing", "downtilt", "slant"], Range::All)
        .unit("degrees; the bearing counts from +x (east) towards +y (north)"),
    "`[0, 0, 0]`",
    "Orientation after 3GPP TR 38.901.",
);

const AZIMUTH_DEG: Key = key(
    "azimuth_deg",
    within(
        -360.0,
        360.0,
        "degrees clockwise from north (+y), or else `orientation_deg`",
    ),
    "`orientation_deg`",
    "Where the antenna looks, as a compass counts.",
);

const DOWNTILT_DEG: Key = key(
    "downtilt_deg",
    within(
        -90.0,
        90.0,
        "degrees below the horizon, or else `orientation_deg`",
    ),
    "`orientation_deg`",
    "How far the antenna looks below the horizon.",
);

const DEVICE_ARRAY: Key = key(
    "array",
    table("ArrayOptions", ARRAY)
        .said("a table { rows, columns, spacing_wavelengths } or { elements_m }"),
    "one antenna",
    "Several such antennas on one device.",
);

const ARRAY_TRACING: Key = key(
    "array_tracing",
    choice(&names_of(&ArrayTracing::NAMES)),
    "`phase`",
    "`phase`: one trace to the device's position, and each element's phase by the path's direction. `each`: \
     every element is traced as a device of its own.",
);

const VELOCITY: Key = key(
    "velocity",
    VELOCITIES,
    "`[0, 0, 0]`",
    "Velocity, for Doppler shifts.",
);
