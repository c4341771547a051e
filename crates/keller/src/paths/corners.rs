//! Decides in which order a wave meets walls where it meets their common edge or corner.
//!
//! Two walls that stand square on each other have one double image, whichever comes first. More generally, walls at the angle
//! pi/m have one common image, which takes m reflections. A path by this image exists in exactly one order, and its field is
//! continuous across the border between both orders (a path into the edge itself). There, each point of the path lies on the border of
//! its wall, where rounding would let both orders or none count. One rule decides for both: [`settle`] keeps exactly one order,
//! whatever the rounding.
//!
//! Unfolded, the path is straight, and the walls and their images are planes through the edge. The path crosses each of them at a
//! share of its length; in a valid order the shares grow. Equal shares are a tie, and the rule is:
//!
//! - **Two planes, m even**: the first is the one with which the path passes their edge like a right-handed screw.
//! - **Two planes, m odd**: the sequence is its own reverse, and the first is that of the smaller id.
//! - **Three square planes**: they come in the order of their ids, from the nearer end.
//! - **Two planes and a third that is square on both**: the third comes before or behind all others.
//!
//! The reversed path has the reversed order. The points of a tie are then moved apart by [`TIED_SEGMENT`], so that every segment
//! has a direction.
//!
//! Walls of meshes have such angles up to [`COPLANAR_SINE`]. There, both orders overlap, or leave a gap, in a narrow zone around
//! the border, and the same rule decides in this zone.
//!
//! Cost: a few products for each pair of successive reflections.
//!
//! # Source
//! Theory page: `corners`.

use std::f64::consts::FRAC_1_SQRT_2;
use std::ops::Range;

use glam::{DMat3, DVec3};
use smallvec::SmallVec;

use super::Step;
use super::solve::Waypoint;
use crate::geometry::Plane;
use crate::geometry::tolerance::{
    COPLANAR_SINE, ON_FACE_DISTANCE, TIE_DISTANCE, TIED_SEGMENT, WELD_DISTANCE,
};
use crate::scene::{FaceId, PlaneId, Scene};

/// A point of a wall nearer to another plane than this may be on their common edge, metres: more than the band along a border in which
/// [`Scene::reflecting_face_at`] knows no face.
const NEAR: f64 = 8.0 * ON_FACE_DISTANCE;

/// The most reflections that one edge is asked for: walls at 22.5 degrees.
const MAX_FOLD: usize = 8;

/// The number of reflections that the common image of two planes takes in either order, if they have one, and the error
/// of its angle.
#[derive(Debug, Clone, Copy)]
struct Fold {
    /// The planes stand at the angle pi over this number, or at its supplement.
    order: usize,
    /// The difference of their angle from that one, radians.
    error: f64,
}

impl Fold {
    /// The common image of two planes with these normals; `None` if they have none.
    fn of([a, b]: [DVec3; 2]) -> Option<Self> {
        /// Cosine and sine of pi over 2, 3, and so on.
        const ANGLES: [[f64; 2]; MAX_FOLD - 1] = [
            [0.0, 1.0],
            [0.5, 0.866_025_403_784_438_6],
            [FRAC_1_SQRT_2, FRAC_1_SQRT_2],
            [0.809_016_994_374_947_5, 0.587_785_252_292_473_1],
            [0.866_025_403_784_438_6, 0.5],
            [0.900_968_867_902_419_1, 0.433_883_739_117_558_1],
            [0.923_879_532_511_286_7, 0.382_683_432_365_089_8],
        ];
        let cosine = a.dot(b).abs();
        ANGLES.iter().zip(2..).find_map(|([of, sine], order)| {
            let error = (cosine - of).abs() / sine;
            (error <= COPLANAR_SINE).then_some(Self { order, error })
        })
    }

    /// The distance from the common edge within which [`settle`] decides about a path of this length, metres.
    fn zone(self, length: f64) -> f64 {
        NEAR + 16.0 * self.error * length
    }
}

/// The distance from the common edge of two planes with these normals within which [`settle`] decides about a path of
/// this length, metres; `None` for planes without a common image.
pub(super) fn corner_zone(normals: [DVec3; 2], length: f64) -> Option<f64> {
    Fold::of(normals).map(|fold| fold.zone(length))
}

/// Brings the points of the path from `tx` by `waypoints` to `rx` into a form that does not depend on rounding where
/// successive reflections meet at the common edge or corner of their planes. Returns `None` if the path takes such planes
/// in the other order. With `keeps_ties` a tie is valid in either order. Uses `settled` as a buffer.
pub(super) fn settle<'a>(
    scene: &Scene,
    tx: DVec3,
    waypoints: &'a [Waypoint],
    rx: DVec3,
    keeps_ties: bool,
    settled: &'a mut Vec<Waypoint>,
) -> Option<&'a [Waypoint]> {
    let is_reflection = |w: &Waypoint| matches!(w.step, Step::Reflection(_));
    if !(waypoints.windows(2)).any(|pair| pair.iter().all(is_reflection)) {
        return Some(waypoints);
    }
    let point = |k: usize| match k {
        0 => tx,
        k => waypoints.get(k - 1).map_or(rx, |w| w.point),
    };
    let length = (0..=waypoints.len()).map(|k| point(k).distance(point(k + 1)));
    let length: f64 = length.sum();
    let mut is_moved = false;
    let mut first = 0;
    while first < waypoints.len() {
        let corner = Corner::at(scene, point(first), &waypoints[first..], length)?;
        let len = corner.planes.len();
        if len > 1 {
            let ends = [point(first), point(first + len + 1)];
            let solved = &waypoints[first..first + len];
            let doubt = doubt(scene, waypoints, length);
            let points = corner.points(ends, solved, [length, doubt], keeps_ties)?;
            if let Points::Moved(points) = points {
                if !is_moved {
                    settled.clear();
                    settled.extend_from_slice(waypoints);
                    is_moved = true;
                }
                for (waypoint, point) in settled[first..].iter_mut().zip(points) {
                    waypoint.point = point;
                }
            }
        }
        first += len.max(1);
    }
    Some(if is_moved { settled } else { waypoints })
}

/// The largest distance by which the points of a path of this length may depend on the order in which it meets walls
/// that have not quite the angle of a common image, metres.
fn doubt(scene: &Scene, waypoints: &[Waypoint], length: f64) -> f64 {
    let planes = waypoints.iter().filter_map(|w| match w.step {
        Step::Reflection(id) => Some(scene.plane(id).normal),
        _ => None,
    });
    let folds = planes
        .clone()
        .flat_map(|a| planes.clone().filter_map(move |b| Fold::of([a, b])));
    let error = folds.map(|fold| fold.error).fold(0.0, f64::max);
    TIE_DISTANCE + (4.0 * error * length).min(0.5 * NEAR)
}

/// The face that reflects waypoint `k` where it lies on the common edge of its plane with those of the reflections before or
/// behind it, which stand square on it. The border there has one of both orders on either side, so it counts as inside.
pub(super) fn face_at_corner(
    scene: &Scene,
    tx: DVec3,
    waypoints: &[Waypoint],
    k: usize,
    rx: DVec3,
) -> Option<FaceId> {
    let Step::Reflection(id) = waypoints[k].step else {
        return None;
    };
    let (plane, point) = (scene.plane(id), waypoints[k].point);
    let point_at = |k: usize| waypoints.get(k).map_or(rx, |w| w.point);
    // The distance of the other plane, and the direction towards the path from it. `outer` is a point of the path on
    // its far side.
    let other = |other: &Waypoint, outer: DVec3| {
        let Step::Reflection(other) = other.step else {
            return None;
        };
        if other == id {
            return Some((f64::INFINITY, DVec3::ZERO));
        }
        let other = scene.plane(other);
        corner_zone([plane.normal, other.normal], 0.0)?;
        let inwards = other.distance(outer).signum() * other.normal;
        Some((other.distance(point).abs(), inwards))
    };
    let before = (0..k).rev().map_while(|o| {
        let outer = o.checked_sub(1).map_or(tx, point_at);
        other(&waypoints[o], outer)
    });
    let behind = (k + 1..waypoints.len()).map_while(|o| other(&waypoints[o], point_at(o + 1)));
    let others: SmallVec<[(f64, DVec3); 4]> = before.chain(behind).collect();
    if others.iter().all(|(distance, _)| *distance > NEAR) {
        return None;
    }
    // The point moves away from all planes next to it, so that it leaves none of them behind.
    let near = others
        .iter()
        .filter(|(distance, _)| *distance <= WELD_DISTANCE);
    let inwards: DVec3 = near.map(|(_, inwards)| inwards).sum();
    let inside = point + WELD_DISTANCE * inwards;
    scene.reflecting_face_at(id, inside - plane.distance(inside) * plane.normal)
}

/// Planes in the order in which a path meets their common edge or corner: up to three that stand square on each other, or two in turn
/// whose common image takes more reflections, and perhaps one that stands square on both, before or behind them.
#[derive(Debug, Default)]
struct Corner<'a> {
    planes: SmallVec<[(PlaneId, &'a Plane); 4]>,
    /// The positions in `planes` of the two that are met in turn.
    fold: Option<Range<usize>>,
    /// The largest difference of angles between the planes from those of a common image, radians.
    error: f64,
}

impl<'a> Corner<'a> {
    /// The planes of the first waypoints behind `prev`, on a path of this length; one or none where these meet at no edge. `None`
    /// if the path takes two planes in the wrong order.
    fn at(scene: &'a Scene, prev: DVec3, waypoints: &[Waypoint], length: f64) -> Option<Self> {
        let mut corner = Self::default();
        while let Some(&Waypoint {
            step: Step::Reflection(id),
            point,
        }) = waypoints.get(corner.planes.len())
        {
            let new = (id, scene.plane(id));
            let Some(&last) = corner.planes.last() else {
                corner.planes.push(new);
                continue;
            };
            let Some(fold) = Fold::of([last, new].map(|(_, plane)| plane.normal)) else {
                break;
            };
            let k = corner.planes.len() - 1;
            let (behind, zone) = (&waypoints[k..], fold.zone(length));
            let is_near = is_near(scene, &behind[0], &behind[1], zone);
            let is_fold = is_near && fold.order > 2 && has_all(scene, prev, behind, fold, zone);
            if !is_near || fold.order > 2 && !is_fold && k == 0 {
                // Only one order is valid. The solver accepts a little of the other.
                if last.1.distance(point) * last.1.distance(prev) <= 0.0 {
                    return None;
                }
                break;
            }
            let others = &corner.planes[..if is_fold { k } else { k + 1 }];
            let is_square = |(_, other): &(PlaneId, &Plane)| {
                let fold = Fold::of([other.normal, new.1.normal]);
                fold.is_some_and(|fold| fold.order == 2)
            };
            let has_room = match &corner.fold {
                Some(fold) => fold.len() == corner.planes.len(),
                None => k < 2,
            };
            if !has_room || !others.iter().all(is_square) {
                return None;
            }
            corner.error = corner.error.max(fold.error);
            if is_fold {
                corner.fold = Some(k..k + fold.order);
                let both = [new, last];
                corner
                    .planes
                    .extend((1..fold.order).map(|k| both[(k - 1) % 2]));
            } else {
                corner.planes.push(new);
            }
        }
        Some(corner)
    }

    /// The positions of two planes that meet in an edge, and that of the third with which they form a corner.
    fn parts(&self) -> (Range<usize>, Option<usize>) {
        let two = self.fold.clone().unwrap_or(0..2);
        let third = if two.start > 0 { 0 } else { two.end };
        (two, (third < self.planes.len()).then_some(third))
    }

    /// The points of a path from `prev` to `next`, or `None` if it takes these planes in another order. `whole` is the length of
    /// the path, and shares of it that differ by less than `doubt`, in metres, are equal.
    fn points(
        &self,
        [prev, next]: [DVec3; 2],
        solved: &[Waypoint],
        [whole, doubt]: [f64; 2],
        keeps_ties: bool,
    ) -> Option<Points> {
        let mut walls: Vec<Wall> = (self.planes.iter())
            .map(|(id, plane)| Wall::new(*id, plane, prev, next))
            .collect::<Option<_>>()?;
        if let Some(fold) = &self.fold {
            let shares = self.shares(fold, [prev, next])?;
            walls[fold.start].share = shares[0];
            walls[fold.end - 1].share = shares[1];
        }
        let (two, third) = self.parts();
        let share = 0.5 * (walls[two.start].share + walls[two.end - 1].share);
        let centre = self.centre(prev.lerp(next, share));
        let length = prev.distance(centre) + centre.distance(next);
        let is_tie = |a: f64, b: f64| (b - a).abs() * length <= doubt + 4.0 * self.error * whole;
        // The ends are distinguished by their distances from the corner, or else by their coordinates.
        let is_forward = || {
            let [near, far] = [prev, next].map(|end| end.distance(centre));
            if (near - far).abs() > 4.0 * doubt {
                return near < far;
            }
            let order = (next - prev).to_array();
            order.into_iter().find(|d| d.abs() > 4.0 * doubt) >= Some(0.0)
        };
        let is_vertex = self.fold.is_none()
            && third.is_some()
            && (walls.windows(2)).all(|w| is_tie(w[0].share, w[1].share));
        // Whether a plane comes before the next one, as their shares say.
        let comes_first = |k: usize, [share, other]: [f64; 2]| {
            if !is_tie(share, other) || keeps_ties {
                return share < other || is_tie(share, other);
            }
            let [a, b] = [&walls[k], &walls[k + 1]];
            let screw = a.inwards.cross(b.inwards).dot(next - prev);
            if !is_vertex && screw.abs() > 4.0 * doubt {
                return screw > 0.0;
            }
            (a.id < b.id) == is_forward()
        };
        let is_in_order = match &self.fold {
            None => {
                (0..walls.len() - 1).all(|k| comes_first(k, [walls[k].share, walls[k + 1].share]))
            }
            Some(fold) => {
                let shares = [walls[fold.start].share, walls[fold.end - 1].share];
                // An odd number in turn is the same forwards and backwards.
                let is_first = if fold.len() % 2 == 1 && is_tie(shares[0], shares[1]) {
                    keeps_ties || walls[fold.start].id < walls[fold.start + 1].id
                } else {
                    comes_first(fold.start, shares)
                };
                is_first
                    && third.is_none_or(|third| {
                        let of = walls[third].share;
                        let is_before = third < fold.start;
                        if is_tie(of, share) {
                            keeps_ties || is_before == is_forward()
                        } else {
                            is_before == (of < share)
                        }
                    })
            }
        };
        if !is_in_order {
            return None;
        }
        // A segment of this length has a direction that rounding leaves exact to five digits.
        let apart = TIED_SEGMENT.max(1e-10 * centre.length());
        // Each point in front of the other's plane, too.
        let is_apart = |(walls, pair): (&[Wall], &[Waypoint])| {
            let [from, to] = [pair[0].point, pair[1].point];
            walls[0].is_before(to) && walls[1].is_before(from) && from.distance(to) >= apart
        };
        if walls.windows(2).zip(solved.windows(2)).all(is_apart) {
            return Some(Points::Solved);
        }
        let direction = (centre - prev).normalize();
        Some(Points::Moved(self.spread(centre, direction, apart)))
    }

    /// The shares at which a path from `prev` to `next` meets the first and the last of two planes in turn. They are exchanged, to
    /// the last digit, for the path that begins with the other plane.
    fn shares(&self, fold: &Range<usize>, [prev, next]: [DVec3; 2]) -> Option<[f64; 2]> {
        let both = [self.planes[fold.start], self.planes[fold.start + 1]];
        let of = |first: usize| {
            let plane = |k: usize| both[(first + k) % 2];
            let last = fold.len() - 1;
            let to = (1..=last).rev().fold(next, |p, k| plane(k).1.mirror(p));
            let from = (0..last).fold(prev, |p, k| plane(k).1.mirror(p));
            let share =
                |(id, plane), ends: [DVec3; 2]| Some(Wall::new(id, plane, ends[0], ends[1])?.share);
            Some([
                share(plane(0), [prev, to])?,
                share(plane(last), [from, next])?,
            ])
        };
        let [ahead, back] = [of(0)?, of(1)?];
        Some([0.5 * (ahead[0] + back[1]), 0.5 * (ahead[1] + back[0])])
    }

    /// Three normals: of the two planes, and of the third or of the plane across the edge.
    fn axes(&self, normal: impl Fn(usize) -> DVec3) -> DMat3 {
        let (two, third) = self.parts();
        let [a, b] = [normal(two.start), normal(two.start + 1)];
        DMat3::from_cols(a, b, third.map_or(a.cross(b), normal)).transpose()
    }

    /// The point nearest to this one on the common edge, or the common corner.
    fn centre(&self, near: DVec3) -> DVec3 {
        let (two, third) = self.parts();
        let distance = |k: usize| self.planes[k].1.distance(near);
        let distances = DVec3::new(
            distance(two.start),
            distance(two.start + 1),
            third.map_or(0.0, distance),
        );
        near - self.axes(|k| self.planes[k].1.normal).inverse() * distances
    }

    /// The points of a path through `centre` that arrives along `direction`, at least `apart` from each other.
    fn spread(&self, centre: DVec3, direction: DVec3, apart: f64) -> Vec<DVec3> {
        let (two, third) = self.parts();
        let mirror =
            |v: DVec3, (_, plane): &(PlaneId, &Plane)| v - 2.0 * v.dot(plane.normal) * plane.normal;
        // Unfolded, the path is straight, and passes the centre aside.
        let unfolded = |k: usize| {
            let before = self.planes[..k].iter().rev();
            before.fold(self.planes[k].1.normal, mirror)
        };
        let speed = |k: usize| unfolded(k).dot(direction);
        let inverse = self.axes(unfolded).inverse();
        let time = |k: usize, aside: DVec3| -unfolded(k).dot(aside) / speed(k);
        // It meets the two planes one after the other, and the third one before or behind them.
        let mut aside = inverse * DVec3::new(speed(two.start), 0.0, 0.0);
        if let Some(third) = third {
            let other = if third < two.start {
                -2.0
            } else {
                time(two.end - 1, aside) + 1.0
            };
            aside += inverse * DVec3::new(0.0, 0.0, -other * speed(third));
        }
        let times: Vec<f64> = (0..self.planes.len()).map(|k| time(k, aside)).collect();
        let gaps = times.windows(2).map(|t| t[1] - t[0]);
        let scale = apart / gaps.fold(f64::INFINITY, f64::min);
        let point = |(k, time): (usize, &f64)| {
            let at = scale * (aside + *time * direction);
            centre + self.planes[..k].iter().fold(at, mirror)
        };
        times.iter().enumerate().map(point).collect()
    }
}

/// Whether a path meets two planes so near to their common edge that [`settle`] decides.
fn is_near(scene: &Scene, one: &Waypoint, other: &Waypoint, zone: f64) -> bool {
    let distance = |a: &Waypoint, b: &Waypoint| match a.step {
        Step::Reflection(id) => scene.plane(id).distance(b.point).abs(),
        _ => f64::INFINITY,
    };
    distance(one, other) <= zone || distance(other, one) <= zone
}

/// Whether the path from `prev` begins with all reflections of the common image of its first two planes, and no further one, near
/// their edge and between them.
fn has_all(scene: &Scene, prev: DVec3, waypoints: &[Waypoint], fold: Fold, zone: f64) -> bool {
    let plane = |k: usize| match waypoints.get(k).map(|w| w.step) {
        Some(Step::Reflection(id)) => Some(id),
        _ => None,
    };
    let goes_on = |k: &usize| {
        plane(*k) == plane(k % 2) && is_near(scene, &waypoints[k - 1], &waypoints[*k], zone)
    };
    let inwards = |k: usize| {
        plane(k).map(|id| {
            let plane = scene.plane(id);
            plane.distance(prev).signum() * plane.normal
        })
    };
    let is_between = inwards(0)
        .zip(inwards(1))
        .is_some_and(|(a, b)| a.dot(b) < 0.0);
    is_between && (1..waypoints.len()).take_while(goes_on).count() + 1 == fold.order
}

/// The points of a path at a corner.
enum Points {
    /// The points are those that are solved.
    Solved,
    /// These, one for each plane.
    Moved(Vec<DVec3>),
}

/// A plane at a corner.
#[derive(Debug)]
struct Wall<'a> {
    id: PlaneId,
    plane: &'a Plane,
    /// Its normal towards the path.
    inwards: DVec3,
    /// The share of the unfolded way from the point before the corner to the point behind it at which the path meets
    /// the plane.
    share: f64,
}

impl<'a> Wall<'a> {
    /// `None` if the points before and behind the corner, unfolded up to this plane, are not on one side of it.
    fn new(id: PlaneId, plane: &'a Plane, prev: DVec3, next: DVec3) -> Option<Self> {
        let (from, to) = (plane.distance(prev), plane.distance(next));
        (from * to > 0.0).then(|| Self {
            id,
            plane,
            inwards: from.signum() * plane.normal,
            share: from / (from + to),
        })
    }

    /// Whether a point lies on the side from which the path comes.
    fn is_before(&self, point: DVec3) -> bool {
        self.inwards.dot(self.plane.normal) * self.plane.distance(point) > 0.0
    }
}
