//! The directions from which power arrives at a tile, as far as the lobe of its wall needs them.
//!
//! The half space before the tile is cut into parts of equal solid angle. The power from each part counts as if all of
//! it came from its mean direction. The wall's lobe then scatters it as it scatters single paths.

use std::f64::consts::TAU;

use glam::DVec3;

use crate::em::scattering::lobe_scale;
use crate::materials::Lobe;

/// Rings of equal height, and parts around each.
const RINGS: usize = 4;
const AROUND: usize = 8;

/// The axes of a side of a tile, its normal last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axes([DVec3; 3]);

impl Axes {
    pub(super) fn of(normal: DVec3) -> Self {
        let (across, along) = normal.any_orthonormal_pair();
        Self([across, along, normal])
    }

    /// The part of the half space in which a unit vector lies.
    pub(super) fn part(&self, way: DVec3) -> usize {
        let [x, y, z] = self.0.map(|axis| axis.dot(way));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a cast of floats saturates"
        )]
        let cell = |share: f64, of: usize| ((share * of as f64) as usize).min(of - 1);
        let turn = y.atan2(x) / TAU + 0.5;
        cell(z.max(0.0), RINGS) * AROUND + cell(turn, AROUND)
    }
}

/// Power by direction of arrival.
#[derive(Debug, Clone)]
pub(super) struct Arriving {
    /// The sum of unit vectors times power, and of power.
    parts: [[f32; 4]; RINGS * AROUND],
}

impl Arriving {
    pub(super) fn none() -> Self {
        Self {
            parts: [[0.0; 4]; RINGS * AROUND],
        }
    }

    /// Adds power from the direction `into`, a unit vector away from the tile.
    pub(super) fn add(&mut self, axes: &Axes, into: DVec3, power: f64) {
        let part = &mut self.parts[axes.part(into)];
        let more = (power * into).extend(power).as_vec4().to_array();
        part.iter_mut()
            .zip(more)
            .for_each(|(sum, more)| *sum += more);
    }

    /// The mean direction of each part that power comes from, and its share of all power, such that the shares times
    /// [`crate::em::scattering::lobe_shape`] add up to power per steradian for each watt that is scattered.
    pub(super) fn beams(&self, lobe: Lobe, normal: DVec3) -> Vec<Beam> {
        let sum: f64 = self.parts.iter().map(|part| f64::from(part[3])).sum();
        let beam = |part: &[f32; 4]| {
            let [x, y, z, power] = part.map(f64::from);
            let into = DVec3::new(x, y, z).try_normalize()?;
            let cosine = into.dot(normal);
            (power > 0.0 && cosine > 0.0).then(|| Beam {
                into,
                weight: power / sum * lobe_scale(lobe, cosine) / cosine,
            })
        };
        self.parts.iter().filter_map(beam).collect()
    }
}

/// Power from one direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beam {
    pub(super) into: DVec3,
    pub(super) weight: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::em::scattering::{lobe, lobe_shape};
    use crate::random::Random;

    /// Power from a single direction is scattered as a path from there, whatever the axes.
    #[test]
    fn power_of_one_direction_leaves_as_the_lobe_says() {
        let shape = Lobe::Directive { forward: 5 };
        let mut random = Random(5);
        for _ in 0..50 {
            let [normal, into, out] =
                [(); 3].map(|()| random.point(DVec3::NEG_ONE, DVec3::ONE).normalize());
            let [into, out] = [into, out].map(|way| way * way.dot(normal).signum());
            let mut arriving = Arriving::none();
            arriving.add(&Axes::of(normal), into, 3.0);
            let specular = 2.0 * into.dot(normal) * normal - into;
            let cosines = [into.dot(normal), out.dot(normal)];
            let (ahead, back) = (out.dot(specular), out.dot(into));
            let expected = lobe(shape, cosines[0], cosines[1], ahead, back) / cosines[0];
            let beams = arriving.beams(shape, normal);
            let found: f64 = beams
                .iter()
                .map(|beam| beam.weight * lobe_shape(shape, cosines[1], ahead, back))
                .sum();
            assert!((found / expected - 1.0).abs() < 1e-5, "{found} {expected}");
        }
    }

    #[test]
    fn all_power_is_in_some_part() {
        let mut random = Random(2);
        let axes = Axes::of(DVec3::new(0.6, 0.0, 0.8));
        let mut arriving = Arriving::none();
        for _ in 0..1000 {
            let into = random.point(DVec3::NEG_ONE, DVec3::ONE).normalize();
            arriving.add(&axes, into * into.dot(axes.0[2]).signum(), 1.0);
        }
        let filled = arriving.parts.iter().filter(|part| part[3] > 0.0);
        assert_eq!(filled.count(), RINGS * AROUND);
        let sum: f32 = arriving.parts.iter().map(|part| part[3]).sum();
        assert!((sum - 1000.0).abs() < 1e-2, "{sum}");
    }
}
