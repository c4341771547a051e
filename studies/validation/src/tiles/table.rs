//! The tables of Vaara 2022 for its outdoor experiment: 8, 15 and 16.

use keller::paths::Limits;

/// A row of the tables.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// Interactions and diffractions.
    pub(crate) most: [usize; 2],
    /// The time on a GTX 1070 of the search by GPU MT Async (table 8), milliseconds.
    pub(crate) search_ms: f64,
    /// Refinement on its CPU, and on its GPU without and with validation (table 15), milliseconds.
    pub(crate) refine_ms: [f64; 3],
    /// Coarse, converged and valid paths (table 16).
    pub(crate) counts: [usize; 3],
}

impl Row {
    const fn new(
        most: [usize; 2],
        search_ms: f64,
        refine_ms: [f64; 3],
        counts: [usize; 3],
    ) -> Self {
        Self {
            most,
            search_ms,
            refine_ms,
            counts,
        }
    }

    pub(crate) fn limits(&self) -> Limits {
        let [interactions, diffractions] = self.most;
        Limits {
            max_interactions: interactions,
            max_reflections: interactions,
            max_diffractions: diffractions,
            ..Limits::default()
        }
    }
}

pub(crate) const ROWS: [Row; 13] = [
    Row::new([2, 0], 120.0, [33.0, 532.0, 134.0], [1170, 1165, 747]),
    Row::new([3, 0], 169.0, [174.0, 962.0, 179.0], [4527, 4452, 2550]),
    Row::new(
        [4, 0],
        498.0,
        [827.0, 1819.0, 219.0],
        [17_295, 16_453, 7917],
    ),
    Row::new(
        [5, 0],
        2629.0,
        [3713.0, 2396.0, 252.0],
        [64_683, 59_215, 23_308],
    ),
    Row::new(
        [6, 0],
        14_927.0,
        [16_677.0, 3149.0, 266.0],
        [242_087, 213_155, 67_230],
    ),
    Row::new(
        [2, 1],
        478.0,
        [662.0, 1104.0, 236.0],
        [33_085, 32_997, 29_596],
    ),
    Row::new(
        [3, 1],
        3035.0,
        [4731.0, 1796.0, 264.0],
        [153_401, 151_848, 110_324],
    ),
    Row::new(
        [4, 1],
        20_013.0,
        [21_105.0, 3035.0, 318.0],
        [510_818, 499_700, 308_578],
    ),
    Row::new(
        [5, 1],
        110_060.0,
        [65_662.0, 6124.0, 412.0],
        [1_286_550, 1_237_246, 667_380],
    ),
    Row::new(
        [6, 1],
        584_607.0,
        [172_165.0, 13_439.0, 606.0],
        [2_807_669, 2_642_573, 1_228_086],
    ),
    Row::new(
        [2, 2],
        897.0,
        [1617.0, 1378.0, 262.0],
        [88_009, 87_852, 80_154],
    ),
    Row::new(
        [3, 2],
        21_257.0,
        [10_878.0, 2212.0, 291.0],
        [379_181, 376_961, 307_673],
    ),
    Row::new(
        [4, 2],
        192_136.0,
        [43_275.0, 4312.0, 427.0],
        [1_118_404, 1_100_826, 768_697],
    ),
];
