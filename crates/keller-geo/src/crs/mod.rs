//! Coordinate reference systems, and the local frame in metres that a place is computed in.
//!
//! Definitions come from the EPSG codes of the crate `crs-definitions`, from WKT by way of `proj4wkt`, or as PROJ
//! strings; `proj4rs` projects. Where datums differ, shifts are by the three or seven parameters of the definitions,
//! not by grids: see [`Crs`] for the errors that result.
//!
//! The first coordinate is always longitude or easting, the second latitude or northing, as files of geographic
//! information are written in practice, whatever order of axes a system's authority states. [`Crs::check`] recognises
//! swapped ones by their range.

mod codes;
mod error;
mod frame;
mod range;
mod wkt;

use std::f64::consts::TAU;
use std::fmt;
use std::sync::OnceLock;

use glam::DVec2;
use proj4rs::Proj;
use proj4rs::transform::transform;

pub use error::CrsError;
pub use frame::{Frame, Georeference};

/// A horizontal coordinate reference system.
///
/// ```
/// use glam::DVec2;
/// use keller_geo::crs::Crs;
///
/// let utm = Crs::parse("urn:ogc:def:crs:EPSG::25832")?;
/// let munich = utm.from_lon_lat(DVec2::new(11.5755, 48.1374))?;
/// assert!((munich - DVec2::new(691_600.0, 5_334_760.0)).length() < 100.0);
/// # Ok::<(), keller_geo::crs::CrsError>(())
/// ```
///
/// # Accuracy
/// Projections agree with PROJ 9.5 to 2 mm and there and back to 1e-6 m. Longitude and latitude are on WGS 84, with ETRS89, NAD83 and other
/// modern datums taken as equal to it (up to a metre or two by now). Systems on older datums are as good as their shift: under
/// 0.25 m for the Dutch RD (28992) against its grid, 1 m for the Swiss ones and Krovak (5514; 2 m in Slovakia), about 3 m for
/// Gauss-Krueger (31467) and 5 m for the British grid. That moves a whole place, not its parts against each other.
#[derive(Clone)]
pub struct Crs {
    name: String,
    definition: String,
    proj: Proj,
    height_unit: f64,
    area: Option<[f64; 4]>,
    /// Whether its datum is moved against WGS 84.
    is_shifted: bool,
}

impl Crs {
    /// The system that `text` names: an EPSG code as `EPSG:25832`, as a URN or URL of the OGC (`urn:ogc:def:crs:EPSG::7415`), a PROJ
    /// string, or WKT as in `.prj` files.
    ///
    /// Of a compound system the horizontal part counts, and of the vertical part the unit ([`Self::height_unit`]).
    ///
    /// # Errors
    /// [`CrsError`] for unknown codes and forms, systems of heights alone, and geocentric ones.
    pub fn parse(text: &str) -> Result<Self, CrsError> {
        let text = text
            .trim()
            .trim_start_matches('\u{feff}')
            .trim_matches('\0')
            .trim();
        let is_wkt =
            text.contains(['[', '(']) && text.starts_with(|c: char| c.is_ascii_alphabetic());
        if is_wkt && !text.starts_with("urn:") && !text.starts_with("http") {
            return match wkt::read(text)? {
                wkt::Wkt::Code(code) => Self::from_epsg(code),
                wkt::Wkt::Definition(definition) => Self::from_definition(&definition),
            };
        }
        if text.starts_with('+') {
            return match text.strip_prefix("+init=epsg:").and_then(leading_number) {
                Some(code) => Self::from_epsg(code),
                None => Self::from_definition(text),
            };
        }
        let is_crs84 = ["WGS84", "CRS84", "OGC:CRS84"]
            .iter()
            .any(|n| text.eq_ignore_ascii_case(n));
        if is_crs84 || (text.to_ascii_uppercase().contains("OGC") && text.ends_with("CRS84")) {
            return Self::from_epsg(4326);
        }
        epsg_code(text).map_or_else(|| Err(CrsError::Form(wkt::abridged(text))), Self::from_epsg)
    }

    /// The system with an EPSG code.
    ///
    /// # Errors
    /// The errors of [`Self::parse`].
    pub fn from_epsg(code: u32) -> Result<Self, CrsError> {
        if codes::is_vertical(code) {
            return Err(CrsError::HeightsOnly(format!("EPSG:{code}")));
        }
        let horizontal = codes::horizontal_part(code).unwrap_or(code);
        let definition = codes::definition(horizontal).ok_or(CrsError::UnknownCode(code))?;
        let mut crs = Self::from_definition(&definition)?;
        crs.name = format!("EPSG:{horizontal}");
        crs.height_unit = codes::height_unit(code).unwrap_or(crs.height_unit);
        crs.area = codes::area(horizontal);
        Ok(crs)
    }

    /// The UTM zone on WGS 84 that holds a place, by the rules of its exceptions in Norway and on Svalbard.
    ///
    /// # Errors
    /// [`CrsError::Polar`] beyond 84 N and 80 S.
    ///
    /// # Source
    /// J. P. Snyder, "Map Projections: A Working Manual", USGS Professional Paper 1395, 1987, pages 57 to 58 and 62.
    pub fn utm_around(lon_lat: DVec2) -> Result<Self, CrsError> {
        let (lon, lat) = (lon_lat.x, lon_lat.y);
        if !(-80.0..=84.0).contains(&lat) {
            return Err(CrsError::Polar(lat));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is between 0 and 59"
        )]
        let mut zone = ((lon + 180.0) / 6.0).floor().rem_euclid(60.0) as u32 + 1;
        if (56.0..64.0).contains(&lat) && (3.0..12.0).contains(&lon) {
            zone = 32;
        } else if lat >= 72.0 && (0.0..42.0).contains(&lon) {
            zone = match lon {
                ..9.0 => 31,
                ..21.0 => 33,
                ..33.0 => 35,
                _ => 37,
            };
        }
        Self::from_epsg(if lat < 0.0 { 32700 } else { 32600 } + zone)
    }

    /// A text that [`Self::parse`] reads as this system: `EPSG:` and a code where there is one, else a PROJ string.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether both have the same coordinates, within a metre, in the centre of where either is used.
    pub fn agrees_with(&self, other: &Self) -> bool {
        if self.is_same_as(other) {
            return true;
        }
        let centre =
            |area: [f64; 4]| DVec2::new(0.5 * (area[0] + area[2]), 0.5 * (area[1] + area[3]));
        let Some(at) = self.area.or(other.area).map(centre) else {
            return false;
        };
        match (self.from_lon_lat(at), other.from_lon_lat(at)) {
            (Ok(ours), Ok(theirs)) => {
                ours.distance(theirs) < if self.is_geographic() { 1e-5 } else { 1.0 }
            }
            _ => false,
        }
    }

    /// The PROJ string behind it.
    pub fn definition(&self) -> &str {
        &self.definition
    }

    /// The EPSG code, if it was named by one.
    pub fn epsg(&self) -> Option<u32> {
        self.name.strip_prefix("EPSG:")?.parse().ok()
    }

    /// Whether coordinates are longitude and latitude in degrees.
    pub fn is_geographic(&self) -> bool {
        self.proj.is_latlong()
    }

    /// Metres in one unit of easting and northing: 0.3048 for feet. 1 for a geographic system.
    pub fn unit(&self) -> f64 {
        if self.is_geographic() {
            1.0
        } else {
            self.proj.to_meter()
        }
    }

    /// Metres in the unit of a system of heights, if the code is that of one.
    pub(crate) fn vertical_unit(code: u32) -> Option<f64> {
        codes::is_vertical(code).then(|| codes::height_unit(code).unwrap_or(1.0))
    }

    /// Semi-major and semi-minor axis of its ellipsoid, metres.
    pub(crate) fn ellipsoid(&self) -> [f64; 2] {
        self.proj.ellipse_parameters().into()
    }

    /// Metres in one unit of height, as far as the system says: 1 where it does not.
    pub fn height_unit(&self) -> f64 {
        self.height_unit
    }

    /// Whether both are the same system, by whatever names.
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.name == other.name || self.definition == other.definition
    }

    /// A doubt about positions in this system that is worth a warning: a datum whose shift to WGS 84 is not known, or
    /// only roughly.
    pub fn caveat(&self) -> Option<String> {
        let has = |keys: &[&str]| keys.iter().any(|key| self.definition.contains(key));
        if has(&["+towgs84=-8,160,176"]) {
            return Some(format!(
                "{} is on NAD27, whose grids are not used: places may be off by some 10 m",
                self.name
            ));
        }
        let is_known = has(&["+towgs84=", "+datum=", "+nadgrids=@null"])
            || has(&[
                "+ellps=GRS80",
                "+ellps=WGS84",
                "+rf=298.257222101",
                "+rf=298.257223563",
            ])
            || !has(&["+ellps=", "+a=", "+R="]);
        (!is_known).then(|| {
            format!("{}: the shift of its datum to WGS 84 is not known: places may be off by some 100 m", self.name)
        })
    }

    /// Longitude and latitude on WGS 84 in degrees.
    ///
    /// # Errors
    /// [`CrsError::Outside`].
    pub fn to_lon_lat(&self, at: DVec2) -> Result<DVec2, CrsError> {
        let wgs84 = wgs84();
        let at_radians = if self.is_geographic() {
            if at.x.abs() > 360.0 || at.y.abs() > 90.0 {
                return Err(self.outside(
                    at,
                    "longitudes reach from -180 to 180, latitudes from -90 to 90".to_owned(),
                ));
            }
            at * 1_f64.to_radians()
        } else {
            at
        };
        let radians =
            project(&self.proj, wgs84, at_radians).map_err(|problem| self.outside(at, problem))?;
        let degrees = radians * 1_f64.to_degrees();
        // -180 and 180 stay as they are.
        let lon = if degrees.x.abs() <= 180.0 {
            degrees.x
        } else {
            (degrees.x + 180.0).rem_euclid(360.0) - 180.0
        };
        Ok(DVec2::new(lon, degrees.y))
    }

    /// Coordinates in this system of a longitude and latitude on WGS 84 in degrees.
    ///
    /// # Errors
    /// [`CrsError::Outside`].
    pub fn from_lon_lat(&self, lon_lat: DVec2) -> Result<DVec2, CrsError> {
        if !(lon_lat.x.abs() <= 360.0 && lon_lat.y.abs() <= 90.0) {
            return Err(self.outside(
                lon_lat,
                "longitudes reach from -180 to 180, latitudes from -90 to 90".to_owned(),
            ));
        }
        let refuse = |problem| self.outside(lon_lat, problem);
        let radians = lon_lat * 1_f64.to_radians();
        let mut projected = project(wgs84(), &self.proj, radians).map_err(refuse)?;
        if self.is_shifted || !self.is_geographic() {
            // The library turns seven parameters round by their signs, which is good to a millimetre, and stops iterating conic
            // projections early. One step of Newton's makes this the inverse of `to_lon_lat`.
            let back = project(&self.proj, wgs84(), projected).map_err(refuse)?;
            let mut step = radians - back;
            step.x -= TAU * (step.x / TAU).round();
            projected = project(wgs84(), &self.proj, radians + step).map_err(refuse)?;
        }
        Ok(if self.is_geographic() {
            projected * 1_f64.to_degrees()
        } else {
            projected
        })
    }

    fn from_definition(definition: &str) -> Result<Self, CrsError> {
        let definition = without_grids(definition);
        let refuse = |problem: String| CrsError::Definition {
            definition: wkt::abridged(&definition),
            problem,
        };
        // The library cuts numbers by bytes.
        if !definition.is_ascii() {
            return Err(refuse("a PROJ string has ASCII letters only".to_owned()));
        }
        let proj =
            Proj::from_proj_string(&definition).map_err(|error| refuse(error.to_string()))?;
        if proj.is_geocent() || !proj.has_inverse() || !proj.has_forward() {
            return Err(CrsError::NotHorizontal(wkt::abridged(&definition)));
        }
        let units = [proj.to_meter(), proj.vto_meter()];
        if !units.iter().all(|unit| unit.is_finite() && *unit > 0.0) {
            return Err(refuse("its units have no length".to_owned()));
        }
        let is_shifted = definition.split_whitespace().any(|word| {
            match (word.strip_prefix("+towgs84="), word.strip_prefix("+datum=")) {
                (Some(shift), _) => shift.contains(|c: char| ('1'..='9').contains(&c)),
                (_, Some(datum)) => !["WGS84", "NAD83"].contains(&datum),
                _ => false,
            }
        });
        Ok(Self {
            name: definition.clone(),
            height_unit: proj.vto_meter(),
            definition,
            proj,
            area: None,
            is_shifted,
        })
    }

    fn outside(&self, at: DVec2, problem: String) -> CrsError {
        CrsError::Outside {
            x: at.x,
            y: at.y,
            crs: self.name.clone(),
            problem,
        }
    }
}

impl fmt::Debug for Crs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crs")
            .field("name", &self.name)
            .field("definition", &self.definition)
            .finish_non_exhaustive()
    }
}

/// The longitude, of those that differ by full turns, that is nearest to another, degrees.
pub(crate) fn near_longitude(longitude: f64, to: f64) -> f64 {
    longitude - 360.0 * ((longitude - to) / 360.0).round()
}

/// Transforms one coordinate; angles are in radians.
fn project(from: &Proj, to: &Proj, at: DVec2) -> Result<DVec2, String> {
    if !at.is_finite() {
        return Err("coordinates must be finite".to_owned());
    }
    let mut point = (at.x, at.y, 0.0);
    transform(from, to, &mut point).map_err(|error| error.to_string())?;
    let result = DVec2::new(point.0, point.1);
    if result.is_finite() {
        Ok(result)
    } else {
        Err("there is no such place".to_owned())
    }
}

fn wgs84() -> &'static Proj {
    static WGS84: OnceLock<Proj> = OnceLock::new();
    WGS84.get_or_init(|| {
        Proj::from_proj_string("+proj=longlat +datum=WGS84 +no_defs")
            .expect("a definition that is known to be good")
    })
}

/// Replaces shifts by grid, which are not at hand, by the parameters for the whole country.
fn without_grids(definition: &str) -> String {
    let words = definition.split_whitespace().map(|word| match word {
        "+datum=NAD27" => "+ellps=clrk66 +towgs84=-8,160,176",
        "+nadgrids=nzgd2kgrid0005.gsb" => "+towgs84=59.47,-5.04,187.44,0.47,-0.1,1.024,-4.5993",
        "+nadgrids=@null" => word,
        _ if word.starts_with("+nadgrids=") => "",
        _ => word,
    });
    words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The code in `EPSG:25832`, `urn:ogc:def:crs:EPSG::25832` and the URLs of the OGC; the first where a compound lists two.
fn epsg_code(text: &str) -> Option<u32> {
    if let Ok(code) = text.parse() {
        return Some(code);
    }
    // ASCII case folding keeps byte positions.
    let at = text.to_ascii_uppercase().find("EPSG")? + "EPSG".len();
    let rest = &text[at..];
    let first = rest.split([',', '+']).next().unwrap_or(rest);
    let last = first.rsplit([':', '/', '#']).next()?;
    leading_number(last.trim())
}

fn leading_number(text: &str) -> Option<u32> {
    let digits = text.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests;
