//! Whether a coordinate can be one of its system, and whether its axes are swapped.
//!
//! Longitude and latitude are known by their ranges, transverse Mercator by the distance from its central meridian, some national systems by
//! the area where they are used. A swapped pair that is possible both ways is not noticed.

use glam::DVec2;

use super::{Crs, CrsError, project, wgs84};

impl Crs {
    /// Checks that a coordinate can be one of this system.
    ///
    /// # Errors
    /// [`CrsError::SwappedAxes`] if it can only be with its axes exchanged, [`CrsError::Outside`] if it cannot be at all.
    pub fn check(&self, at: DVec2) -> Result<(), CrsError> {
        let Err(problem) = self.plausible(at) else {
            return Ok(());
        };
        if self.plausible(DVec2::new(at.y, at.x)).is_ok() {
            let (first, second) = if self.is_geographic() {
                ("longitude", "latitude")
            } else {
                ("easting", "northing")
            };
            return Err(CrsError::SwappedAxes {
                x: at.x,
                y: at.y,
                crs: self.name.clone(),
                first,
                second,
            });
        }
        Err(self.outside(at, problem))
    }

    /// Whether a coordinate lies where this system can be used; if not, why.
    fn plausible(&self, at: DVec2) -> Result<(), String> {
        /// The distance from its central meridian within which a transverse Mercator projection is used, degrees; zones
        /// are 6 wide at most.
        const TRANSVERSE_REACH: f64 = 12.0;
        /// The largest error of a coordinate that comes back from longitude and latitude, metres.
        const ROUND_TRIP: f64 = 1.0;
        if self.is_geographic() {
            let is_in = at.x.abs() <= 180.0 && at.y.abs() <= 90.0;
            return if is_in {
                Ok(())
            } else {
                Err("longitudes reach from -180 to 180, latitudes from -90 to 90".to_owned())
            };
        }
        let lon_lat = project(&self.proj, wgs84(), at)?;
        let back = project(wgs84(), &self.proj, lon_lat)?;
        let [lon, lat] = (lon_lat * 1_f64.to_degrees()).to_array();
        if (back - at).length() * self.unit() > ROUND_TRIP {
            return Err("it has no longitude and latitude".to_owned());
        }
        let place = format!("it would lie at longitude {lon:.2}, latitude {lat:.2} degrees");
        if let Some([west, south, east, north]) = self.area {
            // Half a degree beyond the border does no harm.
            let is_near = (west - 0.5..=east + 0.5).contains(&lon)
                && (south - 0.5..=north + 0.5).contains(&lat);
            return if is_near {
                Ok(())
            } else {
                Err(format!(
                    "{place}, but the system is used from {west} to {east} and {south} to {north}"
                ))
            };
        }
        let is_transverse = ["tmerc", "etmerc", "utm"].contains(&self.proj.projname());
        let meridian = (self.proj.longitude_of_origin() + self.proj.from_greenwich()).to_degrees();
        let off = (lon - meridian + 180.0).rem_euclid(360.0) - 180.0;
        if is_transverse && off.abs() > TRANSVERSE_REACH {
            return Err(format!(
                "{place}, {:.0} degrees from the central meridian",
                off.abs()
            ));
        }
        Ok(())
    }
}
