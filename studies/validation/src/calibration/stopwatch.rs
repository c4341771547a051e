//! Time on the clock and on the processor. Ratios are taken of the latter, which other work on the machine changes less.

use std::ops::Add;
use std::time::Instant;

use crate::machine::processor_seconds;

/// A running measurement.
pub(super) struct Stopwatch {
    wall: Instant,
    processor: f64,
}

/// Seconds on the clock, and of all cores together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seconds {
    pub(super) wall: f64,
    pub(super) processor: f64,
}

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self {
            wall: Instant::now(),
            processor: processor_seconds(),
        }
    }

    pub(super) fn stop(&self) -> Seconds {
        Seconds {
            wall: self.wall.elapsed().as_secs_f64(),
            processor: processor_seconds() - self.processor,
        }
    }
}

impl Add for Seconds {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            wall: self.wall + other.wall,
            processor: self.processor + other.processor,
        }
    }
}
