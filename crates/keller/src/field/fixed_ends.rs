//! The part of a path's gain that no wall changes, kept for evaluations with many choices of walls.

use num_complex::Complex64;

use super::{PathField, Section, Walls, carried, scalar};
use crate::antenna::Antenna;
use crate::direction::Direction;
use crate::paths::Path;

/// The antennas as a path sees them, its phase and its loss in clutter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FixedEnds {
    scalar: Complex64,
    /// Fields of the ports of the Tx, and of the Rx; those beyond the number of ports are not read.
    ports: [[[Complex64; 2]; 2]; 2],
    num_ports: [usize; 2],
}

impl FixedEnds {
    /// The ends of a path at the frequency of the walls.
    pub(crate) fn new(path: &Path, walls: &impl Walls, [tx, rx]: [&Antenna; 2]) -> Self {
        let mut section = Section::first(path);
        let departure = Direction::from_vector(section.departure());
        while let Some((_, next)) = section.beyond(path) {
            section = next;
        }
        let arrival = Direction::from_vector(section.arrival());
        let mut ends = Self {
            scalar: scalar(path, walls).0,
            ports: [[[Complex64::ZERO; 2]; 2]; 2],
            num_ports: [0; 2],
        };
        for (end, fields) in [tx.fields(departure), rx.fields(arrival)]
            .into_iter()
            .enumerate()
        {
            ends.num_ports[end] = fields.len();
            for (kept, field) in ends.ports[end].iter_mut().zip(fields) {
                *kept = field;
            }
        }
        ends
    }

    /// [`PathField::gain`] of the path between these walls: the same bits.
    pub(crate) fn gain(&self, path: &Path, walls: &impl Walls) -> f64 {
        let (matrix, _) = carried(path, walls);
        let coefficient = matrix.map(|row| row.map(|a| self.scalar * a));
        let [of_tx, of_rx] = [0, 1].map(|end| &self.ports[end][..self.num_ports[end]]);
        let mut total = 0.0;
        for f_rx in of_rx {
            for f_tx in of_tx {
                total += PathField::between_ports(coefficient, *f_tx, *f_rx).norm_sqr();
            }
        }
        total / of_tx.len() as f64
    }
}
