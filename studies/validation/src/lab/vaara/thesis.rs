//! Figures of Vaara 2022 for its indoor scene.

/// A row of its tables.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Largest numbers of interactions and diffractions.
    pub(super) limits: [usize; 2],
    /// Coarse paths and receivers with at least one (table 4).
    pub(super) coarse: usize,
    pub(super) receivers: usize,
    /// Valid paths (appendix, table 18) and converged ones.
    pub(super) converged: usize,
    pub(super) valid: usize,
    /// Search by the original implementation, its removal of doubles (table 12), and search by GPU MT Async (table
    /// 13), ms.
    pub(super) original_ms: f64,
    pub(super) removal_ms: Option<f64>,
    pub(super) async_ms: f64,
    /// Refinement on the CPU and validation (table 17), ms.
    pub(super) refine_ms: f64,
    pub(super) validate_ms: f64,
}

#[rustfmt::skip]
const NUMBERS: [([usize; 2], [usize; 4], [f64; 5]); 13] = [
    ([2, 0], [318, 21, 318, 160], [95.0, 1.7, 20.0, 5.0, 52.0]),
    ([3, 0], [1798, 28, 1798, 442], [237.0, 1.8, 44.0, 54.0, 56.0]),
    ([4, 0], [10_569, 53, 10_511, 1110], [1042.0, 21.0, 242.0, 472.0, 60.0]),
    ([5, 0], [62_476, 53, 61_875, 2606], [6101.0, 610.0, 3082.0, 3713.0, 72.0]),
    ([6, 0], [360_188, 53, 353_906, 6039], [40_175.0, 26_697.0, 37_566.0, 25_201.0, 102.0]),
    ([2, 1], [2521, 53, 2521, 1732], [216.0, 1.9, 30.0, 30.0, 58.0]),
    ([3, 1], [21_410, 53, 21_402, 8815], [904.0, 26.0, 224.0, 562.0, 67.0]),
    ([4, 1], [148_214, 53, 147_977, 33_951], [7453.0, 1551.0, 3934.0, 5702.0, 81.0]),
    ([5, 1], [858_414, 53, 854_876, 103_317], [59_435.0, 114_347.0, 85_529.0, 43_926.0, 162.0]),
    ([6, 1], [4_053_568, 53, 4_016_950, 250_199], [408_421.0, f64::NAN, 1_614_140.0, 260_994.0, 826.0]),
    ([2, 2], [4535, 53, 4521, 3374], [309.0, 2.3, 46.0, 49.0, 67.0]),
    ([3, 2], [41_040, 53, 40_858, 18_970], [2904.0, 84.0, 579.0, 964.0, 76.0]),
    ([4, 2], [257_086, 53, 255_873, 67_727], [17_627.0, 4349.0, 11_173.0, 9230.0, 105.0]),
];

pub(super) fn rows() -> impl Iterator<Item = Row> {
    NUMBERS.into_iter().map(|(limits, counts, ms)| {
        let [coarse, receivers, converged, valid] = counts;
        let [original_ms, removal_ms, async_ms, refine_ms, validate_ms] = ms;
        Row {
            limits,
            coarse,
            receivers,
            converged,
            valid,
            original_ms,
            removal_ms: (!removal_ms.is_nan()).then_some(removal_ms),
            async_ms,
            refine_ms,
            validate_ms,
        }
    })
}
