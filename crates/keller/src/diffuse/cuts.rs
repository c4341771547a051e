//! The lines along which other faces stand on a tile or go through it.
//!
//! A tile that lies on both sides of a wall would carry power from one room into the next. It is therefore cut where
//! other faces meet it.

use glam::{DVec2, DVec3};

use crate::geometry::tolerance::COPLANAR_DISTANCE;
use crate::scene::{FaceId, PlaneId, Scene};
use crate::tiles::{Frame, Tile};

/// A line in the frame of a face: the points `x` with `normal . x = offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    pub(super) normal: DVec2,
    pub(super) offset: f64,
}

impl Line {
    pub(super) fn distance(&self, point: DVec2) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

/// The largest number of lines that the code of a piece holds; further ones are left out.
pub(super) const MAX_LINES: usize = 16;

/// A face that meets only this share of the tile's border does not cut it.
const BORDER: f64 = 1e-6;

/// The lines across a tile, one for each plane that meets it. With `has_grid`, facets of the tile's own terrain do not.
pub(super) fn lines_across(scene: &Scene, tile: &Tile, frame: &Frame, has_grid: bool) -> Vec<Line> {
    let middle = frame.in_space(0.5 * (tile.low + tile.high));
    let corners = [tile.low, tile.low.with_x(tile.high.x)];
    let radius = corners
        .map(|corner| frame.in_space(corner).distance(middle))
        .into_iter()
        .fold(0.0, f64::max);
    let terrain = scene.terrain_of(tile.face).filter(|_| has_grid);
    let is_own = |face: FaceId| terrain.is_some() && scene.terrain_of(face) == terrain;
    let plane = scene.plane_of(tile.face);
    let mut near: Vec<(PlaneId, FaceId)> = Vec::new();
    scene.faces_near(middle, radius, |face| {
        let of_face = (scene.plane_of(face), face);
        if of_face.0 != plane && !is_own(face) {
            near.push(of_face);
        }
    });
    near.sort_unstable();
    near.dedup();
    let border = BORDER * (tile.high - tile.low);
    let inner = [tile.low + border, tile.high - border];
    let mut lines = Vec::new();
    for faces in near.chunk_by(|a, b| a.0 == b.0) {
        let triangles = faces
            .iter()
            .flat_map(|(_, face)| scene.face(*face).triangles.clone());
        let found = triangles
            .filter_map(|triangle| {
                let corners = scene.corners(triangle);
                let heights = corners.map(|corner| scene.plane(plane).distance(corner));
                segment(corners, heights)
            })
            .map(|ends| ends.map(|end| frame.local(end)))
            .find(|ends| crosses(*ends, inner));
        if let Some([a, b]) = found
            && lines.len() < MAX_LINES
        {
            let normal = (b - a).perp().normalize();
            lines.push(Line {
                normal,
                offset: normal.dot(a),
            });
        }
    }
    lines
}

/// The segment along which a triangle meets a plane, from the heights of its corners over the plane. `None` if it does
/// not, or lies in the plane.
fn segment(corners: [DVec3; 3], heights: [f64; 3]) -> Option<[DVec3; 2]> {
    let heights = heights.map(|h| if h.abs() <= COPLANAR_DISTANCE { 0.0 } else { h });
    let mut ends = [DVec3::ZERO; 3];
    let mut count = 0;
    for k in 0..3 {
        let (a, b) = (k, (k + 1) % 3);
        let end = if heights[a] == 0.0 {
            corners[a]
        } else if heights[a] * heights[b] < 0.0 {
            corners[a].lerp(corners[b], heights[a] / (heights[a] - heights[b]))
        } else {
            continue;
        };
        ends[count] = end;
        count += 1;
    }
    (count == 2).then_some([ends[0], ends[1]])
}

/// Whether a segment of some length lies in a box.
fn crosses([a, b]: [DVec2; 2], [low, high]: [DVec2; 2]) -> bool {
    let along = b - a;
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for k in 0..2 {
        if along[k].abs() < f64::MIN_POSITIVE {
            if a[k] < low[k] || a[k] > high[k] {
                return false;
            }
            continue;
        }
        let (s, t) = ((low[k] - a[k]) / along[k], (high[k] - a[k]) / along[k]);
        from = from.max(s.min(t));
        to = to.min(s.max(t));
    }
    (to - from) * along.length() > BORDER * (high - low).max_element()
}
