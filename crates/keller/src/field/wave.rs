//! A wave on its way along a path.

use glam::DVec3;

use super::face::{reflect, transmit};
use super::vector::ComplexVector;
use crate::direction::spherical_basis;
use crate::em::Surface;
use crate::paths::InteractionKind;

/// The fields of unit theta and phi sources somewhere on a path, spreading and phase left out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wave {
    /// Where it goes.
    pub(super) direction: DVec3,
    /// The electric field of each source.
    pub(super) fields: [ComplexVector; 2],
    /// How the fields change across the ray, behind an edge with another one to come.
    pub(super) slope: Option<Slope>,
}

/// The change of the fields across a ray.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slope {
    /// Unit vector across the ray, in which the angle around the last edge grows.
    pub(super) across: DVec3,
    /// By that angle, radians.
    pub(super) fields: [ComplexVector; 2],
}

impl Wave {
    /// What leaves the Tx in `direction`.
    pub(super) fn new(direction: DVec3) -> Self {
        Self {
            direction,
            fields: spherical_basis(direction).map(ComplexVector::from_real),
            slope: None,
        }
    }

    /// Reflects it at, or passes it through, a face with the unit `normal`.
    pub(super) fn meet(&mut self, kind: InteractionKind, normal: DVec3, surface: &Surface) {
        let direction = self.direction;
        let cosine = direction.dot(normal);
        let (cos_theta, from_front) = (cosine.abs().min(1.0), cosine < 0.0);
        match kind {
            InteractionKind::Reflection => {
                let r = surface.reflection(cos_theta, from_front);
                self.change(|e| reflect(e, direction, normal, r));
                if let Some(slope) = &mut self.slope {
                    slope.across -= 2.0 * slope.across.dot(normal) * normal;
                }
            }
            InteractionKind::Transmission => {
                let t = surface.transmission(cos_theta, from_front);
                self.change(|e| transmit(e, direction, normal, t));
            }
            InteractionKind::Diffraction | InteractionKind::Scattering => {
                unreachable!("{kind:?} at a face")
            }
        }
    }

    fn change(&mut self, f: impl Fn(ComplexVector) -> ComplexVector) {
        self.fields = self.fields.map(&f);
        if let Some(slope) = &mut self.slope {
            slope.fields = slope.fields.map(&f);
        }
    }
}
