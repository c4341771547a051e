//! Mends ground plans: repeated and needless corners, outlines that cross themselves, overlapping buildings.
//!
//! Works in local metres, after [`Place::map`]. Outlines that are in order keep their corners to the last digit.
//! Outlines that cross themselves are resolved by boolean operations (`boolean`): the area within the outer rings less
//! that of the holes. Buildings that overlap are cut (`overlap`). Afterwards outer rings run counter-clockwise and
//! holes clockwise. Cost: a sort of the sides, and a comparison of those whose ranges of x overlap.

use glam::DVec2;
use keller::geometry::tolerance::MAX_COORDINATE;

use super::boolean::{MIN_AREA, resolve};
use super::notes::Notes;
use super::rings::{clean, oriented};
use super::{Place, Polygon, Shape, outline_bounds, overlap, rings};

/// The options for mending ground plans.
#[derive(Debug, Clone, PartialEq)]
pub struct RepairOptions {
    /// Whether buildings that overlap are cut, so that no walls stand inside others: the taller one keeps the overlap.
    pub cut_overlaps: bool,
    /// Overlaps narrower than this are kept, metres: neighbours that were surveyed apart.
    pub overlap_tolerance: f64,
}

impl Default for RepairOptions {
    fn default() -> Self {
        Self {
            cut_overlaps: true,
            overlap_tolerance: 0.01,
        }
    }
}

/// Mends the ground plans of a place in local metres; messages on mended or left-out features are added to its
/// warnings.
///
/// ```
/// use glam::DVec2;
/// use keller_geo::place::{Building, Place, Polygon, Prism, Roof, Shape, repair};
/// let bow_tie = [(0.0, 0.0), (4.0, 4.0), (4.0, 0.0), (0.0, 4.0)].map(DVec2::from);
/// let prism = Prism {
///     outline: vec![Polygon { outer: bow_tie.into(), holes: Vec::new() }],
///     roof: Roof::Height(9.0),
///     pitched: None,
///     min_height: 0.0,
///     ground: None,
/// };
/// let building = Building {
///     id: "1".into(),
///     found_at: "feature 1".into(),
///     shape: Shape::Prism(prism),
///     wall_material: None,
///     roof_material: None,
/// };
/// let mut place = Place { buildings: vec![building], ..Place::default() };
/// repair::repair(&mut place, &repair::RepairOptions::default());
/// assert_eq!(place.warnings, ["feature 1: its outline crosses or touches itself, or its rings are ill nested; it was resolved"]);
/// let Shape::Prism(prism) = &place.buildings[0].shape else { unreachable!() };
/// assert_eq!(prism.outline.len(), 2);
/// ```
pub fn repair(place: &mut Place, options: &RepairOptions) {
    let mut notes = Notes::without_file();
    place.buildings.retain_mut(|building| {
        if is_far(building.shape.bounds(), &building.found_at, &mut notes) {
            return false;
        }
        let Shape::Prism(prism) = &mut building.shape else {
            return true;
        };
        prism.outline = mend(
            std::mem::take(&mut prism.outline),
            &building.found_at,
            &mut notes,
        );
        !prism.outline.is_empty()
    });
    place.clutter.retain_mut(|area| {
        if is_far(outline_bounds(&area.outline), &area.found_at, &mut notes) {
            return false;
        }
        let outline = std::mem::take(&mut area.outline);
        area.outline = mend(outline, &area.found_at, &mut notes);
        !area.outline.is_empty()
    });
    if options.cut_overlaps {
        overlap::cut(&mut place.buildings, options.overlap_tolerance, &mut notes);
    }
    place.warnings.extend(notes.finish());
}

/// Whether a thing with these bounds lies too far out for a scene, which is warned of.
fn is_far([low, high]: [DVec2; 2], place: &str, notes: &mut Notes) -> bool {
    let is_empty = low.cmpgt(high).any();
    let is_far = |p: DVec2| !p.is_finite() || p.abs().max_element() > MAX_COORDINATE;
    let is_far = !is_empty && (is_far(low) || is_far(high));
    if is_far {
        notes.add(
            place,
            "it lies more than 1e7 m from the origin; it is left out",
        );
    }
    is_far
}

/// An outline in order: simple rings, rightly oriented, that neither cross nor overlap.
fn mend(outline: Vec<Polygon>, place: &str, notes: &mut Notes) -> Vec<Polygon> {
    let mut mended = tidy(outline);
    if mended.is_empty() {
        notes.add(place, "its outline has no area; it is left out");
        return mended;
    }
    if crosses_itself(&mended) || is_ill_nested(&mended) {
        notes.add(
            place,
            "its outline crosses or touches itself, or its rings are ill nested; it was resolved",
        );
        mended = resolve(&mended);
    }
    mended
}

/// The polygons without needless corners and rings without area, oriented. A ring that crosses itself may have a sum of areas of
/// zero, so that only those without any extent are dropped here.
fn tidy(outline: Vec<Polygon>) -> Vec<Polygon> {
    let mut polygons = Vec::new();
    for polygon in outline {
        let outer = oriented(clean(polygon.outer), true);
        if !has_extent(&outer) {
            continue;
        }
        let holes = polygon.holes.into_iter();
        let holes = holes.map(|ring| oriented(clean(ring), false));
        polygons.push(Polygon {
            outer,
            holes: holes.filter(|ring| has_extent(ring)).collect(),
        });
    }
    polygons
}

/// Whether a ring surrounds more than [`MIN_AREA`], be it in both senses.
fn has_extent(ring: &[DVec2]) -> bool {
    let Some(&first) = ring.first() else {
        return false;
    };
    let corners = ring.get(1..).unwrap_or_default().windows(2);
    let both: f64 = corners
        .map(|pair| (pair[0] - first).perp_dot(pair[1] - first).abs())
        .sum();
    both / 2.0 > MIN_AREA
}

/// Whether sides of an outline cross, touch or lie on each other, other than neighbours at their corner.
fn crosses_itself(outline: &[Polygon]) -> bool {
    struct Side {
        ends: [DVec2; 2],
        ring: usize,
        index: usize,
        count: usize,
    }
    let mut all: Vec<Side> = Vec::new();
    for (ring, corners) in outline.iter().flat_map(Polygon::rings).enumerate() {
        all.extend(rings::sides(corners).enumerate().map(|(index, (a, b))| {
            let ends = if a.x <= b.x { [a, b] } else { [b, a] };
            Side {
                ends,
                ring,
                index,
                count: corners.len(),
            }
        }));
    }
    all.sort_by(|a, b| a.ends[0].x.total_cmp(&b.ends[0].x));
    let mut open: Vec<&Side> = Vec::new();
    for side in &all {
        open.retain(|other| other.ends[1].x >= side.ends[0].x);
        let meets = |other: &&Side| {
            let apart = side.index.abs_diff(other.index);
            let are_neighbours = side.ring == other.ring && (apart == 1 || apart == side.count - 1);
            !are_neighbours && sides_meet(side.ends, other.ends)
        };
        if open.iter().any(meets) {
            return true;
        }
        open.push(side);
    }
    false
}

/// Whether a hole lies outside its outer ring or in another hole, or a polygon inside another; none cross or touch.
fn is_ill_nested(outline: &[Polygon]) -> bool {
    let is_ill = |polygon: &Polygon| {
        let holes = &polygon.holes;
        holes.iter().enumerate().any(|(at, hole)| {
            let is_in_another =
                |(other, ring): (usize, &Vec<DVec2>)| other != at && rings::contains(ring, hole[0]);
            !rings::contains(&polygon.outer, hole[0]) || holes.iter().enumerate().any(is_in_another)
        })
    };
    let is_inside = |(at, polygon): (usize, &Polygon)| {
        let mut others = outline.iter().enumerate().filter(|(other, _)| *other != at);
        others.any(|(_, other)| rings::polygon_contains(other, polygon.outer[0]))
    };
    outline.iter().any(is_ill) || outline.iter().enumerate().any(is_inside)
}

/// Whether two sides have a point in common.
fn sides_meet([a, b]: [DVec2; 2], [c, d]: [DVec2; 2]) -> bool {
    let are_apart = |low: DVec2, high: DVec2| low.cmpgt(high).any();
    if are_apart(a.min(b), c.max(d)) || are_apart(c.min(d), a.max(b)) {
        return false;
    }
    let turn = |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - a);
    turn(a, b, c) * turn(a, b, d) <= 0.0 && turn(c, d, a) * turn(c, d, b) <= 0.0
}

#[cfg(test)]
mod tests;
