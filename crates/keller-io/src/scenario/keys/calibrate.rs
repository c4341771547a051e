//! Keys of power that no path brings, and of what measurements may change.

use super::{Key, key};

/// `[background]`
pub(in crate::scenario) const BACKGROUND: &[Key] = &[
    key(
        "level_db",
        "a number, dB",
        "needed",
        "Path gain of the background at 1 m.",
    ),
    key(
        "exponent",
        "a number from 0 to 20",
        "2",
        "The background falls by ten times this many dB from one decade of the distance to the next.",
    ),
    key(
        "enabled",
        "true or false",
        "`true`",
        "`false` switches it off and keeps its numbers.",
    ),
];

/// `[diffuse]`
pub(in crate::scenario) const DIFFUSE: &[Key] = &[
    key(
        "enabled",
        "true or false",
        "`true`",
        "`false` switches it off.",
    ),
    key(
        "side",
        "a positive number, metres",
        "the scene's surface cut into about 3 000 tiles, 10 m at most",
        "Wanted side of the tiles between which power is exchanged.",
    ),
    key(
        "tile_rays",
        "a whole number from 16 to 1000000",
        "256",
        "Rays from each side of a tile of mean size.",
    ),
    key(
        "tx_rays",
        "a whole number from 16 to 10000000",
        "16384",
        "Rays from each Tx.",
    ),
    key(
        "rx_rays",
        "a whole number from 16 to 1000000",
        "2048",
        "Rays from each place at which the field is wanted.",
    ),
];

/// `[calibrate]`
pub(in crate::scenario) const CALIBRATE: &[Key] = &[
    key(
        "materials",
        "tables: [calibrate.materials.NAME]",
        "no material changes",
        "What may change of materials.",
    ),
    key(
        "background",
        "a table: [calibrate.background]",
        "the background stays as it is",
        "What may change of the background.",
    ),
    key(
        "losses",
        "a list of corner_loss_db, roof_loss_db, wall_loss_db",
        "all that the paths have",
        "Which losses of `[beams]` may change, where `engine = \"beams\"` is calibrated.",
    ),
    key(
        "offset",
        "none, one, tx",
        "`none`",
        "What is added to predictions, in dB, fitted to the measurements: nothing, one number, or one for each Tx.",
    ),
    key(
        "error_db",
        "a positive number, dB",
        "6",
        "The error that is expected of predictions. Priors and uncertainties of measurements are weighed by it.",
    ),
];

/// `[calibrate.materials.NAME]`
pub(in crate::scenario) const CALIBRATE_MATERIAL: &[Key] = &[
    range(
        "permittivity",
        "Real part of the relative permittivity; of materials of one layer.",
    ),
    range(
        "conductivity",
        "S/m; of materials of one layer. Searched over its logarithm if `min` is above 0.",
    ),
    range("thickness", "Metres; of materials of one layer."),
    range("roughness", "Metres."),
    range("scattering", "0 to 1."),
    range("transmission_loss_db", "As the key of `[materials.NAME]`."),
    range("reflection_loss_db", "As the key of `[materials.NAME]`."),
    range("diffraction_loss_db", "As the key of `[materials.NAME]`."),
];

/// `[calibrate.background]`
pub(in crate::scenario) const CALIBRATE_BACKGROUND: &[Key] = &[
    range("level_db", "As the key of `[background]`."),
    range("exponent", "As the key of `[background]`."),
];

/// What stands for a parameter.
pub(in crate::scenario) const RANGE: &[Key] = &[
    key("min", "a number", "needed", "The least value."),
    key(
        "max",
        "a number above `min`",
        "needed",
        "The largest value.",
    ),
    key(
        "start",
        "a number from `min` to `max`",
        "what the scenario says, else the middle",
        "Where the search begins.",
    ),
    key(
        "prior",
        "two numbers [mean, deviation]",
        "every value is as likely",
        "What is believed before anything is measured: a normal distribution.",
    ),
];

const fn range(name: &'static str, meaning: &'static str) -> Key {
    key(
        name,
        "two numbers [min, max], or a table { min, max, start, prior }",
        "does not change",
        meaning,
    )
}
