//! A wave on its way along a path.

use glam::DVec3;

use super::face::{FaceInteraction, Meeting};
use super::patch::Patch;
use super::vector::ComplexVector;
use crate::direction::spherical_basis;
use crate::em::{ScatteringPhase, Surface};
use crate::paths::PatchArea;

/// The fields of unit theta and phi sources somewhere on a path, spreading and phase left out.
///
/// Between two edges of one sheet a wave runs along both of its sides, and each has its own fields; elsewhere there is one wave.
#[derive(Debug, Clone)]
pub(super) struct Wave {
    /// Where it goes.
    pub(super) direction: DVec3,
    /// Along either side of a sheet, or the only one first. Where there is no wave there are no fields.
    pub(super) strands: [Option<Strand>; 2],
}

/// The fields along one side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strand {
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
        Self::of(
            direction,
            spherical_basis(direction).map(ComplexVector::from_real),
        )
    }

    /// One wave of these fields.
    pub(super) fn of(direction: DVec3, fields: [ComplexVector; 2]) -> Self {
        let strand = Strand {
            fields,
            slope: None,
        };
        Self {
            direction,
            strands: [Some(strand), None],
        }
    }

    /// The fields of all that is there.
    pub(super) fn fields(&self) -> [ComplexVector; 2] {
        let zero = [ComplexVector::ZERO; 2];
        self.strands.iter().flatten().fold(zero, |[a, b], strand| {
            [a + strand.fields[0], b + strand.fields[1]]
        })
    }

    /// Reflects it at, or passes it through, a face with the unit `normal`.
    pub(super) fn meet(&mut self, kind: FaceInteraction, normal: DVec3, surface: &Surface) {
        let direction = self.direction;
        let meeting = Meeting::new(kind, direction, normal, surface);
        for strand in self.strands.iter_mut().flatten() {
            strand.change(|e| meeting.apply(e, direction, normal));
            if let (FaceInteraction::Reflection, Some(slope)) = (kind, &mut strand.slope) {
                slope.across -= 2.0 * slope.across.dot(normal) * normal;
            }
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
        let scattered = self.fields().map(patch.scatter(out, area, centre, phase));
        *self = Self::of(out, scattered);
    }
}

impl Strand {
    fn change(&mut self, f: impl Fn(ComplexVector) -> ComplexVector) {
        self.fields = self.fields.map(&f);
        if let Some(slope) = &mut self.slope {
            slope.fields = slope.fields.map(&f);
        }
    }
}
