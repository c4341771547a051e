//! The quantities on which an interaction of a table depends, and the part of the power that it leaves.

use super::curves::{Curve, Strength};
use crate::em::{Surface, TeTm};
use crate::field::Incidence;
use crate::paths::{Interaction, Path};
use crate::scene::{MaterialId, Scene};
use crate::units::db_to_power;
use num_complex::Complex64;

/// Bins of the square root of the cosine of incidence, and of the share of TE power.
const COSINES: usize = 192;
const SHARES: usize = 9;

/// Gains below this count as this, linear: a table of ratios needs numbers above 0.
const MIN_GAIN: f64 = 1e-30;

/// The quantities on which an interaction depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Slot {
    /// Index among the materials that change.
    pub(super) material: u16,
    pub(super) kind: SlotKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum SlotKind {
    Reflection(Bins),
    Transmission(Bins),
    Scattering(Bins),
    /// The flat loss of one wall of a wedge.
    Diffraction,
    /// The effect of a change of the material beyond all that.
    Curve(Curve),
}

/// The incidence of a wave on a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Bins {
    from_front: bool,
    cosine: u8,
    share: u8,
}

impl Slot {
    /// A number that slots of the same material and kind of interaction share.
    pub(super) fn family(self) -> (u16, u8) {
        let kind = match self.kind {
            SlotKind::Reflection(_) => 0,
            SlotKind::Transmission(_) => 1,
            SlotKind::Scattering(_) => 2,
            SlotKind::Diffraction => 3,
            SlotKind::Curve(_) => 4,
        };
        (self.material, kind)
    }

    /// The part of the power that the interaction leaves at a surface of its material. `strength` says how far that is from
    /// the one at the start.
    pub(super) fn value(self, surface: &Surface, strength: Option<&Strength>) -> f64 {
        match self.kind {
            SlotKind::Reflection(bins) => {
                bins.mixed(surface.reflection(bins.cosine(), bins.from_front))
            }
            SlotKind::Transmission(bins) => {
                bins.mixed(surface.transmission(bins.cosine(), bins.from_front))
            }
            SlotKind::Scattering(bins) => {
                let smooth = bins.mixed(surface.smooth_reflection(bins.cosine(), bins.from_front));
                (scattered_share(surface) * smooth).max(MIN_GAIN)
            }
            SlotKind::Diffraction => db_to_power(-0.5 * surface.diffraction_loss_db()),
            SlotKind::Curve(curve) => strength.map_or(1.0, |strength| curve.value(strength)),
        }
    }
}

impl Bins {
    fn new(incidence: &Incidence) -> Self {
        Self {
            from_front: incidence.from_front,
            cosine: bin(incidence.cosine.sqrt(), COSINES),
            share: bin(incidence.te_share, SHARES),
        }
    }

    fn cosine(self) -> f64 {
        share(self.cosine, COSINES).powi(2)
    }

    fn mixed(self, of: TeTm<Complex64>) -> f64 {
        let te = share(self.share, SHARES);
        (te * of.te.norm_sqr() + (1.0 - te) * of.tm.norm_sqr()).max(MIN_GAIN)
    }
}

/// The slots of a path's interactions with materials that change. Flat losses at edges only where `has_loss` says that they
/// may change.
pub(super) fn slots_of(
    path: &Path,
    incidences: &[Option<Incidence>],
    scene: &Scene,
    materials: &[MaterialId],
    has_loss: impl Fn(MaterialId) -> bool,
) -> Vec<Slot> {
    let index = |id: MaterialId| {
        let index = materials.binary_search(&id).ok()?;
        u16::try_from(index).ok()
    };
    let mut slots = Vec::new();
    for (interaction, incidence) in path.interactions().zip(incidences) {
        let kind = match interaction {
            Interaction::Reflection(_) => SlotKind::Reflection,
            Interaction::Transmission(_) => SlotKind::Transmission,
            Interaction::Scattering(..) => SlotKind::Scattering,
            Interaction::Diffraction(edge) => {
                let [first, second] = scene.edges()[edge.index()].faces;
                // A sheet shows both of its sides.
                for face in [first, second.or(first)].into_iter().flatten() {
                    let id = scene.face(face).material;
                    slots.extend(index(id).filter(|_| has_loss(id)).map(|material| Slot {
                        material,
                        kind: SlotKind::Diffraction,
                    }));
                }
                continue;
            }
        };
        let (Some(face), Some(incidence)) = (interaction.face(), incidence) else {
            continue;
        };
        slots.extend(index(scene.face(face).material).map(|material| Slot {
            material,
            kind: kind(Bins::new(incidence)),
        }));
    }
    slots
}

/// The scattered part of the power that a smooth wall reflects.
fn scattered_share(surface: &Surface) -> f64 {
    let scattering = surface.texture().scattering;
    scattering.map_or(0.0, |scattering| scattering.coefficient.powi(2))
}

/// The bin of a number from 0 to 1.
fn bin(value: f64, count: usize) -> u8 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "below 256"
    )]
    let bin = (value.clamp(0.0, 1.0) * (count - 1) as f64).round() as u8;
    bin
}

/// The number at the centre of a bin.
fn share(bin: u8, count: usize) -> f64 {
    f64::from(bin) / (count - 1) as f64
}
