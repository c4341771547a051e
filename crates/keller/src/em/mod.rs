//! Step 6 of a ray's life: the effect of one interaction on a plane wave.
//!
//! [`fresnel`] treats a single interface, [`slab`] a stack of layers, [`utd`] diffraction at an edge, and
//! [`scattering`] rough walls. [`Surface`] is a material at one frequency, ready for any angle; [`Surfaces`] are all
//! materials of a scene. Signs and formulas: `docs/src/theory/`.
//!
//! **Assumes** plane waves and homogeneous, isotropic, non-magnetic media. Walls are treated as infinite around the
//! point of interaction.

mod bound;
pub mod fresnel;
mod lossy_wedge;
mod passages;
mod roughness;
pub mod scattering;
pub mod slab;
mod surface;
pub mod utd;
mod wall_power;

pub(crate) use bound::{ReflectionBound, max_transmitted};
pub use passages::Passages;
pub(crate) use passages::PathCounts;
pub use surface::{ScatteringPhase, Surface, Surfaces};
pub(crate) use wall_power::WallPower;

/// One value for each polarisation of a wave at a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TeTm<T> {
    /// Electric field perpendicular to the plane of incidence.
    pub te: T,
    /// Magnetic field perpendicular to the plane of incidence.
    pub tm: T,
}

impl<T> TeTm<T> {
    /// Applies `f` to both values.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> TeTm<U> {
        TeTm {
            te: f(self.te),
            tm: f(self.tm),
        }
    }

    /// Pairs each value with its counterpart in `other`.
    pub fn zip<U>(self, other: TeTm<U>) -> TeTm<(T, U)> {
        TeTm {
            te: (self.te, other.te),
            tm: (self.tm, other.tm),
        }
    }
}
