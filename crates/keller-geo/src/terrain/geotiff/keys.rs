//! The keys of a file, and the coordinate reference system that they describe.

use crate::crs::{Crs, CrsError};

pub(super) const MODEL_TYPE: u16 = 1024;
pub(super) const RASTER_TYPE: u16 = 1025;
pub(super) const CITATION: u16 = 1026;
pub(super) const GEODETIC_CRS: u16 = 2048;
pub(super) const GEODETIC_CITATION: u16 = 2049;
pub(super) const DATUM: u16 = 2050;
pub(super) const ANGULAR_UNITS: u16 = 2054;
pub(super) const ELLIPSOID: u16 = 2056;
pub(super) const SEMI_MAJOR_AXIS: u16 = 2057;
pub(super) const INVERSE_FLATTENING: u16 = 2059;
pub(super) const TO_WGS84: u16 = 2062;
pub(super) const PROJECTED_CRS: u16 = 3072;
pub(super) const PROJECTED_CITATION: u16 = 3073;
pub(super) const PROJECTION: u16 = 3074;
pub(super) const METHOD: u16 = 3075;
pub(super) const LINEAR_UNITS: u16 = 3076;
pub(super) const LINEAR_UNIT_SIZE: u16 = 3077;
pub(super) const VERTICAL: u16 = 4096;
pub(super) const VERTICAL_UNITS: u16 = 4099;

/// A value that a key's lists do not have.
pub(super) const USER_DEFINED: u16 = 32767;
pub(super) const PROJECTED: u16 = 1;
pub(super) const GEOGRAPHIC: u16 = 2;
pub(super) const DEGREE: u16 = 9102;
pub(super) const METRE: u16 = 9001;

/// A method's code, its name in PROJ, and its keys with the parameters of PROJ.
pub(super) type Method = (u16, &'static str, &'static [(u16, &'static str)]);

/// Codes of methods, PROJ's names, and keys with PROJ's parameters.
pub(super) const METHODS: [Method; 9] = [
    (
        1,
        "tmerc",
        &[
            (3081, "lat_0"),
            (3080, "lon_0"),
            (3092, "k"),
            (3082, "x_0"),
            (3083, "y_0"),
        ],
    ),
    (
        7,
        "merc",
        &[(3080, "lon_0"), (3092, "k"), (3082, "x_0"), (3083, "y_0")],
    ),
    (
        8,
        "lcc",
        &[
            (3078, "lat_1"),
            (3079, "lat_2"),
            (3085, "lat_0"),
            (3084, "lon_0"),
            (3086, "x_0"),
            (3087, "y_0"),
        ],
    ),
    (
        9,
        "lcc",
        &[
            (3081, "lat_1"),
            (3081, "lat_0"),
            (3080, "lon_0"),
            (3092, "k"),
            (3082, "x_0"),
            (3083, "y_0"),
        ],
    ),
    (
        10,
        "laea",
        &[
            (3089, "lat_0"),
            (3088, "lon_0"),
            (3082, "x_0"),
            (3083, "y_0"),
        ],
    ),
    (
        11,
        "aea",
        &[
            (3078, "lat_1"),
            (3079, "lat_2"),
            (3081, "lat_0"),
            (3080, "lon_0"),
            (3082, "x_0"),
            (3083, "y_0"),
        ],
    ),
    (
        12,
        "aeqd",
        &[
            (3089, "lat_0"),
            (3088, "lon_0"),
            (3082, "x_0"),
            (3083, "y_0"),
        ],
    ),
    (
        15,
        "stere",
        &[
            (3081, "lat_ts"),
            (3095, "lon_0"),
            (3092, "k"),
            (3082, "x_0"),
            (3083, "y_0"),
        ],
    ),
    (
        16,
        "sterea",
        &[
            (3081, "lat_0"),
            (3080, "lon_0"),
            (3092, "k"),
            (3082, "x_0"),
            (3083, "y_0"),
        ],
    ),
];

/// One key's value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Short(u16),
    Doubles(Vec<f64>),
    Text(String),
}

/// The keys of a file.
#[derive(Debug, Default)]
pub(super) struct Keys(pub(super) Vec<(u16, Value)>);

impl Keys {
    /// Reads the three tags. Keys that point outside of them are left out.
    pub(super) fn read(directory: &[u16], doubles: &[f64], text: &str) -> Self {
        let mut keys = Vec::new();
        let (entries, _) = directory.get(4..).unwrap_or_default().as_chunks::<4>();
        let count = directory.get(3).copied().unwrap_or(0);
        for &[id, place, count, value] in entries.iter().take(usize::from(count)) {
            let range = usize::from(value)..usize::from(value) + usize::from(count);
            let value = match place {
                0 => Some(Value::Short(value)),
                34736 => doubles
                    .get(range)
                    .map(|values| Value::Doubles(values.to_vec())),
                34737 => text
                    .get(range)
                    .map(|text| Value::Text(text.trim_end_matches(['|', '\0']).to_owned())),
                _ => None,
            };
            keys.extend(value.map(|value| (id, value)));
        }
        Self(keys)
    }

    pub(super) fn short(&self, key: u16) -> Option<u16> {
        match self.get(key)? {
            Value::Short(value) => Some(*value),
            _ => None,
        }
    }

    fn number(&self, key: u16) -> Option<f64> {
        match self.get(key)? {
            Value::Short(value) => Some(f64::from(*value)),
            Value::Doubles(values) => values.first().copied(),
            Value::Text(_) => None,
        }
    }

    fn text(&self, key: u16) -> Option<&str> {
        match self.get(key)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    fn get(&self, key: u16) -> Option<&Value> {
        self.0
            .iter()
            .find(|(id, _)| *id == key)
            .map(|(_, value)| value)
    }

    /// The coordinate reference system, if the keys describe one.
    pub(super) fn crs(&self) -> Result<Option<Crs>, CrsError> {
        let code = |key: u16| {
            self.short(key)
                .filter(|code| ![0, USER_DEFINED].contains(code))
        };
        if let Some(code) = code(PROJECTED_CRS) {
            return Crs::from_epsg(u32::from(code)).map(Some);
        }
        if self.short(MODEL_TYPE) == Some(GEOGRAPHIC) {
            return match code(GEODETIC_CRS) {
                Some(code) => Crs::from_epsg(u32::from(code)).map(Some),
                None => self
                    .datum()
                    .map(|datum| Crs::parse(&format!("+proj=longlat {datum}")))
                    .transpose(),
            };
        }
        for key in [CITATION, PROJECTED_CITATION, GEODETIC_CITATION] {
            let text = self.text(key).unwrap_or_default();
            let definition = text
                .find("+proj=")
                .or_else(|| text.find("PROJCS["))
                .or_else(|| text.find("GEOGCS["));
            if let Some(start) = definition {
                return Crs::parse(&text[start..]).map(Some);
            }
        }
        if let Some(projection) = code(PROJECTION) {
            // UTM zones: 16001 to 16060 north, 16101 to 16160 south.
            let (zone, south) = (projection % 100, (16101..=16160).contains(&projection));
            if (16001..=16060).contains(&projection) || south {
                let south = if south { " +south" } else { "" };
                let datum = self.datum().unwrap_or_default();
                return Crs::parse(&format!("+proj=utm +zone={zone}{south} {datum}")).map(Some);
            }
        }
        if self.short(MODEL_TYPE) != Some(PROJECTED) {
            return Ok(None);
        }
        self.projection()
    }

    /// A projection by its method and parameters.
    fn projection(&self) -> Result<Option<Crs>, CrsError> {
        let refuse = |problem: String| CrsError::Definition {
            definition: "GeoTIFF keys".to_owned(),
            problem,
        };
        let Some(method) = self.short(METHOD) else {
            return Ok(None);
        };
        let Some((_, name, parameters)) = METHODS.iter().find(|(code, ..)| *code == method) else {
            return Err(refuse(format!(
                "the projection method {method} is not read; state the system instead"
            )));
        };
        if self.short(ANGULAR_UNITS).is_some_and(|unit| unit != DEGREE) {
            return Err(refuse(
                "its angles are not in degrees; state the system instead".to_owned(),
            ));
        }
        let mut words = vec![format!("+proj={name}")];
        let unit = self.linear_unit().ok_or_else(|| {
            refuse("its unit of length is not known; state the system instead".to_owned())
        })?;
        for (key, parameter) in *parameters {
            if let Some(value) = self.number(*key) {
                // PROJ takes false eastings in metres.
                let value = if parameter.starts_with(['x', 'y']) {
                    value * unit
                } else {
                    value
                };
                words.push(format!("+{parameter}={value}"));
                if *parameter == "lat_ts" {
                    // The latitude of true scale decides which pole it is.
                    words.push(format!("+lat_0={}", 90_f64.copysign(value)));
                }
            }
        }
        words.push(format!("+to_meter={unit}"));
        words.extend(self.datum());
        Crs::parse(&words.join(" ")).map(Some)
    }

    /// Ellipsoid and shift of the datum as words of PROJ.
    fn datum(&self) -> Option<String> {
        let code = self
            .short(GEODETIC_CRS)
            .filter(|code| ![0, USER_DEFINED].contains(code));
        if let Some(crs) = code.and_then(|code| Crs::from_epsg(u32::from(code)).ok()) {
            let words = crs.definition().split_whitespace();
            let words: Vec<&str> = words
                .filter(|word| *word != "+proj=longlat" && *word != "+no_defs")
                .collect();
            return Some(words.join(" "));
        }
        let shift = match self.get(TO_WGS84) {
            Some(Value::Doubles(values)) => {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                format!(" +towgs84={}", values.join(","))
            }
            _ => String::new(),
        };
        if let (Some(a), Some(rf)) = (
            self.number(SEMI_MAJOR_AXIS),
            self.number(INVERSE_FLATTENING),
        ) {
            return Some(format!("+a={a} +rf={rf}{shift}"));
        }
        let ellipsoid = match self.short(ELLIPSOID)? {
            7030 => "WGS84",
            7019 => "GRS80",
            7004 => "bessel",
            7022 => "intl",
            7024 => "krass",
            7001 => "airy",
            7008 => "clrk66",
            7012 => "clrk80",
            _ => return None,
        };
        Some(format!("+ellps={ellipsoid}{shift}"))
    }

    fn linear_unit(&self) -> Option<f64> {
        match self.short(LINEAR_UNITS) {
            None | Some(0) => Some(1.0),
            Some(USER_DEFINED) => self.number(LINEAR_UNIT_SIZE),
            Some(code) => unit(code),
        }
    }
}

/// Metres in an EPSG unit of length.
pub(super) fn unit(code: u16) -> Option<f64> {
    match code {
        METRE => Some(1.0),
        9002 => Some(0.3048),
        9003 => Some(1200.0 / 3937.0),
        9036 => Some(1000.0),
        _ => None,
    }
}
