//! The obstacles between two parts of walls: none, walls that hide each part wholly from the other, or walls that may
//! hide some of one from some of the other.

use glam::DVec3;

use super::super::shade::{Air, Walls};
use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::scene::{Crossing, PlaneId};

/// The convex hull of two flat parts, each within some corners.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shaft<'a> {
    pub(super) corners: [&'a [DVec3]; 2],
    pub(super) planes: [PlaneId; 2],
}

/// The visibility of two parts from each other.
#[derive(Debug, Clone)]
pub(super) enum Visibility {
    Clear,
    Hidden,
    /// The pieces of walls that may stand between, and the share of the power that those let through behind which all
    /// is hidden.
    Partial(Vec<u32>, f64),
}

impl Shaft<'_> {
    /// The visibility of both parts from each other. `among` are the pieces that may stand between; all pieces if
    /// absent. `num_passable` is the number of walls that a wave may pass in between.
    pub(super) fn visibility(
        &self,
        air: &Air,
        num_passable: usize,
        among: Option<&[u32]>,
    ) -> Visibility {
        let walls = air.walls;
        let mut between = match among {
            Some(among) => among.to_vec(),
            None => self.candidates(walls),
        };
        let axes = self.axes(walls);
        between.retain(|&number| self.may_hold(walls, number, &axes));
        if between.is_empty() {
            return Visibility::Clear;
        }
        let (mut passed, mut through) = (Vec::new(), 1.0);
        for &number in &between {
            let piece = &walls.pieces[number as usize];
            if passed.contains(&piece.plane) || !self.is_cut_by(walls, number) {
                continue;
            }
            passed.push(piece.plane);
            through *= air.transparency.transmitted(walls.scene, piece.face);
            if passed.len() > num_passable || !air.transparency.passes(walls.scene, piece.face) {
                return Visibility::Hidden;
            }
        }
        Visibility::Partial(between, through)
    }

    /// Every piece of a wall in the box around both parts.
    fn candidates(&self, walls: &Walls) -> Vec<u32> {
        let origin = walls.scene.origin();
        let all = || self.corners.into_iter().flatten().map(|&c| c - origin);
        let low = all().fold(DVec3::INFINITY, DVec3::min).as_vec3();
        let high = all().fold(DVec3::NEG_INFINITY, DVec3::max).as_vec3();
        let reach = 1e-3 + 1e-6 * low.abs().max(high.abs()).max_element();
        let (low, high) = (low - reach, high + reach);
        let mut numbers = Vec::new();
        walls.scene.index().visit(
            |min, max| min.cmple(high).all() && max.cmpge(low).all(),
            |triangle| numbers.push(triangle),
        );
        walls.pieces_of(&mut numbers);
        numbers
    }

    /// Directions along which the shaft is often apart from obstacles that do not stand in it.
    fn axes(&self, walls: &Walls) -> [DVec3; 9] {
        let [a, b] = self.planes.map(|plane| {
            let plane = walls.scene.plane(plane);
            let (u, v) = plane.axes();
            [plane.normal, u, v]
        });
        let centres = self
            .corners
            .map(|c| c.iter().sum::<DVec3>() / c.len() as f64);
        let along = centres[1] - centres[0];
        let across = |axis: DVec3| along.cross(axis).normalize_or_zero();
        [
            DVec3::X,
            DVec3::Y,
            DVec3::Z,
            a[0],
            b[0],
            across(a[1]),
            across(a[2]),
            across(b[1]),
            across(b[2]),
        ]
    }

    /// Whether a piece of a wall may reach into the shaft.
    fn may_hold(&self, walls: &Walls, number: u32, axes: &[DVec3]) -> bool {
        let piece = &walls.pieces[number as usize];
        if self.planes.contains(&piece.plane) {
            return false;
        }
        let plane = walls.scene.plane(piece.plane);
        let corners = || self.corners.into_iter().flatten();
        let has_both_sides = [1.0, -1.0]
            .iter()
            .all(|side| corners().any(|&c| side * plane.distance(c) > ON_FACE_DISTANCE));
        if !has_both_sides {
            return false;
        }
        let range = |points: &mut dyn Iterator<Item = &DVec3>, axis: DVec3| {
            points.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &p| {
                let at = axis.dot(p);
                [low.min(at), high.max(at)]
            })
        };
        !axes.iter().any(|&axis| {
            let own = range(&mut corners(), axis);
            let other = range(&mut piece.polygon.iter(), axis);
            own[1] - ON_FACE_DISTANCE < other[0] || other[1] - ON_FACE_DISTANCE < own[0]
        })
    }

    /// Whether every straight line from one part to the other goes through a piece of a wall. A convex piece that the
    /// lines between all corners meet has all that lies between them.
    fn is_cut_by(&self, walls: &Walls, number: u32) -> bool {
        let piece = &walls.pieces[number as usize];
        let plane = walls.scene.plane(piece.plane);
        let [from, to] = self.corners;
        let ends = || piece.polygon.iter().cycle().skip(1);
        let holds = |p: DVec3| {
            let mut sides = piece.polygon.iter().zip(ends());
            sides.all(|(&a, &b)| plane.normal.dot((b - a).cross(p - a)) >= 0.0)
        };
        from.iter().all(|&a| {
            let d = plane.distance(a);
            to.iter().all(|&b| {
                let e = plane.distance(b);
                d * e < 0.0 && holds(a + (b - a) * (d / (d - e)))
            })
        })
    }
}

/// The share of its power that a wave keeps straight from one point to another, through at most `num_passable` walls.
pub(super) fn share_kept(
    air: &Air,
    [a, b]: [DVec3; 2],
    planes: [PlaneId; 2],
    num_passable: usize,
    crossings: &mut Vec<Crossing>,
) -> f64 {
    let scene = air.walls.scene;
    let is_within = scene.crossings_behind(&[], a, b, &planes, num_passable, crossings);
    let passes = |crossing: &Crossing| air.transparency.passes(scene, crossing.face);
    if is_within.is_none() || !crossings.iter().all(passes) {
        return 0.0;
    }
    let shares = crossings.iter();
    shares
        .map(|crossing| air.transparency.transmitted(scene, crossing.face))
        .product()
}
