//! A binary space partition of a scene, built once: it gives the order in which the pieces are seen from any point.
//!
//! Every node cuts its region of space by a plane. Pieces in that plane stay in the node, and pieces that cross it are
//! cut in two. Seen from a point, everything on the point's own side precedes the node's pieces, and these precede the
//! other side. A walk in this order never reaches a nearer piece after a farther one. The surface-area heuristic
//! chooses between the planes of pieces and axis-parallel planes. Building costs O(n log n) on ordinary scenes (0.3 s
//! for the 19 600 pieces of a city centre). Half of the cuts there remove slivers of less than 0.1 mm, where walls
//! overlap by the rounding of the model. The slivers are kept, because validation sees them too.

use glam::{DVec2, DVec3};

use super::bounds::Bounds;
use crate::geometry::Plane;
use crate::geometry::tolerance::OCCLUDER_GROWTH;
use crate::scene::Scene;

/// The distance beyond its border up to which a wall hides, metres. It is a little less than in validation, so that
/// nothing valid is hidden.
const RIM: f64 = 0.9 * OCCLUDER_GROWTH;

/// The index that stands for no child.
pub(super) const NONE: u32 = u32::MAX;

/// A piece that extends less than this beyond a plane is not cut, metres. The rounding of coordinates of 100 km is
/// smaller.
const EPS: f64 = 1e-8;

/// A piece that extends less than this beyond a plane does not count as cut when cuts are compared, metres.
const ROUGH: f64 = 1e-4;

/// Candidates for a cut are compared on at most this many pieces.
const SAMPLE: usize = 64;

/// Positions tried for a cut along each axis.
const AXIS_CANDIDATES: usize = 7;

/// The number of planes of pieces tried for a cut, in addition to those of a third as many of the largest pieces.
const PLANE_CANDIDATES: usize = 6;

/// Sets of more pieces than this are built on two threads.
const PARALLEL: usize = 512;

/// The partition. Coordinates are relative to `origin`.
#[derive(Debug)]
pub(in crate::paths) struct Bsp {
    pub(super) origin: DVec3,
    pub(super) nodes: Vec<Node>,
    pub(super) parts: Vec<Part>,
    pub(super) vertices: Vec<DVec3>,
    pub(super) planes: Vec<PlaneFrame>,
}

/// A cut of space, the box around its subtree, and the pieces in the cutting plane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) normal: DVec3,
    pub(super) offset: f64,
    pub(super) bounds: Bounds,
    /// The children on the side to which the normal points and on the other side, or [`NONE`].
    pub(super) front: u32,
    pub(super) back: u32,
    /// Its pieces, `first..end` of the parts.
    pub(super) first: u32,
    pub(super) end: u32,
}

/// The remainder of a piece in one node: the polygon that it hides, `first..split` of the vertices, and the polygon
/// that reflects, `split..end`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) first: u32,
    pub(super) split: u32,
    pub(super) end: u32,
    pub(super) plane: u32,
    pub(super) bounds: Bounds,
}

/// A plane with coordinates in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlaneFrame {
    pub(super) normal: DVec3,
    pub(super) offset: f64,
    pub(super) u: DVec3,
    pub(super) v: DVec3,
}

impl PlaneFrame {
    /// `plane` relative to `origin`.
    pub(super) fn new(plane: &Plane, origin: DVec3) -> Self {
        let (u, v) = plane.axes();
        Self {
            normal: plane.normal,
            offset: plane.offset - plane.normal.dot(origin),
            u,
            v,
        }
    }

    /// Signed distance of `point`, metres.
    pub(super) fn distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// The mirror image of `point`.
    pub(super) fn mirror(&self, point: DVec3) -> DVec3 {
        point - 2.0 * self.distance(point) * self.normal
    }

    /// Coordinates in the plane of the foot of the perpendicular from `point`.
    pub(super) fn coordinates(&self, point: DVec3) -> DVec2 {
        DVec2::new(self.u.dot(point), self.v.dot(point))
    }
}

/// A convex polygon on its way down the tree.
#[derive(Debug, Clone)]
struct Polygon {
    plane: u32,
    /// The polygon that it hides, including the rim, and the polygon that reflects.
    hides: Vec<DVec3>,
    reflects: Vec<DVec3>,
}

/// A candidate for a cutting plane; `plane` is [`NONE`] for axis-parallel cuts.
#[derive(Debug, Clone, Copy)]
struct Cut {
    normal: DVec3,
    offset: f64,
    plane: u32,
}

/// A node while the tree is built.
struct Branch {
    cut: Cut,
    on: Vec<Polygon>,
    children: [Option<Box<Self>>; 2],
}

impl Bsp {
    /// The partition of a scene.
    pub(in crate::paths) fn new(scene: &Scene) -> Self {
        let origin = scene.origin();
        let planes: Vec<PlaneFrame> = scene
            .planes()
            .iter()
            .map(|p| PlaneFrame::new(p, origin))
            .collect();
        let polygons = scene
            .convex_pieces()
            .iter()
            .filter_map(|piece| {
                let frame = &planes[piece.plane.index()];
                let corners = piece.polygon.iter().map(|&c| c - origin);
                let reflects: Vec<DVec3> = corners
                    .map(|c| c - frame.distance(c) * frame.normal)
                    .collect();
                Some(Polygon {
                    plane: count(piece.plane.index()),
                    hides: grow(&reflects, frame.normal, RIM)?,
                    reflects,
                })
            })
            .collect();
        let root = branch(polygons, &planes);
        let mut bsp = Self {
            origin,
            nodes: Vec::new(),
            parts: Vec::new(),
            vertices: Vec::new(),
            planes,
        };
        if let Some(root) = root {
            bsp.flatten(*root);
        }
        bsp
    }

    /// Appends `branch` and its subtree, depth first, and returns its index and its box.
    fn flatten(&mut self, branch: Branch) -> (u32, DVec3, DVec3) {
        let index = self.nodes.len();
        let id = count(index);
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let first = count(self.parts.len());
        for polygon in branch.on {
            let start = count(self.vertices.len());
            let (mut l, mut h) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            for &v in &polygon.hides {
                (l, h) = (l.min(v), h.max(v));
            }
            (low, high) = (low.min(l), high.max(h));
            self.vertices.extend(polygon.hides);
            let split = count(self.vertices.len());
            self.vertices.extend(polygon.reflects);
            self.parts.push(Part {
                first: start,
                split,
                end: count(self.vertices.len()),
                plane: polygon.plane,
                bounds: Bounds::new(l, h),
            });
        }
        self.nodes.push(Node {
            normal: branch.cut.normal,
            offset: branch.cut.offset,
            bounds: Bounds::new(low, high),
            front: NONE,
            back: NONE,
            first,
            end: count(self.parts.len()),
        });
        let children = branch.children.map(|child| {
            child.map_or(NONE, |child| {
                let (id, l, h) = self.flatten(*child);
                (low, high) = (low.min(l), high.max(h));
                id
            })
        });
        let node = &mut self.nodes[index];
        [node.front, node.back] = children;
        node.bounds = Bounds::new(low, high);
        (id, low, high)
    }
}

/// An index in 32 bits.
pub(super) fn count(n: usize) -> u32 {
    u32::try_from(n).expect("fewer than 2^32 entries")
}

/// `corners`, counter-clockwise about `normal`, with every side moved outwards by `rim`; `None` if degenerate.
fn grow(corners: &[DVec3], normal: DVec3, rim: f64) -> Option<Vec<DVec3>> {
    let n = corners.len();
    if n < 3 {
        return None;
    }
    let outward = |i: usize| {
        let side = corners[(i + 1) % n] - corners[i];
        side.cross(normal).normalize_or_zero()
    };
    let grown = (0..n).map(|i| {
        let (a, b) = (outward((i + n - 1) % n), outward(i));
        // A mitre, cut off at four rims where the corner is sharp.
        let scale = (1.0 + a.dot(b)).max(0.125);
        corners[i] + (a + b) * (rim / scale)
    });
    Some(grown.collect())
}

/// The subtree of `polygons`.
fn branch(polygons: Vec<Polygon>, planes: &[PlaneFrame]) -> Option<Box<Branch>> {
    if polygons.is_empty() {
        return None;
    }
    let cut = choose(&polygons, planes);
    let total = polygons.len();
    let mut on = Vec::new();
    let mut sides = [Vec::new(), Vec::new()];
    for polygon in polygons {
        if polygon.plane == cut.plane {
            on.push(polygon);
            continue;
        }
        let (low, high) = span(&polygon.hides, &cut);
        if low >= -EPS {
            sides[0].push(polygon);
        } else if high <= EPS {
            sides[1].push(polygon);
        } else {
            let (low, high) = span(&polygon.reflects, &cut);
            let hides = divide(&polygon.hides, &cut);
            let reflects = divide(&polygon.reflects, &cut);
            for (side, (hides, reflects)) in hides.into_iter().zip(reflects).enumerate() {
                let (here, there) = [(high, -low), (-low, high)][side];
                // If only the rim extends beyond the cut, the rim is removed.
                if here > EPS || (there <= EPS && here >= there) {
                    sides[side].push(Polygon {
                        plane: polygon.plane,
                        hides,
                        reflects,
                    });
                }
            }
        }
    }
    let [front, back] = sides;
    let children = if total > PARALLEL {
        let (f, b) = rayon::join(|| branch(front, planes), || branch(back, planes));
        [f, b]
    } else {
        [branch(front, planes), branch(back, planes)]
    };
    Some(Box::new(Branch { cut, on, children }))
}

/// Smallest and largest signed distance of the corners from the plane of the cut.
fn span(vertices: &[DVec3], cut: &Cut) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for &v in vertices {
        let d = cut.normal.dot(v) - cut.offset;
        low = low.min(d);
        high = high.max(d);
    }
    (low, high)
}

/// The two parts of a polygon that crosses the cut. Points on the cut have identical coordinates in both.
fn divide(vertices: &[DVec3], cut: &Cut) -> [Vec<DVec3>; 2] {
    let mut front = Vec::with_capacity(vertices.len() + 1);
    let mut back = Vec::with_capacity(vertices.len() + 1);
    let distance = |v: DVec3| cut.normal.dot(v) - cut.offset;
    let mut a = *vertices.last().expect("a polygon has corners");
    let mut da = distance(a);
    for &b in vertices {
        let db = distance(b);
        if (da > 0.0 && db < 0.0) || (da < 0.0 && db > 0.0) {
            // Always from front to back, so that both neighbours of a shared edge get the same point.
            let (p, dp, q, dq) = if da > 0.0 {
                (a, da, b, db)
            } else {
                (b, db, a, da)
            };
            let point = p + (q - p) * (dp / (dp - dq));
            front.push(point);
            back.push(point);
        }
        if db >= 0.0 {
            front.push(b);
        }
        if db <= 0.0 {
            back.push(b);
        }
        (a, da) = (b, db);
    }
    [front, back]
}

/// The cut with the lowest estimated cost.
fn choose(polygons: &[Polygon], planes: &[PlaneFrame]) -> Cut {
    let plane_cut = |plane: u32| {
        let p = &planes[plane as usize];
        Cut {
            normal: p.normal,
            offset: p.offset,
            plane,
        }
    };
    if polygons.len() <= 2 {
        return plane_cut(polygons[0].plane);
    }
    let step = polygons.len().div_ceil(SAMPLE);
    let sample: Vec<&Polygon> = polygons.iter().step_by(step).collect();
    let boxes: Vec<(DVec3, DVec3)> = sample
        .iter()
        .map(|p| {
            p.hides
                .iter()
                .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), &v| {
                    (l.min(v), h.max(v))
                })
        })
        .collect();
    let mut best = (f64::INFINITY, plane_cut(polygons[0].plane));
    let mut consider = |cut: Cut| {
        let cost = estimate(&sample, &boxes, &cut);
        if cost < best.0 {
            best = (cost, cut);
        }
    };
    // Planes of the largest pieces, and of some pieces spread over the rest.
    let mut by_size: Vec<usize> = (0..sample.len()).collect();
    by_size.sort_by(|&a, &b| {
        let size = |i: usize| (boxes[i].1 - boxes[i].0).length_squared();
        size(b).total_cmp(&size(a)).then(a.cmp(&b))
    });
    let stride = (by_size.len() / PLANE_CANDIDATES).max(1);
    let large = by_size.iter().take(PLANE_CANDIDATES / 3);
    let spread = by_size
        .iter()
        .skip(PLANE_CANDIDATES / 3)
        .step_by(stride)
        .take(PLANE_CANDIDATES);
    for &i in large.chain(spread) {
        consider(plane_cut(sample[i].plane));
    }
    if polygons.len() > 8 {
        let (low, high) = boxes
            .iter()
            .map(|(l, h)| 0.5 * (*l + *h))
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), c| {
                (l.min(c), h.max(c))
            });
        for normal in [DVec3::X, DVec3::Y, DVec3::Z] {
            let (a, b) = (normal.dot(low), normal.dot(high));
            for k in 1..=AXIS_CANDIDATES {
                let offset = a + (b - a) * k as f64 / (AXIS_CANDIDATES + 1) as f64;
                consider(Cut {
                    normal,
                    offset,
                    plane: NONE,
                });
            }
        }
    }
    best.1
}

/// Surface-area cost of a cut: the expected number of pieces that a beam through the whole meets. Infinite if the cut
/// gains nothing.
fn estimate(sample: &[&Polygon], boxes: &[(DVec3, DVec3)], cut: &Cut) -> f64 {
    let mut sides = [(DVec3::INFINITY, DVec3::NEG_INFINITY, 0.0); 2];
    let mut splits = 0.0;
    for (polygon, bounds) in sample.iter().zip(boxes) {
        if polygon.plane == cut.plane {
            continue;
        }
        let (low, high) = span(&polygon.hides, cut);
        let (in_front, behind) = (high > ROUGH, low < -ROUGH);
        if in_front && behind {
            splits += 1.0;
        }
        for (side, here) in sides.iter_mut().zip([in_front || !behind, behind]) {
            if here {
                side.0 = side.0.min(bounds.0);
                side.1 = side.1.max(bounds.1);
                side.2 += 1.0;
            }
        }
    }
    if cut.plane == NONE && sides.iter().any(|s| s.2 >= 0.9 * sample.len() as f64) {
        return f64::INFINITY;
    }
    let surface = |low: DVec3, high: DVec3| {
        let d = (high - low).max(DVec3::ZERO);
        d.x * d.y + d.y * d.z + d.z * d.x
    };
    sides
        .iter()
        .filter(|s| s.2 > 0.0)
        .map(|s| surface(s.0, s.1) * (s.2 + splits))
        .sum()
}
