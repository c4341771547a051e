//! Boolean operations on outlines, by the crate `i_overlay`. Their results have neither repeated corners nor slivers;
//! outer rings run counter-clockwise and holes clockwise.

use glam::DVec2;
use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::float::single::SingleFloatOverlay;
use rustc_hash::FxHashMap;

use super::Polygon;
use super::rings::{self, clean, oriented};

/// Rings of less area than this are dropped, m².
pub(super) const MIN_AREA: f64 = 1e-2;

/// The area that two outlines have in common.
pub(super) fn intersection(one: &[Polygon], other: &[Polygon]) -> Vec<Polygon> {
    combine(one, other, OverlayRule::Intersect)
}

/// The area that `one` has and `other` has not.
pub(super) fn difference(one: &[Polygon], other: &[Polygon]) -> Vec<Polygon> {
    combine(one, other, OverlayRule::Difference)
}

fn combine(one: &[Polygon], other: &[Polygon], rule: OverlayRule) -> Vec<Polygon> {
    polygons(contours(one).overlay_as::<i64>(&contours(other), rule, FillRule::NonZero))
}

/// The area within the outer rings of an outline less that of their holes, as polygons that do not cross. The outline
/// may cross itself.
pub(super) fn resolve(outline: &[Polygon]) -> Vec<Polygon> {
    let single = |ring: &Vec<DVec2>| vec![flat(ring.as_slice())];
    let parts = outline.iter().map(|polygon| {
        let outer = single(&polygon.outer);
        let holes: Vec<_> = polygon.holes.iter().map(|ring| flat(ring)).collect();
        outer.overlay_as::<i64>(&holes, OverlayRule::Difference, FillRule::NonZero)
    });
    let contours: Vec<Vec<[f64; 2]>> = parts.flatten().flatten().collect();
    let nothing: Vec<Vec<[f64; 2]>> = Vec::new();
    polygons(contours.overlay_as::<i64>(&nothing, OverlayRule::Subject, FillRule::NonZero))
}

/// All rings of an outline, as `i_overlay` takes them.
fn contours(outline: &[Polygon]) -> Vec<Vec<[f64; 2]>> {
    let rings = outline.iter().flat_map(Polygon::rings);
    rings.map(|ring| flat(ring)).collect()
}

/// A ring as `i_overlay` takes it.
fn flat(ring: &[DVec2]) -> Vec<[f64; 2]> {
    ring.iter().map(DVec2::to_array).collect()
}

/// The shapes that `i_overlay` gives, as polygons without needless corners or slivers.
fn polygons(shapes: Vec<Vec<Vec<[f64; 2]>>>) -> Vec<Polygon> {
    let mut polygons = Vec::new();
    for shape in shapes {
        let rings = shape.into_iter().flat_map(|ring| {
            let ring: Vec<DVec2> = ring.into_iter().map(DVec2::from_array).collect();
            split(&ring).into_iter().map(clean)
        });
        let rings = rings.filter(|ring| rings::area(ring).abs() > MIN_AREA);
        polygons.extend(rings::nest(rings.collect()).into_iter().map(|polygon| {
            Polygon {
                outer: oriented(polygon.outer, true),
                holes: polygon
                    .holes
                    .into_iter()
                    .map(|hole| oriented(hole, false))
                    .collect(),
            }
        }));
    }
    polygons
}

/// The loops of a ring that comes back to a corner, each without it repeated.
fn split(ring: &[DVec2]) -> Vec<Vec<DVec2>> {
    let mut loops = Vec::new();
    let mut path: Vec<DVec2> = Vec::new();
    let mut place_of: FxHashMap<[u64; 2], usize> = FxHashMap::default();
    let key = |corner: &DVec2| corner.to_array().map(f64::to_bits);
    for corner in ring {
        if let Some(&start) = place_of.get(&key(corner)) {
            let closed = path.split_off(start);
            for corner in &closed {
                place_of.remove(&key(corner));
            }
            loops.push(closed);
        }
        place_of.insert(key(corner), path.len());
        path.push(*corner);
    }
    loops.push(path);
    loops
}
