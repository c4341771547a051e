//! Keys of the devices: transmitters, receivers, their arrays.

use super::{Key, key};

/// `[[tx]]`
pub(in crate::scenario) const TX: &[Key] = &[
    NAME,
    POSITION,
    LONGITUDE,
    LATITUDE,
    HEIGHT_ABOVE_GROUND,
    ALTITUDE,
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
        "offset_db",
        "a number from -100 to 100, dB",
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

/// `[[rx]]`
pub(in crate::scenario) const RX: &[Key] = &[
    NAME,
    POSITION,
    LONGITUDE,
    LATITUDE,
    HEIGHT_ABOVE_GROUND,
    ALTITUDE,
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
        "strict",
        "true or false, beside file or grid",
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

/// `grid` of `[[rx]]`
pub(in crate::scenario) const GRID: &[Key] = &[
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
pub(in crate::scenario) const ARRAY: &[Key] = &[
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

// Keys that `[[tx]]` and `[[rx]]` share.
const NAME: Key = key(
    "name",
    "text",
    "the device's index",
    "A name for tables and maps.",
);

const POSITION: Key = key(
    "position",
    "[x, y, z], or [x, y] beside `height_above_ground` or `altitude`, of at most 1e7, metres",
    "one place is needed",
    "Where the device stands.",
);

const LONGITUDE: Key = key(
    "longitude",
    "a number from -180 to 180, degrees on WGS 84, beside `latitude`",
    "one place is needed",
    "Instead of `position`, in a scene that says where on earth it lies.",
);

const LATITUDE: Key = key(
    "latitude",
    "a number from -90 to 90, degrees on WGS 84, beside `longitude`",
    "one place is needed",
    "Instead of `position`, in a scene that says where on earth it lies.",
);

const HEIGHT_ABOVE_GROUND: Key = key(
    "height_above_ground",
    "a number of at most 1e7, metres over the ground below, or else `altitude`",
    "z of `position`",
    "Height above the lowest face under the device on which something can stand: an open sheet, the top of a \
     closed body, the floor of a room that holds the scene.",
);

const ALTITUDE: Key = key(
    "altitude",
    "a number of at most 1e7, metres over the zero of the scene's coordinate reference system",
    "z of `position`",
    "Height above the zero of the heights of the scene's coordinate reference system.",
);

const ANTENNA: Key = key(
    "antenna",
    "isotropic, dipole, short_dipole, tr38901, or the name of a pattern file (.msi, .pln, .adf, .nsm, .csv, \
     .npz), relative to the scenario",
    "`isotropic`",
    "The antenna of the device, or of each element of its array. `tr38901` is the sector element of 3GPP TR \
     38.901.",
);

const CUTS: Key = key(
    "cuts",
    "sum, weighted, hybrid: how the cuts of a pattern file combine",
    "`sum`",
    "How the two cuts of a pattern file become a pattern in all directions.",
);

const GAIN_DBI: Key = key(
    "gain_dbi",
    "a number, dBi: the largest gain, instead of the pattern's own",
    "the pattern's own",
    "The gain in the direction where it is largest.",
);

const ELECTRICAL_TILT_DEG: Key = key(
    "electrical_tilt_deg",
    "a number from -30 to 30, degrees downwards",
    "0",
    "Bends the pattern down all round, on top of the tilt that a file's cuts already hold.",
);

const POLARIZATION: Key = key(
    "polarization",
    "V, H, VH, cross, or a slant in degrees",
    "`V`",
    "Polarisation; `VH` and `cross` are two ports each.",
);

const ORIENTATION_DEG: Key = key(
    "orientation_deg",
    "three numbers [bearing, downtilt, slant], degrees; the bearing counts from +x (east) towards +y (north)",
    "`[0, 0, 0]`",
    "Orientation after 3GPP TR 38.901.",
);

const AZIMUTH_DEG: Key = key(
    "azimuth_deg",
    "a number from -360 to 360, degrees clockwise from north (+y), or else `orientation_deg`",
    "`orientation_deg`",
    "Where the antenna looks, as a compass counts.",
);

const DOWNTILT_DEG: Key = key(
    "downtilt_deg",
    "a number from -90 to 90, degrees below the horizon, or else `orientation_deg`",
    "`orientation_deg`",
    "How far the antenna looks below the horizon.",
);

const DEVICE_ARRAY: Key = key(
    "array",
    "a table { rows, columns, spacing_wavelengths } or { elements_m }",
    "one antenna",
    "Several such antennas on one device.",
);

const ARRAY_TRACING: Key = key(
    "array_tracing",
    "phase, each",
    "`phase`",
    "`phase`: one trace to the device's position, and each element's phase by the path's direction. `each`: \
     every element is traced as a device of its own.",
);

const VELOCITY: Key = key(
    "velocity",
    "three numbers [vx, vy, vz] of at most 1e6, m/s",
    "`[0, 0, 0]`",
    "Velocity, for Doppler shifts.",
);
