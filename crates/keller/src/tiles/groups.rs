//! Groups of tiles within groups, so that what hides all of a group is asked for once.

use glam::DVec3;
use rustc_hash::FxHashMap;

use super::tiling::Tiles;
use crate::geometry::tolerance::COPLANAR_DISTANCE;
use crate::scene::Scene;

/// A group has at most so many tiles that are looked at one by one.
const MOST_TILES: usize = 16;

/// Who is behind a wall is so far behind it and so far from its borders, metres: farther than f32 rays are wrong.
const MARGIN: f64 = 1e-2;

/// A tree of groups. The middles of a group's tiles lie in its box.
#[derive(Debug)]
pub(super) struct Groups {
    pub(super) nodes: Vec<Node>,
    /// Tiles, group by group.
    pub(super) order: Vec<u32>,
}

/// A group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// The middle of its box and half its size, metres.
    pub(super) centre: DVec3,
    pub(super) half: DVec3,
    /// Its tiles in [`Groups::order`].
    pub(super) start: u32,
    pub(super) end: u32,
    /// The first of its two parts, if it has any.
    pub(super) parts: Option<u32>,
}

impl Groups {
    pub(super) fn new(tiles: &Tiles) -> Self {
        let count = |n: usize| u32::try_from(n).expect("fewer than 2^32 tiles");
        let mut order: Vec<u32> = (0..count(tiles.len())).collect();
        let middle = |tile: &u32| tiles.all()[*tile as usize].middle;
        let node = |order: &[u32], start: usize| {
            let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            for at in order.iter().map(middle) {
                (low, high) = (low.min(at), high.max(at));
            }
            Node {
                centre: 0.5 * (low + high),
                half: 0.5 * (high - low),
                start: count(start),
                end: count(start + order.len()),
                parts: None,
            }
        };
        let mut nodes = Vec::new();
        if !order.is_empty() {
            nodes.push(node(&order, 0));
        }
        let mut at = 0;
        while at < nodes.len() {
            let Node {
                start, end, half, ..
            } = nodes[at];
            let (start, end) = (start as usize, end as usize);
            let mine = &mut order[start..end];
            if mine.len() > MOST_TILES {
                let axis = half.to_array();
                let axis = (0..3).max_by(|a, b| axis[*a].total_cmp(&axis[*b]));
                let axis = axis.unwrap_or(0);
                let middle_of = mine.len() / 2;
                mine.select_nth_unstable_by(middle_of, |a, b| {
                    let [x, y] = [a, b].map(|tile| middle(tile)[axis]);
                    x.total_cmp(&y).then(a.cmp(b))
                });
                nodes[at].parts = Some(count(nodes.len()));
                let parts = [start..start + middle_of, start + middle_of..end];
                nodes.extend(parts.map(|part| node(&order[part.clone()], part.start)));
            } else {
                mine.sort_unstable();
            }
            at += 1;
        }
        Self { nodes, order }
    }
}

/// Convex pieces of walls: of every triangle that which it makes with its best neighbour.
#[derive(Debug)]
pub(super) struct Occluders(Vec<[DVec3; 4]>);

impl Occluders {
    /// A triangle and the neighbour of its face with which it makes the largest convex quadrangle.
    pub(super) fn new(scene: &Scene) -> Self {
        let mut sides: FxHashMap<(u32, u32), Vec<usize>> = FxHashMap::default();
        for (t, [a, b, c]) in scene.triangles().iter().enumerate() {
            for (p, q) in [(a, b), (b, c), (c, a)] {
                sides.entry((*p.min(q), *p.max(q))).or_default().push(t);
            }
        }
        let area = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).length();
        let quad = |t: usize| {
            let corners = scene.corners(t);
            let mine = scene.triangles()[t];
            let mut best = ([corners[0], corners[1], corners[2], corners[2]], 0.0);
            for k in 0..3 {
                let [a, b, apex] = [mine[k], mine[(k + 1) % 3], mine[(k + 2) % 3]];
                for other in &sides[&(a.min(b), a.max(b))] {
                    let is_same = scene.triangle_faces()[*other] == scene.triangle_faces()[t];
                    if *other == t || !is_same {
                        continue;
                    }
                    let across = scene.triangles()[*other];
                    let Some(across) = across.into_iter().find(|v| *v != a && *v != b) else {
                        continue;
                    };
                    let [a, b, apex, across] =
                        [a, b, apex, across].map(|v| scene.vertices()[v as usize]);
                    let around = [apex, a, across, b];
                    let size = area([a, b, across]);
                    if size > best.1 && is_convex(around) {
                        best = (around, size);
                    }
                }
            }
            best.0
        };
        Self((0..scene.triangles().len()).map(quad).collect())
    }

    /// What the piece of wall of a triangle hides from a point; `None` if the point is too near its plane.
    pub(super) fn shadow(&self, triangle: usize, from: DVec3) -> Option<Shadow> {
        Shadow::new(self.0[triangle], from)
    }
}

/// Whether four points in a plane, in their order, make a convex quadrangle.
fn is_convex(corners: [DVec3; 4]) -> bool {
    let turn = |k: usize| {
        let [a, b, c] = [0, 1, 2].map(|i| corners[(k + i) % 4]);
        (b - a).cross(c - b)
    };
    (1..4).all(|k| turn(0).dot(turn(k)) > 0.0)
}

/// All that lies behind a piece of wall, seen from a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shadow {
    /// Half spaces whose insides it has in common: unit normal, which points out, and offset.
    sides: [(DVec3, f64); 5],
}

impl Shadow {
    fn new(corners: [DVec3; 4], from: DVec3) -> Option<Self> {
        let across = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let normal = across.try_normalize()?;
        let height = normal.dot(from - corners[0]);
        // Towards the point.
        let normal = if height > 0.0 { normal } else { -normal };
        if height.abs() <= MARGIN.max(COPLANAR_DISTANCE) {
            return None;
        }
        let centre = 0.25 * corners.iter().sum::<DVec3>();
        let mut sides = [(normal, normal.dot(corners[0]) - MARGIN); 5];
        for (k, side) in sides.iter_mut().skip(1).enumerate() {
            let [a, b] = [corners[k], corners[(k + 1) % 4]];
            let out = (a - from).cross(b - from);
            let Some(out) = out.try_normalize() else {
                // A triangle has the same corner twice.
                continue;
            };
            let out = if out.dot(centre - from) > 0.0 {
                -out
            } else {
                out
            };
            *side = (out, out.dot(from) - MARGIN);
        }
        Some(Self { sides })
    }

    /// Whether all of a box is in it.
    pub(super) fn hides(&self, centre: DVec3, half: DVec3) -> bool {
        self.sides
            .iter()
            .all(|(normal, offset)| normal.dot(centre) + normal.abs().dot(half) < *offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shadow_widens_behind_its_wall() {
        let wall = [[5., -1., -1.], [5., 1., -1.], [5., 1., 1.], [5., -1., 1.]];
        let shadow = Shadow::new(wall.map(DVec3::from), DVec3::ZERO).unwrap();
        let hides = |at: [f64; 3], half: f64| shadow.hides(at.into(), DVec3::splat(half));
        assert!(hides([10., 0., 0.], 1.5));
        assert!(!hides([10., 0., 0.], 2.1));
        assert!(!hides([4., 0., 0.], 0.1));
        assert!(!hides([5., 0., 0.], 0.0));
        assert!(hides([10., 1.9, -1.9], 0.0));
        assert!(!hides([10., 2.1, 0.], 0.0));
    }
}
