//! Power over delay: in bins, and as a radio of limited bandwidth sees it.

use num_complex::Complex64;
use std::f64::consts::TAU;

use super::band::Window;

/// Power that arrives in each bin of `resolution` seconds, the first from delay 0; power after the last bin is left
/// out.
///
/// ```
/// use keller::channel::binned_profile;
/// assert_eq!(binned_profile(&[0.0, 1.5, 1.9, 7.0], &[1.0, 2.0, 3.0, 4.0], 1.0, 3), [1.0, 5.0, 0.0]);
/// ```
pub fn binned_profile(
    delays: &[f64],
    powers: &[f64],
    resolution: f64,
    num_bins: usize,
) -> Vec<f64> {
    let mut bins = vec![0.0; num_bins];
    for (delay, power) in delays.iter().zip(powers) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "too large saturates, which is beyond the last bin; delays are not negative"
        )]
        let bin = (delay / resolution) as usize;
        if let Some(sum) = bins.get_mut(bin) {
            *sum += power;
        }
    }
    bins
}

/// The response at each of `delays` (s) of a channel whose response over equally spaced frequencies is `over_frequency`, `spacing` Hz
/// apart: the inverse Fourier sum, `window` applied. A single path of amplitude `a` at one of the delays gives `a` there, up to the
/// phase of the band's centre. It repeats after `1 / spacing`.
///
/// Cost: delays times frequencies.
///
/// # Source
/// Theory page: `profile`.
pub fn delay_response(
    over_frequency: &[Complex64],
    spacing: f64,
    window: Window,
    delays: &[f64],
) -> Vec<Complex64> {
    let weighted: Vec<Complex64> = over_frequency
        .iter()
        .zip(window.weights(over_frequency.len()))
        .map(|(h, weight)| h * weight)
        .collect();
    let centre = (over_frequency.len() as f64 - 1.0) / 2.0;
    delays
        .iter()
        .map(|delay| {
            // Horner's rule, from the highest frequency down.
            let turn = Complex64::cis(TAU * (spacing * delay).fract());
            let sum = weighted
                .iter()
                .rfold(Complex64::ZERO, |sum, h| sum * turn + h);
            sum * Complex64::cis(-TAU * (centre * spacing * delay).fract())
        })
        .collect()
}

/// Power in bins of delay as a radio of limited bandwidth sees it: bins are `step` seconds wide, their centres are `delays` (s), and
/// `over_frequency` is as in [`delay_response`]. Bins over the whole period `1 / spacing` add up to the mean power of the response
/// over frequency, weighted with the square of the window: to the path gain, but for interference of paths.
///
/// A bin wider than one over the bandwidth has the power at its centre, and may miss paths at its ends.
///
/// ```
/// use keller::Complex64;
/// use keller::channel::{Window, delay_powers};
///
/// // One path of gain 0.25 at 3 s, 8 frequencies 1/8 Hz apart.
/// let response: Vec<Complex64> = (0..8)
///     .map(|i| 0.5 * Complex64::cis(-std::f64::consts::TAU * f64::from(i) / 8.0 * 3.0))
///     .collect();
/// let delays: Vec<f64> = (0..16).map(|i| 0.5 * f64::from(i)).collect();
/// let powers = delay_powers(&response, 1.0 / 8.0, Window::Hann, &delays, 0.5);
/// assert!((powers.iter().sum::<f64>() - 0.25).abs() < 1e-12);
/// ```
///
/// # Source
/// Parseval's relation. Theory page: `profile`.
pub fn delay_powers(
    over_frequency: &[Complex64],
    spacing: f64,
    window: Window,
    delays: &[f64],
    step: f64,
) -> Vec<f64> {
    let weights = window.weights(over_frequency.len());
    let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
    let share = step * spacing / squares;
    delay_response(over_frequency, spacing, window, delays)
        .iter()
        .map(|h| share * h.norm_sqr())
        .collect()
}
