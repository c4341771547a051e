//! A path's identity: the chain of its steps.

use std::fmt;

use crate::scene::{EdgeId, FaceId, PlaneId};

/// The steps of a path from Tx to Rx. They are its identity: two paths between the same ends are the same if and only
/// if their sequences are. Walls that the path merely passes follow from its geometry and are not steps.
///
/// Shown as letters: `LOS` without a step, else `R`, `D` or `S` for each.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sequence(Vec<Step>);

/// One step of a [`Sequence`], the choice of a search. Faces of one plane share one image, so a reflection names the
/// plane, and its point decides which face it lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Step {
    /// Specular reflection at a plane.
    Reflection(PlaneId),
    /// Diffraction at a wedge or free edge.
    Diffraction(EdgeId),
    /// Diffuse scattering at a patch of a rough face: its point is given, not solved for.
    Scattering(FaceId, PatchArea),
}

impl Sequence {
    /// The steps from Tx to Rx.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The sequence from Rx to Tx.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.0.reverse();
        self
    }
}

impl FromIterator<Step> for Sequence {
    fn from_iter<T: IntoIterator<Item = Step>>(steps: T) -> Self {
        Self(steps.into_iter().collect())
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("LOS");
        }
        self.0.iter().try_for_each(|step| step.fmt(f))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reflection(_) => "R",
            Self::Diffraction(_) => "D",
            Self::Scattering(..) => "S",
        })
    }
}

/// The area of a patch, positive and finite; ordered by size.
///
/// ```
/// # use keller::paths::PatchArea;
/// assert_eq!(PatchArea::from_square_metres(0.25).square_metres(), 0.25);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "f64", into = "f64"))]
pub struct PatchArea(u64);

impl TryFrom<f64> for PatchArea {
    type Error = &'static str;

    fn try_from(area: f64) -> Result<Self, Self::Error> {
        if area > 0.0 && area.is_finite() {
            Ok(Self::from_square_metres(area))
        } else {
            Err("the area of a patch is a positive finite number, m²")
        }
    }
}

impl From<PatchArea> for f64 {
    fn from(area: PatchArea) -> Self {
        area.square_metres()
    }
}

impl PatchArea {
    /// A patch of this area, m².
    ///
    /// # Panics
    /// If `area` is not positive and finite.
    pub fn from_square_metres(area: f64) -> Self {
        assert!(area > 0.0 && area.is_finite(), "a patch of {area} m²");
        // The bits of positive numbers have the order of the numbers.
        Self(area.to_bits())
    }

    /// The area in m².
    pub fn square_metres(self) -> f64 {
        f64::from_bits(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_is_shown_by_its_letters_and_turned_around() {
        let steps = [
            Step::Reflection(PlaneId::from_index(3)),
            Step::Diffraction(EdgeId::from_index(1)),
            Step::Scattering(FaceId::from_index(2), PatchArea::from_square_metres(0.5)),
        ];
        let sequence: Sequence = steps.into_iter().collect();
        assert_eq!(sequence.to_string(), "RDS");
        assert_eq!(sequence.reversed().to_string(), "SDR");
        assert_eq!(Sequence::default().to_string(), "LOS");
    }
}
