//! The part of a wall that one end illuminates by a chain of reflections, exactly. All obstacles become outlines on the
//! wall.
//!
//! Projected from the last image, the reflecting planes' faces and the walls in between are outlines on the wall. A
//! point is illuminated if it lies in an outline of every reflecting plane and in no outline of an obstacle. Walls that
//! waves pass are kept apart: a point behind them is illuminated through them. No part of a wall is therefore too small
//! to be found. Outlines are found once for a coarse cell, and each smaller square asks which of them affect it
//! ([`view`](super::view)).

use glam::{DVec2, DVec3, Vec3};
use smallvec::SmallVec;

use super::outline::{MIN_AREA, Outline, Overlap};
use super::ways::narrow;
use crate::geometry::polygon::halve;
use crate::paths::{Limits, TreeNode};
use crate::scene::{FaceId, Piece, PlaneId, Scene};
use crate::world::Transparency;

/// A corner nearer to a plane than this lies on it, metres.
const ON_PLANE: f64 = 1e-9;

/// A wall that a wave passes: on which leg of the way, and at which face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pass {
    pub(super) leg: u32,
    pub(super) plane: PlaneId,
    pub(super) face: FaceId,
}

impl Default for Pass {
    fn default() -> Self {
        Self {
            leg: 0,
            plane: PlaneId::from_index(0),
            face: FaceId::from_index(0),
        }
    }
}

/// The walls that a wave passes, in order.
pub(super) type Passes = SmallVec<[Pass; 3]>;

/// Adds a wall unless its plane is known for this leg: a straight leg passes a plane once, even where several of its
/// faces overlap. The face of the lowest id stands for them.
pub(super) fn add_pass(passed: &mut Passes, pass: Pass) {
    let known = passed
        .iter_mut()
        .find(|p| (p.leg, p.plane) == (pass.leg, pass.plane));
    if let Some(known) = known {
        known.face = known.face.min(pass.face);
    } else {
        passed.push(pass);
        passed.sort_unstable();
    }
}

/// The outlines that shape the illumination of one end on the faces of a wall in a coarse cell.
#[derive(Debug, PartialEq)]
pub(super) struct Shade {
    /// The outlines of the faces of each reflecting plane.
    pub(super) planes: Vec<Vec<Outline>>,
    /// Outlines of obstacles that hide a part of the cell, and how a wave passes them; `None` if it cannot.
    pub(super) shadows: Vec<(Outline, Option<Pass>)>,
    /// Walls through which the whole cell is seen.
    pub(super) passed: Passes,
}

/// All faces as convex pieces, of which there are far fewer than triangles.
#[derive(Debug)]
pub(super) struct Walls<'a> {
    pub(super) scene: &'a Scene,
    pub(super) pieces: Vec<Piece>,
    of_triangles: Vec<u32>,
}

impl<'a> Walls<'a> {
    pub(super) fn new(scene: &'a Scene) -> Self {
        let (pieces, of_triangles) = scene.convex_pieces_of_triangles();
        Self {
            scene,
            pieces,
            of_triangles,
        }
    }

    /// Replaces triangle numbers by the numbers of their pieces, sorted and without repeats.
    pub(super) fn pieces_of(&self, numbers: &mut Vec<u32>) {
        for number in &mut *numbers {
            *number = self.of_triangles[*number as usize];
        }
        numbers.sort_unstable();
        numbers.dedup();
    }
}

/// The scene as the waves travel through it: its walls, their transparency, and the limits of a path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Air<'a> {
    pub(super) walls: &'a Walls<'a>,
    pub(super) transparency: &'a Transparency,
    pub(super) limits: &'a Limits,
}

impl Shade {
    /// The shade of the end whose images are the tree's `nodes`, by the reflections of `node`, on the part of a wall's
    /// plane from `low` to `high`; `None` if nothing is illuminated.
    pub(super) fn new(
        air: &Air,
        nodes: &[TreeNode],
        node: usize,
        wall: PlaneId,
        [low, high]: [DVec2; 2],
    ) -> Option<Self> {
        let scene = air.walls.scene;
        let mut chain = vec![node];
        while let Some(&at) = chain.last()
            && at != 0
        {
            chain.push(nodes[at].parent as usize);
        }
        // The ends of the legs from the wall backwards: the plane on which each leg ends, and the image from which it
        // comes.
        let mut ends = vec![wall];
        ends.extend(
            chain
                .iter()
                .filter(|&&at| at != 0)
                .map(|&at| nodes[at].plane),
        );
        let plane = scene.plane(wall);
        let (u, v) = plane.axes();
        let mut shade = Self {
            planes: Vec::new(),
            shadows: Vec::new(),
            passed: Passes::default(),
        };
        let corners = [low, low.with_x(high.x), high, low.with_y(high.y)];
        let mut target: Vec<DVec3> = corners
            .iter()
            .map(|c| u * c.x + v * c.y + plane.normal * plane.offset)
            .collect();
        // The largest number of walls that a path may pass.
        let max_walls = air.limits.transmissions_beside(chain.len());
        let (mut numbers, mut polygon, mut spare) = (Vec::new(), Vec::new(), Vec::new());
        for (back, &at) in chain.iter().enumerate() {
            let image = nodes[at].image;
            let goal = ends[back];
            let start = (at != 0).then_some(nodes[at].plane);
            if let Some(start) = start {
                let plane = scene.plane(start);
                let behind = -plane.distance(image).signum();
                halve(&mut target, &mut spare, |p| {
                    behind * plane.distance(p) - ON_PLANE
                });
            }
            let cone = Cone::new(scene, image, goal, start, std::mem::take(&mut target))?;
            // Projects a point onto the wall, through the images of the planes between it and the wall.
            let onto = |mut p: DVec3| {
                p = cone.project(p);
                for k in (0..back).rev() {
                    p = scene.plane(ends[k]).between(nodes[chain[k]].image, p);
                }
                DVec2::new(u.dot(p), v.dot(p))
            };
            let mut faces = Vec::new();
            numbers.clear();
            cone.visit(|triangle| numbers.push(triangle));
            air.walls.pieces_of(&mut numbers);
            for &number in &numbers {
                let piece = &air.walls.pieces[number as usize];
                let (face, plane) = (piece.face, piece.plane);
                if plane == goal || cone.is_apart(&piece.polygon) {
                    continue;
                }
                let is_reflecting = Some(plane) == start;
                polygon.clone_from(&piece.polygon);
                cone.clip(&mut polygon, &mut spare, is_reflecting);
                let Some(outline) = Outline::new(polygon.iter().map(|&p| onto(p)), MIN_AREA) else {
                    continue;
                };
                if is_reflecting {
                    faces.push(outline);
                    continue;
                }
                let can_pass = max_walls > 0 && air.transparency.passes(scene, face);
                let leg = narrow(chain.len() - 1 - back);
                let pass = can_pass.then_some(Pass { leg, plane, face });
                if outline.overlap(low, high) == Overlap::Whole {
                    add_pass(&mut shade.passed, pass?);
                    if shade.passed.len() > max_walls {
                        return None;
                    }
                } else {
                    shade.shadows.push((outline, pass));
                }
            }
            if start.is_some() {
                if faces.is_empty() {
                    return None;
                }
                shade.planes.push(faces);
                target = cone.at_start();
            }
        }
        shade.shadows.shrink_to_fit();
        Some(shade)
    }
}

/// The volume of a leg that may contain walls: the points between an image and a polygon on the plane where the leg
/// ends, beyond the plane where it starts.
struct Cone<'a> {
    scene: &'a Scene,
    image: DVec3,
    goal: PlaneId,
    start: Option<PlaneId>,
    /// The polygon on the plane where the leg ends.
    target: Vec<DVec3>,
    /// Inward normals of the planes through the image and the polygon's sides.
    sides: Vec<DVec3>,
    /// Signed height of the image above the plane where the leg ends, metres.
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
        let centre = target.iter().sum::<DVec3>() / target.len() as f64 - image;
        let ends = target.iter().cycle().skip(1);
        let mut sides = Vec::with_capacity(target.len());
        for (&a, &b) in target.iter().zip(ends) {
            let Some(normal) = (a - image).cross(b - image).try_normalize() else {
                continue;
            };
            sides.push(if normal.dot(centre) < 0.0 {
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

    /// Visits every triangle whose box may touch the cone.
    fn visit(&self, each: impl FnMut(u32)) {
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
        scene.index().visit(keep, each);
    }

    /// Whether a polygon lies wholly outside one of the sides.
    fn is_apart(&self, corners: &[DVec3]) -> bool {
        let mut sides = self.sides.iter();
        sides.any(|side| corners.iter().all(|&c| side.dot(c - self.image) <= 0.0))
    }

    /// Leaves the part of a polygon inside the cone. A polygon on the plane where the leg starts is not clipped by that
    /// plane.
    fn clip(&self, polygon: &mut Vec<DVec3>, spare: &mut Vec<DVec3>, is_on_start: bool) {
        let goal = self.scene.plane(self.goal);
        let above = self.height.signum();
        halve(polygon, spare, |p| above * goal.distance(p) - ON_PLANE);
        for side in &self.sides {
            halve(polygon, spare, |p| side.dot(p - self.image));
        }
        if let Some(start) = self.start
            && !is_on_start
        {
            let start = self.scene.plane(start);
            let behind = -start.distance(self.image).signum();
            halve(polygon, spare, |p| behind * start.distance(p) - ON_PLANE);
        }
    }

    /// The projection of a point in the cone onto the plane where the leg ends.
    fn project(&self, point: DVec3) -> DVec3 {
        let left = self.scene.plane(self.goal).distance(point);
        self.image + (point - self.image) * (self.height / (self.height - left))
    }

    /// The cone's section with the plane where the leg starts.
    fn at_start(&self) -> Vec<DVec3> {
        let Some(start) = self.start else {
            return Vec::new();
        };
        let start = self.scene.plane(start);
        let section = self.target.iter().map(|&p| start.between(self.image, p));
        section.collect()
    }
}
