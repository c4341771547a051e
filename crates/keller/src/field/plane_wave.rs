//! The wave of one direction at walls, for many receivers that it reaches at other distances.

use glam::DVec3;

use super::face::Meeting;
use super::vector::ComplexVector;
use crate::antenna::Antenna;
use crate::direction::{Direction, spherical_basis};
use crate::em::Surface;
use crate::paths::InteractionKind;

/// What leaves an antenna in one direction, on its way through reflections and transmissions; spreading and phase left out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlaneWave {
    /// Where it goes, a unit vector.
    direction: DVec3,
    /// The electric field of each port; an antenna has one or two.
    fields: [ComplexVector; 2],
    num_ports: u8,
}

impl PlaneWave {
    /// Of an antenna, in the unit vector `direction`.
    pub(crate) fn new(antenna: &Antenna, direction: DVec3) -> Self {
        let basis = spherical_basis(direction).map(ComplexVector::from_real);
        let mut wave = Self {
            direction,
            fields: [ComplexVector::ZERO; 2],
            num_ports: 0,
        };
        let ports = antenna.fields(Direction::from_vector(direction));
        for (field, [theta, phi]) in wave.fields.iter_mut().zip(ports) {
            *field = basis[0] * theta + basis[1] * phi;
            wave.num_ports += 1;
        }
        wave
    }

    /// What becomes of it in each of these ways at a face with the unit `normal`; for many waves at one face.
    pub(crate) fn beyond<'a>(
        &self,
        kinds: &'a [InteractionKind],
        normal: DVec3,
        surface: &Surface,
    ) -> impl Iterator<Item = Self> + use<'a> {
        let both = Meeting::both(self.direction, normal, surface);
        let wave = *self;
        kinds.iter().map(move |&kind| {
            let mut wave = wave;
            wave.change(kind, normal, both(kind));
            wave
        })
    }

    /// Reflects it at, or passes it through, a face with the unit `normal`.
    pub(crate) fn meet(&mut self, kind: InteractionKind, normal: DVec3, surface: &Surface) {
        let meeting = Meeting::new(kind, self.direction, normal, surface);
        self.change(kind, normal, meeting);
    }

    fn change(&mut self, kind: InteractionKind, normal: DVec3, meeting: Meeting) {
        let direction = self.direction;
        for field in &mut self.fields[..usize::from(self.num_ports)] {
            *field = meeting.apply(*field, direction, normal);
        }
        if kind == InteractionKind::Reflection {
            self.direction -= 2.0 * direction.dot(normal) * normal;
        }
    }

    /// The power in both polarisations together, all ports sending their share.
    pub(crate) fn power(&self) -> f64 {
        let power = |field: &ComplexVector| field.re.length_squared() + field.im.length_squared();
        self.fields.iter().map(power).sum::<f64>() / f64::from(self.num_ports)
    }
}
