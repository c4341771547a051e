//! A wave of one direction at walls, for many receivers that it reaches at different distances.

use std::f64::consts::PI;

use glam::DVec3;
use num_complex::Complex64;

use super::Walls;
use super::face::{FaceInteraction, Meeting};
use super::frame::{Frame, wedge};
use super::patch::Patch;
use super::power_matrix::PowerMatrix;
use super::vector::ComplexVector;
use crate::antenna::Antenna;
use crate::direction::{Direction, spherical_basis};
use crate::em::utd::{Diffraction, EdgeAngles, Fan, Matrix2, Wedge};
use crate::em::{ScatteringPhase, Surface, Surfaces};
use crate::paths::PatchArea;
use crate::scene::Edge;

/// What leaves an antenna in one direction, on its way through reflections and transmissions; spreading and phase left out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlaneWave {
    /// Where it goes, a unit vector.
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
    /// Across the rays, along `beta` and `phi` of each.
    in_basis: [DVec3; 2],
    out_basis: [DVec3; 2],
    out: DVec3,
}

/// A wave behind an edge, between two directions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BentFan {
    ports: [Fan; 2],
    num_ports: u8,
    /// Their angles around the edge, and how far angles go, radians.
    phi: [f64; 2],
    open: f64,
}

impl BentFan {
    /// Its power for an observer at the angle `phi` around the edge, `ahead` metres behind it and the source `behind` metres before,
    /// where rays meet the edge with the sine `sin_beta`; spreading left out.
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
    /// As it leaves, for an observer `ahead` metres behind the edge and a source `behind` metres before it; spreading left out, which is
    /// `1 / sqrt(behind ahead (behind + ahead))`.
    pub(crate) fn seen_from(&self, behind: f64, ahead: f64) -> PlaneWave {
        let matrix = self.matrix(self.angles, behind, ahead);
        let mut wave = PlaneWave {
            direction: self.out,
            ..self.incident
        };
        for field in wave.used() {
            let [beta, phi] = self.in_basis.map(|unit| field.dot(unit));
            let [to_beta, to_phi] = matrix.map(|[a, b]| a * beta + b * phi);
            *field = ComplexVector::from_real(self.out_basis[0]) * to_beta
                + ComplexVector::from_real(self.out_basis[1]) * to_phi;
        }
        wave
    }

    /// As seen from many places between the direction that it leaves in and that of another.
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

    /// Its power for all fields of a transmitter, if two unit ones came to the edge, for an observer at the angle `phi` around the edge,
    /// where rays meet it with the sine `sin_beta`: behind walls that leave `behind_walls` of [`Self::unit_fields`].
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
        let matrix = self.matrix(angles, behind, ahead);
        let [from_beta, from_phi] = behind_walls.fields;
        PowerMatrix::of(self.incident.fields.map(|field| {
            let [beta, phi] = self.in_basis.map(|unit| field.dot(unit));
            let [to_beta, to_phi] = matrix.map(|[a, b]| a * beta + b * phi);
            from_beta * to_beta + from_phi * to_phi
        }))
    }

    /// Unit fields along `beta` and `phi` as they leave the edge.
    pub(crate) fn unit_fields(&self) -> PlaneWave {
        PlaneWave {
            direction: self.out,
            fields: self.out_basis.map(ComplexVector::from_real),
            num_ports: 2,
        }
    }

    fn matrix(&self, angles: EdgeAngles, behind: f64, ahead: f64) -> Matrix2 {
        let between = angles.sin_beta * angles.sin_beta * behind * ahead / (behind + ahead);
        self.diffraction(angles).matrix(between)
    }

    fn diffraction(&self, angles: EdgeAngles) -> Diffraction {
        let wavenumber = self.surfaces.frequency().wavenumber();
        let form = self.surfaces.lossy_wedge();
        Diffraction::new(&self.wedge, angles, wavenumber, form)
    }
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

    /// Of a field along theta and one along phi, of these amplitudes, in the unit vector `direction`.
    pub(crate) fn of_both_fields([along_theta, along_phi]: [f64; 2], direction: DVec3) -> Self {
        let [theta, phi] = spherical_basis(direction);
        let fields = [along_theta * theta, along_phi * phi];
        Self {
            direction,
            fields: fields.map(ComplexVector::from_real),
            num_ports: 2,
        }
    }

    /// What becomes of it in each of these ways at a face with the unit `normal`; for many waves at one face.
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

    /// Reflects it at, or passes it through, a face with the unit `normal`.
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

    /// Lets it meet an edge, to leave it in the unit vector `out`, which lies on the Keller cone.
    pub(crate) fn bend<'a>(
        &self,
        edge: &Edge,
        out: DVec3,
        walls: &impl Walls,
        surfaces: &'a Surfaces,
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
            wedge: wedge(edge, walls, surfaces),
            angles,
            surfaces,
            in_basis: [into.phi_hat.cross(self.direction), into.phi_hat],
            out_basis: [leaving.phi_hat.cross(out), leaving.phi_hat],
            out,
        }
    }

    /// The power density that a rough face with the unit `normal` scatters of it, in all directions together; spreading left out.
    pub(crate) fn scattered_power(&self, normal: DVec3, surface: &Surface) -> f64 {
        let patch = Patch::new(self.direction, normal, surface);
        let fields = &self.fields[..usize::from(self.num_ports)];
        let power: f64 = fields.iter().map(|e| patch.scattered_power(*e)).sum();
        power / f64::from(self.num_ports)
    }

    /// Scatters it at a patch of a rough face, into the unit vector `out`.
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

    /// The power in both polarisations together, all ports sending their share.
    pub(crate) fn power(&self) -> f64 {
        let power = |field: &ComplexVector| field.re.length_squared() + field.im.length_squared();
        self.fields.iter().map(power).sum::<f64>() / f64::from(self.num_ports)
    }

    /// The power of all that a transmitter may send instead, if it is one [of both fields](Self::of_both_fields).
    pub(crate) fn power_matrix(&self) -> PowerMatrix {
        PowerMatrix::of(self.fields)
    }

    /// The field of each port, with its share of the power, in theta and phi of a receiver that looks back along its way.
    pub(crate) fn received(&self) -> impl Iterator<Item = [Complex64; 2]> {
        let basis = spherical_basis(-self.direction);
        let share = f64::from(self.num_ports).sqrt().recip();
        let fields = &self.fields[..usize::from(self.num_ports)];
        fields.iter().map(move |f| basis.map(|e| share * f.dot(e)))
    }
}
