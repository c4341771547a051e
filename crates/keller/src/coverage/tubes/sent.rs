//! What leaves the transmitter: the field of its antenna, or whatever field some antenna may send.

use glam::DVec3;
use num_complex::Complex64;
use rayon::prelude::*;

use super::cells::{Cell, Corner, on_cube};
use crate::Direction;
use crate::antenna::Antenna;
use crate::field::{PlaneWave, PowerMatrix};

/// Which antennas a trace is to serve: what none of them makes strong enough is not followed.
#[derive(Debug, Clone, Copy)]
pub enum Envelope<'a> {
    /// Any whose gain is nowhere more than this, linear.
    Gain(f64),
    /// These, and others of the same polarisation whose gain is nowhere more than that of one of these.
    Antennas(&'a [Antenna]),
}

/// The most that any antenna of an envelope sends.
#[derive(Debug)]
pub(super) enum Most {
    Gain(f64),
    /// Gains along theta and phi by cell of directions.
    ByCell(Vec<[f64; 2]>),
}

/// Cells of directions in which antennas are asked: 1.4° wide at most.
const LEVEL: u32 = 6;

/// Of the gain along one of theta and phi, the other has so much at least, lest nothing be divided by nothing.
const LEAST_SHARE: f64 = 1e-4;

impl Envelope<'_> {
    pub(super) fn most(&self) -> Most {
        let antennas = match self {
            Self::Gain(gain) => return Most::Gain(*gain),
            Self::Antennas(antennas) => antennas,
        };
        let of_cell = |cell: Cell| {
            let corners = cell.corners().map(Corner::direction);
            let [theta, phi] = corners
                .map(|corner| most_of(antennas, corner))
                .into_iter()
                .fold([0.0, 0.0], |[a, b]: [f64; 2], [c, d]| [a.max(c), b.max(d)]);
            let least = (LEAST_SHARE * (theta + phi)).max(f64::MIN_POSITIVE);
            [theta.max(least), phi.max(least)]
        };
        let mut cells = Cell::all(LEVEL);
        cells.sort_by_key(|cell| on_cube(cell.corners()[0].direction()).index(LEVEL));
        Most::ByCell(cells.into_par_iter().map(of_cell).collect())
    }
}

/// The largest gains of all in a direction, along theta and along phi.
fn most_of(antennas: &[Antenna], direction: DVec3) -> [f64; 2] {
    let direction = Direction::from_vector(direction);
    let mut most = [0.0_f64; 2];
    for antenna in antennas {
        let mut gains = [0.0; 2];
        for field in antenna.fields(direction) {
            let of_port = field.map(|f: Complex64| f.norm_sqr() / antenna.num_ports() as f64);
            gains = [gains[0] + of_port[0], gains[1] + of_port[1]];
        }
        most = [most[0].max(gains[0]), most[1].max(gains[1])];
    }
    most
}

/// What a trace begins with.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sent<'a> {
    /// The fields of an antenna.
    By(&'a Antenna),
    /// Fields along theta and phi, each as strong as that of any antenna.
    ByAny(&'a Most),
}

impl Sent<'_> {
    /// The wave that leaves in a unit vector.
    pub(super) fn wave(&self, departure: DVec3) -> PlaneWave {
        match self {
            Self::By(antenna) => PlaneWave::new(antenna, departure),
            Self::ByAny(most) => {
                PlaneWave::of_both_fields(most.gains(departure).map(f64::sqrt), departure)
            }
        }
    }

    /// What arrives of a wave, or the most that may.
    pub(super) fn power(&self, wave: &PlaneWave) -> f64 {
        match self {
            Self::By(_) => wave.power(),
            Self::ByAny(most) => most.power(&wave.power_matrix()),
        }
    }
}

impl Most {
    /// Gains along theta and phi in a direction.
    pub(super) fn gains(&self, departure: DVec3) -> [f64; 2] {
        match self {
            Self::Gain(gain) => [*gain; 2],
            Self::ByCell(gains) => gains[on_cube(departure).index(LEVEL)],
        }
    }

    /// The most that arrives, of what arrives of the waves.
    pub(super) fn power(&self, matrix: &PowerMatrix) -> f64 {
        match self {
            // Whatever the polarisation is, there is no more to it.
            Self::Gain(_) => matrix.largest(),
            Self::ByCell(_) => matrix.of_both(),
        }
    }
}
