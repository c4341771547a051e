//! The loss of a path: free space, its diffractions, and the walls in its way.
//!
//! # Source
//! T. Rick and T. Kuhlen, 2010, section 6, equations (14) to (20). The length in free space is that of the whole path.
//! Walls count on the straight line alone.

use std::f64::consts::{LN_10, PI};

use crate::Error;

/// The way in which several paths to one cell count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Combination {
    /// The strongest alone.
    Strongest,
    /// The sum of their powers.
    #[default]
    Sum,
}

impl Combination {
    /// The combination of the gain so far with that of one more path.
    #[inline]
    pub(super) fn of(self, known: f32, more: f32) -> f32 {
        match self {
            Self::Sum => known + more,
            Self::Strongest => known.max(more),
        }
    }
}

/// Losses in addition to that of free space.
///
/// A diffraction by the angle `a`, radians, costs `c[0] + c[1] a + c[2] a^2` dB; `n` walls cost `c[0] + c[1] n` dB.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Losses {
    /// The loss of a diffraction around a corner in the street: dB, dB/rad, dB/rad².
    pub street_bend: [f64; 3],
    /// The loss of a diffraction over a roof: dB, dB/rad, dB/rad².
    pub roof_bend: [f64; 3],
    /// The loss of walls: dB, dB a wall.
    pub wall: [f64; 2],
}

impl Default for Losses {
    /// The losses of diffractions are fitted to `tubes` in two cities, at 947 MHz and 3.5 GHz (`keller-validation
    /// beams-taught DATA --defaults`). The fit lets nothing through walls, whose losses are a guess.
    fn default() -> Self {
        Self {
            street_bend: [15.0, 16.0, -2.5],
            roof_bend: [11.0, 17.0, -2.7],
            wall: [10.0, 8.0],
        }
    }
}

impl Losses {
    /// The key of the first losses of which one is below zero, or falls as the angle or the number of walls grows.
    pub fn wrong_way(&self) -> Option<&'static str> {
        // A parabola falls somewhere between nothing and half a turn if it does at either end.
        let falls = |[a, b, c]: [f64; 3]| a < 0.0 || b < 0.0 || b + 2.0 * c * PI < 0.0;
        if falls(self.street_bend) {
            Some("corner_loss_db")
        } else if falls(self.roof_bend) {
            Some("roof_loss_db")
        } else if self.wall[1] < 0.0 || self.wall[0] + self.wall[1] < 0.0 {
            Some("wall_loss_db")
        } else {
            None
        }
    }

    /// Refuses losses of the [wrong way](Self::wrong_way).
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.wrong_way() {
            None => Ok(()),
            Some(name) => Err(Error::Beams(format!(
                "{name}: a loss is below zero, or falls as the angle or the number of walls grows"
            ))),
        }
    }

    /// The loss of the walls on a straight line, dB.
    pub(super) fn walls(&self, count: u32) -> f64 {
        match count {
            0 => 0.0,
            count => self.wall[0] + self.wall[1] * f64::from(count),
        }
    }

    /// The linear gains behind no wall, one wall, and so on up to `max_count`.
    pub(super) fn of_counts(&self, max_count: u16) -> Vec<f32> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "single precision is enough for a gain"
        )]
        let gain = |count| power(self.walls(u32::from(count))) as f32;
        (0..=max_count).map(gain).collect()
    }

    /// The loss of diffractions over roofs, dB.
    pub(super) fn roof(&self, bends: Bends) -> f64 {
        bends.loss(self.roof_bend)
    }

    /// The loss of diffractions around corners, dB.
    pub(super) fn street(&self, bends: Bends) -> f64 {
        bends.loss(self.street_bend)
    }
}

/// The diffractions of a path: all that losses depend on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bends {
    /// Number of diffractions.
    pub count: u32,
    /// The sum of their angles, radians.
    pub angle: f64,
    /// The sum of the squares of their angles, rad².
    pub square: f64,
}

impl Bends {
    /// These, and one more by an angle, radians.
    #[must_use]
    pub fn and(self, angle: f64) -> Self {
        Self {
            count: self.count + 1,
            angle: self.angle + angle,
            square: self.square + angle * angle,
        }
    }

    /// Their loss with a parabola's coefficients, dB.
    fn loss(self, [a, b, c]: [f64; 3]) -> f64 {
        a * f64::from(self.count) + b * self.angle + c * self.square
    }
}

/// The linear gain of a loss in dB.
pub(super) fn power(loss_db: f64) -> f64 {
    (-loss_db * LN_10 / 10.0).exp()
}
