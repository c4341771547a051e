//! The surface impedance of a face for a wave along it, from its reflection at nearly grazing incidence.

use num_complex::Complex64;

use crate::em::TeTm;

/// The growth with the cosine of incidence, at grazing, of what a face that reflects and lets pass this at the small cosine `c` does; and
/// the share of slopes after `ks` radians along it.
pub(super) fn per_cosine(
    c: f64,
    smooth: TeTm<Complex64>,
    [reflected, transmitted]: [TeTm<Complex64>; 2],
    ks: f64,
) -> ([TeTm<Complex64>; 2], [Complex64; 2]) {
    let growth = |smooth: Complex64, reflected: Complex64, transmitted: Complex64| {
        let sum = 1.0 + smooth;
        // A perfect conductor doubles the field across it, where nothing vanishes, and has no field along it however far one rises.
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
