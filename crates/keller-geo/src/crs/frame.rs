//! The local frame: metres, x east, y north, z up, with an origin that leaves short coordinates.

use glam::{DVec2, DVec3};

use super::{Crs, CrsError, near_longitude};

/// The largest difference of a system's scale from 1 with which its metres count as metres on the ground.
const MAX_SCALE_ERROR: f64 = 5e-3;

/// The largest angle between a system's north and true north, degrees.
const MAX_CONVERGENCE_DEG: f64 = 5.0;

/// The place of a scene on the earth, which files keep so that their results can be located.
#[derive(Debug, Clone, PartialEq)]
pub struct Georeference {
    /// The system of the frame's axes, as [`Crs::parse`] reads it: projected, in metres.
    pub crs: String,
    /// Easting, northing and height that the frame's (0, 0, 0) is at, metres.
    pub origin: [f64; 3],
}

/// The local frame of a place: a projected system in metres, less an origin.
///
/// ```
/// use glam::{DVec2, DVec3};
/// use keller_geo::crs::{Crs, Frame};
///
/// let wgs84 = Crs::parse("EPSG:4326")?;
/// let frame = Frame::around(&wgs84, DVec2::new(11.57, 48.13), DVec2::new(11.58, 48.14), 515.0)?;
/// assert_eq!(frame.georeference().crs, "EPSG:32632");
/// let local = frame.to_local(&wgs84, DVec2::new(11.575, 48.135))?;
/// assert!(local.length() < 2.0);
/// # Ok::<(), keller_geo::crs::CrsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Frame {
    crs: Crs,
    origin: DVec3,
}

impl Frame {
    /// A frame for the place between `min` and `max`, coordinates of `crs` (longitudes run on across the antimeridian), with its origin in the centre, rounded to
    /// whole metres, and at `height` (metres).
    ///
    /// Its axes are those of `crs` if that is projected in metres that are true to 0.5 % there, and its north to 5 degrees; else those
    /// of the UTM zone on WGS 84. So metres are metres, which those of Web Mercator are not.
    ///
    /// # Errors
    /// [`CrsError::SwappedAxes`], [`CrsError::Outside`], [`CrsError::Antimeridian`], [`CrsError::Polar`].
    pub fn around(crs: &Crs, min: DVec2, max: DVec2, height: f64) -> Result<Self, CrsError> {
        let corners = [min, max, DVec2::new(min.x, max.y), DVec2::new(max.x, min.y)];
        for mut corner in corners {
            // A place across the antimeridian reaches beyond 180 degrees, and one that does not may not.
            if crs.is_geographic() && min.x < 180.0 && max.x < 360.0 {
                corner.x = near_longitude(corner.x, 0.0);
            }
            crs.check(corner)?;
        }
        let centre = 0.5 * (min + max);
        let own = Self {
            crs: crs.clone(),
            origin: rounded(centre.extend(height)),
        };
        if own.check(centre).is_ok() {
            return Ok(own);
        }
        let mut lon = [f64::INFINITY, f64::NEG_INFINITY];
        let middle = crs.to_lon_lat(centre)?;
        for corner in corners {
            let mut at = crs.to_lon_lat(corner)?;
            if crs.is_geographic() {
                at.x = near_longitude(at.x, middle.x);
            }
            lon = [lon[0].min(at.x), lon[1].max(at.x)];
        }
        if lon[1] - lon[0] > 180.0 {
            return Err(CrsError::Antimeridian {
                west: lon[0],
                east: lon[1],
            });
        }
        let utm = Crs::utm_around(middle)?;
        let origin = rounded(utm.from_lon_lat(middle)?.extend(height));
        Ok(Self { crs: utm, origin })
    }

    /// The frame that a file's georeference stands for.
    ///
    /// # Errors
    /// [`CrsError`] if the system is not understood or cannot be a frame.
    pub fn new(georeference: &Georeference) -> Result<Self, CrsError> {
        let crs = Crs::parse(&georeference.crs)?;
        let origin = DVec3::from(georeference.origin);
        if !origin.is_finite() {
            let [x, y, _] = georeference.origin;
            return Err(crs.outside(DVec2::new(x, y), "the origin must be finite".to_owned()));
        }
        let frame = Self { crs, origin };
        frame.check(origin.truncate())?;
        Ok(frame)
    }

    /// Metres of no known place: nothing may be projected with it.
    pub(crate) fn unplaced() -> Self {
        let crs = Crs::from_epsg(32_631).expect("a known system");
        Self {
            crs,
            origin: DVec3::ZERO,
        }
    }

    /// The part of it that a file keeps.
    pub fn georeference(&self) -> Georeference {
        Georeference {
            crs: self.crs.name().to_owned(),
            origin: self.origin.to_array(),
        }
    }

    /// The system of its axes.
    pub fn crs(&self) -> &Crs {
        &self.crs
    }

    /// Easting, northing and height of its (0, 0, 0), metres.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Local coordinates, metres, of a coordinate in `crs`. Exact where `crs` is the frame's own.
    ///
    /// # Errors
    /// [`CrsError::Outside`].
    pub fn to_local(&self, crs: &Crs, at: DVec2) -> Result<DVec2, CrsError> {
        Ok(Self::convert(crs, &self.crs, at)? - self.origin.truncate())
    }

    /// The coordinate in `crs` of a local position.
    ///
    /// # Errors
    /// [`CrsError::Outside`].
    pub fn from_local(&self, crs: &Crs, local: DVec2) -> Result<DVec2, CrsError> {
        Self::convert(&self.crs, crs, self.to_crs(local))
    }

    /// Easting and northing in the frame's own system of a local position, metres.
    pub fn to_crs(&self, local: DVec2) -> DVec2 {
        local + self.origin.truncate()
    }

    /// Longitude and latitude on WGS 84, degrees, of a local position.
    ///
    /// # Errors
    /// [`CrsError::Outside`].
    pub fn to_lon_lat(&self, local: DVec2) -> Result<DVec2, CrsError> {
        self.crs.to_lon_lat(self.to_crs(local))
    }

    /// The local position of a longitude and latitude on WGS 84, degrees.
    ///
    /// # Errors
    /// [`CrsError::Outside`].
    pub fn from_lon_lat(&self, lon_lat: DVec2) -> Result<DVec2, CrsError> {
        Ok(self.crs.from_lon_lat(lon_lat)? - self.origin.truncate())
    }

    fn convert(from: &Crs, to: &Crs, at: DVec2) -> Result<DVec2, CrsError> {
        if from.is_same_as(to) {
            Ok(at)
        } else {
            to.from_lon_lat(from.to_lon_lat(at)?)
        }
    }

    /// Whether metres are metres at `centre`, x points east and y north.
    fn check(&self, centre: DVec2) -> Result<(), CrsError> {
        /// Half the length over which scale is measured, radians on the ground: 6 m.
        const STEP: f64 = 1e-6;
        let refuse = |problem: String| CrsError::Frame {
            crs: self.crs.name().to_owned(),
            problem,
        };
        if self.crs.is_geographic() {
            return Err(refuse("its coordinates are degrees".to_owned()));
        }
        if self.crs.unit() != 1.0 {
            return Err(refuse(format!("its unit is {} m", self.crs.unit())));
        }
        let lon_lat = self.crs.to_lon_lat(centre)?;
        // Radii of curvature of the ellipsoid of WGS 84 (Snyder, equations 4-20 and 4-21).
        let (a, e2) = (6_378_137.0, 0.006_694_379_990_14_f64);
        let (sin, cos) = lon_lat.y.to_radians().sin_cos();
        let w = (1.0 - e2 * sin * sin).sqrt();
        let (across, along) = (a / w * cos, a * (1.0 - e2) / w.powi(3));
        let ahead = |step: DVec2, metres: f64| {
            let step = step * STEP.to_degrees();
            let (from, to) = (
                self.crs.from_lon_lat(lon_lat - step)?,
                self.crs.from_lon_lat(lon_lat + step)?,
            );
            Ok::<_, CrsError>((to - from) / (2.0 * STEP * metres))
        };
        let (east, north) = (ahead(DVec2::X, across)?, ahead(DVec2::Y, along)?);
        for (scale, along) in [(east.length(), "east"), (north.length(), "north")] {
            let is_true = (scale - 1.0).abs() <= MAX_SCALE_ERROR;
            if !is_true {
                return Err(refuse(format!(
                    "a metre to the {along} is {scale:.4} of its metres there"
                )));
            }
        }
        for (turned, axis) in [
            (east.y.atan2(east.x), "x"),
            ((-north.x).atan2(north.y), "y"),
        ] {
            if turned.to_degrees().abs() > MAX_CONVERGENCE_DEG {
                return Err(refuse(format!(
                    "its {axis} axis is turned by {:.1} degrees there",
                    turned.to_degrees()
                )));
            }
        }
        Ok(())
    }
}

/// The origin rounded to whole metres.
fn rounded(origin: DVec3) -> DVec3 {
    // Adding zero leaves no negative zero.
    origin.round() + DVec3::ZERO
}
