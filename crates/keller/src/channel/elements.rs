//! Links between arrays of which every element is traced as a point of its own.
//!
//! Each pair of elements has paths of its own, with its own delays, angles and field, so that nothing is taken for a
//! plane wave and a wall may shade a part of an array. [`ElementLink`] puts the results of the pairs in the places of
//! their ports. Responses over frequency and time are those of the pairs, exactly. An impulse response has one tap for
//! each sequence of walls and edges that any pair has: amplitudes are exact, zero where a pair has no such path; delay,
//! angles and Doppler shift are means over the pairs that have it.
//!
//! Cost: that of as many links as there are pairs.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::DVec3;
use num_complex::Complex64;

use super::band::Band;
use super::doppler::Motion;
use super::impulse::{Antennas, ImpulseResponse, Tap};
use super::response::{FrequencyResponse, replay};
use crate::Direction;
use crate::field::Walls;
use crate::parallel;
use crate::paths::{Interaction, Path, Vertex};

/// The paths between the elements of one Tx and those of one Rx.
///
/// `antennas` of its methods is what each element is. Ports are those of every element in turn, as where elements differ by phase
/// alone: Rx port `element * num_ports + port`, and likewise at the Tx.
///
/// ```
/// use keller::antenna::{Antenna, Array, Orientation};
/// use keller::channel::{Antennas, ElementLink, Motion};
/// use keller::{DVec3, Frequency, World, paths::Path};
/// # use keller::{materials::Materials, scene::{Mesh, Scene}};
/// # let mut mesh = Mesh::default();
/// # mesh.add_polygon("concrete", &[DVec3::ZERO, DVec3::X, DVec3::Y].map(|corner| corner - 9.0 * DVec3::Z));
/// let world = World::new(Scene::new(&mesh)?, &Materials::default(), Frequency::from_ghz(3.5)?)?;
/// // Two elements at the Rx, as `find_paths` would find them from one Tx.
/// let array = Array::from_elements(vec![DVec3::ZERO, DVec3::new(0.0, 4.0, 0.0)])?;
/// let elements = array.positions(DVec3::new(3.0, 0.0, 0.0), Orientation::default());
/// let direct = |(rx, rx_position): (usize, DVec3)| Path {
///     tx: 0, rx, tx_position: DVec3::ZERO, rx_position, vertices: vec![], length: rx_position.length(),
/// };
/// let paths: Vec<Path> = elements.enumerate().map(direct).collect();
/// let link = ElementLink { paths: &paths, tx: 0..1, rx: 0..2 };
/// let isotropic = Antenna::default();
/// let antennas = Antennas::single(&isotropic, &isotropic);
/// let response = link.impulse_response(&world, antennas, &Motion::default());
/// // One tap; each element has its own spherical wave, over 3 m and 5 m.
/// assert_eq!((response.taps.len(), response.num_ports), (1, [2, 1]));
/// assert!((response.amplitudes[0].norm() / response.amplitudes[1].norm() - 5.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ElementLink<'a> {
    /// The paths of each pair of elements together, each pair's in the order of [`crate::paths::find_paths`].
    pub paths: &'a [Path],
    /// The elements of the Tx, as [`Path::tx`] numbers them.
    pub tx: Range<usize>,
    /// The elements of the Rx, as [`Path::rx`] numbers them.
    pub rx: Range<usize>,
}

/// The paths of one pair of elements, by their place in the arrays: Rx, Tx.
type Pair<'a> = ([usize; 2], &'a [Path]);

impl ElementLink<'_> {
    /// One tap for each sequence of walls and edges, in the order of the mean delay.
    ///
    /// # Panics
    /// If a path is of an element beyond `tx` or `rx`.
    ///
    /// # Source
    /// Theory page: `arrays`.
    pub fn impulse_response(
        &self,
        world: &(impl Walls + Sync),
        antennas: Antennas<'_>,
        motion: &Motion<'_>,
    ) -> ImpulseResponse {
        let of_pairs =
            self.of_each_pair(|paths| ImpulseResponse::new(paths, world, antennas, motion));
        let mut taps: BTreeMap<TapKey, Gathered> = BTreeMap::new();
        // The number of the pair's first path among all of the link.
        let mut first = 0;
        for (pair, paths, response) in &of_pairs {
            let amplitudes = response.tap_amplitudes();
            for ((path, tap), amplitudes) in paths.iter().zip(&response.taps).zip(amplitudes) {
                let mut key = TapKey::new(path);
                while taps.get(&key).is_some_and(|t| t.has(*pair)) {
                    key.repetition += 1;
                }
                let gathered = taps.entry(key).or_insert_with(|| Gathered {
                    path: first + tap.path,
                    ..Gathered::default()
                });
                gathered.add(*pair, tap, amplitudes);
            }
            first += paths.len();
        }
        let mut taps: Vec<(Tap, Gathered)> = taps.into_values().map(|t| (t.mean(), t)).collect();
        taps.sort_by(|(a, _), (b, _)| a.delay.total_cmp(&b.delay));

        let blocks = Blocks::new(self, antennas);
        let mut amplitudes = vec![Complex64::ZERO; taps.len() * blocks.num_port_pairs()];
        let of_taps = amplitudes.chunks_exact_mut(blocks.num_port_pairs());
        for ((_, gathered), all) in taps.iter().zip(of_taps) {
            for (pair, block) in &gathered.blocks {
                for (place, amplitude) in blocks.places(*pair).zip(block) {
                    all[place] = *amplitude;
                }
            }
        }
        ImpulseResponse {
            carrier: world.surfaces().frequency(),
            num_ports: blocks.num_ports,
            taps: taps.into_iter().map(|(tap, _)| tap).collect(),
            amplitudes,
        }
    }

    /// The response over `band` at `times` (s) with the amplitudes of the carrier and the delay of each pair's own paths.
    ///
    /// # Panics
    /// In the cases of [`Self::impulse_response`].
    ///
    /// # Source
    /// Theory page: `arrays`.
    pub fn over(
        &self,
        world: &(impl Walls + Sync),
        antennas: Antennas<'_>,
        motion: &Motion<'_>,
        band: &Band,
        times: &[f64],
    ) -> FrequencyResponse {
        self.gather(antennas, [times.len(), band.num_frequencies()], |paths| {
            ImpulseResponse::new(paths, world, antennas, motion).over(band, times)
        })
    }

    /// The response at the frequency of each of `worlds`, and at `times` (s), as [`replay`] has it for each pair.
    ///
    /// # Panics
    /// In the cases of [`Self::impulse_response`].
    ///
    /// # Source
    /// Theory page: `arrays`.
    pub fn replay(
        &self,
        worlds: &[impl Walls + Sync],
        antennas: Antennas<'_>,
        motion: &Motion<'_>,
        times: &[f64],
    ) -> FrequencyResponse {
        self.gather(antennas, [times.len(), worlds.len()], |paths| {
            replay(paths, worlds, antennas, motion, times)
        })
    }

    /// The responses of all pairs in one; `shape` is times and frequencies.
    fn gather(
        &self,
        antennas: Antennas<'_>,
        shape: [usize; 2],
        compute: impl Fn(&[Path]) -> FrequencyResponse + Sync,
    ) -> FrequencyResponse {
        let blocks = Blocks::new(self, antennas);
        let mut response = FrequencyResponse::zero(blocks.num_ports, shape[0], shape[1]);
        let len = shape[0] * shape[1];
        if len == 0 {
            return response;
        }
        for (pair, _, block) in self.of_each_pair(compute) {
            for (place, values) in blocks.places(pair).zip(block.values.chunks_exact(len)) {
                response.values[place * len..][..len].copy_from_slice(values);
            }
        }
        response
    }

    /// The result of `compute` for each pair of elements that has a path.
    fn of_each_pair<T: Send>(
        &self,
        compute: impl Fn(&[Path]) -> T + Sync,
    ) -> Vec<([usize; 2], &[Path], T)> {
        let pairs: Vec<Pair> = self
            .paths
            .chunk_by(|a, b| (a.tx, a.rx) == (b.tx, b.rx))
            .map(|paths| (self.place(&paths[0]), paths))
            .collect();
        parallel::map_slice(&pairs, |&(pair, paths)| (pair, paths, compute(paths)))
    }

    /// The elements that a path runs between, by their place in the arrays: Rx, Tx.
    fn place(&self, path: &Path) -> [usize; 2] {
        assert!(
            self.tx.contains(&path.tx) && self.rx.contains(&path.rx),
            "a path from {} to {} in a link from {:?} to {:?}",
            path.tx,
            path.rx,
            self.tx,
            self.rx
        );
        [path.rx - self.rx.start, path.tx - self.tx.start]
    }
}

/// The common properties of paths that are one tap.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct TapKey {
    /// The interactions of the path; for patches also their places, since a face has many.
    met: Vec<(Interaction, [u64; 3])>,
    /// Counts the paths of one pair that meet the same.
    repetition: usize,
}

impl TapKey {
    fn new(path: &Path) -> Self {
        let met = |vertex: &Vertex| {
            let place = match vertex.interaction {
                Interaction::Scattering(..) => vertex.point.to_array().map(f64::to_bits),
                Interaction::Reflection(_)
                | Interaction::Transmission(_)
                | Interaction::Diffraction(_) => [0; 3],
            };
            (vertex.interaction, place)
        };
        Self {
            met: path.vertices.iter().map(met).collect(),
            repetition: 0,
        }
    }
}

/// The paths of all pairs that are one tap.
#[derive(Debug, Default)]
struct Gathered {
    blocks: Vec<([usize; 2], Vec<Complex64>)>,
    delay: f64,
    doppler_shift: f64,
    departure: DVec3,
    arrival: DVec3,
    is_line_of_sight: bool,
    /// The first of them.
    path: usize,
}

impl Gathered {
    fn add(&mut self, pair: [usize; 2], tap: &Tap, amplitudes: &[Complex64]) {
        self.blocks.push((pair, amplitudes.to_vec()));
        self.delay += tap.delay;
        self.doppler_shift += tap.doppler_shift;
        self.departure += tap.departure.unit_vector();
        self.arrival += tap.arrival.unit_vector();
        self.is_line_of_sight = tap.is_line_of_sight;
    }

    /// Whether `pair`, the latest that was added if any, is in it.
    fn has(&self, pair: [usize; 2]) -> bool {
        self.blocks.last().is_some_and(|(last, _)| *last == pair)
    }

    /// Delay, Doppler shift and directions in the mean over the pairs.
    fn mean(&self) -> Tap {
        let count = self.blocks.len() as f64;
        Tap {
            delay: self.delay / count,
            doppler_shift: self.doppler_shift / count,
            departure: Direction::from_vector(self.departure),
            arrival: Direction::from_vector(self.arrival),
            is_line_of_sight: self.is_line_of_sight,
            path: self.path,
        }
    }
}

/// The positions of the ports of a pair of elements among those of a link.
struct Blocks {
    /// The numbers of ports of the whole link: Rx, Tx.
    num_ports: [usize; 2],
    /// The numbers of ports of one pair.
    block: [usize; 2],
}

impl Blocks {
    fn new(link: &ElementLink<'_>, antennas: Antennas<'_>) -> Self {
        let block = antennas.num_ports();
        Self {
            num_ports: [link.rx.len() * block[0], link.tx.len() * block[1]],
            block,
        }
    }

    fn num_port_pairs(&self) -> usize {
        self.num_ports[0] * self.num_ports[1]
    }

    /// The place of each port pair of `pair`, in their order, among all port pairs of the link.
    fn places(&self, pair: [usize; 2]) -> impl Iterator<Item = usize> {
        let [rx_ports, tx_ports] = self.block;
        let num_tx_ports = self.num_ports[1];
        let first = pair[0] * rx_ports * num_tx_ports + pair[1] * tx_ports;
        (0..rx_ports).flat_map(move |i| (0..tx_ports).map(move |j| first + i * num_tx_ports + j))
    }
}
