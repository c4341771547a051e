//! A face for a wave along it: the surface impedance, from its reflection at nearly grazing incidence, and what the
//! face makes of the wave on the way from edge to edge.

use num_complex::Complex64;
use std::f64::consts::PI;

use super::WedgeFace;
use crate::em::TeTm;

/// A cosine of incidence as small as that of waves along a face.
pub(super) const GRAZING_COSINE: f64 = 1e-7;

/// The derivatives of reflection and transmission with respect to the cosine of incidence, at grazing, from their
/// values at the small cosine `c`. Also the share by which slopes count after `ks` radians along the face.
pub(super) fn per_cosine(
    c: f64,
    smooth: TeTm<Complex64>,
    [reflected, transmitted]: [TeTm<Complex64>; 2],
    ks: f64,
) -> ([TeTm<Complex64>; 2], [Complex64; 2]) {
    let growth = |smooth: Complex64, reflected: Complex64, transmitted: Complex64| {
        let sum = 1.0 + smooth;
        // At a perfect conductor the field across doubles and nothing vanishes, and the field along it is zero at every
        // height.
        if sum.norm() > 1.0 || sum == Complex64::ZERO {
            return ([Complex64::ZERO; 2], Complex64::ONE);
        }
        let impedance = c * (1.0 - smooth) / sum;
        let share = impedance / (impedance * impedance - Complex64::I / ks).sqrt();
        let kept = reflected / smooth;
        ([kept * 2.0 / impedance, transmitted / c], share)
    };
    let (te, te_share) = growth(smooth.te, reflected.te, transmitted.te);
    let (tm, tm_share) = growth(smooth.tm, reflected.tm, transmitted.tm);
    let grown = [0, 1].map(|i| TeTm {
        te: te[i],
        tm: tm[i],
    });
    (grown, [te_share, tm_share])
}

/// The effect of a face on a field along it, of one polarisation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Channel {
    /// The share of the image that texture leaves.
    kept: f64,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// The face reflects by this factor, whatever the angle: -1 is soft, 1 is hard.
    Constant(Complex64),
    Impedance {
        /// Normalised impedance (TM) or admittance (TE).
        delta: Complex64,
        /// `k d`, the phase along the face.
        phase: f64,
        /// Sommerfeld's attenuation of the field on the face, and its form for edges in each other's transition region.
        attenuation: [Complex64; 2],
    },
}

impl Channel {
    /// The channels of the fields along `beta`, which is TE on the face, and along `phi`, over `phase` radians.
    pub(super) fn both(face: WedgeFace, phase: f64) -> [Self; 2] {
        let smooth = face
            .surface
            .smooth_reflection(GRAZING_COSINE, face.shows_front);
        let [reflected, _] = face
            .surface
            .reflection_and_transmission(GRAZING_COSINE, face.shows_front);
        [
            Self::new(smooth.te, reflected.te, phase),
            Self::new(smooth.tm, reflected.tm, phase),
        ]
    }

    fn new(smooth: Complex64, reflected: Complex64, phase: f64) -> Self {
        let kept = if smooth == Complex64::ZERO {
            1.0
        } else {
            (reflected / smooth).norm().min(1.0)
        };
        let sum = 1.0 + smooth;
        let kind = if sum == Complex64::ZERO || sum.norm() > MAX_SUM {
            Kind::Constant(smooth)
        } else {
            let delta = GRAZING_COSINE * (1.0 - smooth) / sum;
            let p = Complex64::I * phase * delta * delta;
            Kind::Impedance {
                delta,
                phase,
                attenuation: [attenuation((0.5 * p).sqrt()), 1.0 / (1.0 + p)],
            }
        };
        Self { kept, kind }
    }

    /// The shares of the soft and of the hard field. `nearness` is the soft field over the hard one, 1 where both edges
    /// lie in each other's transition region; `heights` are the cosines of incidence on the face that belong to both
    /// rays.
    pub(super) fn shares(&self, nearness: f64, heights: [f64; 2]) -> [Complex64; 2] {
        let [soft, hard] = match self.kind {
            Kind::Constant(r) => [0.5 * (1.0 - r), 0.5 * (1.0 + r)],
            Kind::Impedance {
                delta,
                phase,
                attenuation: [far, near],
            } => {
                let kept = far + nearness * (near - far);
                let grown = delta * (delta + heights[0] + heights[1]);
                [kept * Complex64::I * phase * grown, kept]
            }
        };
        let lost = 0.5 * (1.0 - self.kept);
        [lost + self.kept * soft, lost + self.kept * hard]
    }

    /// Whether the field on the face vanishes at grazing incidence, though the face is not soft.
    pub(super) fn is_lossy(&self) -> bool {
        matches!(self.kind, Kind::Impedance { .. })
    }

    /// Half of the impedance, which turns the growth of a weight into a share of the hard field.
    pub(super) fn per_growth(&self) -> Complex64 {
        match self.kind {
            Kind::Constant(_) => Complex64::ZERO,
            Kind::Impedance { delta, .. } => 0.5 * delta,
        }
    }
}

/// The sum of 1 and the reflection at [`GRAZING_COSINE`] above which the field on a face does not vanish at grazing. A
/// metal has less.
const MAX_SUM: f64 = 0.01;

/// `1 - sqrt(pi) eta e^{eta^2} erfc(eta)`: the field of a wave along a surface over that on a hard one, with
/// `eta = delta sqrt(j k d / 2)`, real part not below 0.
fn attenuation(eta: Complex64) -> Complex64 {
    let square = eta * eta;
    if square.norm() > ASYMPTOTIC_FROM {
        let step = 0.5 / square;
        return step * (1.0 - 3.0 * step * (1.0 - 5.0 * step * (1.0 - 7.0 * step)));
    }
    1.0 - PI.sqrt() * eta * scaled_erfc(eta)
}

const ASYMPTOTIC_FROM: f64 = 50.0;

/// `e^{z^2} erfc(z)` for a real part not below 0, with an error of 2e-7.
///
/// # Source
/// J. A. C. Weideman, "Computation of the complex error function", SIAM J. Numer. Anal. 31(5), 1994,
/// doi:10.1137/0731077, with 16 terms.
fn scaled_erfc(z: Complex64) -> Complex64 {
    // w(j z): with j (j z) = -z.
    let (sum, difference) = (SCALE - z, SCALE + z);
    let ratio = sum / difference;
    let series = TERMS
        .iter()
        .rev()
        .fold(Complex64::ZERO, |total, term| total * ratio + term);
    2.0 * series / (difference * difference) + (1.0 / PI.sqrt()) / difference
}

/// `sqrt(16 / sqrt(2))`.
const SCALE: f64 = 3.363_585_661_014_858;

const TERMS: [f64; 16] = [
    1.748_395_886_081_961_7,
    1.362_240_822_271_958_4,
    0.886_447_830_205_054_5,
    0.469_290_900_903_603_54,
    0.191_241_726_746_694_68,
    0.051_822_402_431_611_445,
    0.003_682_567_317_091_781,
    -0.003_881_015_189_022_767,
    -0.001_527_659_740_122_006_4,
    8.703_158_428_460_26e-5,
    0.000_210_710_563_965_385_15,
    2.170_986_793_231_102e-5,
    -2.734_640_462_439_770_7e-5,
    -5.584_233_411_035_839e-6,
    3.981_287_575_127_627e-6,
    9.939_322_536_123_285e-7,
];
