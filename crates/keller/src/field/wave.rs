//! A wave on its way along a path.

use glam::DVec3;
use num_complex::Complex64;
use std::f64::consts::TAU;

use super::face::Meeting;
use super::vector::ComplexVector;
use crate::direction::spherical_basis;
use crate::em::{ScatteringPhase, Surface, scattering::scattered};
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
        let from_front = self.direction.dot(normal) < 0.0;
        let normal = if from_front { normal } else { -normal };
        let matrix = scattered(
            surface,
            normal,
            from_front,
            -self.direction,
            out,
            area.square_metres(),
        );
        let turn = match phase {
            ScatteringPhase::Geometric => Complex64::ONE,
            ScatteringPhase::Random { seed } => Complex64::cis(TAU * patch_noise(seed, centre)),
        };
        let basis = |direction: DVec3| {
            // Straight on the wall any plane is one of incidence.
            let across = direction.cross(normal).try_normalize();
            let across = across.unwrap_or_else(|| normal.any_orthonormal_vector());
            [across, direction.cross(across)]
        };
        let (ins, outs) = (basis(self.direction), basis(out));
        self.fields = self.fields.map(|e| {
            let [te, tm] = ins.map(|b| turn * e.dot(b));
            let [te, tm] = matrix.map(|[a, b]| a * te + b * tm);
            ComplexVector::from_real(outs[0]) * te + ComplexVector::from_real(outs[1]) * tm
        });
        self.slope = None;
    }

    fn change(&mut self, f: impl Fn(ComplexVector) -> ComplexVector) {
        self.fields = self.fields.map(&f);
        if let Some(slope) = &mut self.slope {
            slope.fields = slope.fields.map(&f);
        }
    }
}

/// A number in `[0, 1)` that looks random and belongs to the patch at `centre`.
///
/// # Source
/// The finalizer of splitmix64: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014,
/// doi:10.1145/2660193.2660195.
fn patch_noise(seed: u64, centre: DVec3) -> f64 {
    let mut state = seed;
    for coordinate in centre.to_array() {
        state = (state ^ coordinate.to_bits()).wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^= state >> 31;
    }
    (state >> 11) as f64 / (1_u64 << 53) as f64
}
