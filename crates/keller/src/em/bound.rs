//! Upper bounds on the reflection and transmission of faces, over ranges of incidence.

use super::{Surface, TeTm};

/// Bins of the cosine of incidence from 0 to 1.
const BINS: usize = 256;

/// Minimum number of samples for a bin, and for a full turn of the phase through a slab. Between two samples of the
/// latter the amplitude stays within 0.2 % of the greater one.
const SAMPLES: usize = 8;
const SAMPLES_A_TURN: f64 = 64.0;

/// The margin for rounding and for values between the samples.
const SAFETY: f64 = 1.003;

/// The maximum amplitude that some surfaces reflect, TE or TM, from either side.
#[derive(Debug, Clone)]
pub(crate) struct ReflectionBound {
    /// Level k holds, for each bin, the maximum over the 2^k bins that start there.
    levels: Vec<Vec<f32>>,
}

impl ReflectionBound {
    /// The bound for any of these surfaces.
    pub(crate) fn new<'a>(surfaces: impl Iterator<Item = &'a Surface>) -> Self {
        let mut greatest = vec![0.0_f32; BINS];
        for surface in surfaces {
            let samples = samples(surface);
            let at = |k: usize| greatest_at(surface, k as f64 / (samples * BINS) as f64);
            let mut last = at(0);
            for (bin, greatest) in greatest.iter_mut().enumerate() {
                for k in 1..=samples {
                    *greatest = greatest.max(last);
                    last = at(bin * samples + k);
                }
                *greatest = greatest.max(last);
            }
        }
        let mut levels = vec![greatest];
        let mut width = 1;
        while 2 * width <= BINS {
            let below = levels.last().expect("one level");
            let pairs = below.iter().zip(&below[width..]);
            levels.push(pairs.map(|(a, b)| a.max(*b)).collect());
            width *= 2;
        }
        Self { levels }
    }

    /// The bound for cosines of incidence between `low` and `high`, both clamped to 0 and 1.
    pub(crate) fn between(&self, low: f32, high: f32) -> f32 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a part of 256"
        )]
        let bin = |cosine: f32| ((cosine.clamp(0.0, 1.0) * BINS as f32) as usize).min(BINS - 1);
        let (first, last) = (bin(low), bin(high));
        let level = (last + 1 - first).ilog2();
        let parts = &self.levels[level as usize];
        parts[first].max(parts[last + 1 - (1 << level)])
    }
}

/// The maximum amplitude, TE or TM, that some surfaces transmit from either side.
pub(crate) fn max_transmitted<'a>(surfaces: impl Iterator<Item = &'a Surface>) -> f64 {
    let of = |surface: &Surface| {
        let num = samples(surface) * BINS;
        let at = (0..=num).flat_map(|k| {
            let cosine = k as f64 / num as f64;
            [true, false].map(|from_front| surface.transmission(cosine, from_front))
        });
        at.fold(0.0, |max: f64, t| max.max(t.te.norm()).max(t.tm.norm()))
    };
    SAFETY
        * surfaces
            .filter(|s| !s.is_opaque())
            .map(of)
            .fold(0.0, f64::max)
}

/// Number of samples for each bin of the cosine of incidence.
fn samples(surface: &Surface) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of samples"
    )]
    let more = (SAMPLES_A_TURN * surface.max_turns() / BINS as f64) as usize;
    SAMPLES + more
}

fn greatest_at(surface: &Surface, cosine: f64) -> f32 {
    let sides = [true, false].map(|from_front| {
        let TeTm { te, tm } = surface.reflection(cosine, from_front);
        te.norm().max(tm.norm())
    });
    #[expect(clippy::cast_possible_truncation, reason = "a bound, with room")]
    let greatest = (SAFETY * sides[0].max(sides[1])) as f32;
    greatest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frequency;
    use crate::materials::Material;

    #[test]
    fn no_angle_of_a_range_reflects_more() {
        let frequency = Frequency::from_hz(28e9).unwrap();
        let surfaces = ["concrete", "glass", "metal"]
            .map(|name| Surface::new(&Material::from_name(name).unwrap(), frequency).unwrap());
        for surface in &surfaces {
            let bound = ReflectionBound::new(std::iter::once(surface));
            for (low, high) in [
                (0.0, 0.1),
                (0.2, 0.21),
                (0.33, 0.9),
                (0.999, 1.0),
                (0.5, 0.5),
            ] {
                let max = bound.between(low, high);
                let at = |k: u32| f64::from(low) + f64::from(high - low) * f64::from(k) / 1e4;
                let true_max = (0..=10_000).map(|k| greatest_at(surface, at(k)) / 1.003);
                let true_max = true_max.fold(0.0, f32::max);
                assert!(true_max <= max, "{low} {high}: {true_max} {max}");
                assert!(
                    max <= 1.01 && max - true_max < 0.05,
                    "{low} {high}: {true_max} {max}"
                );
            }
        }
    }
}
