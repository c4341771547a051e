//! Collects the power that waves bring to the cells.
//!
//! Rays of one wave, that is of one sequence of walls, bring one and the same path to a cell. Of these the ray counts that
//! passes nearest to the cell's centre. Waves are added by power.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Gains are added as whole numbers of this unit, so that the order does not matter.
const UNIT: f64 = 1.0 / (1_u64 << 60) as f64;

/// Larger gains of a single wave do not occur in the far field.
const MAX_GAIN: f64 = 1.0;

/// The value of a cell that no ray of the wave has passed.
const NONE: u64 = u64::MAX;

/// Sums of all waves, cell by cell.
#[derive(Debug)]
pub(super) struct Sums {
    cells: Vec<AtomicU64>,
    spare: Mutex<Vec<OfWave>>,
    num_spares: AtomicU64,
}

impl Sums {
    pub(super) fn new(num_cells: usize) -> Self {
        Self {
            cells: (0..num_cells).map(|_| AtomicU64::new(0)).collect(),
            spare: Mutex::default(),
            num_spares: AtomicU64::new(0),
        }
    }

    /// An empty collection for a wave.
    pub(super) fn of_wave(&self) -> OfWave {
        let spare = self
            .spare
            .lock()
            .expect("no thread stops while it holds it")
            .pop();
        spare.unwrap_or_else(|| {
            self.num_spares.fetch_add(1, Ordering::Relaxed);
            OfWave {
                best: vec![NONE; self.cells.len()],
                touched: Vec::new(),
            }
        })
    }

    /// Adds the power that a wave has brought.
    pub(super) fn add(&self, mut wave: OfWave) {
        for cell in wave.touched.drain(..) {
            let best = std::mem::replace(&mut wave.best[cell as usize], NONE);
            let gain = f64::from(f32::from_bits(low_bits(best)));
            self.cells[cell as usize].fetch_add(units(gain), Ordering::Relaxed);
        }
        self.spare
            .lock()
            .expect("no thread stops while it holds it")
            .push(wave);
    }

    /// Memory, bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        let collections = 1 + usize::try_from(self.num_spares.load(Ordering::Relaxed)).unwrap_or(0);
        8 * self.cells.len() * collections
    }

    /// Linear gains.
    pub(super) fn into_gains(self) -> Vec<f64> {
        let cells = self.cells.into_iter();
        cells.map(|sum| sum.into_inner() as f64 * UNIT).collect()
    }
}

/// The power that one wave brings.
#[derive(Debug)]
pub(super) struct OfWave {
    /// Distance of the nearest ray from the centre and its gain, both as bits of single precision: the smaller number is the
    /// nearer ray.
    best: Vec<u64>,
    touched: Vec<u32>,
}

impl OfWave {
    /// Takes a ray that passes a cell's centre at the square of a distance, with a gain there.
    #[inline]
    pub(super) fn put(&mut self, cell: u32, distance_squared: f64, gain: f64) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "single precision tells rays apart well enough"
        )]
        let [distance, gain] = [distance_squared as f32, gain.min(MAX_GAIN) as f32];
        let of_ray = u64::from(distance.to_bits()) << 32 | u64::from(gain.to_bits());
        let best = &mut self.best[cell as usize];
        if *best == NONE {
            self.touched.push(cell);
        }
        *best = of_ray.min(*best);
    }

    /// Takes the power that another part of the same wave brings, and empties it.
    pub(super) fn join(&mut self, other: &mut Self) {
        for cell in other.touched.drain(..) {
            let of_other = std::mem::replace(&mut other.best[cell as usize], NONE);
            let best = &mut self.best[cell as usize];
            if *best == NONE {
                self.touched.push(cell);
            }
            *best = of_other.min(*best);
        }
    }
}

fn low_bits(bits: u64) -> u32 {
    u32::try_from(bits & u64::from(u32::MAX)).expect("32 bits")
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "gains lie between zero and one"
)]
fn units(gain: f64) -> u64 {
    (gain / UNIT) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_wave_the_nearest_ray_counts_and_waves_add_up() {
        let sums = Sums::new(3);
        let mut first = sums.of_wave();
        first.put(1, 0.04, 1e-6);
        first.put(1, 0.01, 2e-6);
        first.put(1, 0.09, 8e-6);
        let mut part = sums.of_wave();
        part.put(1, 0.0001, 3e-6);
        part.put(2, 0.5, 1e-9);
        first.join(&mut part);
        sums.add(part);
        sums.add(first);
        let mut second = sums.of_wave();
        second.put(1, 0.7, 4e-6);
        sums.add(second);
        let gains = sums.into_gains();
        let expected = [0.0, 7e-6, 1e-9];
        for (gain, expected) in gains.iter().zip(expected) {
            assert!((gain - expected).abs() <= 1e-6 * expected, "{gains:?}");
        }
    }
}
