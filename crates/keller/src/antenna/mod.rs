//! Antennas: how strongly, and in which polarisation, a device radiates in each direction.
//!
//! An antenna has a pattern and a polarisation in its own frame, and an orientation that turns both. By the reciprocity of antennas
//! the same field describes it as Tx and as Rx. Pattern files and the sector pattern of 3GPP TR 38.901 are not implemented yet.

use glam::{DMat3, DVec3};
use num_complex::Complex64;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

use crate::Error;
use crate::direction::{Direction, spherical_basis};

/// A device's antenna: one port or two.
///
/// ```
/// use keller::antenna::{Antenna, Orientation, Pattern, Polarization};
///
/// let antenna = Antenna {
///     pattern: Pattern::from_name("dipole")?,
///     polarization: Polarization::from_name("cross")?,
///     orientation: Orientation { downtilt: 0.1, ..Orientation::default() },
/// };
/// assert_eq!(antenna.num_ports(), 2);
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Antenna {
    /// Gain by direction in the antenna's own frame.
    pub pattern: Pattern,
    /// How the field is turned in that frame.
    pub polarization: Polarization,
    /// How that frame is turned in space.
    pub orientation: Orientation,
}

/// Power pattern in the antenna's own frame, whose +x is where the antenna looks and whose +z is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Pattern {
    /// The same in every direction: 0 dBi.
    #[default]
    Isotropic,
    /// An infinitely short dipole along z: 1.76 dBi.
    ShortDipole,
    /// A dipole of half a wavelength along z: 2.15 dBi.
    HalfWaveDipole,
}

/// Polarisation by the slant of each port: how far its field is turned from theta towards phi.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Polarization {
    /// One port along theta.
    #[default]
    V,
    /// One port along phi.
    H,
    /// Two ports, V then H.
    VH,
    /// Two ports, slanted by +45° then -45°.
    Cross,
    /// One port, slanted by this many radians.
    Slant(f64),
}

/// Orientation of a device, radians: its own frame is turned by `R = Rz(bearing) Ry(downtilt) Rx(slant)`.
///
/// # Source
/// 3GPP TR 38.901, equation (7.1-2). Theory page: `antennas`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Orientation {
    /// α: the antenna looks to this azimuth.
    pub bearing: f64,
    /// β: the antenna looks down by this angle.
    pub downtilt: f64,
    /// γ: the antenna is turned by this angle around where it looks.
    pub slant: f64,
}

impl Antenna {
    /// Number of ports: 1 or 2.
    pub fn num_ports(&self) -> usize {
        self.polarization.ports().len()
    }

    /// The field `(F_theta, F_phi)` of every port in `direction`, both in the global frame; the square of its length is the gain.
    ///
    /// # Source
    /// 3GPP TR 38.901, equations (7.1-11) and (7.3-4), (7.3-5) (polarisation model 2). Theory page: `antennas`.
    pub fn fields(
        &self,
        direction: Direction,
    ) -> impl ExactSizeIterator<Item = [Complex64; 2]> + Clone + use<> {
        let global_from_local = self.orientation.global_from_local();
        let direction = direction.unit_vector();
        let local_direction = global_from_local.transpose() * direction;
        let amplitude = self.pattern.gain(local_direction).sqrt();
        let [local_theta, local_phi] = spherical_basis(local_direction);
        let [theta, phi] = spherical_basis(direction);
        self.polarization
            .ports()
            .map(move |[along_theta, along_phi]| {
                let local_field = local_theta * along_theta + local_phi * along_phi;
                let field = global_from_local * local_field * amplitude;
                [theta, phi].map(|unit| Complex64::new(field.dot(unit), 0.0))
            })
    }
}

impl Pattern {
    const NAMES: &str = "`isotropic`, `dipole` (half-wave) or `short_dipole`";

    /// The pattern called `isotropic`, `dipole` or `short_dipole`, in any case.
    ///
    /// # Errors
    /// [`Error::Antenna`] for anything else.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name.to_lowercase().as_str() {
            "isotropic" => Ok(Self::Isotropic),
            "dipole" => Ok(Self::HalfWaveDipole),
            "short_dipole" => Ok(Self::ShortDipole),
            _ => Err(Error::Antenna {
                parameter: "antenna",
                value: name.to_owned(),
                accepted: Self::NAMES,
            }),
        }
    }

    /// Gain in `direction`, a unit vector in the antenna's frame, linear.
    ///
    /// # Source
    /// C. A. Balanis, "Antenna Theory", 4th ed., 2016, equations (4-26a) and (4-84), normalised to the directivities (4-31a) and
    /// (4-91).
    pub fn gain(self, direction: DVec3) -> f64 {
        // Directivity of the half-wave dipole, 4 / Cin(2 pi).
        const HALF_WAVE_DIRECTIVITY: f64 = 1.640_922_376_984_585;
        let sin_zenith = direction.x.hypot(direction.y);
        match self {
            Self::Isotropic => 1.0,
            Self::ShortDipole => 1.5 * sin_zenith * sin_zenith,
            Self::HalfWaveDipole => {
                // cos(π/2 cos θ) / sin θ = sin(π sin²(θ/2)) / sin θ, without the 0/0 along the axis.
                let from_axis = sin_zenith.atan2(direction.z.abs());
                let (sin_half, cos_half) = (0.5 * from_axis).sin_cos();
                if sin_half == 0.0 {
                    return 0.0;
                }
                let shape = (PI * sin_half * sin_half).sin() / (2.0 * sin_half * cos_half);
                HALF_WAVE_DIRECTIVITY * shape * shape
            }
        }
    }
}

impl Polarization {
    const NAMES: &str = "`V`, `H`, `VH`, `cross` or a slant in degrees";

    /// The polarisation called `V`, `H`, `VH` or `cross`, in any case, or a slant in degrees as a number.
    ///
    /// # Errors
    /// [`Error::Antenna`] for anything else.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name.to_lowercase().as_str() {
            "v" => Ok(Self::V),
            "h" => Ok(Self::H),
            "vh" => Ok(Self::VH),
            "cross" => Ok(Self::Cross),
            other => other
                .parse::<f64>()
                .ok()
                .filter(|degrees| degrees.is_finite())
                .map(|degrees| Self::Slant(degrees.to_radians()))
                .ok_or_else(|| Error::Antenna {
                    parameter: "polarization",
                    value: name.to_owned(),
                    accepted: Self::NAMES,
                }),
        }
    }

    /// The polarisation of each port in the antenna's frame: the parts along theta and phi.
    fn ports(self) -> impl ExactSizeIterator<Item = [f64; 2]> + Clone {
        let (v, h) = ([1.0, 0.0], [0.0, 1.0]);
        let (plus, minus) = (
            [FRAC_1_SQRT_2, FRAC_1_SQRT_2],
            [FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
        );
        let (ports, num_ports) = match self {
            Self::V => ([v, h], 1),
            Self::H => ([h, v], 1),
            Self::VH => ([v, h], 2),
            Self::Cross => ([plus, minus], 2),
            Self::Slant(slant) => ([[slant.cos(), slant.sin()], v], 1),
        };
        ports.into_iter().take(num_ports)
    }
}

impl Orientation {
    /// The orientation `[bearing, downtilt, slant]` in degrees.
    pub fn from_degrees(angles_deg: [f64; 3]) -> Self {
        let [bearing, downtilt, slant] = angles_deg.map(f64::to_radians);
        Self {
            bearing,
            downtilt,
            slant,
        }
    }

    /// The rotation that takes vectors of the device's own frame to the global one.
    pub fn global_from_local(self) -> DMat3 {
        DMat3::from_rotation_z(self.bearing)
            * DMat3::from_rotation_y(self.downtilt)
            * DMat3::from_rotation_x(self.slant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    fn directions() -> impl Iterator<Item = Direction> {
        (0..=12).flat_map(|i| {
            (-5..=6).map(move |j| Direction {
                zenith: PI * f64::from(i) / 12.0,
                azimuth: PI * f64::from(j) / 6.0,
            })
        })
    }

    fn fields(antenna: Antenna, direction: Direction) -> Vec<[Complex64; 2]> {
        antenna.fields(direction).collect()
    }

    fn turned(polarization: Polarization, orientation_deg: [f64; 3]) -> Antenna {
        Antenna {
            pattern: Pattern::Isotropic,
            polarization,
            orientation: Orientation::from_degrees(orientation_deg),
        }
    }

    fn is_near(field: [Complex64; 2], expected: [f64; 2]) -> bool {
        field
            .iter()
            .zip(expected)
            .all(|(f, e)| (f - e).norm() < 1e-14)
    }

    #[test]
    fn an_unturned_antenna_radiates_pure_theta_or_phi() {
        for direction in directions() {
            let v = fields(turned(Polarization::V, [0.0; 3]), direction);
            let h = fields(turned(Polarization::H, [0.0; 3]), direction);
            assert!(is_near(v[0], [1.0, 0.0]), "{direction:?} {v:?}");
            assert!(is_near(h[0], [0.0, 1.0]), "{direction:?} {h:?}");
        }
    }

    #[test]
    fn turning_an_isotropic_antenna_keeps_its_gain() {
        for direction in directions() {
            for field in fields(turned(Polarization::Cross, [30.0, 12.0, 77.0]), direction) {
                let gain = field[0].norm_sqr() + field[1].norm_sqr();
                assert!((gain - 1.0).abs() < 1e-14, "{direction:?}");
            }
        }
    }

    #[test]
    fn a_v_antenna_slanted_by_a_right_angle_is_horizontal_where_it_looks() {
        // Rx(90°) takes +z to -y, so theta (down) becomes +y, which is phi at azimuth 0.
        let ahead = Direction {
            zenith: FRAC_PI_2,
            azimuth: 0.0,
        };
        let field = fields(turned(Polarization::V, [0.0, 0.0, 90.0]), ahead)[0];
        assert!(is_near(field, [0.0, 1.0]), "{field:?}");
    }

    #[test]
    fn bearing_and_downtilt_turn_the_beam_to_azimuth_and_below_the_horizon() {
        let orientation = Orientation::from_degrees([90.0, 30.0, 0.0]);
        let beam = Direction::from_vector(orientation.global_from_local() * DVec3::X);
        assert!((beam.azimuth - FRAC_PI_2).abs() < 1e-15);
        assert!((beam.zenith - 120.0_f64.to_radians()).abs() < 1e-15);
    }

    #[test]
    fn a_tilted_dipole_is_silent_along_its_axis() {
        for pattern in [Pattern::ShortDipole, Pattern::HalfWaveDipole] {
            let antenna = Antenna {
                pattern,
                polarization: Polarization::V,
                orientation: Orientation::from_degrees([0.0, 90.0, 0.0]),
            };
            let axis = Direction::from_vector(DVec3::X);
            assert!(fields(antenna, axis)[0][0].norm() < 1e-15);
            assert!(pattern.gain(DVec3::Z) == 0.0 && pattern.gain(-DVec3::Z) == 0.0);
        }
    }

    #[test]
    fn every_pattern_radiates_what_it_is_fed() {
        // The mean gain over the sphere, by the midpoint rule in zenith.
        for pattern in [
            Pattern::Isotropic,
            Pattern::ShortDipole,
            Pattern::HalfWaveDipole,
        ] {
            let n = 20_000;
            let step = PI / f64::from(n);
            let mean: f64 = (0..n)
                .map(|i| {
                    let (sin, cos) = ((f64::from(i) + 0.5) * step).sin_cos();
                    0.5 * step * sin * pattern.gain(DVec3::new(sin, 0.0, cos))
                })
                .sum();
            assert!((mean - 1.0).abs() < 1e-8, "{pattern:?}: {mean}");
        }
    }

    #[test]
    fn the_half_wave_dipole_has_2_15_dbi() {
        let gain_db = crate::units::power_to_db(Pattern::HalfWaveDipole.gain(DVec3::Y));
        assert!((gain_db - 2.15).abs() < 0.005, "{gain_db}");
    }

    #[test]
    fn names_are_read_in_any_case_and_wrong_ones_list_the_right() {
        assert_eq!(Polarization::from_name("CROSS"), Ok(Polarization::Cross));
        assert_eq!(Polarization::from_name("180"), Ok(Polarization::Slant(PI)));
        assert_eq!(Pattern::from_name("Isotropic"), Ok(Pattern::Isotropic));
        let message = Pattern::from_name("tr38901").unwrap_err().to_string();
        assert!(message.contains("`tr38901`") && message.contains("`isotropic`"));
        let message = Polarization::from_name("nan").unwrap_err().to_string();
        assert!(message.contains("`nan`") && message.contains("`VH`"));
    }
}
