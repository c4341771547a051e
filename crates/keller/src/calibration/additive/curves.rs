//! The effect of a change of a material on a path beyond its reflections: at edges, and by turned polarisations.
//!
//! Materials are distinguished by one number, the power that they reflect at a slant, and a path is evaluated with a
//! material that reflects less and with one that reflects more. In dB, a parabola through both and through the start
//! gives the values between.

use super::super::material_parameters::{MaterialProperty, Quantity};
use crate::em::Surface;
use crate::scene::MaterialId;
use crate::{Error, World};

/// Bins of both ends of a curve, dB.
const BIN_DB: f64 = 0.5;
/// Ends count as this far from the start at most, in bins.
const MAX_BINS: f64 = 40.0;

/// Factors of the permittivity, or of the conductivity where that alone changes, at both ends.
const FACTORS: [f64; 2] = [0.35, 3.0];
const MIN_PERMITTIVITY: f64 = 1.1;

/// Both ends reflect amplitudes at least so far from the start, else there is no curve.
const MIN_CHANGE: f64 = 0.02;

/// Cosine of incidence at which reflections are compared.
const COSINE: f64 = 0.5;

/// A curve by its ends: bins of dB above the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Curve([i8; 2]);

impl Curve {
    /// The curve through ratios of power at both ends; `None` if it is flat.
    pub(super) fn new(ratios: [f64; 2]) -> Option<Self> {
        let bins = ratios.map(|ratio| {
            let db = 10.0 * ratio.log10() / BIN_DB;
            #[expect(clippy::cast_possible_truncation, reason = "within MAX_BINS")]
            let bin = db.round().clamp(-MAX_BINS, MAX_BINS) as i8;
            bin
        });
        (bins != [0; 2]).then_some(Self(bins))
    }

    /// The ratio of power at a strength.
    pub(super) fn value(self, strength: &Strength) -> f64 {
        let [low, high] = self.0.map(|bins| f64::from(bins) * BIN_DB);
        let db = low * strength.weights[0] + high * strength.weights[1];
        10.0_f64.powf(0.1 * db)
    }
}

/// The position of a material on its curves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strength {
    /// The weight of each end.
    weights: [f64; 2],
}

/// A material whose curves are drawn, and its reflection at the start and at both ends.
#[derive(Debug, Clone)]
pub(super) struct Variant {
    /// Index among the materials that change.
    pub(super) material: u16,
    /// The world with this material as at each end.
    pub(super) ends: [World; 2],
    /// The power that it reflects at the first end, at the start, and at the last end.
    reflected: [f64; 3],
}

impl Variant {
    /// The variants of all materials whose permittivity or conductivity may change.
    pub(super) fn all(
        start: &World,
        quantities: &[Quantity],
        materials: &[MaterialId],
    ) -> Result<Vec<Self>, Error> {
        let changes = |id: MaterialId, wanted: MaterialProperty| {
            quantities.iter().any(|quantity| match quantity {
                Quantity::Material(ids, property) => *property == wanted && ids.contains(&id),
                Quantity::BackgroundLevel | Quantity::BackgroundExponent => false,
            })
        };
        let mut all = Vec::new();
        for (index, id) in materials.iter().enumerate() {
            let properties = [
                MaterialProperty::Permittivity,
                MaterialProperty::Conductivity,
            ];
            let Some(property) = properties.into_iter().find(|p| changes(*id, *p)) else {
                continue;
            };
            let material = &start.materials()[id.index()];
            let Some(value) = property.of(material, start.frequency())? else {
                continue;
            };
            let ends = FACTORS.map(|factor| {
                let least = match property {
                    MaterialProperty::Permittivity => MIN_PERMITTIVITY,
                    _ => 0.0,
                };
                let frequency = start.frequency();
                let end = property.put(material, (factor * value).max(least), frequency)?;
                let mut changed = start.materials().to_vec();
                changed[id.index()] = end;
                start.remade(changed, frequency)
            });
            let [low, high] = ends;
            let (low, high) = (low?, high?);

            let reflected =
                [&low, start, &high].map(|world| reflected(world.surfaces().surface(*id)));
            let change = [reflected[1] - reflected[0], reflected[2] - reflected[1]];
            if let (Ok(material), true) = (
                u16::try_from(index),
                change.iter().all(|change| *change > MIN_CHANGE),
            ) {
                all.push(Self {
                    material,
                    ends: [low, high],
                    reflected,
                });
            }
        }
        Ok(all)
    }

    /// The position of a surface on the curves: weights of zero at the start.
    pub(super) fn strength(&self, surface: &Surface) -> Strength {
        let [low, start, high] = self.reflected;
        let at = reflected(surface);
        let [low, high, at] = [low - start, high - start, at - start];
        // A parabola does not hold beyond the ends.
        let at = at.clamp(1.2 * low, 1.2 * high);
        Strength {
            weights: [
                at * (at - high) / (low * (low - high)),
                at * (at - low) / (high * (high - low)),
            ],
        }
    }
}

/// The amplitude that it reflects at a slant.
fn reflected(surface: &Surface) -> f64 {
    surface.smooth_reflection(COSINE, true).te.norm()
}
