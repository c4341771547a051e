//! The power that the antenna of a transmitter radiates in a direction.

use std::f64::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

use glam::{DVec2, DVec3};

use crate::antenna::Antenna;
use crate::direction::Direction;

/// Azimuths and elevations of the table, half a degree each.
const AZIMUTHS: usize = 720;
const ELEVATIONS: usize = 361;

/// The gain of an antenna over all directions.
#[derive(Debug)]
pub(super) enum Departure {
    /// One gain everywhere, linear.
    Isotropic(f64),
    /// The gains by azimuths of [`AZIMUTHS`], in each by elevations of [`ELEVATIONS`]; and the turn of the plane's
    /// axes, radians.
    Table(Vec<f32>, f64),
}

/// The gains of one antenna, kept from map to map: a table takes longer than a map.
#[derive(Debug, Default)]
pub(super) struct KeptDeparture(Option<(Antenna, f64, Arc<Departure>)>);

impl KeptDeparture {
    /// [`Departure::new`], of the last time if that was the same.
    pub(super) fn of(&mut self, antenna: &Antenna, rotation: f64) -> Arc<Departure> {
        if let Some((last, turn, departure)) = &self.0
            && last == antenna
            && *turn == rotation
        {
            return Arc::clone(departure);
        }
        let departure = Arc::new(Departure::new(antenna, rotation));
        self.0 = Some((antenna.clone(), rotation, Arc::clone(&departure)));
        departure
    }
}

impl Departure {
    /// The departure of an antenna, for directions in axes that are turned by `rotation` radians anticlockwise.
    pub(super) fn new(antenna: &Antenna, rotation: f64) -> Self {
        let gain = |direction: DVec3| {
            let fields = antenna.fields(Direction::from_vector(direction));
            let count = fields.len() as f64;
            let power =
                |[theta, phi]: [num_complex::Complex64; 2]| theta.norm_sqr() + phi.norm_sqr();
            fields.map(power).sum::<f64>() / count
        };
        // Directions that no symmetry of an antenna connects.
        let probes = [
            [0.31, 0.87, 0.12],
            [-0.94, 0.05, -0.3],
            [0.11, -0.52, 0.8],
            [0.6, 0.1, -0.7],
        ];
        let [first, rest @ ..] = probes.map(|probe| gain(DVec3::from(probe).normalize()));
        if rest.iter().all(|gain| (gain - first).abs() < 1e-12 * first) {
            return Self::Isotropic(first);
        }
        let mut table = Vec::with_capacity(AZIMUTHS * ELEVATIONS);
        for i in 0..AZIMUTHS {
            let azimuth = TAU * i as f64 / AZIMUTHS as f64;
            for k in 0..ELEVATIONS {
                let elevation = FRAC_PI_2 * (2.0 * k as f64 / (ELEVATIONS - 1) as f64 - 1.0);
                let (sin, cos) = elevation.sin_cos();
                let direction = (cos * DVec2::from_angle(azimuth)).extend(sin);
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "single precision is enough"
                )]
                table.push(gain(direction) as f32);
            }
        }
        Self::Table(table, rotation)
    }

    /// The linear gain along `plan`, of any length, for a rise over that length.
    pub(super) fn gain(&self, plan: DVec2, rise: f64) -> f64 {
        match self {
            Self::Isotropic(gain) => *gain,
            Self::Table(table, rotation) => {
                let azimuth = (plan.to_angle() + rotation).rem_euclid(TAU);
                let elevation = rise.atan2(plan.length());
                let along = AZIMUTHS as f64 * azimuth / TAU;
                let up = (elevation / FRAC_PI_2 + 1.0) * 0.5 * (ELEVATIONS - 1) as f64;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "not negative"
                )]
                let (i, k) = (along as usize % AZIMUTHS, (up as usize).min(ELEVATIONS - 2));
                let (s, t) = (along - along.floor(), up - k as f64);
                let at = |i: usize, k: usize| f64::from(table[(i % AZIMUTHS) * ELEVATIONS + k]);
                let of_azimuth = |i: usize| at(i, k) * (1.0 - t) + at(i, k + 1) * t;
                of_azimuth(i) * (1.0 - s) + of_azimuth(i + 1) * s
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::antenna::{Orientation, Pattern};

    #[test]
    fn an_antenna_is_kept_until_another_comes() {
        let looking = |bearing: f64| Antenna {
            pattern: Pattern::Tr38901,
            orientation: Orientation {
                bearing,
                ..Orientation::default()
            },
            ..Antenna::default()
        };
        let mut kept = KeptDeparture::default();
        let asked = [(0.4, 0.0), (0.4, 0.0), (1.7, 0.0), (1.7, 0.6), (0.4, 0.0)];
        for (bearing, rotation) in asked {
            let departure = kept.of(&looking(bearing), rotation);
            // The antenna looks most strongly along its bearing, seen in axes that are turned.
            let ahead = departure.gain(DVec2::from_angle(bearing - rotation), 0.0);
            assert!((ahead - 10.0_f64.powf(0.8)).abs() < 1e-3, "{ahead}");
            let again = kept.of(&looking(bearing), rotation);
            assert!(Arc::ptr_eq(&departure, &again), "the table is kept");
        }
        let everywhere = kept.of(&Antenna::default(), 0.6);
        assert!((everywhere.gain(DVec2::Y, 3.0) - 1.0).abs() < 1e-12);
    }
}
