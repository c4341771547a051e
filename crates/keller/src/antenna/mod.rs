//! Antennas: how strongly, and in which polarisation, a device radiates in each direction.
//!
//! An antenna has a pattern and a polarisation in its own frame, and an orientation that turns both. By the reciprocity of antennas
//! the same field describes it as Tx and as Rx. Patterns are closed forms or tables that files fill; an [`Array`] puts several like
//! antennas on one device.

mod array;
mod cuts;
mod figures;
mod grid;
mod orientation;
mod pattern;
mod polarization;
mod table;

pub use array::{Array, ArrayTracing};
pub use cuts::{Combination, Cut};
pub use figures::Figures;
pub use orientation::Orientation;
pub use pattern::Pattern;
pub use polarization::Polarization;
pub use table::{CUTS_TOLERANCE_DB, GAIN_TOLERANCE_DB, PatternTable};

use glam::DVec3;
use num_complex::Complex64;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_6, PI};

use crate::direction::{Direction, spherical_basis};

/// A device's antenna: one port or two.
///
/// ```
/// use keller::antenna::{Antenna, Orientation, Pattern, Polarization};
///
/// let antenna = Antenna {
///     pattern: Pattern::from_name("tr38901")?,
///     polarization: Polarization::from_name("cross")?,
///     orientation: Orientation { downtilt: 0.1, ..Orientation::default() },
///     ..Antenna::default()
/// };
/// assert_eq!(antenna.num_ports(), 2);
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Antenna {
    /// Field by direction in the antenna's own frame.
    pub pattern: Pattern,
    /// The polarisation of the field in that frame.
    pub polarization: Polarization,
    /// The orientation of that frame in space.
    pub orientation: Orientation,
    /// The angle by which the pattern is tilted down from its horizon all round, radians, at most
    /// [`MAX_ELECTRICAL_TILT`] either way.
    pub electrical_tilt: f64,
    /// The largest gain, linear, if it is not the pattern's own.
    pub peak_gain: Option<f64>,
}

/// The largest electrical tilt, radians: 30°, as far as the caps around the poles can give way.
pub const MAX_ELECTRICAL_TILT: f64 = FRAC_PI_6;

impl Antenna {
    /// Number of ports: 1 or 2.
    pub fn num_ports(&self) -> usize {
        self.polarization.ports().len()
    }

    /// The largest gain in any direction, linear.
    pub fn largest_gain(&self) -> f64 {
        self.peak_gain.unwrap_or_else(|| self.pattern.peak_gain())
    }

    /// Whether its gain is the same in all directions.
    pub(crate) fn is_isotropic(&self) -> bool {
        self.pattern == Pattern::Isotropic
    }

    /// The field `(F_theta, F_phi)` of every port in `direction`, both in the global frame; the square of its length is the gain.
    ///
    /// # Source
    /// 3GPP TR 38.901, equations (7.1-11) and (7.3-4), (7.3-5) (polarisation model 2). Theory page: `antennas`.
    pub fn fields(
        &self,
        direction: Direction,
    ) -> impl ExactSizeIterator<Item = [Complex64; 2]> + Clone + use<> {
        self.fields_along(direction.unit_vector())
    }

    /// [`Self::fields`] along a unit vector.
    pub(crate) fn fields_along(
        &self,
        direction: DVec3,
    ) -> impl ExactSizeIterator<Item = [Complex64; 2]> + Clone + use<> {
        let global_from_local = self.orientation.global_from_local();
        let local_direction = global_from_local.transpose() * direction;
        let [f_theta, f_phi] = self.local_field(local_direction);
        let [local_theta, local_phi] =
            spherical_basis(local_direction).map(|unit| global_from_local * unit);
        let turn =
            spherical_basis(direction).map(|unit| [unit.dot(local_theta), unit.dot(local_phi)]);
        self.polarization.ports().map(move |[cos, sin]| {
            let (along_theta, along_phi) =
                (f_theta * cos - f_phi * sin, f_theta * sin + f_phi * cos);
            turn.map(|[from_theta, from_phi]| along_theta * from_theta + along_phi * from_phi)
        })
    }

    /// The field of the pattern in `direction`, a unit vector in the antenna's frame, with tilt and gain as set, before the port's
    /// slant.
    fn local_field(&self, direction: DVec3) -> [Complex64; 2] {
        let direction = if self.electrical_tilt == 0.0 {
            direction
        } else {
            untilted(direction, self.electrical_tilt)
        };
        let field = self.pattern.field(direction);
        match self.peak_gain {
            None => field,
            Some(gain) => field.map(|f| f * (gain / self.pattern.peak_gain()).sqrt()),
        }
    }
}

/// The direction from which the pattern tilted down by `tilt` takes its value: as far up within 60° of the horizon,
/// less and less beyond, so that the poles stay where they are and the pattern has no seam.
fn untilted(direction: DVec3, tilt: f64) -> DVec3 {
    /// The elevation, either way, beyond which the shift fades.
    const FADE: f64 = PI / 3.0;
    let sin_zenith = direction.x.hypot(direction.y);
    if sin_zenith == 0.0 {
        return direction;
    }
    let elevation = direction.z.atan2(sin_zenith);
    let fade = ((FRAC_PI_2 - elevation.abs()) / (FRAC_PI_2 - FADE)).min(1.0);
    let (sin, cos) = (elevation + tilt * fade).sin_cos();
    let scale = cos / sin_zenith;
    DVec3::new(direction.x * scale, direction.y * scale, sin)
}

#[cfg(test)]
mod tests;
