//! Measured power over delay, from archives of numpy.

use keller::comparison::DelayGrid;

/// The power-delay profiles of one file of measurements.
#[derive(Debug, Clone, PartialEq)]
pub struct DelayProfiles {
    /// The centres of the bins, the same for all of them.
    pub delays: DelayGrid,
    /// The path gain in each bin, linear: `[places, delays.count]`, the last index running fastest.
    pub power: Vec<f64>,
}

impl DelayProfiles {
    /// The profile at a place of the file.
    ///
    /// # Panics
    /// If the file has no such place.
    pub fn of(&self, place: usize) -> &[f64] {
        let start = place * self.delays.count;
        &self.power[start..start + self.delays.count]
    }
}

/// The place of a measurement's profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProfileIndex {
    /// Index of the file in [`Measurements::profiles`](super::Measurements::profiles).
    pub file: usize,
    /// Index of the place in that file.
    pub place: usize,
}
