//! The field that leaves the Tx: that of one antenna, or the strongest fields of several.

use glam::DVec3;
use num_complex::Complex64;

use crate::Direction;
use crate::antenna::Antenna;
use crate::coverage::tubes::tube::direction_cells::{DirectionCell, DirectionCorner, cube_point};
use crate::field::{PlaneWave, PowerMatrix};
use crate::parallel;

/// The antennas that one trace serves. The trace does not follow waves that are too weak with all of them.
#[derive(Debug, Clone, Copy)]
pub enum Envelope<'a> {
    /// All antennas whose gain is nowhere larger than this, linear.
    Gain(f64),
    /// These antennas, and others of the same polarisation whose gain is nowhere larger than that of one of these.
    Antennas(&'a [Antenna]),
}

/// The largest gains of the antennas of an envelope.
#[derive(Debug)]
pub(in crate::coverage::tubes) enum MaxGains {
    Gain(f64),
    ByCell {
        /// The gains along theta and phi, by cell of directions.
        gains: Vec<[f64; 2]>,
        /// Whether the gain of an antenna depends on the direction.
        varies: bool,
    },
}

/// The level of the cells of directions in which gains are tabulated: at most 1.4° wide.
const LEVEL: u32 = 6;

/// The smaller of the gains along theta and phi is at least this share of their sum: power matrices are divided by it.
const MIN_SHARE: f64 = 1e-4;

impl Envelope<'_> {
    pub(in crate::coverage::tubes) fn max_gains(&self) -> MaxGains {
        let antennas = match self {
            Self::Gain(gain) => return MaxGains::Gain(*gain),
            Self::Antennas(antennas) => antennas,
        };
        let of_cell = |cell: DirectionCell| {
            let corners = cell.corners().map(DirectionCorner::direction);
            let [theta, phi] = corners
                .map(|corner| max_gains_of(antennas, corner))
                .into_iter()
                .fold([0.0, 0.0], |[a, b]: [f64; 2], [c, d]| [a.max(c), b.max(d)]);
            let least = (MIN_SHARE * (theta + phi)).max(f64::MIN_POSITIVE);
            [theta.max(least), phi.max(least)]
        };
        let mut cells = DirectionCell::all(LEVEL);
        cells.sort_by_key(|cell| cube_point(cell.corners()[0].direction()).index(LEVEL));
        MaxGains::ByCell {
            gains: parallel::map_slice(&cells, |cell| of_cell(*cell)),
            varies: !antennas.iter().all(Antenna::is_isotropic),
        }
    }
}

/// The largest gains of any antenna in a direction, along theta and along phi.
fn max_gains_of(antennas: &[Antenna], direction: DVec3) -> [f64; 2] {
    let direction = Direction::from_vector(direction);
    let mut max = [0.0_f64; 2];
    for antenna in antennas {
        let mut gains = [0.0; 2];
        for field in antenna.fields(direction) {
            let of_port = field.map(|f: Complex64| f.norm_sqr() / antenna.num_ports() as f64);
            gains = [gains[0] + of_port[0], gains[1] + of_port[1]];
        }
        max = [max[0].max(gains[0]), max[1].max(gains[1])];
    }
    max
}

/// The field with which a trace begins.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) enum TxField<'a> {
    /// The field of one antenna.
    Antenna(&'a Antenna),
    /// Fields along theta and phi, each as strong as any antenna of an envelope makes it.
    Envelope(&'a MaxGains),
}

impl TxField<'_> {
    /// The wave that leaves along a unit vector.
    pub(super) fn wave(&self, departure: DVec3) -> PlaneWave {
        match self {
            Self::Antenna(antenna) => PlaneWave::new(antenna, departure),
            Self::Envelope(max) => {
                PlaneWave::of_both_fields(max.gains(departure).map(f64::sqrt), departure)
            }
        }
    }

    /// Whether the gain of an antenna may depend on the direction, so that one direction does not stand for a whole tube.
    pub(super) fn varies(&self) -> bool {
        match self {
            Self::Antenna(antenna) => !antenna.is_isotropic(),
            Self::Envelope(MaxGains::Gain(_)) => true,
            Self::Envelope(MaxGains::ByCell { varies, .. }) => *varies,
        }
    }

    /// The power of a wave; for an envelope, the largest power with one of its antennas.
    pub(super) fn power(&self, wave: &PlaneWave) -> f64 {
        match self {
            Self::Antenna(_) => wave.power(),
            Self::Envelope(max) => max.power(&wave.power_matrix()),
        }
    }
}

impl MaxGains {
    /// The largest gains along theta and phi in a direction.
    pub(super) fn gains(&self, departure: DVec3) -> [f64; 2] {
        match self {
            Self::Gain(gain) => [*gain; 2],
            Self::ByCell { gains, .. } => gains[cube_point(departure).index(LEVEL)],
        }
    }

    /// An upper bound of the power, from the power matrix of the wave.
    pub(super) fn power(&self, matrix: &PowerMatrix) -> f64 {
        match self {
            // The largest over all polarisations.
            Self::Gain(_) => matrix.largest(),
            Self::ByCell { .. } => matrix.of_both(),
        }
    }
}
