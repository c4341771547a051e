//! One interaction without pairs of tiles: the points that a wave may reach by one reflecting plane or by one edge.
//!
//! The Tx sees parts of planes and edges ([`Opening`]). Each of them sends a wave on: from the image of the Tx through
//! the part of the plane, or onto the Keller cones of the part of the edge ([`wave`]). The wave is followed through a
//! tree of points. A group of points is left out if the geometry of the wave does not lead there, or if one convex
//! piece of wall hides all of the group from all of the part that sends the wave ([`hidden`]). A ray to the centre of
//! the group finds the piece to test. The remaining points are solved and validated like every proposal.
//!
//! No path is lost: a point is left out only if its exact path is blocked or does not exist. The search passes through
//! no walls.
//!
//! **Cost.** A ray for each group and each point that no known wall hides: in a city some 150 groups and 100 points an
//! edge. Casting the rays of one level of the tree as a batch is slower.

mod hidden;
mod openings;
mod wave;

use glam::{DVec3, Vec3};

use self::hidden::{Shape, Wall};
pub(crate) use self::openings::{Opening, Turn};
use super::groups::{Groups, Node};
use super::occluders::{Occluders, PieceId};
use crate::geometry::bvh::Ray;
use crate::scene::Scene;

/// The walls that hide points from the sources of waves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blinds<'a> {
    pub(super) scene: &'a Scene,
    pub(super) occluders: &'a Occluders,
    /// The distance from a border within which segments that pass it are not certainly hidden, metres.
    pub(super) margin: f64,
}

/// A point, or a ball around a whole tile or a group, metres, to which a wave may be too weak.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) centre: DVec3,
    /// 0 for a point.
    pub(crate) radius: f64,
    /// The area of its tiles, m².
    pub(crate) area: f64,
    /// The tile or point, where it is one.
    pub(crate) only: Option<u32>,
}

impl Groups {
    /// The point, or the box around the tile, at a place in [`Groups::targets`].
    fn shape(&self, at: u32) -> Shape<'static> {
        let centre = self.targets[at as usize].centre;
        match self.halves.get(at as usize) {
            Some(half) => Shape::Box {
                centre,
                half: *half,
            },
            None => Shape::Point(centre),
        }
    }
}

/// The number of pieces of wall that blocked a larger group and are also tried for its parts.
const MAX_WALLS: usize = 2;

/// The latest pieces that a ray met on the way down to a group.
type Known = [Option<PieceId>; MAX_WALLS];

/// Buffers that are reused.
#[derive(Debug, Default)]
struct Scratch {
    stack: Vec<(u32, Known)>,
    /// Points or tiles of a group that no known piece hides, and the points from which the wave leaves for them.
    wanted: Vec<(u32, [DVec3; 2])>,
    rays: Vec<Ray>,
    blockers: Vec<Option<u32>>,
}

impl Blinds<'_> {
    /// The numbers of the points, or of the whole tiles, that the wave from an opening may reach, in ascending order.
    /// They and groups are skipped unless `is_strong` holds for them.
    pub(super) fn reached(
        &self,
        opening: &Opening,
        points: &Groups,
        is_strong: impl Fn(&Asked) -> bool,
    ) -> Vec<u32> {
        let mut found = Vec::new();
        let mut scratch = Scratch::default();
        if !points.nodes.is_empty() {
            scratch.stack.push((0, [None; MAX_WALLS]));
        }
        while let Some((index, known)) = scratch.stack.pop() {
            let node = &points.nodes[index as usize];
            let Some(known) = self.enters(opening, node, known, &is_strong) else {
                continue;
            };
            if let Some(first) = node.parts {
                scratch.stack.push((first + 1, known));
                scratch.stack.push((first, known));
                continue;
            }
            scratch.wanted.clear();
            for at in node.start..node.end {
                let target = &points.targets[at as usize];
                if opening.group() == Some(target.group) {
                    continue;
                }
                let shape = points.shape(at);
                let half = points.halves.get(at as usize);
                let asked = Asked {
                    centre: target.centre,
                    radius: half.map_or(0.0, |half| half.length()),
                    area: target.area,
                    only: Some(target.tile),
                };
                if let Some(from) = opening.wave.leaves_from(&shape)
                    && !self.is_hidden_by(opening, &known, &from, &shape)
                    && is_strong(&asked)
                {
                    scratch.wanted.push((at, from));
                }
            }
            self.add_unhidden(opening, points, &mut scratch, &mut found);
        }
        found.sort_unstable();
        found
    }

    /// Adds those wanted whose rays to the centre meet no piece that certainly hides them.
    fn add_unhidden(
        &self,
        opening: &Opening,
        points: &Groups,
        scratch: &mut Scratch,
        found: &mut Vec<u32>,
    ) {
        scratch.rays.clear();
        for (at, from) in &scratch.wanted {
            let to = points.targets[*at as usize].centre;
            // No ray is needed without a start: it gets length zero.
            let start = opening.wave.ray_start(from, to).unwrap_or(to);
            let ray = Ray::between(self.local(start), self.local(to));
            scratch.rays.push(ray.skipping(opening.own_groups));
        }
        scratch.blockers.clear();
        scratch.blockers.resize(scratch.rays.len(), None);
        self.scene
            .index()
            .blockers(&scratch.rays, &mut scratch.blockers);
        for ((at, from), blocker) in scratch.wanted.iter().zip(&scratch.blockers) {
            let target = &points.targets[*at as usize];
            let piece = blocker.map(|triangle| self.occluders.around(triangle));
            if !self.is_hidden_by(opening, &[piece], from, &points.shape(*at)) {
                found.push(target.tile);
            }
        }
    }

    /// The pieces to be tried inside a group; `None` if the wave certainly reaches no point of it.
    fn enters(
        &self,
        opening: &Opening,
        node: &Node,
        known: Known,
        is_strong: impl Fn(&Asked) -> bool,
    ) -> Option<Known> {
        let shape = Shape::Box {
            centre: node.centre,
            half: node.half,
        };
        let from = opening.wave.leaves_from(&shape)?;
        let asked = Asked {
            centre: node.centre,
            radius: node.half.length(),
            area: node.area,
            only: None,
        };
        if self.is_hidden_by(opening, &known, &from, &shape) || !is_strong(&asked) {
            return None;
        }
        let Some(start) = opening.wave.ray_start(&from, node.centre) else {
            return Some(known);
        };
        let piece = self.blocker(start, node.centre, opening.own_groups);
        let Some(piece) = piece.filter(|piece| !known.contains(&Some(*piece))) else {
            return Some(known);
        };
        let mut latest = [Some(piece); MAX_WALLS];
        latest[1..].copy_from_slice(&known[..MAX_WALLS - 1]);
        let is_hidden = self.is_hidden_by(opening, &latest[..1], &from, &shape);
        (!is_hidden).then_some(latest)
    }

    fn is_hidden_by(
        &self,
        opening: &Opening,
        pieces: &[Option<PieceId>],
        from: &[DVec3; 2],
        shape: &Shape,
    ) -> bool {
        pieces.iter().flatten().any(|piece| {
            let wall = self.wall(*piece);
            opening.wave.is_before(&wall) && wall.hides(from, shape, self.margin)
        })
    }

    /// The piece of wall that a ray between two points hits first; the ray passes the planes in `skip`.
    fn blocker(&self, from: DVec3, to: DVec3, skip: [u32; 2]) -> Option<PieceId> {
        let ray = Ray::between(self.local(from), self.local(to)).skipping(skip);
        let hit = self.scene.index().closest_hit(&ray)?;
        Some(self.occluders.around(hit.triangle))
    }

    fn wall(&self, piece: PieceId) -> Wall {
        let (corners, plane) = self.occluders.piece(self.scene, piece);
        Wall {
            corners,
            plane: *self.scene.plane(plane),
        }
    }

    fn local(&self, point: DVec3) -> Vec3 {
        (point - self.scene.origin()).as_vec3()
    }
}
