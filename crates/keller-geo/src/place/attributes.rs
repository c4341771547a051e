//! The heights and materials that the attributes of a feature state, in any format.
//!
//! Numbers may be text with a unit: `12`, `12 m`, `12,5 m`, `40 ft`, `40'`, `40'6"`.

mod above_ground;
mod roof;

use super::notes::Notes;
use super::{PitchedRoof, Prism, Roof, RoofRise};
use crate::shown::shown;

/// Metres in a foot (international).
const FOOT: f64 = 0.3048;

/// Metres in an inch.
const INCH: f64 = 0.0254;

/// The height above which a warning is given, metres: no building reaches it, a number in feet or centimetres may.
const SUSPICIOUS_HEIGHT: f64 = 1000.0;

/// A roof on open sides is this thick, metres.
const OPEN_ROOF_THICKNESS: f64 = 0.3;

/// A roof on open sides about whose height nothing is said, metres: a driver passes under it.
const OPEN_ROOF_HEIGHT: f64 = 5.0;

/// The options for reading files: names of attributes, and defaults where a file says nothing. Names are compared
/// without regard to case; the first one in a list that a feature has and that holds a usable number counts.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOptions {
    /// The coordinate reference system, against what the file states or implies; `local` for metres of no known place.
    pub crs: Option<String>,
    /// The coordinate reference system of a file that states none. GeoJSON implies longitude and latitude where its
    /// coordinates can be, unless this is `local`.
    pub missing_crs: Option<String>,
    /// Attributes that hold the height of the roof above the ground.
    pub height_keys: Vec<String>,
    /// Attributes that hold the elevation of the roof above the file's zero.
    pub elevation_keys: Vec<String>,
    /// Attributes that hold the number of storeys.
    pub level_keys: Vec<String>,
    /// Attributes that hold the height of the underside above the ground.
    pub min_height_keys: Vec<String>,
    /// Attributes that hold the number of storeys left out below.
    pub min_level_keys: Vec<String>,
    /// Attributes that hold the elevation of the ground above the file's zero.
    pub ground_keys: Vec<String>,
    /// Attributes that hold the material of the walls.
    pub wall_material_keys: Vec<String>,
    /// Attributes that hold the material of the roof.
    pub roof_material_keys: Vec<String>,
    /// The metres that a number without a unit stands for: 1, or 0.3048 for a file in feet.
    pub unit: f64,
    /// The height of a storey, metres.
    pub level_height: f64,
    /// The height of a building about whose height nothing is said, metres; `None` leaves such buildings out. A warning
    /// is given for either.
    pub default_height: Option<f64>,
    /// Attributes whose values `wood`, `forest` or `trees` make a feature vegetation and no building. So does an attribute
    /// `attenuation_db_per_m`.
    pub clutter_keys: Vec<String>,
    /// The height of vegetation about whose height nothing is said, metres; with a warning.
    pub clutter_height: f64,
    /// The attenuation of vegetation about which nothing is said, dB/m; with a warning. It rises with frequency.
    pub clutter_attenuation_db_per_m: f64,
}

/// The name under which options give metres of no known place.
const LOCAL: &str = "local";

impl ReadOptions {
    /// The coordinate reference system of a file that states `stated`.
    pub(super) fn crs_of(&self, stated: Option<String>) -> Option<String> {
        let crs = self
            .crs
            .clone()
            .or(stated)
            .or_else(|| self.missing_crs.clone());
        crs.filter(|crs| !crs.eq_ignore_ascii_case(LOCAL))
    }

    /// Whether a format may imply its system.
    pub(super) fn lets_imply(&self) -> bool {
        let is_local = |crs: &String| crs.eq_ignore_ascii_case(LOCAL);
        self.crs.is_none() && !self.missing_crs.as_ref().is_some_and(is_local)
    }

    /// Whether only the file can name its coordinate reference system.
    pub(super) fn leaves_crs_open(&self) -> bool {
        self.crs.is_none() && self.missing_crs.is_none()
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Self {
            crs: None,
            missing_crs: None,
            height_keys: list(&[
                "height",
                "building:height",
                "building_height",
                "measuredHeight",
                "height_m",
                "hoehe",
                "höhe",
                "gebhoehe",
                "est_height",
            ]),
            elevation_keys: list(&["roof_elevation", "roof_z"]),
            level_keys: list(&[
                "building:levels",
                "levels",
                "storeysAboveGround",
                "num_floors",
                "floors",
                "stockwerke",
            ]),
            min_height_keys: list(&["min_height", "building:min_height"]),
            min_level_keys: list(&["building:min_level", "min_level"]),
            ground_keys: list(&["ground", "ground_elevation", "ground_z", "TerrainHeight"]),
            wall_material_keys: list(&[
                "building:facade:material",
                "building:material",
                "facade:material",
                "wall_material",
                "material",
            ]),
            roof_material_keys: list(&["roof:material", "roof_material", "material"]),
            unit: 1.0,
            level_height: 3.0,
            default_height: Some(10.0),
            clutter_keys: list(&["natural", "landuse", "landcover", "vegetation"]),
            clutter_height: 10.0,
            clutter_attenuation_db_per_m: 0.3,
        }
    }
}

/// The attributes of one feature, as text.
#[derive(Debug, Clone, Default)]
pub(super) struct Attributes(pub(super) Vec<(String, String)>);

impl Attributes {
    /// The text of the attribute called `key`; empty ones count as missing.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let wanted = key.to_lowercase();
        let found = self.0.iter().find(|(name, value)| {
            !value.trim().is_empty() && (name == key || name.to_lowercase() == wanted)
        });
        found.map(|(_, value)| value.trim())
    }

    /// The first of `keys` that there is.
    pub(super) fn first(&self, keys: &[String]) -> Option<&str> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// Takes over the properties that a part of a building does not state itself: its height and its materials.
    pub(super) fn inherit(&mut self, building: &Self, options: &ReadOptions) {
        let heights = [
            &options.height_keys,
            &options.elevation_keys,
            &options.level_keys,
        ];
        let is_usable = |key: &String| {
            self.get(key)
                .is_some_and(|text| measure(text, 1.0).is_some())
        };
        let has_height = heights.into_iter().flatten().any(is_usable);
        let materials = [&options.wall_material_keys, &options.roof_material_keys];
        let lacks_material = materials.map(|keys| self.first(keys).is_none());
        let taken = heights.into_iter().filter(|_| !has_height);
        let taken = taken.chain(
            materials
                .into_iter()
                .zip(lacks_material)
                .filter_map(|(keys, lacks)| lacks.then_some(keys)),
        );
        for key in taken.flatten() {
            if let Some(value) = building.get(key) {
                // The first of a name counts, and the part's own may be unusable.
                self.0.insert(0, (key.clone(), value.to_owned()));
            }
        }
    }

    /// The first usable number under `keys`, times `unit` if it bears no unit; text that is no number is warned of.
    pub(super) fn measure(
        &self,
        keys: &[String],
        unit: f64,
        place: &str,
        notes: &mut Notes,
    ) -> Option<f64> {
        keys.iter().find_map(|key| {
            let text = self.get(key)?;
            let value = measure(text, unit);
            if value.is_none() {
                notes.add(
                    &format!("{place} ({key} `{text}`)", text = shown(text)),
                    "this is not a number with an optional unit (m, cm, ft) and is not used",
                );
            }
            value
        })
    }

    /// The prism over `outline` with its stated properties; `None`, with a warning, if nothing gives it a height.
    pub(super) fn prism(
        &self,
        outline: Vec<super::Polygon>,
        options: &ReadOptions,
        place: &str,
        notes: &mut Notes,
    ) -> Option<Prism> {
        notes.about(super::outline_bounds(&outline), |notes| {
            self.prism_over(outline, options, place, notes)
        })
    }

    fn prism_over(
        &self,
        outline: Vec<super::Polygon>,
        options: &ReadOptions,
        place: &str,
        notes: &mut Notes,
    ) -> Option<Prism> {
        if let Some(reason) = self.reason_below_ground(options) {
            notes.add(place, reason);
            return None;
        }
        let mut pitched = self.pitched(options, place, notes);
        let is_open = self.is_open();
        let mut read = |keys: &[String], unit| self.measure(keys, unit, place, notes);
        let min_height = read(&options.min_height_keys, options.unit)
            .or_else(|| Some(read(&options.min_level_keys, 1.0)? * options.level_height));
        let ground = read(&options.ground_keys, options.unit);
        let height = read(&options.height_keys, options.unit);
        let elevation = read(&options.elevation_keys, options.unit);
        let by_levels = read(&options.level_keys, 1.0).map(|levels| levels * options.level_height);
        let by_levels = by_levels.filter(|height| height.is_finite());
        let mut min_height = min_height.filter(|h| h.is_finite()).unwrap_or(0.0);
        if min_height < 0.0 {
            notes.add(place, "the underside is below the ground; 0 m is used");
            min_height = 0.0;
        }
        let base = ground.unwrap_or(f64::NEG_INFINITY);
        let roof = if let Some(height) = height.filter(|&height| height > 0.0) {
            Roof::Height(height)
        } else if let Some(elevation) = elevation.filter(|&elevation| elevation > base) {
            Roof::Elevation(elevation)
        } else if let (Some(_), Some(pitched)) = (by_levels.filter(|h| *h >= 0.0), &mut pitched) {
            // Storeys end at the eaves.
            let eaves = by_levels.unwrap_or_default();
            match pitched.rise {
                RoofRise::Height(rise) => Roof::Height(eaves + rise),
                _ if eaves > 0.0 => {
                    pitched.is_on_top = true;
                    Roof::Height(eaves)
                }
                _ => {
                    pitched.rise = RoofRise::Height(options.level_height);
                    Roof::Height(options.level_height)
                }
            }
        } else if let Some(height) = by_levels.filter(|&height| height > 0.0) {
            Roof::Height(height)
        } else {
            let (place, reason) = match height.or(elevation).or(by_levels) {
                Some(given) => (
                    &*format!("{place} ({given} m)"),
                    "the height is not above the ground",
                ),
                None => (place, "no height is given"),
            };
            let Some(mut height) = options.default_height else {
                notes.add(place, format!("{reason}; the building is left out"));
                return None;
            };
            if is_open {
                height = height.min(OPEN_ROOF_HEIGHT);
            }
            notes.add(place, format!("{reason}; {height} m is used"));
            Roof::Height(height.max(min_height + options.level_height))
        };
        if let Roof::Height(height) = roof {
            if height > SUSPICIOUS_HEIGHT {
                notes.add(
                    &format!("{place} ({height} m)"),
                    "such a height is used as it is, but may be in another unit",
                );
            }
            if height <= min_height {
                notes.add(
                    &format!("{place} (from {min_height} m to {height} m)"),
                    "the roof is not above the underside; the building is left out",
                );
                return None;
            }
        }
        let above_ground = match roof {
            Roof::Height(height) => Some(height),
            Roof::Elevation(elevation) => ground.map(|ground| elevation - ground),
        };
        if let Some(top) = above_ground.filter(|_| is_open && min_height == 0.0) {
            min_height = open_underside(top, pitched.as_mut());
            notes.add(
                place,
                format!("it is a roof on open sides, {OPEN_ROOF_THICKNESS} m thick; what carries it is left out"),
            );
        }
        Some(Prism {
            outline,
            roof,
            pitched,
            min_height,
            ground,
        })
    }
}

/// The height of the underside of a roof on open sides whose top is `top` over the ground, metres. It lies under the eaves, so how far
/// the roof rises is settled here.
fn open_underside(top: f64, pitched: Option<&mut PitchedRoof>) -> f64 {
    let mut eaves = top;
    if let Some(pitched) = pitched.filter(|pitched| !pitched.is_on_top) {
        let rise = match pitched.rise {
            RoofRise::Height(rise) => rise,
            RoofRise::AngleDeg(_) | RoofRise::Assumed(_) => 0.25 * top,
        };
        let rise = rise.min(0.5 * top);
        pitched.rise = RoofRise::Height(rise);
        eaves -= rise;
    }
    (eaves - OPEN_ROOF_THICKNESS).max(0.5 * eaves)
}

/// The metres that `text` states; a number without a unit is multiplied by `unit`.
fn measure(text: &str, unit: f64) -> Option<f64> {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | ',' | 'e' | 'E')))
        .unwrap_or(text.len());
    // The e of a unit is none of a number; an exponent has digits behind it.
    let number = text[..end].trim_end_matches(['e', 'E']);
    let rest = text[number.len()..].trim();
    let value = number_of(number)?;
    let metres = match rest.to_lowercase().as_str() {
        "" => value * unit,
        "m" | "meter" | "metre" | "meters" | "metres" => value,
        "cm" => value / 100.0,
        "ft" | "feet" | "foot" | "'" | "\u{2019}" | "\u{2032}" => value * FOOT,
        inches => {
            let inches = inches.strip_prefix(['\'', '\u{2019}', '\u{2032}'])?;
            let inches = inches.trim().strip_suffix(['"', '\u{201d}', '\u{2033}'])?;
            value * FOOT + number_of(inches.trim())? * INCH
        }
    };
    metres.is_finite().then_some(metres)
}

/// A number whose decimal point may be a comma.
fn number_of(text: &str) -> Option<f64> {
    if text.contains('.') {
        return text.parse().ok();
    }
    text.replacen(',', ".", 1).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_may_be_text_with_a_unit() {
        let cases = [
            ("12", Some(12.0)),
            (" 12.5 ", Some(12.5)),
            ("12,5 m", Some(12.5)),
            ("12m", Some(12.0)),
            ("1.2e1", Some(12.0)),
            ("40 ft", Some(12.192)),
            ("40'", Some(12.192)),
            ("40'6\"", Some(12.3444)),
            ("1200 cm", Some(12.0)),
            ("12 metres", Some(12.0)),
            ("tall", None),
            ("", None),
            ("12-15", None),
            ("1,200.5 m", None),
            ("12 yards", None),
            ("nan", None),
            ("1e999", None),
            ("'6\"", None),
        ];
        for (text, wanted) in cases {
            let found = measure(text, 1.0);
            let is_same = match (found, wanted) {
                (Some(a), Some(b)) => (a - b).abs() < 1e-12,
                (a, b) => a == b,
            };
            assert!(is_same, "`{text}`: {found:?}, not {wanted:?}");
        }
        assert_eq!(measure("10", FOOT), Some(3.048));
        assert_eq!(measure("10 m", FOOT), Some(10.0));
    }

    fn attributes(pairs: &[(&str, &str)]) -> Attributes {
        Attributes(pairs.iter().map(|&(k, v)| (k.into(), v.into())).collect())
    }

    fn roof(pairs: &[(&str, &str)]) -> (Option<Prism>, Vec<String>) {
        let mut notes = Notes::without_file();
        let prism =
            attributes(pairs).prism(Vec::new(), &ReadOptions::default(), "feature 7", &mut notes);
        (prism, notes.sentences())
    }

    #[test]
    fn the_first_usable_height_counts() {
        let height = |pairs: &[(&str, &str)]| match roof(pairs).0.map(|prism| prism.roof) {
            Some(Roof::Height(height)) => height,
            other => panic!("{other:?}"),
        };
        assert_eq!(height(&[("HOEHE", "21")]), 21.0);
        assert_eq!(height(&[("levels", "4"), ("height", "15")]), 15.0);
        assert_eq!(height(&[("height", "tall"), ("levels", "4")]), 12.0);
        assert_eq!(height(&[("height", "-3"), ("building:levels", "2")]), 6.0);
        assert_eq!(height(&[("height", " "), ("Height", "7")]), 7.0);
    }

    #[test]
    fn what_is_assumed_is_said() {
        let (prism, warnings) = roof(&[("height", "tall")]);
        assert_eq!(prism.unwrap().roof, Roof::Height(10.0));
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert!(
            warnings[0].starts_with("feature 7 (height `tall`): this is not a number"),
            "{warnings:?}"
        );
        assert_eq!(warnings[1], "feature 7: no height is given; 10 m is used");
    }

    #[test]
    fn a_roof_below_the_underside_leaves_the_building_out() {
        let (prism, warnings) = roof(&[("height", "3"), ("min_height", "5")]);
        assert!(prism.is_none(), "{prism:?}");
        assert!(warnings[0].contains("left out"), "{warnings:?}");
    }
}
