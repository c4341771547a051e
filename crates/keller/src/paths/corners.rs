//! Decides in which order a wave meets walls that stand square on each other where it meets their common edge or corner.
//!
//! Two such walls have one double image, whichever comes first. A path by this image exists in exactly one order, and
//! its field is continuous across the border between both orders (a path into the edge itself). Each point of such a
//! path lies on the border of its wall, where rounding would let both orders or none count. Here one rule decides for
//! both: [`settle`] keeps exactly one order, whatever the rounding.
//!
//! A reflection at one plane does not change the distance from another that stands square on it. The path therefore
//! crosses each plane at the share `d(prev) / (d(prev) + d(next))` of its unfolded length, with the distances of its
//! neighbouring points from that plane. This does not depend on the order, so sorting these shares gives the order. Equal
//! shares are a tie. Two planes then come in the order in which the path passes their edge like a right-handed screw, three in that
//! of their ids. The reversed path has the reversed order. The points of a tie are then moved apart by
//! [`TIED_SEGMENT`], so that every segment has a direction.
//!
//! Walls of meshes are square up to [`COPLANAR_SINE`]. There, both orders overlap, or leave a gap, in a narrow zone around
//! the border, and the same rule decides in this zone.
//!
//! Cost: a few products for each pair of successive reflections.
//!
//! # Source
//! Theory page: `corners`.

use glam::DVec3;

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

/// How near to the common edge of two planes with these normals a path of this length comes before [`settle`] decides, metres; `None`
/// for planes that do not stand square on each other.
pub(super) fn corner_zone([a, b]: [DVec3; 2], length: f64) -> Option<f64> {
    let cosine = a.dot(b).abs();
    (cosine <= COPLANAR_SINE).then_some(NEAR + 16.0 * cosine * length)
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
        let mut corner = Corner::default();
        while let Some(Waypoint {
            step: Step::Reflection(id),
            point: at,
        }) = waypoints.get(first + corner.len)
        {
            let plane = scene.plane(*id);
            if let Some((_, last)) = corner.last() {
                let before = waypoints[first + corner.len - 1].point;
                // The points before these planes and behind this one.
                let ends = [point(first), point(first + corner.len + 2)];
                let Some(zone) = corner_zone([last.normal, plane.normal], length) else {
                    break;
                };
                let distances = [last.distance(*at), plane.distance(before)];
                if distances.iter().all(|distance| distance.abs() > zone) {
                    // Far from the edge there is one valid order. The solver lets a little of the other pass.
                    if distances[0] * last.distance(ends[0]) <= 0.0 {
                        return None;
                    }
                    break;
                }
            }
            if !corner.push(*id, plane) {
                return None;
            }
        }
        if corner.len > 1 {
            let ends = [point(first), point(first + corner.len + 1)];
            let solved = &waypoints[first..first + corner.len];
            let doubt = doubt(scene, waypoints, length);
            let points = corner.points(ends, solved, [length, doubt], keeps_ties)?;
            if let Points::Moved(points) = points {
                if !is_moved {
                    settled.clear();
                    settled.extend_from_slice(waypoints);
                    is_moved = true;
                }
                let moved = settled[first..].iter_mut().take(corner.len);
                for (waypoint, point) in moved.zip(points) {
                    waypoint.point = point;
                }
            }
        }
        first += corner.len.max(1);
    }
    Some(if is_moved { settled } else { waypoints })
}

/// How far the points of a path of this length may depend on the order in which it meets walls that are not quite square, metres.
fn doubt(scene: &Scene, waypoints: &[Waypoint], length: f64) -> f64 {
    let planes = waypoints.iter().filter_map(|w| match w.step {
        Step::Reflection(id) => Some(scene.plane(id).normal),
        _ => None,
    });
    let cosines = planes
        .clone()
        .flat_map(|a| planes.clone().map(move |b| a.dot(b).abs()));
    let square = cosines.filter(|cosine| *cosine <= COPLANAR_SINE);
    TIE_DISTANCE + (4.0 * square.fold(0.0, f64::max) * length).min(0.5 * NEAR)
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
    // The direction towards the path from the other plane, if that plane meets this one here. `outer` is a point of the path on
    // its far side.
    let inwards_from = |other: &Waypoint, outer: DVec3| {
        let Step::Reflection(id) = other.step else {
            return None;
        };
        let other = scene.plane(id);
        let meets = corner_zone([plane.normal, other.normal], 0.0).is_some()
            && other.distance(point).abs() <= NEAR;
        meets.then(|| other.distance(outer).signum() * other.normal)
    };
    let before = (0..k).rev().map(|o| {
        let outer = o.checked_sub(1).map_or(tx, point_at);
        inwards_from(&waypoints[o], outer)
    });
    let behind = (k + 1..waypoints.len()).map(|o| inwards_from(&waypoints[o], point_at(o + 1)));
    // At a corner of three walls, both others count.
    let near = before.take(2).map_while(|inwards| inwards);
    let near = near.chain(behind.take(2).map_while(|inwards| inwards));
    let inwards: DVec3 = near.sum();
    if inwards == DVec3::ZERO {
        return None;
    }
    let beside = point + WELD_DISTANCE * inwards;
    scene.reflecting_face_at(id, beside - plane.distance(beside) * plane.normal)
}

/// Planes that stand square on each other, in the order in which a path meets their common edge or corner.
#[derive(Debug, Default)]
struct Corner<'a> {
    planes: [Option<(PlaneId, &'a Plane)>; 3],
    len: usize,
}

impl<'a> Corner<'a> {
    fn last(&self) -> Option<(PlaneId, &'a Plane)> {
        self.planes[self.len.checked_sub(1)?]
    }

    /// Adds a plane; false if it does not stand square on all others.
    fn push(&mut self, id: PlaneId, plane: &'a Plane) -> bool {
        let mut others = self.planes.iter().flatten();
        let is_square =
            others.all(|(_, other)| corner_zone([other.normal, plane.normal], 0.0).is_some());
        if let Some(place) = self.planes.get_mut(self.len).filter(|_| is_square) {
            *place = Some((id, plane));
            self.len += 1;
            return true;
        }
        false
    }

    /// The points of a path from `prev` to `next`, or `None` if it takes these planes in another order. `whole` is the length of the path, and shares of it that differ by
    /// less than `doubt`, in metres, are equal.
    fn points(
        &self,
        [prev, next]: [DVec3; 2],
        solved: &[Waypoint],
        [whole, doubt]: [f64; 2],
        keeps_ties: bool,
    ) -> Option<Points> {
        let walls: Vec<Wall> = (self.planes.iter().flatten())
            .map(|(id, plane)| Wall::new(*id, plane, prev, next))
            .collect::<Option<_>>()?;
        // The middle of the corner.
        let share = walls.iter().map(|wall| wall.share).sum::<f64>() / walls.len() as f64;
        let mut centre = prev.lerp(next, share);
        for _ in 0..3 {
            for wall in &walls {
                centre -= wall.plane.distance(centre) * wall.plane.normal;
            }
        }
        let length = prev.distance(centre) + centre.distance(next);
        let is_tie = |a: &Wall, b: &Wall| {
            let cosine = a.inwards.dot(b.inwards).abs();
            (b.share - a.share).abs() * length <= doubt + 4.0 * cosine * whole
        };
        let is_vertex =
            walls.len() > 2 && is_tie(&walls[0], &walls[1]) && is_tie(&walls[1], &walls[2]);
        let comes_first = |a: &Wall, b: &Wall| {
            if !is_tie(a, b) || keeps_ties {
                return a.share < b.share || is_tie(a, b);
            }
            let way = next - prev;
            let screw = a.inwards.cross(b.inwards).dot(way);
            if !is_vertex && screw.abs() > 4.0 * doubt {
                return screw > 0.0;
            }
            // What distinguishes the ends: their distances from the corner, or else their coordinates.
            let [near, far] = [prev, next].map(|end| end.distance(centre));
            let is_forward = if (near - far).abs() > 4.0 * doubt {
                near < far
            } else {
                let order = (next - prev).to_array();
                order.into_iter().find(|d| d.abs() > 4.0 * doubt) >= Some(0.0)
            };
            (a.id < b.id) == is_forward
        };
        if !walls.windows(2).all(|pair| comes_first(&pair[0], &pair[1])) {
            return None;
        }
        // So long that rounding leaves the direction of such a segment exact to five digits.
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
        Some(Points::Moved(spread(&walls, centre, direction, apart)))
    }
}

/// The points of a path through `centre` that arrives along `direction`, `apart` from each other.
fn spread(walls: &[Wall], centre: DVec3, direction: DVec3, apart: f64) -> [DVec3; 3] {
    let time = |k: usize| (k as f64 - 0.5 * (walls.len() - 1) as f64) * apart;
    let mut along = direction;
    for wall in walls {
        along -= along.dot(wall.inwards) * wall.inwards;
    }
    [0, 1, 2].map(|k| {
        let mut point = centre + time(k) * along;
        for (other, wall) in walls.iter().enumerate() {
            let speed = direction.dot(wall.inwards).abs();
            point += (time(k) - time(other)).abs() * speed * wall.inwards;
        }
        point
    })
}

/// The points of a path at a corner.
enum Points {
    /// The points are those that are solved.
    Solved,
    /// These, one for each plane.
    Moved([DVec3; 3]),
}

/// A plane at a corner.
#[derive(Debug)]
struct Wall<'a> {
    id: PlaneId,
    plane: &'a Plane,
    /// Its normal towards the path.
    inwards: DVec3,
    /// Where the path meets the plane, as a share of its way from the point before the corner to the point behind it.
    share: f64,
}

impl<'a> Wall<'a> {
    /// `None` if the points before and behind the corner are not on one side of the plane.
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
