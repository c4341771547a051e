//! Makes a sampled exchange exactly reciprocal and lossless.
//!
//! The exchange areas of a side, with that into the open, must add up to the area of the side. Every side gets a factor
//! for that ([`crate::power::reciprocity`]). Power that is missing after that (there may be no exact solution, as for
//! two faces of different size that see only each other) returns to the side that sent it, which keeps both laws
//! exactly.

use super::exchange::Exchange;
use crate::parallel;
use crate::power::reciprocity::factors;

/// Rounds of correction. Rooms converge to 1e-6 in about ten.
const ROUNDS: usize = 40;

/// The rounding of the entries, so that nothing negative remains for the side itself.
const ROUNDING: f64 = 1e-6;

/// Scales the exchange areas. The entries must be symmetric up to rounding.
pub(super) fn make_reciprocal(exchange: &mut Exchange) {
    let sides = exchange.len();
    let share = |factors: &[f64]| {
        let sums = sums(exchange, factors).into_iter();
        let shares = sums.zip(&exchange.side_areas);
        Ok(shares.map(|(sum, area)| sum / area).collect())
    };
    let factors =
        factors(sides, ROUNDS, [0.0, f64::INFINITY], share).expect("adding up fails nowhere");
    // No row may exceed its area.
    let sums = sums(exchange, &factors);
    let limit = |side: usize| (exchange.side_areas[side] / sums[side]).min(1.0);
    let limits: Vec<f64> = (0..sides).map(limit).collect();
    let scaled: Vec<f32> = parallel::flat_map(sides, |side, areas| {
        areas.extend(exchange.row(side).map(|(other, area)| {
            let limit = limits[side].min(limits[other]) * (1.0 - ROUNDING);
            let factor = factors[side] * factors[other] * limit;
            #[expect(clippy::cast_possible_truncation, reason = "kept in single precision")]
            let area = (factor * area) as f32;
            area
        }));
    });
    exchange.areas = scaled;
    for side in 0..sides {
        exchange.open[side] *= factors[side] * limits[side];
        let sent: f64 = exchange.row(side).map(|(_, area)| area).sum();
        let rest = exchange.side_areas[side] - sent - exchange.open[side];
        exchange.own[side] = rest.max(0.0);
    }
}

/// The sums of all rows with these factors.
fn sums(exchange: &Exchange, factors: &[f64]) -> Vec<f64> {
    let sum = |side: usize| {
        let row = exchange.row(side);
        let sum = row.fold(exchange.open[side], |sum, (other, area)| {
            sum + area * factors[other]
        });
        factors[side] * sum
    };
    parallel::map_cheap(exchange.len(), 256, sum)
}
