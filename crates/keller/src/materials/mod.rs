//! What walls are made of: media, layers, and the ITU-R P.2040-3 table.

mod itu;

pub use itu::ItuMaterial;

use num_complex::Complex64;

use crate::{Error, Frequency};

/// A homogeneous medium.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Medium {
    /// A row of ITU-R P.2040-3, Table 3, valid in its frequency ranges.
    Itu(ItuMaterial),
    /// Real relative permittivity and conductivity (S/m), the same at every frequency.
    Constant {
        /// Real relative permittivity.
        relative_permittivity: f64,
        /// Conductivity, S/m.
        conductivity: f64,
    },
    /// A perfect electric conductor.
    PerfectConductor,
}

/// One layer of a slab.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layer {
    /// What it is made of.
    pub medium: Medium,
    /// Its thickness, metres.
    pub thickness: f64,
}

/// How a wall is built.
#[derive(Debug, Clone, PartialEq)]
pub enum Material {
    /// So thick that nothing comes back from its far side and nothing passes through.
    HalfSpace(Medium),
    /// Layers in air, from the face's front (where its normal points) to its back.
    Slab(Vec<Layer>),
}

impl Medium {
    /// Complex relative permittivity `eps' - j sigma / (omega eps0)`; `None` for a perfect conductor.
    ///
    /// # Errors
    /// [`Error::MaterialFrequency`] outside an ITU material's ranges.
    pub fn relative_permittivity(self, _frequency: Frequency) -> Result<Option<Complex64>, Error> {
        unimplemented!("written next")
    }
}
