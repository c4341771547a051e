//! The frequencies at which a channel is asked for, and how their response is weighted before it becomes one over delay.

use std::f64::consts::TAU;

use crate::{Error, Frequency};

/// Equally spaced frequencies around a carrier.
///
/// ```
/// use keller::{Frequency, channel::Band};
///
/// let band = Band::new(Frequency::from_hz(3.5e9)?, 20e6, 4)?;
/// let hz: Vec<f64> = band.frequencies().map(Frequency::hz).collect();
/// assert_eq!(hz, [3.4925e9, 3.4975e9, 3.5025e9, 3.5075e9]);
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    carrier: Frequency,
    bandwidth: f64,
    num_frequencies: usize,
}

impl Band {
    /// The band of `bandwidth` Hz around `carrier`, cut into `num_frequencies` equal parts. A bandwidth of zero is the carrier alone.
    ///
    /// # Errors
    /// [`Error::Bandwidth`] if it is negative, not finite, more than twice the carrier, or zero with several frequencies; or if
    /// there is no frequency.
    pub fn new(carrier: Frequency, bandwidth: f64, num_frequencies: usize) -> Result<Self, Error> {
        let is_accepted = (0.0..=2.0 * carrier.hz()).contains(&bandwidth)
            && num_frequencies >= 1
            && (bandwidth > 0.0 || num_frequencies == 1);
        if !is_accepted {
            return Err(Error::Bandwidth {
                bandwidth,
                num_frequencies,
                carrier: carrier.hz(),
            });
        }
        Ok(Self {
            carrier,
            bandwidth,
            num_frequencies,
        })
    }

    /// The carrier, in the centre.
    pub fn carrier(&self) -> Frequency {
        self.carrier
    }

    /// The width from end to end, Hz.
    pub fn bandwidth(&self) -> f64 {
        self.bandwidth
    }

    /// The number of frequencies.
    pub fn num_frequencies(&self) -> usize {
        self.num_frequencies
    }

    /// The step from one frequency to the next, Hz. A response over delay repeats after one over this.
    pub fn spacing(&self) -> f64 {
        self.bandwidth / self.num_frequencies as f64
    }

    /// The centre of every part of the band, the lowest first.
    ///
    /// # Panics
    /// Never: [`Band::new`] accepts no band that reaches below zero.
    pub fn frequencies(&self) -> impl ExactSizeIterator<Item = Frequency> + use<> {
        let band = *self;
        (0..self.num_frequencies).map(move |i| {
            let from_centre = i as f64 - (band.num_frequencies as f64 - 1.0) / 2.0;
            let hz = band.carrier.hz() + from_centre * band.spacing();
            // Positive: the lowest is half a spacing above the lower end, which is 0 or more.
            Frequency::from_hz(hz).expect("a band ends at zero or above")
        })
    }
}

/// Weights over a band: they trade sidelobes in delay for resolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Window {
    /// All frequencies alike: the narrowest peak, sidelobes at -13 dB.
    #[default]
    Rectangular,
    /// A raised cosine: a peak twice as wide, sidelobes below -31 dB.
    Hann,
    /// Three cosines: a peak three times as wide, sidelobes below -58 dB.
    Blackman,
}

impl Window {
    /// The weights of `n` frequencies, their sum 1: a path of gain g has a peak of power g.
    ///
    /// # Source
    /// F. J. Harris, "On the Use of Windows for Harmonic Analysis with the Discrete Fourier Transform", Proc. IEEE 66(1), 1978,
    /// Table I, sampled in the centre of each part; doi:10.1109/PROC.1978.10837. Theory page: `profile`.
    pub fn weights(self, n: usize) -> Vec<f64> {
        let weights: Vec<f64> = (0..n)
            .map(|i| {
                let x = TAU * (i as f64 + 0.5) / n as f64;
                match self {
                    Self::Rectangular => 1.0,
                    Self::Hann => 0.5 - 0.5 * x.cos(),
                    Self::Blackman => 0.42 - 0.5 * x.cos() + 0.08 * (2.0 * x).cos(),
                }
            })
            .collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|w| w / total).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_may_reach_down_to_zero_and_no_further() {
        let carrier = Frequency::from_hz(1e9).unwrap();
        let lowest = Band::new(carrier, 2e9, 8).unwrap().frequencies().next();
        assert_eq!(lowest.map(Frequency::hz), Some(0.125e9));
        for (bandwidth, n) in [(2.001e9, 8), (-1.0, 8), (0.0, 2), (f64::NAN, 1), (1e6, 0)] {
            assert!(Band::new(carrier, bandwidth, n).is_err(), "{bandwidth} {n}");
        }
    }

    #[test]
    fn a_band_of_one_frequency_is_its_carrier() {
        let carrier = Frequency::from_hz(1e9).unwrap();
        for bandwidth in [0.0, 1e8] {
            let band = Band::new(carrier, bandwidth, 1).unwrap();
            assert_eq!(band.frequencies().collect::<Vec<_>>(), [carrier]);
        }
    }

    #[test]
    fn weights_are_symmetric_and_add_up_to_one() {
        for window in [Window::Rectangular, Window::Hann, Window::Blackman] {
            for n in [1, 2, 7, 64] {
                let w = window.weights(n);
                assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-14, "{window:?}");
                for i in 0..n {
                    assert!((w[i] - w[n - 1 - i]).abs() < 1e-14, "{window:?} {n}");
                }
            }
        }
    }
}
