//! A wall with openings, cut into triangles anew.

use glam::{DVec2, DVec3};
use spade::handles::FixedVertexHandle;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

use super::against::Against;
use super::rectangle::Rectangle;
use super::walls::Wall;
use crate::geometry::tolerance::WELD_DISTANCE;

/// The area of the parts may differ by this share from that of the wall: doors begin at a border that is straight only
/// to the weld distance.
const SAME_AREA: f64 = 1e-4;

/// The parts of a wall.
#[derive(Debug, Default)]
pub(super) struct Tiling {
    /// The vertices in the scene, metres.
    pub(super) vertices: Vec<DVec3>,
    /// Triangles around the openings. Their fronts look to the normal of the wall.
    pub(super) wall: Vec<[u32; 3]>,
    /// Triangles that fill the openings.
    pub(super) panes: Vec<[u32; 3]>,
    /// New vertices on the border of the wall or on a line at which another surface joins it.
    pub(super) notches: Vec<u32>,
}

/// The parts of a wall with openings; none if its border crosses itself.
pub(super) fn tile(wall: &Wall, against: &Against, openings: &[Rectangle]) -> Option<Tiling> {
    let mut flat = wall.flat.clone();
    let mut vertices = wall.vertices.clone();
    let mut lines: Vec<[u32; 2]> = wall.border.clone();
    lines.extend(
        wall.inner
            .iter()
            .filter(|ends| is_joint(wall, against, **ends)),
    );
    let old_lines = lines.len();
    let old = flat.len();
    for opening in openings {
        let corners = opening.corners().map(|corner| {
            // A corner at a vertex of the wall is that vertex.
            let is_there = |at: &DVec2| at.distance(corner) <= WELD_DISTANCE;
            let found = flat[..old].iter().position(is_there);
            let found = found.unwrap_or_else(|| {
                flat.push(corner);
                vertices.push(wall.origin + corner.x * wall.u + corner.y * wall.v);
                flat.len() - 1
            });
            u32::try_from(found).expect("fewer than 2^32 vertices")
        });
        let [a, b, c, d] = corners;
        lines.extend([[a, b], [b, c], [c, d], [d, a]]);
    }
    let number = |k: usize| u32::try_from(k).expect("fewer than 2^32 vertices");
    let (of_wall, of_openings) = lines.split_at(old_lines);
    let (cut, on_wall) = cut_at(of_wall, number(old)..number(flat.len()), &flat);
    let used: Vec<u32> = {
        let mut used: Vec<u32> = cut.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        used.retain(|v| (*v as usize) < old);
        used
    };
    let (around, _) = cut_at(of_openings, used, &flat);
    let mut lines = [cut, around].concat();
    for line in &mut lines {
        line.sort_unstable();
    }
    lines.sort_unstable();
    lines.dedup();
    let mut tiling = triangulate(wall, &flat, &lines, openings)?;
    tiling.notches = on_wall;
    tiling.vertices = vertices;
    Some(tiling)
}

/// The triangles between lines: those inside the wall, and those in its openings.
fn triangulate(
    wall: &Wall,
    flat: &[DVec2],
    lines: &[[u32; 2]],
    openings: &[Rectangle],
) -> Option<Tiling> {
    let mut net = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
    let mut handles: Vec<Option<FixedVertexHandle>> = vec![None; flat.len()];
    let mut number_of: Vec<u32> = Vec::new();
    for &vertex in lines.iter().flatten() {
        let slot = &mut handles[vertex as usize];
        if slot.is_none() {
            let DVec2 { x, y } = flat[vertex as usize];
            let point = spade::mitigate_underflow(Point2::new(x, y));
            let handle = net.insert(point).ok()?;
            if handle.index() != number_of.len() {
                return None;
            }
            number_of.push(vertex);
            *slot = Some(handle);
        }
    }
    for ends in lines {
        let [from, to] = ends.map(|v| handles[v as usize].expect("all were inserted"));
        if !net.can_add_constraint(from, to) {
            return None;
        }
        net.add_constraint(from, to);
    }
    let mut tiling = Tiling::default();
    let mut area = 0.0;
    for face in net.inner_faces() {
        let corners = face.vertices().map(|v| number_of[v.fix().index()]);
        let at = corners.map(|v| flat[v as usize]);
        let [a, b, c] = at;
        let double = (b - a).perp_dot(c - a);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let centre = (a + b + c) / 3.0;
        // A triangle of three points of one line is left out.
        if double <= longest * (0.1 * WELD_DISTANCE) || !wall.contains(centre) {
            continue;
        }
        area += 0.5 * double;
        if openings.iter().any(|opening| opening.contains(centre)) {
            tiling.panes.push(corners);
        } else {
            tiling.wall.push(corners);
        }
    }
    ((area - wall.area).abs() <= SAME_AREA * wall.area).then_some(tiling)
}

/// Lines cut at those of some points that lie on them, and these points.
fn cut_at(
    lines: &[[u32; 2]],
    points: impl IntoIterator<Item = u32>,
    flat: &[DVec2],
) -> (Vec<[u32; 2]>, Vec<u32>) {
    let points: Vec<u32> = points.into_iter().collect();
    let mut cut = Vec::new();
    let mut all_on = Vec::new();
    for &[from, to] in lines {
        let [a, b] = [from, to].map(|v| flat[v as usize]);
        let along = b - a;
        let mut on: Vec<(f64, u32)> = Vec::new();
        for &point in &points {
            let p = flat[point as usize];
            let t = (p - a).dot(along) / along.length_squared();
            let is_on = point != from
                && point != to
                && t > 0.0
                && t < 1.0
                && (a + t * along).distance(p) <= WELD_DISTANCE;
            if is_on {
                on.push((t, point));
            }
        }
        on.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut start = from;
        for (_, point) in on {
            cut.push([start, point]);
            all_on.push(point);
            start = point;
        }
        cut.push([start, to]);
    }
    (cut, all_on)
}

/// Whether another surface joins the wall along a line inside it.
fn is_joint(wall: &Wall, against: &Against, ends: [u32; 2]) -> bool {
    let ends = ends.map(|v| wall.flat[v as usize]);
    against.lines.iter().any(|&[a, b]| {
        let along = b - a;
        ends.iter().all(|p| {
            let t = ((*p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
            (a + t * along).distance(*p) <= WELD_DISTANCE
        })
    })
}
