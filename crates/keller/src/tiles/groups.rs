//! Nested groups of tiles. A wall that hides a whole group is tested once.

use glam::DVec3;

use super::set::Tiles;
use crate::geometry::Plane;
use crate::geometry::bvh::Ray;
use crate::scene::Scene;

/// Largest number of tiles in a group whose tiles are tested one by one.
const MAX_TILES: usize = 16;

/// A tree of groups. The box of a group contains the centres of its tiles, or all of its tiles.
#[derive(Debug)]
pub(crate) struct Groups {
    pub(super) nodes: Vec<Node>,
    /// The tiles, group by group.
    pub(super) targets: Vec<Target>,
    /// Half the size of the box around each whole tile, metres; none where centres stand for tiles.
    pub(super) halves: Vec<DVec3>,
}

/// The data of a tile that a visibility test needs, in one place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    pub(super) tile: u32,
    /// The number of its plane.
    pub(super) group: u32,
    /// The centre of the tile, or of the box around it.
    pub(super) centre: DVec3,
    /// Square metres; nothing for a point.
    pub(super) area: f64,
    pub(super) plane: Plane,
}

/// A group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// Centre and half size of its box, metres.
    pub(super) centre: DVec3,
    pub(super) half: DVec3,
    /// The range of its tiles in [`Groups::targets`].
    pub(super) start: u32,
    pub(super) end: u32,
    /// The largest number of its tiles.
    pub(super) last: u32,
    /// The area of its tiles, m².
    pub(super) area: f64,
    /// The first of its two parts, if it has any. The second follows it.
    pub(super) parts: Option<u32>,
}

impl Groups {
    /// Groups of the centres of tiles.
    pub(super) fn new(scene: &Scene, tiles: &Tiles) -> Self {
        let target = |tile| {
            let centre = tiles.all()[tile as usize].centre;
            Target::of(scene, tiles, tile, centre)
        };
        Self::of(tiles.len(), target, |_| DVec3::ZERO)
    }

    /// Groups of whole tiles: a tile is reached if any point of it may be.
    pub(super) fn of_whole(scene: &Scene, tiles: &Tiles) -> Self {
        let boxes: Vec<[DVec3; 2]> = (0..tiles.len()).map(|tile| tiles.bounds(tile)).collect();
        let target = |tile| {
            let [low, high] = boxes[tile as usize];
            Target::of(scene, tiles, tile, 0.5 * (low + high))
        };
        let half = |tile: u32| {
            let [low, high] = boxes[tile as usize];
            0.5 * (high - low)
        };
        let mut groups = Self::of(tiles.len(), target, half);
        let targets = groups.targets.iter();
        groups.halves = targets.map(|target| half(target.tile)).collect();
        groups
    }

    /// Groups of points in free space instead of tiles, identified by their indices.
    pub(crate) fn of_points(points: &[DVec3]) -> Self {
        let target = |point| Target {
            tile: point,
            group: Ray::NO_GROUP,
            centre: points[point as usize],
            area: 0.0,
            plane: Plane {
                normal: DVec3::ZERO,
                offset: f64::INFINITY,
            },
        };
        Self::of(points.len(), target, |_| DVec3::ZERO)
    }

    fn of(num: usize, target: impl Fn(u32) -> Target, half: impl Fn(u32) -> DVec3) -> Self {
        let count = |n: usize| u32::try_from(n).expect("fewer than 2^32 tiles");
        let mut order: Vec<u32> = (0..count(num)).collect();
        let all: Vec<Target> = (0..count(num)).map(target).collect();
        let centre = |tile: &u32| all[*tile as usize].centre;
        let node = |order: &[u32], start: usize| {
            let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            for number in order {
                let (at, half) = (centre(number), half(*number));
                (low, high) = (low.min(at - half), high.max(at + half));
            }
            Node {
                centre: 0.5 * (low + high),
                half: 0.5 * (high - low),
                start: count(start),
                end: count(start + order.len()),
                last: order.iter().copied().max().unwrap_or(0),
                area: order.iter().map(|tile| all[*tile as usize].area).sum(),
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
            if mine.len() > MAX_TILES {
                let axis = half.to_array();
                let axis = (0..3).max_by(|a, b| axis[*a].total_cmp(&axis[*b]));
                let axis = axis.unwrap_or(0);
                let split = mine.len() / 2;
                mine.select_nth_unstable_by(split, |a, b| {
                    let [x, y] = [a, b].map(|tile| centre(tile)[axis]);
                    x.total_cmp(&y).then(a.cmp(b))
                });
                nodes[at].parts = Some(count(nodes.len()));
                let parts = [start..start + split, start + split..end];
                nodes.extend(parts.map(|part| node(&order[part.clone()], part.start)));
            } else {
                mine.sort_unstable();
            }
            at += 1;
        }
        let target = |tile: u32| all[tile as usize];
        Self {
            nodes,
            targets: order.into_iter().map(target).collect(),
            halves: Vec::new(),
        }
    }
}

impl Target {
    fn of(scene: &Scene, tiles: &Tiles, tile: u32, centre: DVec3) -> Self {
        let of = &tiles.all()[tile as usize];
        let plane = scene.plane_of(of.face);
        Self {
            tile,
            group: plane.group(),
            centre,
            area: of.area,
            plane: *scene.plane(plane),
        }
    }
}
