//! What of a wall one end of a path lights by a chain of mirrors, exactly: outlines on the wall of all that stands in the way.
//!
//! Seen from the last image, the mirrors' faces and the walls between them are outlines on the wall: a point is lit if it lies in one
//! of every mirror and in none of what stands in the way. Walls that waves pass are kept apart: a point behind them is lit through them.
//! So no part of a wall is too small to be found. Outlines are found once for a coarse cell, and each smaller square asks which of them
//! reach it ([`view`](super::view)).

use glam::{DVec2, DVec3, Vec3};

use super::cells::Cell;
use super::outline::{Outline, Overlap};
use crate::paths::{Transparency, TreeNode};
use crate::scene::{FaceId, PlaneId, Scene};

/// A corner so near to a plane counts as on it, metres.
const ON_PLANE: f64 = 1e-9;

/// Outlines smaller than this, m², shade nothing.
const LEAST_AREA: f64 = 1e-12;

/// A wall that is passed: on which leg of the way, and which face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pass {
    pub(super) leg: usize,
    pub(super) plane: PlaneId,
    pub(super) face: FaceId,
}

/// What shapes the light of one end on a coarse cell.
#[derive(Debug, PartialEq)]
pub(super) struct Shade {
    /// The faces of each mirror.
    pub(super) mirrors: Vec<Vec<Outline>>,
    /// What stands in the way, and how it is passed; none where it is not.
    pub(super) shadows: Vec<(Outline, Option<Pass>)>,
}

/// The scene as light finds it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Air<'a> {
    pub(super) scene: &'a Scene,
    pub(super) transparency: &'a Transparency,
    /// Whether a path may pass walls at all.
    pub(super) passes: bool,
}

impl Shade {
    /// Of the end whose images are the tree's `nodes`, by the mirrors of `node`, on a coarse cell; `None` where nothing is lit.
    pub(super) fn new(air: &Air, nodes: &[TreeNode], node: usize, cell: &Cell) -> Option<Self> {
        let scene = air.scene;
        let mut chain = vec![node];
        while let Some(&at) = chain.last()
            && at != 0
        {
            chain.push(nodes[at].parent as usize);
        }
        // From the wall back: each plane that a leg ends on, and the image that it comes from.
        let mut ends = vec![cell.plane];
        ends.extend(
            chain
                .iter()
                .filter(|&&at| at != 0)
                .map(|&at| nodes[at].plane),
        );
        let (u, v) = scene.plane(cell.plane).axes();
        let mut shade = Self {
            mirrors: Vec::new(),
            shadows: Vec::new(),
        };
        let mut target = cell.corners(scene).to_vec();
        let [low, high] = cell.range();
        let mut is_dark = false;
        for (back, &at) in chain.iter().enumerate() {
            let image = nodes[at].image;
            let goal = ends[back];
            let start = (at != 0).then_some(nodes[at].plane);
            if let Some(start) = start {
                let plane = scene.plane(start);
                let behind = -plane.distance(image).signum();
                target = halved(target, |p| behind * plane.distance(p) - ON_PLANE);
            }
            let cone = Cone::new(scene, image, goal, start, std::mem::take(&mut target))?;
            // Onto the wall, by the images that show what lies on the planes before.
            let carry = |points: Vec<DVec3>| -> Vec<DVec2> {
                let onto = |mut p: DVec3| {
                    p = cone.project(p);
                    for k in (0..back).rev() {
                        p = scene.plane(ends[k]).between(nodes[chain[k]].image, p);
                    }
                    DVec2::new(u.dot(p), v.dot(p))
                };
                points.into_iter().map(onto).collect()
            };
            let mut faces = Vec::new();
            cone.visit(|triangle, plane| {
                if plane == goal || is_dark {
                    return;
                }
                let face = scene.triangle_faces()[triangle];
                let is_mirror = Some(plane) == start;
                let corners = scene.corners(triangle);
                if cone.is_apart(corners) {
                    return;
                }
                let corners = cone.clip(corners.to_vec(), is_mirror);
                let Some(outline) = Outline::new(carry(corners), LEAST_AREA) else {
                    return;
                };
                if is_mirror {
                    faces.push(outline);
                } else {
                    let can_pass = air.passes && air.transparency.passes(scene, face);
                    let leg = chain.len() - 1 - back;
                    let pass = can_pass.then_some(Pass { leg, plane, face });
                    is_dark |= pass.is_none() && outline.overlap(low, high) == Overlap::Whole;
                    shade.shadows.push((outline, pass));
                }
            });
            if is_dark {
                return None;
            }
            if start.is_some() {
                if faces.is_empty() {
                    return None;
                }
                shade.mirrors.push(faces);
                target = cone.at_start();
            }
        }
        // One order, whatever that of the triangles.
        shade.shadows.sort_by_key(|shadow| shadow.1);
        Some(shade)
    }
}

/// What of a leg's volume may hold walls: the points between an image and a polygon on the plane where the leg ends, beyond the plane
/// where it starts.
struct Cone<'a> {
    scene: &'a Scene,
    image: DVec3,
    goal: PlaneId,
    start: Option<PlaneId>,
    target: Vec<DVec3>,
    /// Inward normals of the planes through the image and the polygon's sides.
    sides: Vec<DVec3>,
    /// Of the plane where it ends, towards the image.
    height: f64,
}

impl<'a> Cone<'a> {
    fn new(
        scene: &'a Scene,
        image: DVec3,
        goal: PlaneId,
        start: Option<PlaneId>,
        target: Vec<DVec3>,
    ) -> Option<Self> {
        let height = scene.plane(goal).distance(image);
        if target.len() < 3 || height.abs() < ON_PLANE {
            return None;
        }
        let middle = target.iter().sum::<DVec3>() / target.len() as f64 - image;
        let ends = target.iter().cycle().skip(1);
        let mut sides = Vec::with_capacity(target.len());
        for (&a, &b) in target.iter().zip(ends) {
            let Some(normal) = (a - image).cross(b - image).try_normalize() else {
                continue;
            };
            sides.push(if normal.dot(middle) < 0.0 {
                -normal
            } else {
                normal
            });
        }
        (sides.len() > 2).then_some(Self {
            scene,
            image,
            goal,
            start,
            target,
            sides,
            height,
        })
    }

    /// Every triangle whose box may be in it, with its plane.
    fn visit(&self, mut each: impl FnMut(usize, PlaneId)) {
        let scene = self.scene;
        let origin = scene.origin();
        let mut corners = self.target.clone();
        corners.extend(if self.start.is_some() {
            self.at_start()
        } else {
            vec![self.image]
        });
        let low = corners
            .iter()
            .copied()
            .reduce(DVec3::min)
            .unwrap_or(self.image);
        let high = corners
            .iter()
            .copied()
            .reduce(DVec3::max)
            .unwrap_or(self.image);
        let (low, high) = ((low - origin).as_vec3(), (high - origin).as_vec3());
        let reach = 1e-3 + 1e-6 * low.abs().max(high.abs()).max_element();
        let (low, high) = (low - reach, high + reach);
        let image = (self.image - origin).as_vec3();
        let sides: Vec<Vec3> = self.sides.iter().map(|n| n.as_vec3()).collect();
        let keep = |min: Vec3, max: Vec3| {
            min.cmple(high).all()
                && max.cmpge(low).all()
                && sides.iter().all(|&n| {
                    let deepest = Vec3::select(n.cmpge(Vec3::ZERO), max, min);
                    n.dot(deepest - image) >= -reach
                })
        };
        scene.index().visit(keep, |triangle| {
            let triangle = triangle as usize;
            each(triangle, scene.plane_of(scene.triangle_faces()[triangle]));
        });
    }

    /// Whether a triangle lies outside of one of its sides.
    fn is_apart(&self, corners: [DVec3; 3]) -> bool {
        let corners = corners.map(|c| c - self.image);
        let mut sides = self.sides.iter();
        sides.any(|side| corners.iter().all(|&c| side.dot(c) <= 0.0))
    }

    /// What of a polygon is in it; of one on the plane where it starts with that plane.
    fn clip(&self, mut polygon: Vec<DVec3>, is_on_start: bool) -> Vec<DVec3> {
        for side in &self.sides {
            polygon = halved(polygon, |p| side.dot(p - self.image));
        }
        let goal = self.scene.plane(self.goal);
        let above = self.height.signum();
        polygon = halved(polygon, |p| above * goal.distance(p) - ON_PLANE);
        if let Some(start) = self.start
            && !is_on_start
        {
            let start = self.scene.plane(start);
            let behind = -start.distance(self.image).signum();
            polygon = halved(polygon, |p| behind * start.distance(p) - ON_PLANE);
        }
        polygon
    }

    /// Where a point in it shows on the plane where it ends.
    fn project(&self, point: DVec3) -> DVec3 {
        let left = self.scene.plane(self.goal).distance(point);
        self.image + (point - self.image) * (self.height / (self.height - left))
    }

    /// Its section with the plane where it starts.
    fn at_start(&self) -> Vec<DVec3> {
        let Some(start) = self.start else {
            return Vec::new();
        };
        let start = self.scene.plane(start);
        let section = self.target.iter().map(|&p| start.between(self.image, p));
        section.collect()
    }
}

/// What of a convex polygon has a depth of zero or more.
fn halved(polygon: Vec<DVec3>, depth: impl Fn(DVec3) -> f64) -> Vec<DVec3> {
    let (mut is_whole, mut is_apart) = (true, true);
    for &p in &polygon {
        let is_in = depth(p) >= 0.0;
        is_whole &= is_in;
        is_apart &= !is_in;
    }
    if is_whole {
        return polygon;
    }
    let mut kept = Vec::new();
    if is_apart {
        return kept;
    }
    kept.reserve(polygon.len() + 1);
    let last = polygon[polygon.len() - 1];
    let mut from = (last, depth(last));
    for &p in &polygon {
        let to = (p, depth(p));
        if (from.1 < 0.0) != (to.1 < 0.0) {
            kept.push(from.0 + (to.0 - from.0) * (from.1 / (from.1 - to.1)));
        }
        if to.1 >= 0.0 {
            kept.push(p);
        }
        from = to;
    }
    kept
}
