//! A wave on its way along a path.

use glam::DVec3;

use super::face::Meeting;
use super::patch::Patch;
use super::vector::ComplexVector;
use crate::direction::spherical_basis;
use crate::em::{ScatteringPhase, Surface};
use crate::paths::{InteractionKind, PatchArea};

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
        let meeting = Meeting::new(kind, direction, normal, surface);
        self.change(|e| meeting.apply(e, direction, normal));
        if let (InteractionKind::Reflection, Some(slope)) = (kind, &mut self.slope) {
            slope.across -= 2.0 * slope.across.dot(normal) * normal;
        }
    }

    /// Scatters it at a patch of a rough face, into the direction `out`.
    pub(super) fn scatter(
        &mut self,
        surface: &Surface,
        normal: DVec3,
        out: DVec3,
        area: PatchArea,
        centre: DVec3,
        phase: ScatteringPhase,
    ) {
        let patch = Patch::new(self.direction, normal, surface);
        self.fields = self.fields.map(patch.scatter(out, area, centre, phase));
        self.slope = None;
    }

    fn change(&mut self, f: impl Fn(ComplexVector) -> ComplexVector) {
        self.fields = self.fields.map(&f);
        if let Some(slope) = &mut self.slope {
            slope.fields = slope.fields.map(&f);
        }
    }
}
