//! The decay of the diffuse energy after the Tx is switched off.
//!
//! In the slowest mode, all powers decay as `exp(-s t)`. Power that arrives at `t` left at `t - d/c`, when it was
//! larger by `exp(s d/c)`. The mode exists if the matrix of the balance with these factors has the spectral radius 1.

use super::power_balance::Balance;
use crate::parallel;
use crate::units::SPEED_OF_LIGHT;

/// Accuracy of the decay rate, relative.
const TOLERANCE: f64 = 1e-7;

/// Products with the matrix for one spectral radius.
const MAX_PRODUCTS: usize = 2000;

/// Steps of the search for the rate.
const MAX_STEPS: usize = 60;

/// A mode that loses a smaller share of its power from wall to wall does not decay: single precision hides it.
const MIN_LOSS: f64 = 1e-6;

/// The spectral radius below which the sides do not form a room: nothing comes back.
const MIN_RADIUS: f64 = 1e-9;

/// The e-folding time of the energy in the slowest mode of those sides where `start` is positive, seconds. `None` if
/// nothing comes back to any side, or nothing decays.
pub(super) fn decay_time(balance: &Balance, start: &[f64]) -> Option<f64> {
    let mode: Vec<f64> = start
        .iter()
        .map(|b| f64::from(u8::from(*b > 0.0)))
        .collect();
    let mut growth = Growth { balance, mode };
    let still = growth.log_radius(0.0)?;
    if still >= -MIN_LOSS {
        return None;
    }
    // The radius grows with the rate: at least as with the shortest distance alone, at most as with the longest.
    let (mut low, mut at_low) = (0.0, still);
    let mut high = -still * SPEED_OF_LIGHT / growth.mean_length()?;
    let mut at_high = growth.log_radius(high)?;
    for _ in 0..MAX_STEPS {
        if at_high >= 0.0 {
            break;
        }
        (low, at_low) = (high, at_high);
        high *= 1.5;
        at_high = growth.log_radius(high)?;
    }
    // Illinois: regula falsi that halves the value at an end that stays.
    for _ in 0..MAX_STEPS {
        if high - low <= TOLERANCE * high {
            break;
        }
        let middle = low - at_low * (high - low) / (at_high - at_low);
        let at_middle = growth.log_radius(middle)?;
        if at_middle.abs() < TOLERANCE * -still {
            return Some(1.0 / middle);
        }
        if at_middle < 0.0 {
            (low, at_low) = (middle, at_middle);
            at_high *= 0.5;
        } else {
            (high, at_high) = (middle, at_middle);
            at_low *= 0.5;
        }
    }
    Some(2.0 / (low + high))
}

/// The spectral radius for one rate after the other. Each starts from the mode of the last.
struct Growth<'a> {
    balance: &'a Balance,
    mode: Vec<f64>,
}

impl Growth<'_> {
    /// Mean distance between sides in the mode, metres.
    fn mean_length(&self) -> Option<f64> {
        let exchange = &self.balance.exchange;
        let (mut far, mut power) = (0.0, 0.0);
        for (side, sent) in self.mode.iter().enumerate() {
            far += sent * exchange.own_lengths[side];
            power += sent;
        }
        (far > 0.0).then(|| far / power)
    }

    /// The logarithm of the spectral radius for a decay rate, 1/s. `None` if the radius is zero.
    fn log_radius(&mut self, rate: f64) -> Option<f64> {
        let exchange = &self.balance.exchange;
        let growth = |length: f64| (rate * length / SPEED_OF_LIGHT).exp();
        let factors: Vec<f32> = parallel::map_cheap(exchange.lengths.len(), 4096, |entry| {
            let length = f64::from(exchange.lengths[entry]);
            #[expect(clippy::cast_possible_truncation, reason = "as the entries")]
            let factor = (growth(length) * f64::from(exchange.areas[entry])) as f32;
            factor
        });
        let own: Vec<f64> = (exchange.own.iter().zip(&exchange.own_lengths))
            .map(|(own, length)| own * growth(*length))
            .collect();
        let mut last = f64::NAN;
        for _ in 0..MAX_PRODUCTS {
            let radiosity: Vec<f64> = (self.mode.iter().zip(&exchange.side_areas))
                .map(|(b, a)| b / a)
                .collect();
            let incident = |side: usize| {
                let range = exchange.starts[side]..exchange.starts[side + 1];
                let columns = exchange.columns[range.clone()].iter();
                let entries = columns.zip(&factors[range]);
                let own = own[side] * radiosity[side];
                entries.fold(own, |sum, (other, factor)| {
                    sum + f64::from(*factor) * radiosity[*other as usize]
                })
            };
            let incident: Vec<f64> = parallel::map_cheap(exchange.len(), 256, incident);
            let after = self.balance.after_walls(&incident);
            let (before, now): (f64, f64) = (self.mode.iter().sum(), after.iter().sum());
            if now <= MIN_RADIUS * before {
                return None;
            }
            // Two plates that see only each other would send the power to and fro: the mean of both steps converges.
            for (mode, after) in self.mode.iter_mut().zip(after) {
                *mode = 0.5 * (*mode / before + after / now);
            }
            let radius = now / before;
            if (radius - last).abs() <= 1e-10 * radius {
                return Some(radius.ln());
            }
            last = radius;
        }
        Some(last.ln())
    }
}
