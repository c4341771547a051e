//! The points of a patch from which rays decide whether a cell sees it.

use glam::DVec3;
use smallvec::{SmallVec, smallvec};

/// Illuminated points of a patch. The share of them that a cell sees is the share of the patch that it sees.
pub(super) type Samples = SmallVec<[DVec3; 5]>;

/// A few of these points: the nearest to the centre, then the outermost along the diagonals of these axes, each once.
pub(super) fn samples_of(
    points: &(impl Iterator<Item = DVec3> + Clone),
    centre: DVec3,
    (u, v): (DVec3, DVec3),
) -> Samples {
    let nearest = points.clone().min_by(|a, b| {
        let [a, b] = [a, b].map(|point| point.distance_squared(centre));
        a.total_cmp(&b)
    });
    let mut found: Samples = smallvec![nearest.unwrap_or(centre)];
    for diagonal in [u + v, u - v, v - u, -u - v] {
        let along = |point: &DVec3| point.dot(diagonal);
        let farthest = points.clone().max_by(|a, b| along(a).total_cmp(&along(b)));
        found.extend(farthest.filter(|point| !found.contains(point)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_centre_comes_first_and_every_corner_is_there() {
        let grid = (0..35).map(|k| DVec3::new(f64::from(k % 7), f64::from(k / 7), 2.0));
        let samples = samples_of(&grid, DVec3::new(3.2, 1.9, 2.0), (DVec3::X, DVec3::Y));
        assert_eq!(samples[0], DVec3::new(3.0, 2.0, 2.0));
        assert_eq!(samples.len(), 5);
        for (x, y) in [(0.0, 0.0), (6.0, 0.0), (0.0, 4.0), (6.0, 4.0)] {
            assert!(samples.contains(&DVec3::new(x, y, 2.0)), "{x} {y}");
        }
    }

    #[test]
    fn one_point_is_one_sample() {
        let one = [DVec3::ONE].into_iter();
        let samples = samples_of(&one, DVec3::ZERO, (DVec3::X, DVec3::Y));
        assert_eq!(samples[..], [DVec3::ONE]);
    }
}
