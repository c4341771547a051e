//! A wave of one direction at walls, for many receivers that it reaches at different distances.

#[cfg(test)]
mod tests;

use std::f64::consts::PI;

use glam::DVec3;
use num_complex::Complex64;

use super::face::{FaceInteraction, Meeting};
use super::frame::{Frame, wedge};
use super::patch::Patch;
use super::power_matrix::PowerMatrix;
use super::vector::ComplexVector;
use super::{Walls, carried, carried_roughly};
use crate::antenna::Antenna;
use crate::direction::spherical_basis;
use crate::em::utd::{Diffraction, EdgeAngles, Fan, Matrix2, Wedge, WedgeFace};
use crate::em::{PathCounts, ScatteringPhase, Surface, Surfaces};
use crate::paths::{PatchArea, Path};
use crate::scene::Edge;

/// The wave that leaves an antenna in one direction, on its way through reflections and transmissions, without
/// spreading and phase.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlaneWave {
    /// Direction of the wave, a unit vector.
    direction: DVec3,
    /// The electric field of each port; an antenna has one or two.
    fields: [ComplexVector; 2],
    num_ports: u8,
}

/// A wave at an edge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bent<'a> {
    incident: PlaneWave,
    wedge: Wedge<'a>,
    angles: EdgeAngles,
    surfaces: &'a Surfaces,
    /// Unit vectors along `beta` and `phi`, across the incident and the outgoing ray.
    in_basis: [DVec3; 2],
    out_basis: [DVec3; 2],
    out: DVec3,
}

/// A wave behind an edge, for directions between two given ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BentFan {
    ports: [Fan; 2],
    num_ports: u8,
    /// Angles of these two directions around the edge, and the exterior angle of the edge, radians.
    phi: [f64; 2],
    open: f64,
}

impl BentFan {
    /// Its power for an observer at the angle `phi` around the edge and `ahead` metres behind it. The source is
    /// `behind` metres in front of the edge, and rays meet the edge with the sine `sin_beta`. Spreading is left out.
    pub(crate) fn power_at(&self, phi: f64, sin_beta: f64, behind: f64, ahead: f64) -> f64 {
        let between = sin_beta * sin_beta * behind * ahead / (behind + ahead);
        let ports = &self.ports[..usize::from(self.num_ports)];
        let [from, to] = self.phi;
        let turned = phi.clamp(0.0, self.open) - from;
        let turn = self.ports[0].turn(turned);
        let share = turned / (to - from);
        let power = ports
            .iter()
            .map(|fan| fan.power(&turn, share, sin_beta, between));
        power.sum::<f64>() / f64::from(self.num_ports)
    }
}

impl Bent<'_> {
    /// The outgoing wave for an observer `ahead` metres behind the edge and a source `behind` metres in front of it.
    /// The spreading factor `1 / sqrt(behind ahead (behind + ahead))` is left out.
    pub(crate) fn seen_from(&self, behind: f64, ahead: f64) -> PlaneWave {
        let [wave] = self.seen_from_each(behind, [ahead]);
        wave
    }

    /// [`Self::seen_from`] for observers at several distances in one direction.
    pub(crate) fn seen_from_each<const N: usize>(
        &self,
        behind: f64,
        ahead: [f64; N],
    ) -> [PlaneWave; N] {
        let incident = self.incident;
        let fields = incident
            .fields
            .map(|field| self.in_basis.map(|unit| field.dot(unit)));
        self.matrices(self.angles, behind, ahead).map(|matrix| {
            let mut wave = PlaneWave {
                direction: self.out,
                ..incident
            };
            for (field, [beta, phi]) in wave.used().iter_mut().zip(fields) {
                let [to_beta, to_phi] = matrix.map(|[a, b]| a * beta + b * phi);
                *field = ComplexVector::from_real(self.out_basis[0]) * to_beta
                    + ComplexVector::from_real(self.out_basis[1]) * to_phi;
            }
            wave
        })
    }

    /// The outgoing wave for many directions between its own and that of `other`.
    pub(crate) fn fan_to(&self, other: &Self) -> BentFan {
        let ends = [self, other].map(|end| end.diffraction(end.angles));
        let of_port = |field: &ComplexVector| {
            let field = self.in_basis.map(|unit| field.dot(unit));
            Fan::new(ends.each_ref(), field)
        };
        BentFan {
            ports: self.incident.fields.each_ref().map(of_port),
            num_ports: self.incident.num_ports,
            phi: [self, other].map(|end| end.angles.phi_out),
            open: self.wedge.n * PI,
        }
    }

    /// The power for all fields of a transmitter, for an observer at the angle `phi` around the edge, where rays meet
    /// it with the sine `sin_beta`. The incident wave must consist of two unit fields. `behind_walls` is what walls
    /// leave of [`Self::unit_fields`].
    pub(crate) fn power_matrix_at(
        &self,
        [phi, sin_beta]: [f64; 2],
        [behind, ahead]: [f64; 2],
        behind_walls: &PlaneWave,
    ) -> PowerMatrix {
        let angles = EdgeAngles {
            sin_beta,
            phi_out: phi.clamp(0.0, self.wedge.n * PI),
            ..self.angles
        };
        let [matrix] = self.matrices(angles, behind, [ahead]);
        let [from_beta, from_phi] = behind_walls.fields;
        PowerMatrix::of(self.incident.fields.map(|field| {
            let [beta, phi] = self.in_basis.map(|unit| field.dot(unit));
            let [to_beta, to_phi] = matrix.map(|[a, b]| a * beta + b * phi);
            from_beta * to_beta + from_phi * to_phi
        }))
    }

    /// [`Self::seen_from`] behind walls that leave `behind_walls` of [`Self::unit_fields`].
    pub(crate) fn through(&self, behind_walls: &PlaneWave, behind: f64, ahead: f64) -> PlaneWave {
        let mut wave = self.seen_from(behind, ahead);
        let [from_beta, from_phi] = behind_walls.fields;
        for field in wave.used() {
            let [beta, phi] = self.out_basis.map(|unit| field.dot(unit));
            *field = from_beta * beta + from_phi * phi;
        }
        wave.direction = behind_walls.direction;
        wave
    }

    /// Unit fields along `beta` and `phi` as they leave the edge.
    pub(crate) fn unit_fields(&self) -> PlaneWave {
        PlaneWave {
            direction: self.out,
            fields: self.out_basis.map(ComplexVector::from_real),
            num_ports: 2,
        }
    }

    fn matrices<const N: usize>(
        &self,
        angles: EdgeAngles,
        behind: f64,
        ahead: [f64; N],
    ) -> [Matrix2; N] {
        let squared = angles.sin_beta * angles.sin_beta;
        let between = ahead.map(|ahead| squared * behind * ahead / (behind + ahead));
        if self.surfaces.variants().is_empty() {
            let diffraction = self.diffraction(angles);
            between.map(|between| diffraction.quick_matrix(between))
        } else {
            between.map(|between| self.strongest_matrix(angles, between))
        }
    }

    /// The largest amplitude that the edge gives a wave of any polarisation with any of the surfaces that these are [as
    /// strong as](Surfaces::strongest), for both polarisations.
    ///
    /// A face that reflects more does not always diffract more, because the terms of a diffraction may cancel.
    fn strongest_matrix(&self, angles: EdgeAngles, between: f64) -> Matrix2 {
        let variants = self.surfaces.variants().iter().enumerate();
        let amplitudes = variants.map(|(variant, (frequency, form))| {
            let faces = self.wedge.faces.map(|face| WedgeFace {
                surface: &face.surface.variants()[variant],
                ..face
            });
            let wedge = Wedge {
                faces,
                ..self.wedge
            };
            let diffraction = Diffraction::new(&wedge, angles, frequency.wavenumber(), *form);
            largest_amplitude(diffraction.quick_matrix(between))
        });
        let amplitude = Complex64::from(amplitudes.fold(0.0, f64::max));
        [[amplitude, Complex64::ZERO], [Complex64::ZERO, amplitude]]
    }

    fn diffraction(&self, angles: EdgeAngles) -> Diffraction {
        let wavenumber = self.surfaces.frequency().wavenumber();
        let form = self.surfaces.lossy_wedge();
        Diffraction::new(&self.wedge, angles, wavenumber, form)
    }
}

/// The largest amplitude that a matrix makes of a field of unit amplitude: its larger singular value.
fn largest_amplitude(matrix: Matrix2) -> f64 {
    let [[a, b], [c, d]] = matrix;
    let sum: f64 = [a, b, c, d].iter().map(Complex64::norm_sqr).sum();
    let determinant = (a * d - b * c).norm();
    // Rounding may make a zero negative.
    let split = (sum * sum - 4.0 * determinant * determinant)
        .max(0.0)
        .sqrt();
    (0.5 * (sum + split)).sqrt()
}

impl PlaneWave {
    /// The wave of an antenna in the direction of the unit vector `direction`.
    pub(crate) fn new(antenna: &Antenna, direction: DVec3) -> Self {
        let basis = spherical_basis(direction).map(ComplexVector::from_real);
        let mut wave = Self {
            direction,
            fields: [ComplexVector::ZERO; 2],
            num_ports: 0,
        };
        let ports = antenna.fields_along(direction);
        for (field, [theta, phi]) in wave.fields.iter_mut().zip(ports) {
            *field = basis[0] * theta + basis[1] * phi;
            wave.num_ports += 1;
        }
        wave
    }

    /// A wave of a field along theta and a field along phi, of these amplitudes, in the direction of the unit vector
    /// `direction`.
    pub(crate) fn of_both_fields([along_theta, along_phi]: [f64; 2], direction: DVec3) -> Self {
        let [theta, phi] = spherical_basis(direction);
        let fields = [along_theta * theta, along_phi * phi];
        Self {
            direction,
            fields: fields.map(ComplexVector::from_real),
            num_ports: 2,
        }
    }

    /// A wave in the direction of the unit vector `direction` that brings this to a receiver, as [`Self::received`] has it.
    pub(crate) fn of_received(
        direction: DVec3,
        ports: impl ExactSizeIterator<Item = [Complex64; 2]>,
    ) -> Self {
        let basis = spherical_basis(-direction).map(ComplexVector::from_real);
        let scale = (ports.len() as f64).sqrt();
        let mut wave = Self {
            direction,
            fields: [ComplexVector::ZERO; 2],
            num_ports: 0,
        };
        for (field, [theta, phi]) in wave.fields.iter_mut().zip(ports) {
            *field = basis[0] * (scale * theta) + basis[1] * (scale * phi);
            wave.num_ports += 1;
        }
        wave
    }

    /// This wave without any field.
    pub(crate) fn without_power(&self) -> Self {
        Self {
            fields: [ComplexVector::ZERO; 2],
            ..*self
        }
    }

    /// The wave at the end of a path along which it leaves the Tx, with spreading. `any` are the walls between which it
    /// may run. If there are several, those that leave most of a wave of any polarisation count for both. A rough wave
    /// takes half the time.
    pub(crate) fn along(
        &self,
        path: &Path,
        any: impl Iterator<Item = impl Walls>,
        is_rough: bool,
    ) -> Self {
        let carried = if is_rough { carried_roughly } else { carried };
        let all = any.map(|walls| carried(path, &walls));
        let strongest = all.reduce(|(one, arrival), (other, _)| {
            let amplitudes = [one, other].map(largest_amplitude);
            let amplitude = Complex64::from(amplitudes[0].max(amplitudes[1]));
            let both = [[amplitude, Complex64::ZERO], [Complex64::ZERO, amplitude]];
            (both, arrival)
        });
        let Some((matrix, arrival)) = strongest else {
            return *self;
        };
        let [sent, received] = [self.direction, arrival].map(spherical_basis);
        let [to_theta, to_phi] = received.map(ComplexVector::from_real);
        let mut wave = Self {
            direction: -arrival,
            ..*self
        };
        for field in wave.used() {
            let [theta, phi] = sent.map(|basis| field.dot(basis));
            let [theta, phi] = matrix.map(|[a, b]| a * theta + b * phi);
            *field = to_theta * theta + to_phi * phi;
        }
        wave
    }

    /// The waves that follow from it by each kind of interaction at a face with the unit `normal`. For many waves at
    /// one face.
    pub(crate) fn beyond<'a>(
        &self,
        kinds: &'a [FaceInteraction],
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

    /// Its direction, a unit vector.
    pub(crate) fn direction(&self) -> DVec3 {
        self.direction
    }

    /// Reflects the wave at a face with the unit `normal`, or passes it through.
    pub(crate) fn meet(&mut self, kind: FaceInteraction, normal: DVec3, surface: &Surface) {
        let meeting = Meeting::new(kind, self.direction, normal, surface);
        self.change(kind, normal, meeting);
    }

    fn change(&mut self, kind: FaceInteraction, normal: DVec3, meeting: Meeting) {
        let direction = self.direction;
        for field in self.used() {
            *field = meeting.apply(*field, direction, normal);
        }
        if kind == FaceInteraction::Reflection {
            self.direction -= 2.0 * direction.dot(normal) * normal;
        }
    }

    /// Diffracts the wave of a path of `counts` at an edge. It leaves in the direction of the unit vector `out`, which
    /// lies on the Keller cone.
    pub(crate) fn bend<'a>(
        &self,
        edge: &Edge,
        out: DVec3,
        walls: &'a impl Walls,
        counts: PathCounts,
    ) -> Bent<'a> {
        let frame = Frame::new(edge);
        let (into, leaving) = (frame.ray(-self.direction), frame.ray(out));
        let angles = EdgeAngles {
            sin_beta: into.sin_beta,
            cos_beta: -into.cos_beta,
            phi_in: into.phi,
            phi_out: leaving.phi,
        };
        Bent {
            incident: *self,
            wedge: wedge(edge, walls, counts),
            angles,
            surfaces: walls.surfaces(),
            in_basis: [into.phi_hat.cross(self.direction), into.phi_hat],
            out_basis: [leaving.phi_hat.cross(out), leaving.phi_hat],
            out,
        }
    }

    /// The power density that a rough face with the unit `normal` scatters in all directions together, without
    /// spreading.
    pub(crate) fn scattered_power(&self, normal: DVec3, surface: &Surface) -> f64 {
        let patch = Patch::new(self.direction, normal, surface);
        let fields = &self.fields[..usize::from(self.num_ports)];
        let power: f64 = fields.iter().map(|e| patch.scattered_power(*e)).sum();
        power / f64::from(self.num_ports)
    }

    /// Scatters the wave at a patch of a rough face, into the direction of the unit vector `out`.
    pub(crate) fn scatter(
        &mut self,
        normal: DVec3,
        surface: &Surface,
        out: DVec3,
        (area, centre): (PatchArea, DVec3),
        phase: ScatteringPhase,
    ) {
        let scatter = Patch::new(self.direction, normal, surface).scatter(out, area, centre, phase);
        for field in self.used() {
            *field = scatter(*field);
        }
        self.direction = out;
    }

    fn used(&mut self) -> &mut [ComplexVector] {
        &mut self.fields[..usize::from(self.num_ports)]
    }

    /// The power in both polarisations together, where the ports share the transmitted power equally.
    pub(crate) fn power(&self) -> f64 {
        let power = |field: &ComplexVector| field.re.length_squared() + field.im.length_squared();
        self.fields.iter().map(power).sum::<f64>() / f64::from(self.num_ports)
    }

    /// The power for any other field that the transmitter may send, if the wave is one [of both
    /// fields](Self::of_both_fields).
    pub(crate) fn power_matrix(&self) -> PowerMatrix {
        PowerMatrix::of(self.fields)
    }

    /// The field of each port, scaled by its share of the power, in theta and phi of a receiver that looks back along
    /// the wave.
    pub(crate) fn received(&self) -> impl Iterator<Item = [Complex64; 2]> {
        let basis = spherical_basis(-self.direction);
        let share = f64::from(self.num_ports).sqrt().recip();
        let fields = &self.fields[..usize::from(self.num_ports)];
        fields.iter().map(move |f| basis.map(|e| share * f.dot(e)))
    }
}
