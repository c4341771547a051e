//! The properties of materials that the path search needs.

use crate::em::Surfaces;
use crate::materials::Lobe;
use crate::scene::{FaceId, MaterialId, Scene};

/// The walls that let a wave through, and those that scatter it, by [`crate::scene::MaterialId`]. Geometry does not
/// know materials, but a path through a metal wall is none, and the fineness of the cut of a rough wall depends on the
/// width of its lobe.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Transparency {
    /// Whether a wave goes through.
    pub(crate) passes: Vec<bool>,
    /// Share of the power that goes through at normal incidence, 0 to 1.
    pub(crate) transmitted: Vec<f64>,
    /// Whether a wave is scattered diffusely.
    pub(crate) scatters: Vec<bool>,
    /// The directions of scattering, if there is any.
    pub(crate) lobes: Vec<Lobe>,
}

/// A wall that lets less than this amplitude through is opaque: 200 dB.
const MIN_TRANSMISSION: f64 = 1e-10;

impl Transparency {
    /// The transparency of the walls of `scene`: half spaces, perfect conductors and metal let nothing through.
    pub(crate) fn of(scene: &Scene, surfaces: &Surfaces) -> Self {
        let materials = || (0..scene.materials().len()).map(MaterialId::from_index);
        let amplitude = |id| {
            let through = surfaces.surface(id).transmission(1.0, true);
            through.te.norm().max(through.tm.norm())
        };
        let passes = |id| amplitude(id) >= MIN_TRANSMISSION;
        let transmitted = |id| {
            let amplitude: f64 = amplitude(id);
            (amplitude * amplitude).min(1.0)
        };
        let scatters = |id| surfaces.surface(id).texture().scattering.is_some();
        let lobe = |id| {
            let scattering = surfaces.surface(id).texture().scattering;
            scattering.map_or(Lobe::Lambertian, |scattering| scattering.lobe)
        };
        Self {
            passes: materials().map(passes).collect(),
            transmitted: materials().map(transmitted).collect(),
            scatters: materials().map(scatters).collect(),
            lobes: materials().map(lobe).collect(),
        }
    }

    /// Share of the power that passes a face at normal incidence, 0 to 1.
    pub(crate) fn transmitted(&self, scene: &Scene, face: FaceId) -> f64 {
        self.transmitted[scene.face(face).material.index()]
    }

    /// Whether waves pass a face.
    pub(crate) fn passes(&self, scene: &Scene, face: FaceId) -> bool {
        self.passes[scene.face(face).material.index()]
    }
}
