//! Rows of visibility by an accelerator next to the processor, such as a graphics card.
//!
//! The processor walks through groups of tiles and remembers the walls that hid the last ones. An accelerator has no such
//! memory, but many threads: each takes a viewpoint and a part of all tiles, leaves out runs of them that one wall
//! hides, and sends rays to the rest. Both give the answer of a ray between each pair, so the rows are the same.

use glam::DVec3;

use super::groups::Target;
use super::runs::neighbours_first;
use super::viewpoint_packet::Viewpoint;
use super::walk::Walk;
use crate::geometry::Plane;
use crate::geometry::bvh::{RUNS, Ray, Sight, SightPlace, SightPoint, SightWall, Sights};
use crate::geometry::tolerance::IN_PLANE_DISTANCE;
use crate::scene::Scene;

/// Tiles on an accelerator, and its answers about them.
#[derive(Debug)]
pub(super) struct AcceleratedTiles<'a> {
    walk: &'a Walk,
    /// The tiles that may be seen, as the accelerator has them.
    targets: Vec<&'a Target>,
    sights: Box<dyn Sights>,
}

impl<'a> AcceleratedTiles<'a> {
    /// The tiles from `first` on, on the accelerator behind the scene's index, to be looked at from `num_rows` viewpoints.
    /// `None` if there is no accelerator, or if it does not take the work.
    pub(super) fn new(walk: &'a Walk, num_rows: usize, first: u32) -> Option<Self> {
        let index = walk.scene.index();
        let all = walk.groups.targets.iter();
        let wanted = all.filter(|target| target.tile >= first);
        if !index.sees_by_accelerator(num_rows.saturating_mul(wanted.clone().count())) {
            return None;
        }
        let targets: Vec<&Target> = wanted.collect();
        let centres: Vec<DVec3> = targets.iter().map(|target| target.centre).collect();
        let mut order: Vec<usize> = (0..targets.len()).collect();
        neighbours_first(&centres, &mut order, RUNS[0]);
        let targets: Vec<&Target> = order.into_iter().map(|k| targets[k]).collect();
        let points = targets.iter().map(|target| {
            let Target { centre, tile, .. } = **target;
            walk.point(centre, tile, target.group, &target.plane)
        });
        let points: Vec<SightPoint> = points.collect();
        let (wall_of, walls) = walk.walls();
        let place = SightPlace {
            points: &points,
            wall_of: &wall_of,
            walls: &walls,
            margin: walk.margin,
            beside: walk.beside(),
        };
        let sights = index.sights(&place)?;
        Some(Self {
            walk,
            targets,
            sights,
        })
    }

    /// The accelerator has seen otherwise than the processor from so many viewpoints.
    pub(super) fn refuse(&self, wrong: usize, of: usize) {
        self.sights.refuse(wrong, of);
    }

    /// Viewpoints that it should be asked for together.
    pub(super) fn rows_at_once(&self) -> usize {
        self.sights.rows_at_once()
    }

    /// Passes the tiles that each viewpoint sees to `report`, in the order of the viewpoints. False if the accelerator has
    /// failed; then the tiles that were passed do not count.
    pub(super) fn see_all(&self, from: &[Viewpoint], mut report: impl FnMut(&[u32])) -> bool {
        let points: Option<Vec<SightPoint>> = from.iter().map(|from| self.walk.eye(from)).collect();
        let Some(points) = points else {
            return false;
        };
        let mut seen = Vec::new();
        let looked = self.sights.look(&points, &mut |row, visible| {
            seen.clear();
            self.collect(&from[row], &visible, &mut seen);
            seen.sort_unstable();
            report(&seen);
        });
        looked.is_ok()
    }

    /// Adds the numbers of the tiles that a viewpoint sees.
    fn collect(&self, from: &Viewpoint, visible: &Sight<'_>, seen: &mut Vec<u32>) {
        for (targets, word) in self.targets.chunks(32).zip(visible.seen) {
            let mut word = *word;
            while word != 0 {
                seen.push(targets[word.trailing_zeros() as usize].tile);
                word &= word - 1;
            }
        }
        let doubts = visible.doubts.iter().map(|at| self.targets[*at as usize]);
        let open = doubts.filter(|target| self.walk.sees(from, target));
        seen.extend(open.map(|target| target.tile));
    }
}

impl Target {
    /// The distance of the point from the plane of its tile, metres.
    fn off_plane(&self) -> f64 {
        self.plane.distance(self.centre).abs()
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "what f32 does not show is asked of the processor"
)]
impl Walk {
    /// A point that is farther than this from a plane, computed in f32 from a tile's centre, does not lie in it, metres.
    fn beside(&self) -> f32 {
        let off = self.groups.targets.iter().map(Target::off_plane);
        (IN_PLANE_DISTANCE + off.fold(0.0, f64::max)) as f32 + self.margin
    }

    /// The centre of a tile, and the plane of the tile with its group.
    fn point(&self, at: DVec3, number: u32, group: u32, plane: &Plane) -> SightPoint {
        SightPoint {
            at: self.local(at).to_array(),
            number,
            normal: plane.normal.as_vec3().to_array(),
            group,
            is_in_plane: plane.distance(at).abs() < IN_PLANE_DISTANCE,
        }
    }

    /// A tile as a viewpoint; none for a Tx or Rx.
    fn eye(&self, from: &Viewpoint) -> Option<SightPoint> {
        let plane = from.plane?;
        let group = plane.index() as u32;
        Some(self.point(from.at, from.tile, group, self.scene.plane(plane)))
    }

    /// The number of the wall around each triangle, and the walls.
    fn walls(&self) -> (Vec<u32>, Vec<SightWall>) {
        let scene: &Scene = &self.scene;
        let mut numbers = vec![u32::MAX; self.occluders.len()];
        let mut walls = Vec::new();
        let wall_of = (0..scene.triangles().len()).map(|triangle| {
            let piece = self.occluders.around(triangle as u32);
            let number = &mut numbers[piece.index()];
            if *number == u32::MAX {
                *number = walls.len() as u32;
                let (corners, plane) = self.occluders.piece(scene, piece);
                walls.push(SightWall {
                    corners: corners.map(|corner| self.local(corner).to_array()),
                    normal: scene.plane(plane).normal.as_vec3().to_array(),
                });
            }
            *number
        });
        (wall_of.collect(), walls)
    }

    /// Whether a viewpoint sees a tile, by the planes and one ray.
    fn sees(&self, from: &Viewpoint, target: &Target) -> bool {
        let own = from.plane.map(|plane| self.scene.plane(plane));
        let is_off = |distance: f64| distance.abs() >= IN_PLANE_DISTANCE;
        own.is_none_or(|own| is_off(own.distance(target.centre)))
            && is_off(target.plane.distance(from.at))
            && self.scene.index().is_free(&self.ray(from, target))
    }

    /// The segment between a viewpoint and a tile: from the smaller number to the larger, so that both see each other or neither
    /// does.
    pub(super) fn ray(&self, from: &Viewpoint, target: &Target) -> Ray {
        let group = from
            .plane
            .map_or(Ray::NO_GROUP, |plane| plane.index() as u32);
        let [here, there] = [from.at, target.centre].map(|p| self.local(p));
        if target.tile < from.tile {
            Ray::between(there, here).skipping([target.group, group])
        } else {
            Ray::between(here, there).skipping([group, target.group])
        }
    }
}
