//! Keys of power that no path brings, and of the parameters that measurements may change.

use keller::calibration::LossKind;
use keller::comparison::OffsetKind;

use crate::scenario::key_types::{
    FLAG, Key, Range, Shape, any, choice, key, list, names_of, number, of, positive, table, vector,
    whole, within,
};

/// The kinds of offsets, by the names that a scenario and the command line use.
pub const OFFSET_NAMES: [(&str, OffsetKind); 3] = [
    ("none", OffsetKind::None),
    ("one", OffsetKind::One),
    ("tx", OffsetKind::PerGroup),
];

const LOSSES: [&str; 3] = names_of(&LossKind::NAMES);

/// The keys of `[background]`.
pub(in crate::scenario) const BACKGROUND: &[Key] = &[
    key(
        "level_db",
        number("dB"),
        "needed",
        "Path gain of the background at 1 m.",
    ),
    key(
        "exponent",
        within(0.0, 20.0, ""),
        "2",
        "The background falls by ten times this many dB from one decade of the distance to the next.",
    ),
    key(
        "enabled",
        FLAG,
        "`true`",
        "`false` switches it off and keeps its numbers.",
    ),
];

/// The keys of `[diffuse]`.
pub(in crate::scenario) const DIFFUSE: &[Key] = &[
    key("enabled", FLAG, "`true`", "`false` switches it off."),
    key(
        "side",
        positive("metres"),
        "the scene's surface cut into about 3 000 tiles, 10 m at most",
        "Wanted side of the tiles between which power is exchanged.",
    ),
    key(
        "tile_rays",
        whole(16, 1_000_000),
        "256",
        "Rays from each side of a tile of mean size.",
    ),
    key(
        "tx_rays",
        whole(16, 10_000_000),
        "16384",
        "Rays from each Tx.",
    ),
    key(
        "rx_rays",
        whole(16, 1_000_000),
        "2048",
        "Rays from each place at which the field is wanted.",
    ),
];

/// The keys of `[calibrate]`.
pub(in crate::scenario) const CALIBRATE: &[Key] = &[
    key(
        "materials",
        of(Shape::Named(
            "CalibratedMaterialOptions",
            CALIBRATE_MATERIAL,
        ))
        .said("tables: [calibrate.materials.NAME]"),
        "no material changes",
        "What may change of materials.",
    ),
    key(
        "background",
        table("CalibratedBackgroundOptions", CALIBRATE_BACKGROUND)
            .said("a table: [calibrate.background]"),
        "the background stays as it is",
        "What may change of the background.",
    ),
    key(
        "losses",
        list(&Shape::Choice(&LOSSES)),
        "all that the paths have",
        "Which losses of `[beams]` may change, where `engine = \"beams\"` is calibrated.",
    ),
    key(
        "offset",
        choice(&names_of(&OFFSET_NAMES)),
        "`none`",
        "What is added to predictions, in dB, fitted to the measurements: nothing, one number, or one for each Tx.",
    ),
    key(
        "error_db",
        positive("dB"),
        "6",
        "The error that is expected of predictions. Priors and uncertainties of measurements are weighed by it.",
    ),
];

/// The keys of `[calibrate.materials.NAME]`.
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

/// The keys of `[calibrate.background]`.
pub(in crate::scenario) const CALIBRATE_BACKGROUND: &[Key] = &[
    range("level_db", "As the key of `[background]`."),
    range("exponent", "As the key of `[background]`."),
];

/// The keys of a parameter.
pub(in crate::scenario) const RANGE: &[Key] = &[
    key("min", number(""), "needed", "The least value."),
    key(
        "max",
        number("").note(" above `min`"),
        "needed",
        "The largest value.",
    ),
    key(
        "start",
        number("").note(" from `min` to `max`"),
        "what the scenario says, else the middle",
        "Where the search begins.",
    ),
    key(
        "prior",
        vector(&["mean", "deviation"], Range::All),
        "every value is as likely",
        "What is believed before anything is measured: a normal distribution.",
    ),
];

const fn range(name: &'static str, meaning: &'static str) -> Key {
    key(
        name,
        any(&[
            Shape::Vector(&["min", "max"], Range::All),
            Shape::Table("RangeOptions", RANGE),
        ]),
        "does not change",
        meaning,
    )
}
