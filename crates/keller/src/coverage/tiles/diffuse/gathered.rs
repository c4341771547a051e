//! The power that one side of a tile gathers in one scattering.

use super::super::incident_field::Moments;
use super::super::lobe_parts::Arriving;

/// A tile that a ray grazes counts as if it were met at this cosine, because lobes that send power along the wall have
/// no finite brightness there.
pub(super) const MIN_COSINE: f64 = 0.02;

/// The power that one side of a tile gathers.
#[derive(Debug, Clone, Default)]
pub(super) struct Gathered {
    pub(super) gain: Moments,
    /// Incident power divided by the density of a gain and by the area.
    pub(super) flux: f64,
    /// Upper bound of the gain that rays were too weak to bring.
    pub(super) omitted: f64,
    /// The power that the wall scatters again, for each combination of [`super::budget::Budget`].
    pub(super) again: Vec<Moments>,
    /// The directions from which that came, if the wall's lobe is not Lambertian.
    pub(super) arriving: Option<Box<Arriving>>,
}

impl Gathered {
    /// Adds the power that a later scattering brings to the same side.
    pub(super) fn add(&mut self, other: &Self) {
        self.gain += other.gain;
        self.flux += other.flux;
        self.omitted += other.omitted;
    }
}
