//! Rings in the plane: area, containment, needless corners, and which ring is a hole of which.

use glam::{DVec2, DVec3};

use super::Polygon;

/// Corners nearer than this are one, metres: more than the distance at which a scene welds vertices.
const MIN_SIDE: f64 = 1e-3;

/// A corner nearer than this to the line through its neighbours is needless, metres.
const STRAIGHT: f64 = 1e-6;

/// The area of a ring: positive if counter-clockwise.
pub(super) fn area(ring: &[DVec2]) -> f64 {
    // Coordinates count from the first corner: millions of metres would use up the digits.
    let Some(&origin) = ring.first() else {
        return 0.0;
    };
    let next = ring.iter().cycle().skip(1);
    let twice: f64 = ring
        .iter()
        .zip(next)
        .map(|(&a, &b)| (a - origin).perp_dot(b - origin))
        .sum();
    twice / 2.0
}

/// The sides of a ring.
pub(super) fn sides(ring: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> {
    ring.iter()
        .zip(ring.iter().cycle().skip(1))
        .map(|(&a, &b)| (a, b))
}

/// The unit normal of a ring in space after Newell, which is exact for flat rings, concave ones too; `None` without area.
pub(super) fn normal(ring: &[DVec3]) -> Option<DVec3> {
    let origin = *ring.first()?;
    let mut longest = 0.0_f64;
    let mut sum = DVec3::ZERO;
    for (&a, &b) in ring.iter().zip(ring.iter().cycle().skip(1)) {
        sum += (a - origin).cross(b - origin);
        longest = longest.max((b - origin).length_squared());
    }
    // Rounding leaves a ring without area a sum of this order.
    if sum.length() > 1e-14 * longest {
        sum.try_normalize()
    } else {
        None
    }
}

/// Whether a point lies inside a ring; on its border it may be either.
pub(super) fn contains(ring: &[DVec2], point: DVec2) -> bool {
    sides(ring)
        .filter(|&(a, b)| {
            (a.y > point.y) != (b.y > point.y)
                && point.x < a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x)
        })
        .count()
        % 2
        == 1
}

/// Whether a point lies inside a polygon, not in a hole of it.
pub(super) fn polygon_contains(polygon: &Polygon, point: DVec2) -> bool {
    contains(&polygon.outer, point) && !polygon.holes.iter().any(|hole| contains(hole, point))
}

/// The smallest and the largest coordinates of a ring.
pub(super) fn bounds(ring: &[DVec2]) -> [DVec2; 2] {
    let empty = [DVec2::INFINITY, DVec2::NEG_INFINITY];
    ring.iter()
        .fold(empty, |[low, high], &p| [low.min(p), high.max(p)])
}

/// The ring without the corner that repeats the first at the end.
pub(super) fn open(mut ring: Vec<DVec2>) -> Vec<DVec2> {
    while ring.len() > 1 && ring.first() == ring.last() {
        ring.pop();
    }
    ring
}

/// The ring in the sense asked for.
pub(super) fn oriented(mut ring: Vec<DVec2>, counter_clockwise: bool) -> Vec<DVec2> {
    if (area(&ring) > 0.0) != counter_clockwise {
        ring.reverse();
    }
    ring
}

/// A ring without repeated corners, corners on a straight side, and spikes.
pub(super) fn clean(ring: Vec<DVec2>) -> Vec<DVec2> {
    let is_needless = |before: DVec2, at: DVec2, behind: DVec2| {
        let chord = behind - before;
        at.distance(before) < MIN_SIDE
            || (chord.length() < MIN_SIDE && before.distance(at) > 0.0)
            || (at - before).perp_dot(chord).abs() <= STRAIGHT * chord.length()
    };
    let mut ring = ring;
    loop {
        let count = ring.len();
        let mut kept: Vec<DVec2> = Vec::with_capacity(count);
        for index in 0..count {
            let behind = ring[(index + 1) % count];
            kept.push(ring[index]);
            // Dropping a corner may make the one before needless.
            while let [.., before, at] = kept[..]
                && is_needless(before, at, behind)
            {
                kept.pop();
            }
        }
        // The first corner, whose neighbours are only known now.
        if let [first, second, .., last] = kept[..]
            && is_needless(last, first, second)
        {
            kept.remove(0);
        }
        if kept.len() < 3 {
            return Vec::new();
        }
        if kept.len() == count {
            return kept;
        }
        ring = kept;
    }
}

/// A point inside a ring; `None` for a ring without area.
pub(super) fn inner_point(ring: &[DVec2]) -> Option<DVec2> {
    point_between(&sides(ring).collect::<Vec<_>>(), bounds(ring))
}

/// A point inside a polygon and outside its holes; `None` for a polygon without area.
pub(super) fn polygon_inner_point(polygon: &Polygon) -> Option<DVec2> {
    let all: Vec<_> = polygon.rings().flat_map(|ring| sides(ring)).collect();
    point_between(&all, bounds(&polygon.outer))
}

/// The centre of the widest stretch inside the sides on a line across them.
fn point_between(sides: &[(DVec2, DVec2)], [low, high]: [DVec2; 2]) -> Option<DVec2> {
    // Any height will do; corners are unlikely at these.
    [0.5, 0.381_966, 0.7312, 0.123_456].iter().find_map(|part| {
        let y = low.y + part * (high.y - low.y);
        let mut crossings: Vec<f64> = sides
            .iter()
            .filter(|(a, b)| (a.y > y) != (b.y > y))
            .map(|(a, b)| a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x))
            .collect();
        crossings.sort_by(f64::total_cmp);
        let widest = crossings
            .as_chunks::<2>()
            .0
            .iter()
            .max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])))?;
        let [from, to] = *widest;
        (to > from).then(|| DVec2::new(0.5 * (from + to), y))
    })
}

/// Polygons from rings in any order and sense: a ring inside an odd number of others is a hole of the smallest of them.
pub(super) fn nest(rings: Vec<Vec<DVec2>>) -> Vec<Polygon> {
    if rings.len() <= 1 {
        let polygon = |outer| Polygon {
            outer,
            holes: Vec::new(),
        };
        return rings.into_iter().map(polygon).collect();
    }
    let boxes: Vec<[DVec2; 2]> = rings.iter().map(|ring| bounds(ring)).collect();
    let areas: Vec<f64> = rings.iter().map(|ring| area(ring).abs()).collect();
    let points: Vec<Option<DVec2>> = rings.iter().map(|ring| inner_point(ring)).collect();
    let around: Vec<Vec<usize>> = (0..rings.len())
        .map(|i| {
            let Some(point) = points[i] else {
                return Vec::new();
            };
            let is_around = |&j: &usize| {
                let [low, high] = boxes[j];
                j != i
                    && (areas[j], j) > (areas[i], i)
                    && point.cmpge(low).all()
                    && point.cmple(high).all()
                    && contains(&rings[j], point)
            };
            (0..rings.len()).filter(is_around).collect()
        })
        .collect();
    let mut polygon_of = vec![usize::MAX; rings.len()];
    let mut polygons: Vec<Polygon> = Vec::new();
    let mut holes = Vec::new();
    for (i, ring) in rings.into_iter().enumerate() {
        let parent = around[i]
            .iter()
            .copied()
            .filter(|&j| around[j].len().is_multiple_of(2))
            .min_by(|&a, &b| areas[a].total_cmp(&areas[b]));
        match parent {
            Some(parent) if around[i].len() % 2 == 1 => holes.push((parent, ring)),
            _ => {
                polygon_of[i] = polygons.len();
                polygons.push(Polygon {
                    outer: ring,
                    holes: Vec::new(),
                });
            }
        }
    }
    for (parent, ring) in holes {
        polygons[polygon_of[parent]].holes.push(ring);
    }
    polygons
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(at: f64, size: f64) -> Vec<DVec2> {
        [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
            .map(|(x, y)| DVec2::new(at + size * x, at + size * y))
            .into()
    }

    #[test]
    fn a_house_in_a_courtyard_is_a_polygon_of_its_own() {
        let rings = vec![
            square(2.0, 6.0),
            square(4.0, 2.0),
            square(0.0, 10.0),
            square(20.0, 1.0),
        ];
        let polygons = nest(rings);
        assert_eq!(polygons.len(), 3);
        let areas: Vec<f64> = polygons.iter().map(Polygon::area).collect();
        assert_eq!(areas, [4.0, 64.0, 1.0]);
    }

    #[test]
    fn inner_points_are_inside() {
        let l = [
            (0.0, 0.0),
            (10.0, 0.0),
            (10.0, 1.0),
            (1.0, 1.0),
            (1.0, 10.0),
            (0.0, 10.0),
        ];
        let l: Vec<DVec2> = l.map(DVec2::from).into();
        let point = inner_point(&l).unwrap();
        assert!(contains(&l, point), "{point}");
        assert_eq!(inner_point(&[DVec2::ZERO, DVec2::X]), None);
    }
}
