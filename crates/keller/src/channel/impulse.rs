//! The impulse response of one link: one tap a path.

use num_complex::Complex64;

use super::doppler::{Motion, doppler_shift};
use crate::antenna::{Antenna, Array};
use crate::field::{PathField, Walls, transport};
use crate::paths::Path;
use crate::{Direction, Frequency};

/// The antennas at the two ends of a link.
#[derive(Debug, Clone, Copy)]
pub struct Antennas<'a> {
    /// The antenna of the Tx.
    pub tx: &'a Antenna,
    /// The antenna of the Rx.
    pub rx: &'a Antenna,
    /// The positions of the Tx's elements of that kind; one in its centre if absent.
    pub tx_array: Option<&'a Array>,
    /// The positions of the Rx's elements.
    pub rx_array: Option<&'a Array>,
}

impl<'a> Antennas<'a> {
    /// One element at each end.
    pub fn single(tx: &'a Antenna, rx: &'a Antenna) -> Self {
        Self {
            tx,
            rx,
            tx_array: None,
            rx_array: None,
        }
    }

    /// Number of ports at the Rx and at the Tx: those of every element in turn.
    pub fn num_ports(&self) -> [usize; 2] {
        let elements = |array: Option<&Array>| array.map_or(1, |a| a.elements().len());
        [
            elements(self.rx_array) * self.rx.num_ports(),
            elements(self.tx_array) * self.tx.num_ports(),
        ]
    }

    /// The amplitude between every pair of ports, `[num_rx_ports, num_tx_ports]`, Tx ports running fastest. Elements of an array
    /// differ by the phase of a plane wave along the path.
    pub fn amplitudes(&self, field: &PathField, frequency: Frequency) -> Vec<Complex64> {
        let ports = |antenna: &Antenna, array: Option<&Array>, direction: Direction| {
            let fields: Vec<[Complex64; 2]> = antenna.fields(direction).collect();
            let Some(array) = array else { return fields };
            array
                .responses(direction, frequency.wavenumber(), antenna.orientation)
                .flat_map(|phase| fields.iter().map(move |f| f.map(|f| f * phase)))
                .collect()
        };
        let tx_ports = ports(self.tx, self.tx_array, field.departure);
        let rx_ports = ports(self.rx, self.rx_array, field.arrival);
        let amplitude = |&f_rx| {
            tx_ports
                .iter()
                .map(move |&f_tx| field.amplitude(f_tx, f_rx))
        };
        rx_ports.iter().flat_map(amplitude).collect()
    }
}

/// One path as a radio sees it, ports apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tap {
    /// Absolute delay, s.
    pub delay: f64,
    /// Doppler shift at the carrier, Hz.
    pub doppler_shift: f64,
    /// The direction in which the path leaves the Tx.
    pub departure: Direction,
    /// The direction from the Rx against the arriving wave.
    pub arrival: Direction,
    /// Whether nothing lies between Tx and Rx.
    pub is_line_of_sight: bool,
    /// The number of the path among those of the link: the first of the paths that are one tap, if elements are traced.
    pub path: usize,
}

/// The impulse response `sum_p a_p delta(tau - tau_p)` of one link, for every pair of ports.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpulseResponse {
    /// The carrier, at which amplitudes and Doppler shifts hold.
    pub carrier: Frequency,
    /// Number of ports at the Rx and at the Tx.
    pub num_ports: [usize; 2],
    /// One entry a path, in the order of the paths.
    pub taps: Vec<Tap>,
    /// Complex amplitudes, carrier phase and antennas in them: `[num_taps, num_rx_ports, num_tx_ports]`, the last running fastest.
    pub amplitudes: Vec<Complex64>,
}

impl ImpulseResponse {
    /// The response of the `paths` of one link in a [`World`](crate::World).
    ///
    /// # Source
    /// Theory page: `channel`.
    pub fn new(
        paths: &[Path],
        world: &impl Walls,
        antennas: Antennas<'_>,
        motion: &Motion<'_>,
    ) -> Self {
        let carrier = world.surfaces().frequency();
        let fields = paths.iter().map(|path| {
            let shift = doppler_shift(path, world, motion);
            (transport(path, world), shift, path.is_line_of_sight())
        });
        Self::from_fields(carrier, fields, antennas)
    }

    /// The response of fields that are known: each with its path's Doppler shift and whether it is the line of sight.
    pub fn from_fields(
        carrier: Frequency,
        fields: impl IntoIterator<Item = (PathField, f64, bool)>,
        antennas: Antennas<'_>,
    ) -> Self {
        let mut response = Self {
            carrier,
            num_ports: antennas.num_ports(),
            taps: Vec::new(),
            amplitudes: Vec::new(),
        };
        for (field, doppler_shift, is_line_of_sight) in fields {
            response.taps.push(Tap {
                delay: field.delay,
                doppler_shift,
                departure: field.departure,
                arrival: field.arrival,
                is_line_of_sight,
                path: response.taps.len(),
            });
            response
                .amplitudes
                .extend(antennas.amplitudes(&field, carrier));
        }
        response
    }

    /// The amplitudes of each tap, `[num_rx_ports, num_tx_ports]`.
    pub fn tap_amplitudes(&self) -> impl ExactSizeIterator<Item = &[Complex64]> {
        self.amplitudes.chunks_exact(self.num_port_pairs())
    }

    /// The path gain of each tap, linear: the power that all Rx ports take while the Tx ports share theirs equally.
    ///
    /// # Source
    /// Theory page: `gain`.
    pub fn powers(&self) -> impl ExactSizeIterator<Item = f64> {
        let num_tx_ports = self.num_ports[1] as f64;
        self.tap_amplitudes().map(move |amplitudes| {
            let sum: f64 = amplitudes.iter().map(Complex64::norm_sqr).sum();
            sum / num_tx_ports
        })
    }

    /// Pairs of an Rx port and a Tx port.
    pub(super) fn num_port_pairs(&self) -> usize {
        self.num_ports[0] * self.num_ports[1]
    }
}
