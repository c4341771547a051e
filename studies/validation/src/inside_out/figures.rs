//! Compares the cells of tubes with the exact paths, and the loss of a facade in either.

use keller::units::power_to_db;

use super::filled::{Cell, Side};
use super::place::{Place, SEAM};

/// Cells count from this gain up, dB.
pub(super) const COUNTS_DB: f64 = -115.0;

/// Cells of a pair lie within this distance of each other, metres.
const APART: f64 = 2.5;

/// Errors of the cells of one side, dB.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figures {
    pub(super) cells: usize,
    /// Half of the cells are within this.
    pub(super) half: f64,
    /// 95 % of the cells are within this.
    pub(super) most: f64,
    pub(super) largest: f64,
}

/// The excess of one cell by tubes, dB; infinite where one of the two has nothing, absent where the cell does not
/// count.
pub(super) fn error(tubes: f64, exact: f64) -> Option<f64> {
    let counts = power_to_db(tubes.max(exact)) >= COUNTS_DB;
    (counts && !tubes.is_nan() && !exact.is_nan()).then(|| power_to_db(tubes / exact))
}

impl Figures {
    pub(super) fn of(
        side: Side,
        cells: &[Option<Cell>],
        [tubes, exact]: [&[f64]; 2],
    ) -> Option<Self> {
        let own = cells.iter().zip(tubes).zip(exact);
        let own = own.filter(|((cell, _), _)| cell.is_some_and(|cell| cell.side == side));
        let mut errors: Vec<f64> = own
            .filter_map(|((_, tubes), exact)| Some(error(*tubes, *exact)?.abs()))
            .collect();
        errors.sort_by(f64::total_cmp);
        let last = errors.len().checked_sub(1)?;
        Some(Self {
            cells: errors.len(),
            half: errors[last - last / 2],
            most: errors[last - last / 20],
            largest: errors[last],
        })
    }
}

/// The mean step of gain from outside to inside across the facade, dB.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seam {
    pub(super) pairs: usize,
    pub(super) tubes: f64,
    pub(super) exact: f64,
}

impl Seam {
    /// The seam of cells within a metre of the facade: each outside with the nearest inside, if both count in either
    /// engine.
    pub(super) fn of(
        place: &Place,
        cells: &[Option<Cell>],
        [tubes, exact]: [&[f64]; 2],
    ) -> Option<Self> {
        let beside = |side: Side| -> Vec<(Cell, f64, f64)> {
            let all = cells.iter().zip(tubes).zip(exact);
            let own = all.filter_map(|((cell, tubes), exact)| {
                let cell = cell.filter(|cell| cell.side == side)?;
                let is_known = !tubes.is_nan() && !exact.is_nan();
                let heard = is_known && power_to_db(tubes.min(*exact)) >= COUNTS_DB;
                let is_near = place.to_facade(cell.centre) <= SEAM;
                (heard && is_near).then_some((cell, *tubes, *exact))
            });
            own.collect()
        };
        let inside = beside(Side::Inside);
        let mut steps = Vec::new();
        for (outer, tubes, exact) in beside(Side::Outside) {
            let away = |at: &(Cell, f64, f64)| at.0.centre.distance(outer.centre);
            let nearest = inside.iter().min_by(|a, b| away(a).total_cmp(&away(b)));
            let Some(inner) = nearest.filter(|inner| away(inner) <= APART) else {
                continue;
            };
            steps.push([power_to_db(inner.1 / tubes), power_to_db(inner.2 / exact)]);
        }
        let pairs = steps.len();
        let mean = |k: usize| steps.iter().map(|step| step[k]).sum::<f64>() / pairs as f64;
        (pairs > 0).then(|| Self {
            pairs,
            tubes: mean(0),
            exact: mean(1),
        })
    }
}
