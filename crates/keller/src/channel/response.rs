//! The response over frequency and time, two ways.
//!
//! Delays change while things move: `tau(t) = tau - nu t / f_c`, with the Doppler shift `nu` at the carrier `f_c`. Both ways take that
//! into account at every frequency, not only at the carrier.

use num_complex::Complex64;
use std::f64::consts::TAU;

use super::band::Band;
use super::doppler::{Motion, length_rate};
use super::impulse::{Antennas, ImpulseResponse};
use crate::field::{Walls, transport};
use crate::paths::Path;

/// The transfer function of one link between all ports, at some times and frequencies.
#[derive(Debug, Clone, PartialEq)]
pub struct FrequencyResponse {
    /// `[num_rx_ports, num_tx_ports, num_times, num_frequencies]`.
    pub shape: [usize; 4],
    /// The values in that order, the last dimension running fastest.
    pub values: Vec<Complex64>,
}

impl FrequencyResponse {
    pub(super) fn zero(num_ports: [usize; 2], num_times: usize, num_frequencies: usize) -> Self {
        let shape = [num_ports[0], num_ports[1], num_times, num_frequencies];
        Self {
            shape,
            values: vec![Complex64::ZERO; shape.iter().product()],
        }
    }

    /// The response over frequency of one pair of ports at one time.
    ///
    /// # Panics
    /// If an index is beyond the shape.
    pub fn over_frequency(&self, rx_port: usize, tx_port: usize, time: usize) -> &[Complex64] {
        let [rx_ports, tx_ports, times, n] = self.shape;
        assert!(
            rx_port < rx_ports && tx_port < tx_ports && time < times,
            "no response [{rx_port}, {tx_port}, {time}] in {:?}",
            self.shape
        );
        let start = ((rx_port * tx_ports + tx_port) * times + time) * n;
        &self.values[start..start + n]
    }

    /// Adds one path at one frequency, for every pair of ports and every time.
    fn add(
        &mut self,
        frequency: usize,
        amplitudes: impl Iterator<Item = Complex64>,
        turns: &(impl Iterator<Item = f64> + Clone),
    ) {
        let [_, _, num_times, num_frequencies] = self.shape;
        for (ports, amplitude) in amplitudes.enumerate() {
            for (time, turn) in turns.clone().enumerate() {
                self.values[(ports * num_times + time) * num_frequencies + frequency] +=
                    amplitude * phasor(turn);
            }
        }
    }
}

impl ImpulseResponse {
    /// The response over `band` at `times` (s) with the amplitudes of the carrier: quick, and right where materials and antennas do
    /// not change over the band.
    ///
    /// ```
    /// use keller::channel::{Band, ImpulseResponse};
    /// # use keller::{Complex64, Direction, Frequency, channel::Tap};
    /// # let carrier = Frequency::from_hz(1e9)?;
    /// # let up = Direction { zenith: 0.0, azimuth: 0.0 };
    /// # let tap = |delay| Tap { delay, doppler_shift: 0.0, departure: up, arrival: up, is_line_of_sight: false, path: 0 };
    /// // Two paths of amplitude 1, 10 ns apart: zeros every 100 MHz.
    /// let response = ImpulseResponse {
    ///     carrier,
    ///     num_ports: [1, 1],
    ///     taps: vec![tap(0.0), tap(10e-9)],
    ///     amplitudes: vec![Complex64::ONE; 2],
    /// };
    /// let h = response.over(&Band::new(carrier, 200e6, 4)?, &[0.0]);
    /// let powers: Vec<f64> = h.values.iter().map(|h| h.norm_sqr().round()).collect();
    /// assert_eq!(powers, [2.0, 2.0, 2.0, 2.0]);
    /// # Ok::<(), keller::Error>(())
    /// ```
    ///
    /// # Source
    /// Theory page: `channel`.
    pub fn over(&self, band: &Band, times: &[f64]) -> FrequencyResponse {
        let mut response =
            FrequencyResponse::zero(self.num_ports, times.len(), band.num_frequencies());
        for (i, frequency) in band.frequencies().enumerate() {
            let relative = frequency.hz() / self.carrier.hz();
            let offset = frequency.hz() - self.carrier.hz();
            for (tap, amplitudes) in self.taps.iter().zip(self.tap_amplitudes()) {
                let turns = times
                    .iter()
                    .map(|t| relative * tap.doppler_shift * t - offset * tap.delay);
                response.add(i, amplitudes.iter().copied(), &turns);
            }
        }
        response
    }
}

/// The response at the frequency of each of `worlds`, and at `times` (s), from the field along each path at that very frequency:
/// spreading, and the materials' dispersion, are in it. Worlds with other materials replay the same paths between other walls.
/// All have the scene of the paths: [`World::at`](crate::World::at) makes them from one another.
///
/// # Source
/// Theory page: `channel`.
pub fn replay(
    paths: &[Path],
    worlds: &[impl Walls],
    antennas: Antennas<'_>,
    motion: &Motion<'_>,
    times: &[f64],
) -> FrequencyResponse {
    let mut response = FrequencyResponse::zero(antennas.num_ports(), times.len(), worlds.len());
    for path in paths {
        let Some(world) = worlds.first() else { break };
        let rate = length_rate(path, world, motion);
        for (i, world) in worlds.iter().enumerate() {
            let field = transport(path, world);
            let frequency = world.surfaces().frequency();
            let shift = -rate / frequency.wavelength();
            let turns = times.iter().map(|t| shift * t);
            let amplitudes = antennas.amplitudes(&field, frequency);
            response.add(i, amplitudes.into_iter(), &turns);
        }
    }
    response
}

/// `e^{j 2 pi turns}`.
fn phasor(turns: f64) -> Complex64 {
    Complex64::cis(TAU * turns.fract())
}
