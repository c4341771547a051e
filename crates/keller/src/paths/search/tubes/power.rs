//! An estimate of the power that a tube brings to a place, linear, between isotropic antennas.
//!
//! Walls count with the mean of both polarisations at the tube's own angle. Edges count with the sum of Keller's terms
//! for the boundaries of shadow and reflection, at most half the field of free space.

use super::shape::{Axis, Fan, Shape};
use crate::em::{Surfaces, WallPower};
use crate::scene::{FaceId, MaterialId, Scene};

use glam::Vec3;

/// The share of the field that the faces of an edge reflect.
const REFLECTED_FIELD: f32 = 0.7;

/// Nearer places count as if they were this far away, metres.
const NEAREST: f32 = 0.5;

/// Walls and free space at one frequency.
#[derive(Debug)]
pub(super) struct Power {
    /// The gain of free space at one metre.
    free_space: f32,
    wavenumber: f32,
    /// The shares of power of each material, from the front and from the back.
    walls: Vec<[WallPower; 2]>,
}

/// The share of a tube's power that spreading and edges leave.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spreading {
    gain: f32,
    behind: f32,
    /// The square of the coefficient of diffraction, metres; `None` before any edge.
    diffracted: Option<f32>,
}

impl Power {
    pub(super) fn new(scene: &Scene, surfaces: &Surfaces) -> Self {
        let wavelength = surfaces.frequency().wavelength();
        let of = |k: usize| {
            let surface = surfaces.surface(MaterialId::from_index(k));
            [true, false].map(|from_front| WallPower::of(surface, from_front))
        };
        #[expect(clippy::cast_possible_truncation, reason = "an estimate")]
        Self {
            free_space: (wavelength / (4.0 * std::f64::consts::PI)).powi(2) as f32,
            wavenumber: (std::f64::consts::TAU / wavelength) as f32,
            walls: (0..scene.materials().len()).map(of).collect(),
        }
    }

    /// The shares of power that a face reflects and lets through, of a wave in this direction.
    pub(super) fn at_wall(&self, scene: &Scene, face: FaceId, direction: Vec3) -> [f32; 2] {
        let towards = scene.face_normal(face).as_vec3().dot(direction);
        let side = usize::from(towards > 0.0);
        let split = self.walls[scene.face(face).material.index()][side].split(towards.abs().into());
        #[expect(clippy::cast_possible_truncation, reason = "an estimate")]
        [split.reflected as f32, split.transmitted as f32]
    }

    /// The spreading of a tube with this axis. At an edge it is the strongest of all angles of the tube.
    pub(super) fn spreading(&self, shape: &Shape, axis: &Axis, wedge: Option<&Wedge>) -> Spreading {
        let diffracted = match (shape, wedge) {
            (Shape::Fan(fan), Some(wedge)) => {
                let amplitude = wedge.strongest(fan) / axis.sin_beta;
                Some(amplitude * amplitude / (std::f32::consts::TAU * self.wavenumber))
            }
            _ => None,
        };
        Spreading {
            gain: self.free_space,
            behind: axis.behind,
            diffracted,
        }
    }
}

impl Spreading {
    /// The gain at a distance from the origin of the axis, metres.
    pub(super) fn at(&self, t: f32) -> f32 {
        let t = t.max(NEAREST);
        let total = self.behind + t;
        let free = self.gain / (total * total);
        match self.diffracted {
            None => free,
            Some(square) => {
                let spread = self.gain * square / (self.behind * t * total);
                spread.min(0.5 * free)
            }
        }
    }

    /// The distance at which only this gain is left, metres.
    pub(super) fn reach(&self, least: f32) -> f32 {
        let free = (self.gain / least).sqrt() - self.behind;
        let diffracted = self.diffracted.map_or(f32::INFINITY, |square| {
            let b = 0.5 * self.behind;
            (b * b + self.gain * square / (self.behind * least)).sqrt() - b
        });
        free.min(diffracted)
    }
}

/// The angles at a wedge that a wave meets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wedge {
    /// The angle of the open space around it, radians.
    pub(super) open: f32,
    /// The angle from which the wave comes.
    pub(super) from: f32,
}

impl Wedge {
    /// The largest sum of Keller's terms over the angles of a fan.
    fn strongest(self, fan: &Fan) -> f32 {
        use std::f32::consts::PI;
        let [low, high] = fan.around;
        let boundaries = [
            self.from + PI,
            self.from - PI,
            PI - self.from,
            2.0 * self.open - PI - self.from,
        ];
        let at = boundaries.map(|boundary| self.terms(boundary.clamp(low, high)));
        at.into_iter().fold(0.0, f32::max)
    }

    fn terms(self, phi: f32) -> f32 {
        use std::f32::consts::PI;
        let n = self.open / PI;
        let (sin, cos) = libm::sincosf(PI / n);
        let term = |angle: f32| (cos - libm::cosf(angle / n)).abs().max(1e-4).recip();
        sin.abs() / n * (term(phi - self.from) + REFLECTED_FIELD * term(phi + self.from))
    }
}
