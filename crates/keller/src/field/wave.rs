//! A wave on its way along a path.

use glam::DVec3;

use super::face::{FaceInteraction, Meeting};
use super::patch::Patch;
use super::vector::ComplexVector;
use crate::direction::spherical_basis;
use crate::em::{ScatteringPhase, Surface};
use crate::paths::PatchArea;

/// The fields of unit theta and phi sources somewhere on a path, without spreading and phase.
///
/// Between two edges of one sheet a wave travels along both sides of the sheet, and each side has its own fields.
/// Elsewhere there is one wave.
#[derive(Debug, Clone)]
pub(super) struct Wave {
    /// Direction of the wave.
    pub(super) direction: DVec3,
    /// The strands along either side of a sheet; elsewhere the first is the only one. A missing strand has no field.
    pub(super) strands: [Option<Strand>; 2],
}

/// The fields along one side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strand {
    /// The electric field of each source.
    pub(super) fields: [ComplexVector; 2],
    /// The change of the fields across the ray; present behind an edge if another edge follows.
    pub(super) slope: Option<Slope>,
}

/// The change of the fields across a ray.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slope {
    /// Unit vector across the ray, in which the angle around the last edge grows.
    pub(super) across: DVec3,
    /// Derivative of the fields by that angle, 1/radian.
    pub(super) fields: [ComplexVector; 2],
}

impl Wave {
    /// The wave that leaves the Tx in `direction`.
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

    /// The sum of the fields of all strands.
    pub(super) fn fields(&self) -> [ComplexVector; 2] {
        let zero = [ComplexVector::ZERO; 2];
        self.strands.iter().flatten().fold(zero, |[a, b], strand| {
            [a + strand.fields[0], b + strand.fields[1]]
        })
    }

    /// Reflects the wave at a face with the unit `normal`, or passes it through.
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

    /// Scatters the wave at a patch of a rough face into the direction `out`.
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
