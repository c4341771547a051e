//! The figures of one link: gains, K factor and spreads.

use num_complex::Complex64;

use super::impulse::{ImpulseResponse, Tap};
use super::spread::{circular_spread, mean, spread};

/// The few numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// Number of paths.
    pub num_paths: usize,
    /// Gain of all paths added with their phases, linear: the gain in a narrow band at the carrier.
    pub coherent_gain: f64,
    /// Gain of all paths added as powers, linear: the mean over places or over a wide band.
    pub incoherent_gain: f64,
    /// The spreads, which need some power; `None` without.
    pub spreads: Option<Spreads>,
}

/// The spreads of the power.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spreads {
    /// The power of the line of sight, or without one that of the strongest path, over that of all others; infinite if
    /// there are none.
    pub k_factor: f64,
    /// Mean of the absolute delay, s.
    pub mean_delay: f64,
    /// Rms delay spread, s.
    pub delay_spread: f64,
    /// Zenith and azimuth spread of departure, radians.
    pub departure: [f64; 2],
    /// Zenith and azimuth spread of arrival, radians.
    pub arrival: [f64; 2],
    /// Mean Doppler shift, Hz.
    pub mean_doppler: f64,
    /// Rms Doppler spread, Hz.
    pub doppler_spread: f64,
}

impl ImpulseResponse {
    /// Gains, K factor and spreads, weighted by the power of each path through the antennas.
    ///
    /// # Source
    /// T. S. Rappaport, "Wireless Communications", 2nd ed., 2002, equations (5.35) to (5.37); 3GPP TR 38.901, equation. Theory page: `spreads`.
    pub fn statistics(&self) -> Statistics {
        let powers: Vec<f64> = self.powers().collect();
        let mut sums = vec![Complex64::ZERO; self.num_port_pairs()];
        for amplitudes in self.tap_amplitudes() {
            for (sum, amplitude) in sums.iter_mut().zip(amplitudes) {
                *sum += amplitude;
            }
        }
        let coherent: f64 = sums.iter().map(Complex64::norm_sqr).sum();
        Statistics {
            num_paths: self.taps.len(),
            coherent_gain: coherent / self.num_ports[1] as f64,
            incoherent_gain: powers.iter().fold(0.0, |sum, p| sum + p),
            spreads: self.spreads(&powers),
        }
    }

    fn spreads(&self, powers: &[f64]) -> Option<Spreads> {
        let all = |value: fn(&Tap) -> f64| self.taps.iter().map(value).collect::<Vec<f64>>();
        let circular = |value| circular_spread(&all(value), powers);
        let (delays, shifts) = (all(|t| t.delay), all(|t| t.doppler_shift));
        Some(Spreads {
            mean_delay: mean(&delays, powers)?,
            delay_spread: spread(&delays, powers)?,
            departure: [
                circular(|t| t.departure.zenith)?,
                circular(|t| t.departure.azimuth)?,
            ],
            arrival: [
                circular(|t| t.arrival.zenith)?,
                circular(|t| t.arrival.azimuth)?,
            ],
            mean_doppler: mean(&shifts, powers)?,
            doppler_spread: spread(&shifts, powers)?,
            k_factor: self.k_factor(powers),
        })
    }

    fn k_factor(&self, powers: &[f64]) -> f64 {
        let line_of_sight = self.taps.iter().position(|tap| tap.is_line_of_sight);
        let strongest = || (0..powers.len()).max_by(|a, b| powers[*a].total_cmp(&powers[*b]));
        let Some(first) = line_of_sight.or_else(strongest) else {
            return 0.0;
        };
        let others = powers.iter().enumerate().filter(|(i, _)| *i != first);
        // A sum of nothing is -0.0.
        let others = others.map(|(_, power)| power).fold(0.0, |sum, p| sum + p);
        powers[first] / others
    }
}
