//! The wave of one direction at walls, for many receivers that it reaches at other distances.

use glam::DVec3;
use num_complex::Complex64;

use super::wave::Wave;
use crate::em::Surface;
use crate::paths::InteractionKind;

/// What leaves a device in one direction, on its way through reflections and transmissions; spreading and phase left out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlaneWave(Wave);

impl PlaneWave {
    /// In the unit vector `direction`.
    pub(crate) fn new(direction: DVec3) -> Self {
        Self(Wave::new(direction))
    }

    /// Reflects it at, or passes it through, a face with the unit `normal`.
    pub(crate) fn meet(&mut self, kind: InteractionKind, normal: DVec3, surface: &Surface) {
        self.0.meet(kind, normal, surface);
        if kind == InteractionKind::Reflection {
            self.0.direction -= 2.0 * self.0.direction.dot(normal) * normal;
        }
    }

    /// The power in both polarisations together, of a source with the field `(F_theta, F_phi)` in the direction it left.
    pub(crate) fn power(&self, field: [Complex64; 2]) -> f64 {
        let [theta, phi] = self.0.fields;
        let sum = theta * field[0] + phi * field[1];
        sum.re.length_squared() + sum.im.length_squared()
    }
}
