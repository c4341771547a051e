//! The joint transition function of two edges that one face joins: the part that two apertures in a row let through.
//!
//! A wave passes over two parallel edges, and the face between them reflects it as a conductor does. At small angles
//! its field is the integral over the heights `x` and `y` above both edges, in Fresnel's units,
//!
//! `K = double integral over x, y > 0 of e^{-j(ax + by + x^2/2 + y^2/2)} (e^{jwxy} + r e^{-jwxy})`
//!
//! with `r = 1` for the hard and `r = -1` for the soft field. In polar coordinates that make both quadratic forms
//! round, the integral over the radius is `1 - F`, with `F` the transition function of one edge; the integral over the
//! angle is done by Gauss's rule. The derivatives with respect to `a` and `b` follow from `K` by parts, without
//! another integral. **Cost:** about a microsecond; a tenth of it where the two edges do not disturb each other.
//!
//! # Source
//! M. Albani, F. Capolino, S. Maci and R. Tiberio, "Double diffraction at a pair of coplanar skew wedges", IEEE Antennas
//! and Propagation Society International Symposium, 1999: transition functions of generalized Fresnel integrals.
//! Theory page: `joint-edges`.

use num_complex::Complex64;
use std::f64::consts::FRAC_1_SQRT_2;

use super::transition::{tabulated, transition};

/// A value that depends on the angles at both edges, with its derivatives by the first, by the second, and by both.
#[derive(Debug, Clone, Copy)]
pub(super) struct Jet {
    pub(super) value: Complex64,
    pub(super) by_first: Complex64,
    pub(super) by_second: Complex64,
    pub(super) by_both: Complex64,
}

/// The soft and the hard `K` for `a, b >= 0` and `0 < w < 1`, with their derivatives with respect to `a` and `b`. `rest`
/// is `1 - w^2`.
pub(super) fn joint_transition([a, b]: [f64; 2], (w, rest): (f64, f64)) -> [Jet; 2] {
    let [first, second] = [a, b].map(Moments::new);
    if a.max(1.0) * b.max(1.0) > APART {
        return [soft_apart(first, second, w), hard_apart(first, second)];
    }
    let direct = quadrant([first, second], (w, rest));
    let image = quadrant([first, second], (-w, rest));
    [direct.plus(image, -1.0), direct.plus(image, 1.0)]
}

/// The product of `a` and `b` (either at least 1) from which on each edge diffracts the other's wave as if it were
/// plane, to a thousandth.
const APART: f64 = 100.0;

/// The integrals of `x^m e^{-j(ax + x^2/2)}` over `x > 0`.
#[derive(Debug, Clone, Copy)]
struct Moments {
    a: f64,
    of: [Complex64; 3],
}

impl Moments {
    fn new(a: f64) -> Self {
        // 1 / (j a) of the transition function, which vanishes with a.
        let a = a.max(MIN_ARGUMENT);
        let f = transition(0.5 * a * a);
        let zeroth = -J * f / a;
        let first = J * (f - 1.0);
        Self {
            a,
            of: [zeroth, first, -J * zeroth - a * first],
        }
    }
}

/// The smallest argument: smaller ones have the same value, to rounding.
const MIN_ARGUMENT: f64 = 1e-12;

const J: Complex64 = Complex64::I;

fn hard_apart(first: Moments, second: Moments) -> Jet {
    product(
        [2.0 * first.of[0], -2.0 * J * first.of[1]],
        [second.of[0], -J * second.of[1]],
    )
}

fn soft_apart(first: Moments, second: Moments, w: f64) -> Jet {
    let by = 2.0 * w * J;
    product(
        [by * first.of[1], -J * by * first.of[2]],
        [second.of[1], -J * second.of[2]],
    )
}

fn product([f, df]: [Complex64; 2], [g, dg]: [Complex64; 2]) -> Jet {
    Jet {
        value: f * g,
        by_first: df * g,
        by_second: f * dg,
        by_both: df * dg,
    }
}

/// The hard `K` with the integral over all `x`, for `-a` in place of `a`: with the second edge alone, beyond the
/// boundary of the first.
pub(super) fn without_first([a, b]: [f64; 2], (w, rest): (f64, f64)) -> Jet {
    let root = rest.sqrt();
    let moments = |z: f64| {
        let [zeroth, _, _] = Moments::new(z.abs()).of;
        let zeroth = if z < 0.0 {
            ALL * Complex64::cis(0.5 * z * z) - zeroth
        } else {
            zeroth
        };
        let first = -J - z * zeroth;
        [zeroth, first, -J * zeroth - z * first]
    };
    let [low, high] = [b - a * w, b + a * w].map(|z| moments(z / root));
    let factor = ALL * Complex64::cis(0.5 * a * a) / root;
    let by = w / root;
    let value = low[0] + high[0];
    let by_second = -J * (low[1] + high[1]) / root;
    Jet {
        value: factor * value,
        by_first: factor * (J * a * value + J * by * (low[1] - high[1])),
        by_second: factor * by_second,
        by_both: factor * (J * a * by_second + by / root * (low[2] - high[2])),
    }
}

/// The integral of `e^{-j x^2/2}` over all `x`.
const ALL: Complex64 = Complex64::new(1.772_453_850_905_516, -1.772_453_850_905_516);

/// The integral with `e^{jwxy}` alone.
fn quadrant([first, second]: [Moments; 2], (w, rest): (f64, f64)) -> Jet {
    let (a, b) = (first.a, second.a);
    let across = FRAC_1_SQRT_2 / rest.sqrt();
    let part = |here: f64, other: f64| sector(FRAC_1_SQRT_2 * here, across * (other + w * here));
    let value = -J / rest.sqrt() * (part(a, b) + part(b, a));
    // Integrals with x, with y and with x y, by parts.
    let [at_first, at_second] = [first, second].map(|m| m.of);
    let x = -(J * at_second[0] + a * value + w * (J * at_first[0] + b * value)) / rest;
    let y = -(J * at_first[0] + b * value + w * (J * at_second[0] + a * value)) / rest;
    let both = -(J * at_second[1] + a * y + w * (J * value + b * y)) / rest;
    Jet {
        value,
        by_first: -J * x,
        by_second: -J * y,
        by_both: -both,
    }
}

/// The integral of `1 - F(R^2 cos^2 t)` over the angle `t` from the direction of `x` to that of the point `(x, y)` at
/// the distance `R`; odd in `y`.
fn sector(x: f64, y: f64) -> Complex64 {
    let radius = x.hypot(y);
    let missing = |x: f64| 1.0 - tabulated(x * x);
    let sign = y.signum();
    let y = y.abs();
    let near = |ends: [f64; 2]| integral(&NODES_6, ends, |t| missing(radius * t.cos()));
    if radius < 1.0 {
        let ends = [0.0, y.atan2(x)];
        return sign * integral(&NODES_10, ends, |t| missing(radius * t.cos()));
    }
    // The integrand changes with the hyperbolic angle if F is not small.
    let (far_x, far_y) = if x < NEAR {
        (NEAR, (radius * radius - NEAR * NEAR).sqrt())
    } else {
        (x, y)
    };
    let ends = [0.0, (far_y / far_x).asinh()];
    let far = integral(&NODES_16, ends, |s| {
        let cosine = s.cosh().recip();
        cosine * missing(radius * cosine)
    });
    if x >= NEAR {
        return sign * far;
    }
    sign * (far + near([far_y.atan2(far_x), y.atan2(x)]))
}

const NEAR: f64 = 0.5;

/// Gauss's rule; `nodes` are those above 0, with their weights.
fn integral(nodes: &[(f64, f64)], [from, to]: [f64; 2], f: impl Fn(f64) -> Complex64) -> Complex64 {
    let (centre, half) = (0.5 * (from + to), 0.5 * (to - from));
    let pair =
        |&(node, weight): &(f64, f64)| weight * (f(centre - half * node) + f(centre + half * node));
    half * nodes.iter().map(pair).sum::<Complex64>()
}

const NODES_6: [(f64, f64); 3] = [
    (0.238_619_186_083_196_9, 0.467_913_934_572_691_04),
    (0.661_209_386_466_264_5, 0.360_761_573_048_138_7),
    (0.932_469_514_203_151_9, 0.171_324_492_379_170_27),
];

const NODES_10: [(f64, f64); 5] = [
    (0.148_874_338_981_631_22, 0.295_524_224_714_752_8),
    (0.433_395_394_129_247_2, 0.269_266_719_309_996_5),
    (0.679_409_568_299_024_4, 0.219_086_362_515_982),
    (0.865_063_366_688_984_5, 0.149_451_349_150_580_4),
    (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
];

const NODES_16: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_64),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_64),
    (0.458_016_777_657_227_37, 0.169_156_519_395_002_65),
    (0.617_876_244_402_643_8, 0.149_595_988_816_576_7),
    (0.755_404_408_355_003, 0.124_628_971_255_534_07),
    (0.865_631_202_387_831_8, 0.095_158_511_682_492_6),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_46),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_18),
];

impl Jet {
    /// This jet with the first and the second angle exchanged.
    pub(super) fn swapped(self) -> Self {
        Self {
            by_first: self.by_second,
            by_second: self.by_first,
            ..self
        }
    }

    pub(super) fn plus(self, other: Self, factor: f64) -> Self {
        Self {
            value: self.value + factor * other.value,
            by_first: self.by_first + factor * other.by_first,
            by_second: self.by_second + factor * other.by_second,
            by_both: self.by_both + factor * other.by_both,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a`, `b`, `w`, and the soft and the hard value, by a plain double sum of 400 x 400 points in numpy.
    const REFERENCE: [([f64; 3], [f64; 2], [f64; 2]); 6] = [
        (
            [0.0, 0.0, 0.5],
            [0.0, -1.209_199_576],
            [0.0, -3.627_598_729],
        ),
        (
            [0.3, 0.2, 0.9],
            [-1.407_558_849, -1.844_363_050],
            [-1.753_830_590, -3.460_214_412],
        ),
        (
            [1.5, 0.1, 0.7],
            [-0.373_338_645, -0.176_754_087],
            [-0.900_657_784, -1.149_000_934],
        ),
        (
            [2.0, 3.0, 0.3],
            [-0.008_172_360, 0.008_526_900],
            [-0.288_750_498, -0.084_243_428],
        ),
        (
            [0.0, 4.0, 0.8],
            [-0.098_074_152, -0.010_201_220],
            [-0.432_555_260, -0.452_348_364],
        ),
        (
            [6.0, 5.0, 0.6],
            [-0.000_254_711, 0.001_274_943],
            [-0.066_094_551, -0.004_406_149],
        ),
    ];

    #[test]
    fn both_values_are_those_of_the_double_integral() {
        for ([a, b, w], soft, hard) in REFERENCE {
            for (found, [re, im]) in joint_transition([a, b], (w, 1.0 - w * w))
                .iter()
                .zip([soft, hard])
            {
                let error = (found.value - Complex64::new(re, im)).norm();
                assert!(error < 1e-6, "{a} {b} {w}: {} {re} {im}", found.value);
            }
        }
    }

    #[test]
    fn the_derivatives_are_those_of_the_values() {
        for w in [0.2, 0.8, 0.95] {
            for (a, b) in [(0.3, 0.2), (1.5, 0.1), (4.0, 2.5), (0.7, 11.0), (30.0, 8.0)] {
                let h = 1e-3;
                let at =
                    |p: f64, q: f64| joint_transition([a + p * h, b + q * h], (w, 1.0 - w * w));
                let difference = |f: &dyn Fn(usize) -> [Complex64; 2], i: usize| {
                    let [up, down] = f(i);
                    (up - down) / (2.0 * h)
                };
                for i in [0, 1] {
                    let jet = at(0.0, 0.0)[i];
                    let size = jet.value.norm();
                    let by = |p: f64, q: f64| {
                        difference(&|i| [at(p, q)[i].value, at(-p, -q)[i].value], i)
                    };
                    let both = difference(
                        &|i| [at(0.0, 1.0)[i].by_first, at(0.0, -1.0)[i].by_first],
                        i,
                    );
                    for (found, expected) in [
                        (jet.by_first, by(1.0, 0.0)),
                        (jet.by_second, by(0.0, 1.0)),
                        (jet.by_both, both),
                    ] {
                        let error = (found - expected).norm();
                        assert!(error < 1e-2 * size, "{a} {b} {w} {i}: {found} {expected}");
                    }
                }
            }
        }
    }

    #[test]
    fn edges_that_do_not_disturb_each_other_have_the_product_of_both() {
        for (a, b) in [(10.01, 10.0), (0.5, 100.1), (60.0, 2.0)] {
            let apart = joint_transition([a, b], (0.4, 0.84));
            let [first, second] = [a, b].map(Moments::new);
            let [direct, image] = [0.4, -0.4].map(|w| quadrant([first, second], (w, 0.84)));
            for (apart, factor) in apart.into_iter().zip([-1.0, 1.0]) {
                let joint = direct.plus(image, factor).value;
                let error = (joint - apart.value).norm() / apart.value.norm();
                assert!(error < 2e-3, "{a} {b}: {joint} {}", apart.value);
            }
        }
    }

    #[test]
    fn at_its_boundary_the_first_edge_leaves_half_of_the_second_alone() {
        for (b, w) in [(0.0, 0.5), (0.8, 0.9), (3.0, 0.2), (0.02, 0.999)] {
            let form = (w, 1.0 - w * w);
            let [_, hard] = joint_transition([0.0, b], form);
            let alone = without_first([0.0, b], form);
            for (half, whole) in [(hard.value, alone.value), (hard.by_second, alone.by_second)] {
                let error = (2.0 * half - whole).norm();
                assert!(error < 1e-4 * whole.norm(), "{b} {w}: {half} {whole}");
            }
            let a = 0.7;
            let h = 1e-5;
            let at = |a: f64, b: f64| without_first([a, b], form);
            let by_first = (at(a + h, b).value - at(a - h, b).value) / (2.0 * h);
            let both = (at(a, b + h).by_first - at(a, b - h).by_first) / (2.0 * h);
            let found = at(a, b);
            for (found, expected) in [(found.by_first, by_first), (found.by_both, both)] {
                let error = (found - expected).norm();
                assert!(
                    error < 1e-5 * expected.norm(),
                    "{b} {w}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn edges_close_together_act_as_one() {
        // With w = 1 the waves between both edges do not spread: the hard field is that of one edge.
        let w: f64 = 1.0 - 1e-9;
        let scale = 2e-9_f64.sqrt();
        let total = 0.7;
        let [soft, hard] = joint_transition(
            [0.4 * total * scale, 0.6 * total * scale],
            (w, scale * scale),
        );
        let one = transition(0.5 * total * total) * std::f64::consts::PI.sqrt()
            / (FRAC_1_SQRT_2 * total * scale);
        for jet in [soft, hard] {
            let size = jet.value.norm() / one.norm();
            assert!((size - 1.0).abs() < 1e-3, "{size}");
        }
    }
}
