//! The transition function of the uniform theory of diffraction, exact to rounding.
//!
//! Far from a shadow boundary, it is an asymptotic series of a few terms. Near the boundary, it is the modified
//! midpoint rule, which needs a dozen terms for any argument. **Cost:** 20 to 60 ns.

use num_complex::Complex64;
use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};
use std::sync::LazyLock;

/// `F(x) = 2 j sqrt(x) e^{jx} times the integral of e^{-j t^2} over t from sqrt(x) to infinity`, for `x >= 0`: 0 at a
/// shadow boundary, 1 far from it.
///
/// ```
/// use keller::em::utd::transition;
/// assert_eq!(transition(0.0).norm(), 0.0);
/// assert!((transition(1e9) - 1.0).norm() < 1e-9);
/// ```
///
/// # Source
/// R. G. Kouyoumjian and P. H. Pathak, "A uniform geometrical theory of diffraction for an edge in a perfectly
/// conducting surface", Proc. IEEE 62(11), 1974, doi:10.1109/PROC.1974.9651, equation (28). Theory page: `diffraction`.
pub fn transition(x: f64) -> Complex64 {
    if x > ASYMPTOTIC_FROM {
        asymptotic(x)
    } else {
        (PI * x).sqrt() * EIGHTH_TURN * scaled_erfc(x)
    }
}

/// `e^{j pi/4}`.
pub(super) const EIGHTH_TURN: Complex64 = Complex64::new(FRAC_1_SQRT_2, FRAC_1_SQRT_2);

/// The argument from which on the asymptotic series reaches rounding before its terms grow again (its smallest term is
/// about `e^{-x}`).
pub(super) const ASYMPTOTIC_FROM: f64 = 40.0;

/// `F(x) = sum over m of (2m - 1)!! (j / (2x))^m`.
pub(super) fn asymptotic(x: f64) -> Complex64 {
    let step = 0.5 / x;
    // Real and imaginary parts of the sum, four terms at a time: j^m turns by quarters.
    let (mut re, mut im, mut term, mut odd) = (0.0, 0.0, 1.0, 1.0);
    for _ in 0..20 {
        re += term;
        term *= odd * step;
        im += term;
        term *= -(odd + 2.0) * step;
        odd += 4.0;
        if term.abs() < f64::EPSILON * 0.25 {
            break;
        }
    }
    Complex64::new(re, im)
}

/// `e^{jx} erfc(e^{j pi/4} sqrt(x))`, for `x >= 0`: 1 at 0.
///
/// It is the Faddeeva function `w(z)` at `z = e^{3 j pi/4} sqrt(x)`, computed by the midpoint rule of step `H` with the
/// residue of its pole. The error is about `e^{-pi^2/H^2}`, 1e-17.
///
/// # Source
/// M. Al Azah and S. N. Chandler-Wilde, "Computation of the complex error function using modified trapezoidal rules",
/// SIAM J. Numer. Anal. 59(5), 2021, doi:10.1137/20M1373037, for this `z`.
pub(super) fn scaled_erfc(x: f64) -> Complex64 {
    const H: f64 = 0.5;
    let (mut re, mut im) = (0.0, 0.0);
    for (weight, node) in WEIGHTS_AND_NODES {
        // e^{-t^2} / (z^2 - t^2) with z^2 = -j x.
        let scale = weight / (node * node + x * x);
        re -= scale * node;
        im += scale * x;
    }
    let half = (0.5 * x).sqrt();
    let z = Complex64::new(-half, half);
    let sum = Complex64::I * z * (2.0 * H / PI) * Complex64::new(re, im);
    let angle = TAU / H * half;
    sum + 2.0 * Complex64::cis(x) / (1.0 + Complex64::from_polar(angle.exp(), angle))
}

/// [`transition`] from a table, with an error below 1e-7, at a tenth of its cost.
pub(super) fn tabulated(x: f64) -> Complex64 {
    if x > ASYMPTOTIC_FROM {
        // The next term is below 1e-8.
        let step = 0.5 / x;
        let square = step * step;
        let re = 1.0 + square * (-3.0 + square * (105.0 - 10_395.0 * square));
        let im = step * (1.0 + square * (-15.0 + square * (945.0 - 135_135.0 * square)));
        return Complex64::new(re, im);
    }
    // The table is over the square root, in which the function is analytic.
    let root = x.sqrt();
    let place = root * NODES_PER_UNIT;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to the number of nodes"
    )]
    let node = place as usize;
    let t = place - node as f64;
    let [(p, dp), (q, dq)] = [TABLE[node], TABLE[node + 1]];
    // Cubic Hermite interpolation.
    let rise = q - p;
    let curved = p + t * (dp + t * (3.0 * rise - 2.0 * dp - dq + t * (dp + dq - 2.0 * rise)));
    root * curved
}

const NODES_PER_UNIT: f64 = 64.0;

/// `F(x) / sqrt(x)` at multiples of `1 / NODES_PER_UNIT` of the root, and its derivative per node.
static TABLE: LazyLock<Vec<(Complex64, Complex64)>> = LazyLock::new(|| {
    let root_of_pi = PI.sqrt() * EIGHTH_TURN;
    let mut table = Vec::new();
    loop {
        let root = table.len() as f64 / NODES_PER_UNIT;
        let value = root_of_pi * scaled_erfc(root * root);
        // The slope follows from the differential equation of F.
        let slope = 2.0 * Complex64::I * (root * value - 1.0);
        table.push((value, slope / NODES_PER_UNIT));
        if root > ASYMPTOTIC_FROM.sqrt() + 1.0 / NODES_PER_UNIT {
            break table;
        }
    }
});

/// `(e^{-t^2}, t^2)` at the midpoints `t = 1/4, 3/4, ...`; further terms are below rounding.
const WEIGHTS_AND_NODES: [(f64, f64); 12] = [
    (0.939_413_062_813_475_8, 0.0625),
    (0.569_782_824_730_923, 0.5625),
    (0.209_611_387_151_097_8, 1.5625),
    (0.046_770_622_383_958_99, 3.0625),
    (0.006_329_715_427_485_747, 5.0625),
    (0.000_519_574_682_154_838_4, 7.5625),
    (2.586_810_022_265_412e-5, 10.5625),
    (7.811_489_408_304_491e-7, 14.0625),
    (1.430_724_191_856_768_8e-8, 18.0625),
    (1.589_391_009_451_636_8e-10, 22.5625),
    (1.070_923_238_250_807_7e-12, 27.5625),
    (4.376_618_502_870_85e-15, 33.0625),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed by mpmath with 40 digits: `j sqrt(pi x) e^{-j pi/4} e^{jx} erfc(e^{j pi/4} sqrt(x))`.
    const REFERENCE: [(f64, f64, f64); 25] = [
        (
            1e-20,
            1.253_314_137_315_500_3e-10,
            1.253_314_137_115_500_2e-10,
        ),
        (1e-9, 3.963_327_293_642_817e-5, 3.963_127_301_569_339e-5),
        (1e-4, 0.012_531_901_329_687_387, 0.012_334_394_625_157_856),
        (0.01, 0.124_205_185_773_763_67, 0.106_578_973_791_882_78),
        (0.1, 0.368_103_567_800_482_03, 0.234_452_962_292_473_06),
        (0.3, 0.571_713_238_300_747_6, 0.272_991_546_563_424_45),
        (0.7, 0.743_950_362_313_712, 0.254_856_623_487_951_3),
        (1.0, 0.809_525_481_747_408_8, 0.232_199_390_055_264_6),
        (1.7, 0.889_692_094_228_727_4, 0.186_577_308_130_019_38),
        (3.0, 0.947_242_258_741_070_6, 0.132_578_261_830_626_46),
        (5.0, 0.976_155_271_128_712_3, 0.089_684_585_491_642_31),
        (7.5, 0.988_199_107_286_536_3, 0.063_048_958_282_838_93),
        (10.0, 0.993_041_127_011_626_4, 0.048_351_495_561_654_35),
        (14.0, 0.996_326_656_656_561_1, 0.035_078_118_753_671_464),
        (19.7, 0.998_108_544_124_570_1, 0.025_144_622_082_838_467),
        (25.0, 0.998_816_180_940_917_5, 0.019_882_866_355_392_576),
        (31.4, 0.999_245_909_088_354_8, 0.015_863_937_637_803_076),
        (39.999, 0.999_533_751_786_447_4, 0.012_471_295_659_811_235),
        (40.001, 0.999_533_798_160_193, 0.012_470_674_984_392_083),
        (50.0, 0.999_701_039_801_451_9, 0.009_985_093_181_807_925),
        (80.0, 0.999_882_972_102_356, 0.006_246_346_852_999_385),
        (150.0, 0.999_966_679_615_401_2, 0.003_332_778_166_050_508),
        (1000.0, 0.999_999_250_006_562_3, 0.000_499_998_125_029_530_2),
        (1e5, 0.999_999_999_925, 4.999_999_998_125e-6),
        (1e9, 1.0, 5e-10),
    ];

    #[test]
    fn it_is_exact_over_its_whole_range() {
        for (x, re, im) in REFERENCE {
            let exact = Complex64::new(re, im);
            let error = (transition(x) - exact).norm() / exact.norm();
            assert!(
                error < 5e-15 * (1.0 + 0.1 * x.min(100.0)),
                "F({x}): {error}"
            );
        }
    }

    #[test]
    fn its_two_forms_meet() {
        let x = ASYMPTOTIC_FROM;
        let near = (PI * x).sqrt() * EIGHTH_TURN * scaled_erfc(x);
        assert!((near - asymptotic(x)).norm() < 1e-14);
    }

    #[test]
    fn the_table_holds_seven_digits() {
        for i in 0..200_000 {
            let x = 50.0 * (f64::from(i) / 200_000.0).powi(3);
            let error = (tabulated(x) - transition(x)).norm();
            assert!(error <= 1e-7 * x.sqrt().min(1.0), "F({x}): {error}");
        }
    }

    #[test]
    fn it_obeys_its_differential_equation() {
        // F' = j (F - 1) + F / (2x).
        for i in 1..400 {
            let x = 0.25 * f64::from(i);
            let h = 1e-5;
            let slope = (transition(x + h) - transition(x - h)) / (2.0 * h);
            let f = transition(x);
            let expected = Complex64::I * (f - 1.0) + f / (2.0 * x);
            assert!((slope - expected).norm() < 1e-8, "{x}");
        }
    }
}
