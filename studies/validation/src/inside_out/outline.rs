//! A footprint: the points in it, and their distance from its walls.

use glam::DVec2;

/// Whether a point lies in a closed line.
pub(super) fn contains(ring: &[DVec2], at: DVec2) -> bool {
    let crossings = sides(ring).filter(|[a, b]| {
        let is_between = (a.y > at.y) != (b.y > at.y);
        is_between && at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x)
    });
    crossings.count() % 2 == 1
}

/// The distance from a point to the nearest of a closed line, metres.
pub(super) fn distance(ring: &[DVec2], at: DVec2) -> f64 {
    let of = |[a, b]: [DVec2; 2]| {
        let along = (b - a).dot(at - a) / (b - a).length_squared();
        at.distance(a.lerp(b, along.clamp(0.0, 1.0)))
    };
    sides(ring).map(of).fold(f64::INFINITY, f64::min)
}

fn sides(ring: &[DVec2]) -> impl Iterator<Item = [DVec2; 2]> + '_ {
    let next = ring.iter().cycle().skip(1);
    ring.iter().zip(next).map(|(a, b)| [*a, *b])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_angle_has_a_hollow_side() {
        let ring = [(0., 0.), (4., 0.), (4., 1.), (1., 1.), (1., 3.), (0., 3.)].map(DVec2::from);
        for (at, is_in, apart) in [((0.5, 2.0), true, 0.5), ((2.0, 2.0), false, 1.0)] {
            assert_eq!(contains(&ring, at.into()), is_in);
            assert!((distance(&ring, at.into()) - apart).abs() < 1e-12);
        }
    }
}
