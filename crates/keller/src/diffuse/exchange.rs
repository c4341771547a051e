//! The exchange of diffuse power between the sides of patches, as a table of exchange areas.

use crate::parallel;

/// The exchange between all sides, row by row.
#[derive(Debug)]
pub(super) struct Exchange {
    /// First entry of each row, and the end of the last.
    pub(super) starts: Vec<usize>,
    /// The other side of each entry.
    pub(super) columns: Vec<u32>,
    /// Exchange area of each entry, m²: area times the share of its power that one side sends to the other. Symmetric.
    pub(super) areas: Vec<f32>,
    /// Mean distance between both sides, metres.
    pub(super) lengths: Vec<f32>,
    /// The exchange area that rounding and sampling leave to each side itself, m².
    pub(super) own: Vec<f64>,
    /// Mean distance from each side to all others, metres.
    pub(super) own_lengths: Vec<f64>,
    /// The exchange area of each side with the open and with clutter, in which power is lost, m².
    pub(super) open: Vec<f64>,
    /// Area of each side, m².
    pub(super) side_areas: Vec<f64>,
}

impl Exchange {
    /// Number of sides.
    pub(super) fn len(&self) -> usize {
        self.side_areas.len()
    }

    /// The entries of a row: other side and exchange area.
    pub(super) fn row(&self, side: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[side]..self.starts[side + 1];
        let columns = self.columns[range.clone()].iter();
        let areas = self.areas[range].iter();
        columns
            .zip(areas)
            .map(|(other, area)| (*other as usize, f64::from(*area)))
    }

    /// The power that falls on each side from sides of these radiosities, W/m².
    pub(super) fn incident(&self, radiosity: &[f64]) -> Vec<f64> {
        let incident = |side: usize| {
            let own = self.own[side] * radiosity[side];
            self.row(side)
                .fold(own, |sum, (other, area)| sum + area * radiosity[other])
        };
        parallel::map_cheap(self.len(), 256, incident)
    }
}
