//! Channels as arrays: the contents of `keller channel -o OUT.npz`, named and shaped as in Sionna RT.
//!
//! Links have different numbers of paths, and devices of ports: arrays are as large as the largest and hold zeros
//! elsewhere; `num_paths` and `valid` give the number of each link's paths.

use std::io;

use keller::DVec3;
use keller::channel::{FrequencyResponse, ImpulseResponse, Tap};
use keller::paths::{InteractionKind, Vertex};

use crate::formats::OutputFile;
use crate::formats::arrays::{ArraySink, TypedArrays};
use crate::formats::npz::NpzWriter;
use crate::formats::{About, OutputError};
use crate::reports::table::Device;

/// The channel of one link.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkChannel {
    /// Index of the transmitter.
    pub tx: usize,
    /// Index of the receiver.
    pub rx: usize,
    /// Its paths.
    pub impulse: ImpulseResponse,
    /// The interactions of each of them from Tx to Rx, in the order of the taps.
    pub vertices: Vec<Vec<Vertex>>,
    /// Its response at all times and frequencies.
    pub response: FrequencyResponse,
    /// The power in each bin of delay.
    pub profile: Vec<f64>,
}

/// The power apart from the paths of all links, and its decay.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChannelsBeside {
    /// The gain of the diffuse field, dB, of the first Rx from every Tx, then of the second; absent without
    /// `[diffuse]`.
    pub diffuse_gain_db: Option<Vec<f64>>,
    /// The time in which the diffuse energy of each Tx decays by the factor e, s; NaN if nothing comes back.
    pub diffuse_decay_times: Option<Vec<f64>>,
    /// The gain of the background, dB, in the order of the diffuse field; absent without `[background]`.
    pub background_gain_db: Option<Vec<f64>>,
    /// The gain of the paths that a threshold left out, dB, in the same order; NaN if it is not known, absent without a
    /// threshold.
    pub omitted_db: Option<Vec<f64>>,
}

/// The channels of all links that have a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Channels {
    /// All transmitters, those without a path among them.
    pub tx: Vec<Device>,
    /// All receivers.
    pub rx: Vec<Device>,
    /// The largest number of ports of a receiver, and of a transmitter: those of devices without a path count too.
    pub num_ports: [usize; 2],
    /// The frequencies of the responses, Hz.
    pub frequencies: Vec<f64>,
    /// Their times, s.
    pub times: Vec<f64>,
    /// The width of the bins of the profiles, s.
    pub delay_resolution: f64,
    /// The links in any order; no two have the same Tx and Rx.
    pub links: Vec<LinkChannel>,
    /// The power apart from the paths, for all links.
    pub beside: ChannelsBeside,
}

impl Channels {
    /// Writes everything to `out` as a `.npz` of numpy, whole or not at all. Arrays are `complex128`, `float64` or as
    /// stated:
    ///
    /// | name | shape | |
    /// |---|---|---|
    /// | `a` | `[num_rx, num_rx_ant, num_tx, num_tx_ant, num_paths]` | complex amplitudes, antennas and carrier phase in them |
    /// | `tau`, `doppler` | `[num_rx, num_tx, num_paths]` | absolute delay, s; Doppler shift, Hz |
    /// | `theta_t`, `phi_t`, `theta_r`, `phi_r` | the same | zenith and azimuth of departure and arrival, radians |
    /// | `valid` | the same, `bool` | whether there is such a path |
    /// | `num_paths` | `[num_rx, num_tx]`, `int64` | paths of each link |
    /// | `line_of_sight` | `[num_rx, num_tx]`, `bool` | whether the Tx sees the Rx |
    /// | `interactions` | `[num_rx, num_tx, num_paths, max_depth]`, `uint8` | the interactions of a path from Tx to Rx, by the numbers of Sionna RT: 1 reflection, 2 scattering, 4 transmission, 8 diffraction; 0 beyond its last |
    /// | `objects` | the same, `int32` | the face of each, or the edge of a diffraction, as `keller scene --list` numbers them; -1 beyond the last |
    /// | `vertices` | `[num_rx, num_tx, num_paths, max_depth, 3]` | the points of these, m |
    /// | `tx_name`, `rx_name` | `[num_tx]`, `[num_rx]`, text | name, or the index if there is none |
    /// | `frequencies`, `times` | `[num_frequencies]`, `[num_snapshots]` | Hz; s |
    /// | `h` | `[num_rx, num_rx_ant, num_tx, num_tx_ant, num_snapshots, num_frequencies]` | transfer function |
    /// | `pdp`, `pdp_delays` | `[num_rx, num_tx, num_bins]`, `[num_bins]` | power in each bin; the beginning of each, s |
    /// | `diffuse_gain_db`, `background_gain_db` | `[num_rx, num_tx]` | with `[diffuse]` and `[background]`: gain of the power apart from all paths, which no other array holds, dB |
    /// | `omitted_db` | `[num_rx, num_tx]` | with `power_threshold_db` or `relative_threshold_db`: gain of the paths left out, which no other array holds, dB; minus infinity with none, NaN if it is not known |
    /// | `diffuse_decay_time_s` | `[num_tx]` | with `[diffuse]`: time in which the diffuse energy decays by the factor e, s; NaN if nothing comes back |
    /// | `keller`, `scenario` | `uint8` | version and scenario, UTF-8: `bytes(f["scenario"]).decode()` |
    /// | `crs`, `origin` | `uint8`, `[3]` | if the scene's place on earth is known: coordinate reference system, UTF-8; its easting, northing and height at the scene's (0, 0, 0), m |
    ///
    /// # Errors
    /// [`OutputError::Write`]
    ///
    /// # Panics
    /// If a face or an edge has a number of 32 bits.
    pub fn write_npz(&self, out: OutputFile, about: &About) -> Result<(), OutputError> {
        out.write(|writer| {
            let mut npz = NpzWriter::new(writer);
            self.write_arrays(about, &mut npz)?;
            npz.finish()
        })
    }

    /// Hands the arrays of [`Self::write_npz`] to `sink`.
    ///
    /// # Errors
    /// The errors of `sink`.
    ///
    /// # Panics
    /// If a face or an edge has a number of 32 bits.
    pub fn write_arrays(&self, about: &About, sink: &mut dyn ArraySink) -> io::Result<()> {
        self.write_channels(sink)?;
        sink.about(about)
    }

    fn write_channels(&self, sink: &mut dyn ArraySink) -> io::Result<()> {
        let most = |count: &dyn Fn(&LinkChannel) -> usize| self.links.iter().map(count).max();
        let num_paths = most(&|l| l.impulse.taps.len()).unwrap_or(0);
        let num_bins = most(&|l| l.profile.len()).unwrap_or(0);
        let [rx_ant, tx_ant] = [0, 1].map(|end| {
            let of_links = most(&|l| l.impulse.num_ports[end]);
            of_links.unwrap_or(0).max(self.num_ports[end])
        });
        let (num_rx, num_tx) = (self.rx.len(), self.tx.len());

        let mut a = Array::new([num_rx, rx_ant, num_tx, tx_ant, num_paths]);
        for link in &self.links {
            let [rx_ports, tx_ports] = link.impulse.num_ports;
            for (p, amplitudes) in link.impulse.tap_amplitudes().enumerate() {
                for (ports, value) in amplitudes.iter().enumerate() {
                    let (i, j) = (ports / tx_ports, ports % tx_ports);
                    assert!(i < rx_ports, "more amplitudes than ports");
                    *a.at([link.rx, i, link.tx, j, p]) = *value;
                }
            }
        }
        sink.complex("a", &a.shape, &a.values)?;

        let of_taps: [NamedValue; 6] = [
            ("tau", |t| t.delay),
            ("doppler", |t| t.doppler_shift),
            ("theta_t", |t| t.departure.zenith),
            ("phi_t", |t| t.departure.azimuth),
            ("theta_r", |t| t.arrival.zenith),
            ("phi_r", |t| t.arrival.azimuth),
        ];
        for (name, value) in of_taps {
            let array = self.per_link(num_paths, |l| l.impulse.taps.iter().map(value).collect());
            sink.real(name, &array.shape, &array.values)?;
        }
        let valid = self.per_link(num_paths, |l| vec![true; l.impulse.taps.len()]);
        sink.flags("valid", &valid.shape, &valid.values)?;
        let counts = self.per_link(1, |l| vec![l.impulse.taps.len()]);
        sink.counts("num_paths", &counts.shape[..2], &counts.values)?;
        let sees = |l: &LinkChannel| l.impulse.taps.iter().any(|tap| tap.is_line_of_sight);
        let sees = self.per_link(1, |l| vec![sees(l)]);
        sink.flags("line_of_sight", &sees.shape[..2], &sees.values)?;
        self.write_interactions(sink, num_paths)?;
        for (name, devices) in [("tx_name", &self.tx), ("rx_name", &self.rx)] {
            let names: Vec<&str> = devices.iter().map(|device| &*device.name).collect();
            sink.texts(name, &names)?;
        }

        sink.real("frequencies", &[self.frequencies.len()], &self.frequencies)?;
        sink.real("times", &[self.times.len()], &self.times)?;
        let (num_times, num_frequencies) = (self.times.len(), self.frequencies.len());
        let mut h = Array::new([num_rx, rx_ant, num_tx, tx_ant, num_times, num_frequencies]);
        for link in &self.links {
            let [rx_ports, tx_ports] = link.impulse.num_ports;
            for (i, j) in (0..rx_ports).flat_map(|i| (0..tx_ports).map(move |j| (i, j))) {
                for t in 0..num_times {
                    let from = link.response.over_frequency(i, j, t);
                    let start = h.offset([link.rx, i, link.tx, j, t, 0]);
                    h.values[start..start + num_frequencies].copy_from_slice(from);
                }
            }
        }
        sink.complex("h", &h.shape, &h.values)?;

        let pdp = self.per_link(num_bins, |l| l.profile.clone());
        sink.real("pdp", &pdp.shape, &pdp.values)?;
        let starts: Vec<f64> = (0..num_bins)
            .map(|i| i as f64 * self.delay_resolution)
            .collect();
        sink.real("pdp_delays", &[num_bins], &starts)?;

        let beside = &self.beside;
        let of_links = [
            ("diffuse_gain_db", &beside.diffuse_gain_db),
            ("background_gain_db", &beside.background_gain_db),
            ("omitted_db", &beside.omitted_db),
        ];
        for (name, gains) in of_links {
            if let Some(gains) = gains {
                sink.real(name, &[num_rx, num_tx], gains)?;
            }
        }
        match &beside.diffuse_decay_times {
            Some(times) => sink.real("diffuse_decay_time_s", &[num_tx], times),
            None => Ok(()),
        }
    }

    fn write_interactions(&self, sink: &mut dyn ArraySink, num_paths: usize) -> io::Result<()> {
        let of_paths = self.links.iter().flat_map(|link| &link.vertices);
        let depth = of_paths.map(Vec::len).max().unwrap_or(0);
        let shape = [self.rx.len(), self.tx.len(), num_paths, depth];
        let mut kinds = Array::<u8, 4>::new(shape);
        let mut objects = Array::new(shape);
        objects.values.fill(-1_i32);
        let mut points = Array::<DVec3, 4>::new(shape);
        for link in &self.links {
            for (p, vertices) in link.vertices.iter().enumerate() {
                for (k, vertex) in vertices.iter().enumerate() {
                    let at = [link.rx, link.tx, p, k];
                    *kinds.at(at) = code(vertex.interaction.kind());
                    let object = i32::try_from(vertex.interaction.object_index());
                    *objects.at(at) = object.expect("scenes number faces and edges in 31 bits");
                    *points.at(at) = vertex.point;
                }
            }
        }
        sink.codes("interactions", &kinds.shape, &kinds.values)?;
        sink.ids("objects", &objects.shape, &objects.values)?;
        let [num_rx, num_tx, ..] = shape;
        let points: Vec<f64> = points.values.iter().flat_map(DVec3::to_array).collect();
        sink.real("vertices", &[num_rx, num_tx, num_paths, depth, 3], &points)
    }

    /// The array `[num_rx, num_tx, n]` with the values of each link first in its row.
    fn per_link<T: Clone + Default>(
        &self,
        n: usize,
        values: impl Fn(&LinkChannel) -> Vec<T>,
    ) -> Array<T, 3> {
        let mut array = Array::new([self.rx.len(), self.tx.len(), n]);
        for link in &self.links {
            let start = array.offset([link.rx, link.tx, 0]);
            let values = values(link);
            array.values[start..start + values.len()].clone_from_slice(&values);
        }
        array
    }
}

/// The code in archives for a kind of interaction.
///
/// # Source
/// Sionna RT 1.0, `InteractionType`.
fn code(kind: InteractionKind) -> u8 {
    match kind {
        InteractionKind::Reflection => 1,
        InteractionKind::Scattering => 2,
        InteractionKind::Transmission => 4,
        InteractionKind::Diffraction => 8,
    }
}

/// The name of an array and its value for a path.
type NamedValue = (&'static str, fn(&Tap) -> f64);

/// An array in C order.
struct Array<T, const N: usize> {
    shape: [usize; N],
    values: Vec<T>,
}

impl<T: Clone + Default, const N: usize> Array<T, N> {
    fn new(shape: [usize; N]) -> Self {
        Self {
            shape,
            values: vec![T::default(); shape.iter().product()],
        }
    }

    fn offset(&self, index: [usize; N]) -> usize {
        index
            .iter()
            .zip(&self.shape)
            .fold(0, |offset, (i, n)| offset * n + i)
    }

    fn at(&mut self, index: [usize; N]) -> &mut T {
        let offset = self.offset(index);
        &mut self.values[offset]
    }
}

#[cfg(test)]
mod tests;
