//! Turns a coordinate reference system into the GeoTIFF keys that describe it.

use super::keys::{
    ANGULAR_UNITS, CITATION, DATUM, DEGREE, ELLIPSOID, GEODETIC_CRS, GEOGRAPHIC,
    INVERSE_FLATTENING, Keys, LINEAR_UNIT_SIZE, LINEAR_UNITS, METHOD, METHODS, METRE, MODEL_TYPE,
    PROJECTED, PROJECTED_CRS, PROJECTION, RASTER_TYPE, SEMI_MAJOR_AXIS, TO_WGS84, USER_DEFINED,
    Value,
};
use crate::crs::Crs;

/// The keys that describe `crs`: its code, or else its method and parameters, with its PROJ string as citation.
pub(super) fn keys_of(crs: &Crs) -> Keys {
    let model = if crs.is_geographic() {
        GEOGRAPHIC
    } else {
        PROJECTED
    };
    // Heights and values are of areas.
    let mut keys = vec![
        (MODEL_TYPE, Value::Short(model)),
        (RASTER_TYPE, Value::Short(1)),
    ];
    let kind = if crs.is_geographic() {
        GEODETIC_CRS
    } else {
        PROJECTED_CRS
    };
    if let Some(code) = crs.epsg().and_then(|code| u16::try_from(code).ok()) {
        keys.push((CITATION, Value::Text(crs.name().to_owned())));
        keys.push((kind, Value::Short(code)));
        if !crs.is_geographic() && crs.unit() == 1.0 {
            keys.push((LINEAR_UNITS, Value::Short(METRE)));
        }
        return Keys(keys);
    }
    keys.push((CITATION, Value::Text(crs.definition().to_owned())));
    let [a, b] = crs.ellipsoid();
    let flattening = if a == b { 0.0 } else { a / (a - b) };
    for key in [GEODETIC_CRS, DATUM] {
        keys.push((key, Value::Short(USER_DEFINED)));
    }
    keys.push((ANGULAR_UNITS, Value::Short(DEGREE)));
    keys.push((ELLIPSOID, Value::Short(USER_DEFINED)));
    keys.push((SEMI_MAJOR_AXIS, Value::Doubles(vec![a])));
    keys.push((INVERSE_FLATTENING, Value::Doubles(vec![flattening])));
    if let Some(shift) = word(crs, "towgs84") {
        let values = shift.split(',').filter_map(|value| value.parse().ok());
        keys.push((TO_WGS84, Value::Doubles(values.collect())));
    }
    if !crs.is_geographic() {
        add_projection(crs, &mut keys);
    }
    keys.sort_by_key(|(key, _)| *key);
    keys.dedup_by_key(|(key, _)| *key);
    Keys(keys)
}

/// A word of a system's PROJ string.
fn word<'a>(crs: &'a Crs, name: &str) -> Option<&'a str> {
    let words = crs.definition().split_whitespace();
    words
        .filter_map(|word| word.strip_prefix('+')?.split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value)
}

/// Adds the keys of a projection's method and parameters.
fn add_projection(crs: &Crs, keys: &mut Vec<(u16, Value)>) {
    let word = |name: &str| word(crs, name);
    keys.push((PROJECTED_CRS, Value::Short(USER_DEFINED)));
    keys.push((PROJECTION, Value::Short(USER_DEFINED)));
    let mut zone = Vec::new();
    let mut name = word("proj").unwrap_or_default();
    if name == "utm" {
        let number: f64 = word("zone")
            .and_then(|zone| zone.parse().ok())
            .unwrap_or(0.0);
        let north = if crs.definition().contains("+south") {
            1e7
        } else {
            0.0
        };
        zone = vec![
            ("lat_0", 0.0),
            ("lon_0", 6.0 * number - 183.0),
            ("k", 0.9996),
            ("x_0", 5e5),
            ("y_0", north),
        ];
        name = "tmerc";
    }
    // The form of Lambert's projection with two parallels serves both, but without a scale.
    let has_two = word("lat_2").is_some();
    let number = |name: &str| word(name).and_then(|value| value.parse::<f64>().ok());
    let is_polar = number("lat_0").is_some_and(|lat| lat.abs() == 90.0);
    let method = METHODS.iter().find(|(code, n, _)| {
        *n == name
            && match code {
                7 => number("lat_ts").is_none_or(|lat| lat == 0.0),
                8 => has_two,
                15 => is_polar,
                _ => true,
            }
    });
    if let Some((code, _, parameters)) = method {
        keys.push((METHOD, Value::Short(*code)));
        keys.push((
            LINEAR_UNITS,
            Value::Short(if crs.unit() == 1.0 {
                METRE
            } else {
                USER_DEFINED
            }),
        ));
        if crs.unit() != 1.0 {
            keys.push((LINEAR_UNIT_SIZE, Value::Doubles(vec![crs.unit()])));
        }
        for (key, parameter) in *parameters {
            let given = zone
                .iter()
                .find(|(name, _)| name == parameter)
                .map(|(_, value)| *value);
            let spelled =
                || number(parameter).or_else(|| (*parameter == "k").then(|| number("k_0"))?);
            let default = match *parameter {
                "k" => 1.0,
                "lat_ts" => number("lat_0").unwrap_or(0.0),
                _ => 0.0,
            };
            let value = given.or_else(spelled).unwrap_or(default);
            let value = if parameter.starts_with(['x', 'y']) {
                value / crs.unit()
            } else {
                value
            };
            keys.push((*key, Value::Doubles(vec![value])));
        }
    }
}
