//! The delay of cables, found where measured and predicted profiles are most alike.

use super::ProfilePair;
use crate::parallel;

/// The cable delay of each group, s: the multiple of the finest step of its profiles by which predictions have to be
/// late for their amplitudes to correlate best with all measured ones of the group. It is at most `max_delay` (s) and
/// at most what the `reach` of the pairs allows, of either sign, because a reference may be early too. The smallest of
/// several equally good delays counts; groups without a pair have 0.
///
/// The likeness of a pair is the sum of the products of both amplitudes (roots of power) over the root of the product of
/// both sums of power: 1 for equal profiles. A group has the sum of those of its pairs.
pub fn fit_cable_delays(pairs: &[ProfilePair], max_delay: f64) -> Vec<f64> {
    let num_groups = pairs.iter().map(|pair| pair.group + 1).max().unwrap_or(0);
    let groups = 0..num_groups;
    groups
        .map(|group| {
            let own: Vec<&ProfilePair> = pairs.iter().filter(|pair| pair.group == group).collect();
            fit(&own, max_delay)
        })
        .collect()
}

/// The delay of a group.
fn fit(pairs: &[&ProfilePair], max_delay: f64) -> f64 {
    let steps = pairs.iter().map(|pair| pair.delays.step);
    let step = steps.fold(f64::INFINITY, f64::min);
    let reaches = pairs.iter().map(|pair| pair.reach);
    let (Some(reach), true) = (reaches.max(), step.is_finite()) else {
        return 0.0;
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of samples"
    )]
    let max_steps = ((max_delay / step).round() as usize).min(reach);
    // The smallest first, so that it stays where others are as good.
    let delays: Vec<f64> = (0..=max_steps)
        .flat_map(|k| [k as f64 * step, -(k as f64) * step])
        .collect();
    let likeness: Vec<f64> = parallel::map_slice(&delays, |delay| {
        pairs.iter().map(|pair| of_pair(pair, *delay)).sum()
    });
    let mut best = 0;
    for (index, value) in likeness.iter().enumerate() {
        if *value > likeness[best] {
            best = index;
        }
    }
    // Never minus zero.
    delays[best] + 0.0
}

/// The likeness of the amplitudes if the prediction is later by `delay` (s): from 0 to 1.
fn of_pair(pair: &ProfilePair, delay: f64) -> f64 {
    let predicted = pair.predicted_after(delay);
    let both = pair.measured.iter().zip(predicted);
    let product: f64 = both.map(|(m, p)| (m * p).sqrt()).sum();
    let norm = pair.measured.iter().sum::<f64>() * predicted.iter().sum::<f64>();
    if norm > 0.0 {
        product / norm.sqrt()
    } else {
        0.0
    }
}
