//! Directions as antennas see them.

use glam::DVec3;

/// A direction after 3GPP TR 38.901, clause 7.1. Theory page: `conventions`.
///
/// ```
/// use keller::{DVec3, Direction};
///
/// let north = Direction::from_vector(DVec3::Y);
/// assert!((north.zenith - 90.0_f64.to_radians()).abs() < 1e-15);
/// assert!((north.azimuth - 90.0_f64.to_radians()).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Direction {
    /// Angle from +z, radians, in `[0, π]`: 0 is up, π/2 the horizon.
    pub zenith: f64,
    /// Angle from +x towards +y, radians, in `(-π, π]`; 0 straight up and straight down.
    pub azimuth: f64,
}

impl Direction {
    /// The direction of `vector`; its length does not matter, but it must not be zero.
    pub fn from_vector(vector: DVec3) -> Self {
        // Adding zero turns -0.0 into 0.0, which would give the azimuth -π, or π straight up.
        let (x, y) = (vector.x + 0.0, vector.y + 0.0);
        Self {
            zenith: x.hypot(y).atan2(vector.z),
            azimuth: y.atan2(x),
        }
    }

    /// The unit vector in this direction.
    pub fn unit_vector(self) -> DVec3 {
        let (sin_zenith, cos_zenith) = self.zenith.sin_cos();
        let (sin_azimuth, cos_azimuth) = self.azimuth.sin_cos();
        DVec3::new(
            sin_zenith * cos_azimuth,
            sin_zenith * sin_azimuth,
            cos_zenith,
        )
    }
}

/// The unit vectors of growing zenith and growing azimuth at `direction` (a unit vector). Straight up and down they are those of
/// azimuth 0, as [`Direction::from_vector`] says.
///
/// # Source
/// 3GPP TR 38.901, equations (7.1-13) and (7.1-14). Theory page: `conventions`.
pub fn spherical_basis(direction: DVec3) -> [DVec3; 2] {
    let sin_zenith = direction.x.hypot(direction.y);
    let (cos_azimuth, sin_azimuth) = if sin_zenith > 0.0 {
        (direction.x / sin_zenith, direction.y / sin_zenith)
    } else {
        (1.0, 0.0)
    };
    [
        DVec3::new(
            direction.z * cos_azimuth,
            direction.z * sin_azimuth,
            -sin_zenith,
        ),
        DVec3::new(-sin_azimuth, cos_azimuth, 0.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, PI};

    #[test]
    fn axes_have_the_angles_of_38_901() {
        for (vector, zenith, azimuth) in [
            (DVec3::Z, 0.0, 0.0),
            (-DVec3::Z, PI, 0.0),
            (DVec3::X, FRAC_PI_2, 0.0),
            (DVec3::Y, FRAC_PI_2, FRAC_PI_2),
            (DVec3::NEG_Y, FRAC_PI_2, -FRAC_PI_2),
            (DVec3::new(-1.0, 0.0, 0.0), FRAC_PI_2, PI),
            (DVec3::new(-1.0, -0.0, -0.0), FRAC_PI_2, PI),
            (DVec3::new(-0.0, -0.0, 5.0), 0.0, 0.0),
        ] {
            let direction = Direction::from_vector(vector);
            assert_eq!(direction, Direction { zenith, azimuth }, "{vector}");
        }
    }

    #[test]
    fn angles_and_vectors_are_inverse_to_each_other() {
        for i in 0..=20 {
            for j in -19..=20 {
                let direction = Direction {
                    zenith: PI * f64::from(i) / 20.0,
                    azimuth: PI * f64::from(j) / 20.0,
                };
                let vector = direction.unit_vector();
                let back = Direction::from_vector(vector).unit_vector();
                assert!((vector - back).length() < 1e-15, "{direction:?}");
            }
        }
    }

    #[test]
    fn theta_phi_and_the_direction_are_a_right_handed_system() {
        for vector in [
            DVec3::Z,
            -DVec3::Z,
            DVec3::new(0.3, -0.4, 0.5).normalize(),
            DVec3::new(1e-200, 0.0, 1.0),
        ] {
            let [theta, phi] = spherical_basis(vector);
            assert!((theta.cross(phi) - vector).length() < 1e-15, "{vector}");
            assert!((theta.length() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn turning_round_keeps_theta_and_reverses_phi() {
        let vector = DVec3::new(0.3, -0.4, 0.5).normalize();
        let ([theta, phi], [theta_back, phi_back]) =
            (spherical_basis(vector), spherical_basis(-vector));
        assert_eq!((theta_back, phi_back), (theta, -phi));
    }
}
