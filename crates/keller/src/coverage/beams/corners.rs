//! Corners around which waves go from street to street: the view of each is found once for all transmitters.
//!
//! A corner stands out into the open: of the directions around it more than half lie outdoors, between two walls. A
//! beam goes on around it from every place that sees only one of these walls. Corners see each other as sources do
//! ([`super::visibility`]), so the graph of all corners and their beams is prepared once.
//!
//! # Source
//! T. Rick and T. Kuhlen, 2010, section 5.3. Its equation (6) has the opposite sign of its words; here the words hold, and
//! no wall needs a front.

use glam::DVec2;

use super::triangulation::{NOTHING, Triangulation};
use super::visibility::{Heights, Visibility};
use crate::geometry::tolerance::FLAT_WEDGE_ANGLE;
use crate::parallel;

/// A direction along a wall lies on neither side of it, as a sine.
const ALONG: f64 = 1e-6;

/// A corner at the height of a plane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corner {
    /// The position of the corner, metres.
    pub(super) place: DVec2,
    /// The vectors from the corner along both walls, anticlockwise around the outdoor part.
    walls: [DVec2; 2],
}

/// The corners at the height of a plane, and the corners that each sees.
#[derive(Debug, Clone, Default)]
pub(super) struct Corners {
    pub(super) all: Vec<Corner>,
    /// Their points in the triangulation, and the triangles around them that are outdoors.
    points: Vec<u32>,
    fans: Lists<u32>,
    /// The corner at each point of the triangulation, or [`NOTHING`].
    pub(super) of_point: Vec<u32>,
    /// The outlines of all beams, metres.
    outlines: Lists<DVec2>,
    /// The corners that each sees, rising.
    seen: Lists<u32>,
    /// The corners among these around which its waves go on.
    next: Lists<u32>,
}

/// Lists, one behind the other.
#[derive(Debug, Clone)]
struct Lists<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self {
            starts: vec![0],
            items: Vec::new(),
        }
    }
}

impl<T> Lists<T> {
    fn push(&mut self, list: impl IntoIterator<Item = T>) {
        self.items.extend(list);
        let end = u32::try_from(self.items.len()).expect("fewer than 2^32 entries");
        self.starts.push(end);
    }

    fn get(&self, number: u32) -> &[T] {
        let number = number as usize;
        &self.items[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

impl Corner {
    /// Whether waves from `source`, which sees the corner, go on around it: both walls lie on one side.
    pub(super) fn diffracts(&self, source: DVec2) -> bool {
        let away = self.place - source;
        let sides = self.walls.map(|wall| {
            let side = away.perp_dot(wall);
            if side.abs() < ALONG * away.length() * wall.length() {
                0.0
            } else {
                side.signum()
            }
        });
        sides[0] + sides[1] != 0.0
    }
}

impl Corners {
    /// The corners of all walls higher than `plane`, metres over the ground. `is_outdoors` says of each triangle
    /// whether it is.
    pub(super) fn new(net: &Triangulation, plane: f64, is_outdoors: &[bool]) -> Self {
        let mut found: Vec<(u32, Corner, Vec<u32>)> =
            parallel::flat_map(net.points.len(), |point, found| {
                let point = u32::try_from(point).expect("fewer than 2^32 points");
                let corner = corner_at(net, point, plane, is_outdoors);
                found.extend(corner.map(|(corner, fan)| (point, corner, fan)));
            });
        found.sort_by_key(|(point, ..)| *point);
        let mut of_point = vec![NOTHING; net.points.len()];
        for (number, (point, ..)) in found.iter().enumerate() {
            of_point[*point as usize] = u32::try_from(number).expect("no more than points");
        }
        let heights = Heights {
            source: plane,
            plane,
        };
        let view = |visibility: &mut Visibility, number: usize| {
            let (point, _, fan) = &found[number];
            // A corner with too many windows is blind: no beam goes on from it.
            if !visibility.of_point(net, *point, fan, heights) {
                return (Vec::new(), Vec::new());
            }
            let seen = visibility
                .points
                .iter()
                .map(|point| of_point[*point as usize]);
            let mut seen: Vec<u32> = seen.filter(|corner| *corner != NOTHING).collect();
            seen.sort_unstable();
            seen.dedup();
            (visibility.outline.clone(), seen)
        };
        let views: Vec<(Vec<DVec2>, Vec<u32>)> =
            parallel::map_with(found.len(), Visibility::default, view);
        let corners: Vec<Corner> = found.iter().map(|(_, corner, _)| *corner).collect();
        let mut all = Self {
            of_point,
            ..Self::default()
        };
        for (point, _, fan) in found {
            all.points.push(point);
            all.fans.push(fan);
        }
        for (corner, (outline, seen)) in corners.iter().zip(views) {
            let next = seen.iter().copied();
            all.next
                .push(next.filter(|seen| corners[*seen as usize].diffracts(corner.place)));
            all.outlines.push(outline);
            all.seen.push(seen);
        }
        all.all = corners;
        all
    }

    /// Finds the view of a corner anew, as it was found before.
    pub(super) fn look(
        &self,
        net: &Triangulation,
        corner: u32,
        plane: f64,
        visibility: &mut Visibility,
    ) {
        let heights = Heights {
            source: plane,
            plane,
        };
        visibility.of_point(
            net,
            self.points[corner as usize],
            self.fans.get(corner),
            heights,
        );
    }

    /// The outline of the view of a corner, metres, anticlockwise.
    pub(super) fn outline(&self, corner: u32) -> &[DVec2] {
        self.outlines.get(corner)
    }

    /// Whether one corner sees another.
    pub(super) fn sees(&self, corner: u32, other: u32) -> bool {
        self.seen.get(corner).binary_search(&other).is_ok()
    }

    /// The corners around which waves from a corner go on.
    pub(super) fn next(&self, corner: u32) -> &[u32] {
        self.next.get(corner)
    }
}

/// The corner at a point, if it stands out, and the triangles around it that are outdoors.
fn corner_at(
    net: &Triangulation,
    point: u32,
    plane: f64,
    is_outdoors: &[bool],
) -> Option<(Corner, Vec<u32>)> {
    let place = net.points[point as usize];
    let mut fan = net.fan(point);
    let at = |triangle: u32| {
        let corners = net.triangles[triangle as usize].corners;
        corners
            .iter()
            .position(|corner| *corner == point)
            .expect("it is in the fan")
    };
    let is_wall = |triangle: u32, step: usize| {
        let side = (at(triangle) + step) % 3;
        net.triangles[triangle as usize].heights[side] > plane
    };
    let along = |triangle: u32, step: usize| {
        let corners = net.triangles[triangle as usize].corners;
        net.points[corners[(at(triangle) + step) % 3] as usize] - place
    };
    let first = fan.iter().position(|triangle| is_wall(*triangle, 0))?;
    fan.rotate_left(first);
    // Each sector reaches from wall to wall.
    for sector in fan.split_inclusive(|triangle| is_wall(*triangle, 2)) {
        let (first, last) = (sector[0], sector[sector.len() - 1]);
        let angle: f64 = sector
            .iter()
            .map(|triangle| along(*triangle, 1).angle_to(along(*triangle, 2)).abs())
            .sum();
        let is_free = is_wall(first, 0) && is_wall(last, 2) && is_outdoors[first as usize];
        if is_free && angle > std::f64::consts::PI + FLAT_WEDGE_ANGLE {
            let walls = [along(first, 1), along(last, 2)];
            return Some((Corner { place, walls }, sector.to_vec()));
        }
    }
    None
}
