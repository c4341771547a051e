//! The surface impedance of a face for a wave along it, from its reflection at nearly grazing incidence.

use num_complex::Complex64;

use crate::em::TeTm;

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
