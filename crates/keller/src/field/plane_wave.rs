//! The wave of one direction at walls, for many receivers that it reaches at other distances.

use glam::DVec3;
use num_complex::Complex64;

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

    /// The field of each port, with its share of the power, in theta and phi of a receiver that looks back along its way.
    pub(crate) fn received(&self) -> impl Iterator<Item = [Complex64; 2]> {
        let basis = spherical_basis(-self.direction);
        let share = f64::from(self.num_ports).sqrt().recip();
        let fields = &self.fields[..usize::from(self.num_ports)];
        fields.iter().map(move |f| basis.map(|e| share * f.dot(e)))
    }
}
