//! The openings through which a beam leaves a reflecting plane: a few convex polygons around all visible parts of the
//! plane.

use glam::DVec2;

use super::polygon::{Rect, bounds};
use crate::geometry::polygon::{area, hull};

/// Parts of a plane become one opening if the area of their hull is at most this multiple of theirs.
const MAX_SLACK: f64 = 1.05;

/// Convex polygons in flat arrays, each with a number of walls.
#[derive(Debug, Default, Clone)]
pub(super) struct Polygons {
    pub(super) corners: Vec<DVec2>,
    pub(super) items: Vec<Item>,
}

/// One polygon of [`Polygons`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) first: u32,
    pub(super) end: u32,
    /// The plane that contains it.
    pub(super) plane: u32,
    /// Number of walls that the beam has passed before.
    pub(super) walls: u32,
}

impl Polygons {
    pub(super) fn clear(&mut self) {
        self.corners.clear();
        self.items.clear();
    }

    pub(super) fn corners(&self, item: &Item) -> &[DVec2] {
        &self.corners[item.first as usize..item.end as usize]
    }

    pub(super) fn push(&mut self, corners: impl Iterator<Item = DVec2>, plane: u32, walls: u32) {
        let first = self.corners.len();
        self.corners.extend(corners);
        let index = |n: usize| u32::try_from(n).expect("fewer than 2^32 corners");
        self.items.push(Item {
            first: index(first),
            end: index(self.corners.len()),
            plane,
            walls,
        });
    }
}

/// Buffers for merging, reused.
#[derive(Debug, Default)]
pub(super) struct Merger {
    points: Vec<DVec2>,
    hull: Vec<DVec2>,
    items: Vec<(Item, DVec2, f64)>,
}

impl Merger {
    /// Sorts `seen` by plane, and covers the parts of every plane and number of walls by at most `2^halvings` convex
    /// polygons. Returns these in the order of planes.
    pub(super) fn merge(&mut self, seen: &mut Polygons, halvings: u32) -> Polygons {
        let mut out = Polygons::default();
        seen.items.sort_by_key(|item| (item.plane, item.walls));
        let mut rest = &seen.items[..];
        while let Some(first) = rest.first() {
            let key = |item: &Item| (item.plane, item.walls);
            let run = rest.partition_point(|item| key(item) <= key(first));
            let mut items = std::mem::take(&mut self.items);
            items.clear();
            items.extend(rest[..run].iter().map(|item| {
                let corners = seen.corners(item);
                let Rect { min, max } = bounds(corners);
                (*item, 0.5 * (min + max), area(corners).abs())
            }));
            self.cover(&seen.corners, &mut items, halvings, &mut out);
            self.items = items;
            rest = &rest[run..];
        }
        out
    }

    fn cover(
        &mut self,
        corners: &[DVec2],
        items: &mut [(Item, DVec2, f64)],
        halvings: u32,
        out: &mut Polygons,
    ) {
        self.points.clear();
        let mut total = 0.0;
        for (item, _, area) in items.iter() {
            self.points
                .extend_from_slice(&corners[item.first as usize..item.end as usize]);
            total += area;
        }
        hull(&mut self.points, &mut self.hull);
        let (plane, walls) = (items[0].0.plane, items[0].0.walls);
        if items.len() == 1 || halvings == 0 || area(&self.hull) <= MAX_SLACK * total {
            out.push(self.hull.iter().copied(), plane, walls);
            return;
        }
        let mut rect = Rect::EMPTY;
        for (_, centre, _) in items.iter() {
            rect.include(*centre);
        }
        let size = rect.max - rect.min;
        let key = |c: DVec2| if size.x >= size.y { c.x } else { c.y };
        items.sort_by(|a, b| key(a.1).total_cmp(&key(b.1)));
        let (left, right) = items.split_at_mut(items.len() / 2);
        self.cover(corners, left, halvings - 1, out);
        self.cover(corners, right, halvings - 1, out);
    }
}
