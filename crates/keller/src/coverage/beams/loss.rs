//! What a path costs: free space, its bends, and the walls in its way.
//!
//! # Source
//! T. Rick and T. Kuhlen, 2010, section 6, equations (14) to (20). The length in free space is that of the whole path.
//! Walls count on the straight line alone.

use std::f64::consts::PI;

use crate::Error;

/// How several paths to one cell count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Combination {
    /// The strongest alone.
    Strongest,
    /// The sum of their powers.
    #[default]
    Sum,
}

/// Losses beside that of free space.
///
/// A bend by the angle `a`, radians, costs `c[0] + c[1] a + c[2] a^2` dB; `n` walls cost `c[0] + c[1] n` dB.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Losses {
    /// Around a corner in the street: dB, dB/rad, dB/rad².
    pub street_bend: [f64; 3],
    /// Over a roof: dB, dB/rad, dB/rad².
    pub roof_bend: [f64; 3],
    /// Through walls: dB, dB a wall.
    pub wall: [f64; 2],
}

impl Default for Losses {
    fn default() -> Self {
        Self {
            street_bend: [6.0, 14.0, 0.0],
            roof_bend: [6.0, 40.0, -6.0],
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
            Some("street_bend_db")
        } else if falls(self.roof_bend) {
            Some("roof_bend_db")
        } else if self.wall[1] < 0.0 || self.wall[0] + self.wall[1] < 0.0 {
            Some("wall_db")
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

    /// Of the walls on a straight line, dB.
    pub(super) fn walls(&self, count: u32) -> f64 {
        match count {
            0 => 0.0,
            count => self.wall[0] + self.wall[1] * f64::from(count),
        }
    }

    /// Of a bend over a roof, dB.
    pub(super) fn roof(&self, angle: f64) -> f64 {
        let [a, b, c] = self.roof_bend;
        a + angle * (b + angle * c)
    }

    /// Of a bend around a corner, dB.
    pub(super) fn street(&self, angle: f64) -> f64 {
        let [a, b, c] = self.street_bend;
        a + angle * (b + angle * c)
    }
}
