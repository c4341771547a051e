//! The floors of a model: the heights at which much of it is level.

use glam::DVec3;

use super::shells::vertical_part;

/// A level surface is a floor from this share of the model's footprint on: furniture and landings are smaller.
const MIN_SHARE: f64 = 0.3;

/// Level surfaces nearer than this above each other are one, metres: the two sides of a slab, a ceiling hung below it.
const ONE_SLAB: f64 = 1.0;

/// A floor has at least this much of the model above it, metres: a roof is none.
const MIN_HEADROOM: f64 = 1.8;

/// Heights within this are one level, metres.
const ONE_LEVEL: f64 = 0.05;

/// A surface whose normal has this vertical part is level: 1 in 20.
const LEVEL: f64 = 0.9988;

/// The heights of the floors of a model, ascending, metres in its own axes; `footprint` is that of the model, m².
///
/// Of a slab, the upper side counts. Which way fronts look does not matter.
pub(super) fn floors(triangles: &[[DVec3; 3]], footprint: f64) -> Vec<f64> {
    let top = triangles.iter().flatten().map(|corner| corner.z);
    let top = top.fold(f64::NEG_INFINITY, f64::max);
    let mut level: Vec<(f64, f64)> = triangles
        .iter()
        .filter(|corners| vertical_part(corners) >= LEVEL)
        .map(|[a, b, c]| {
            let area = 0.5 * (b - a).truncate().perp_dot((c - a).truncate()).abs();
            ((a.z + b.z + c.z) / 3.0, area)
        })
        .collect();
    level.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut floors: Vec<f64> = Vec::new();
    for same in level.chunk_by(|a, b| b.0 - a.0 <= ONE_LEVEL) {
        let area: f64 = same.iter().map(|(_, area)| area).sum();
        let height = same[same.len() - 1].0;
        if area < MIN_SHARE * footprint || top - height < MIN_HEADROOM {
            continue;
        }
        match floors.last_mut() {
            Some(below) if height - *below < ONE_SLAB => *below = height,
            _ => floors.push(height),
        }
    }
    floors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plate(size: f64, z: f64) -> [[DVec3; 3]; 2] {
        let [a, b, c, d] =
            [[0., 0.], [size, 0.], [size, size], [0., size]].map(|[x, y]| DVec3::new(x, y, z));
        [[a, b, c], [c, a, d]]
    }

    #[test]
    fn slabs_are_floors_at_their_upper_sides_and_roofs_are_none() {
        let heights = [-0.3, 0.0, 0.75, 2.6, 2.8, 3.1, 5.9, 6.2];
        // The plate at 0.75 m is a table.
        let size = |z: f64| if z == 0.75 { 2.0 } else { 10.0 };
        let mut all: Vec<_> = heights.iter().flat_map(|&z| plate(size(z), z)).collect();
        assert_eq!(floors(&all, 100.0), [0.0, 3.1]);
        all.reverse();
        for corners in &mut all {
            corners.swap(0, 1);
        }
        assert_eq!(floors(&all, 100.0), [0.0, 3.1]);
    }

    #[test]
    fn a_model_without_level_surfaces_has_no_floors() {
        let slope = [[DVec3::ZERO, DVec3::new(9., 0., 4.), DVec3::new(0., 9., 4.)]];
        assert!(floors(&slope, 40.5).is_empty());
        assert!(floors(&[], 0.0).is_empty());
    }
}
