//! Which tiles see which: middles, neither in the plane of the other tile, with nothing but these planes between them.
//!
//! A tile looks at all groups of tiles ([`super::groups`]): what a wall hides of them as a whole is left out, and rays are asked for
//! the rest. Two tiles agree about seeing each other, because they ask for the same ray, from the smaller number to the larger.
//!
//! **Cost.** Follows what is visible and not the square of the tiles: in a city 2 to 3 µs of a core a pair that is seen, more than half of it for finding out
//! what hides groups. Each pair is asked for from both sides.

use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;
use rayon::prelude::*;

use super::groups::{Groups, Node, Target};
use super::occluders::{Occluders, Shadow};
use super::rows::RowBuilder;
use super::tiling::Tiles;
use crate::geometry::Plane;
use crate::geometry::bvh::Ray;
use crate::scene::{PlaneId, Scene};
use crate::{Control, Error, Stage};

/// Who knows which tiles see which: memory, or a file.
pub trait Sees: Send + Sync + std::fmt::Debug {
    /// The row of a tile, for [`super::row_ids`].
    fn row(&self, tile: usize) -> &[u8];
}

/// All rows, in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visibility(RowBuilder);

impl Visibility {
    /// What the tiles of a scene see of each other.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn new(scene: &Scene, tiles: &Tiles, control: &Control) -> Result<Self, Error> {
        let look = look(scene, tiles);
        Ok(Self(look.rows(0..tiles.len(), control)?))
    }

    /// How many pairs see each other, each counted twice.
    pub fn num_pairs(&self) -> u64 {
        self.0.num_pairs
    }

    /// Of all rows, in memory or in a file.
    pub fn num_bytes(&self) -> usize {
        self.0.bytes.len()
    }
}

impl Sees for Visibility {
    fn row(&self, tile: usize) -> &[u8] {
        let place = |end: u64| usize::try_from(end).unwrap_or(usize::MAX);
        let start = tile.checked_sub(1).map_or(0, |k| place(self.0.ends[k]));
        &self.0.bytes[start..place(self.0.ends[tile])]
    }
}

/// Gets ready to look from tiles.
pub fn look<'a>(scene: &'a Scene, tiles: &Tiles) -> Look<'a> {
    Look {
        scene,
        tiles: tiles.clone(),
        groups: Groups::new(scene, tiles),
        occluders: Occluders::new(scene),
    }
}

/// Looks from tiles, and from anywhere else.
#[derive(Debug)]
pub struct Look<'a> {
    scene: &'a Scene,
    tiles: Tiles,
    groups: Groups,
    occluders: Occluders,
}

/// Tiles that one thread looks from at a time.
const TILES_AT_ONCE: usize = 64;

/// Walls that lately hid something are tried again first.
const MOST_SHADOWS: usize = 12;

/// Of these, so many are tried on single tiles: a ray costs no more than some more.
const FEW_SHADOWS: usize = 4;

/// Smaller groups are asked for tile by tile at once.
const LEAST_GROUP: u32 = 4;

impl Look<'_> {
    /// The rows of these tiles, in their order. They depend neither on the number of threads nor on which rows are asked for together.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn rows(&self, tiles: Range<usize>, control: &Control) -> Result<RowBuilder, Error> {
        let num = tiles.len();
        let starts: Vec<usize> = tiles.clone().step_by(TILES_AT_ONCE).collect();
        let done = AtomicUsize::new(0);
        let blocks: Result<Vec<RowBuilder>, Error> = starts
            .par_iter()
            .map(|start| {
                control.check()?;
                let mut rows = RowBuilder::default();
                let mut room = Room::default();
                let end = tiles.end.min(start + TILES_AT_ONCE);
                for tile in *start..end {
                    self.look_from(tile, &mut room);
                    rows.push(&room.seen);
                }
                let done = done.fetch_add(end - start, Ordering::Relaxed) + end - start;
                control.report(Stage::Visibility, done as f64 / num as f64);
                Ok(rows)
            })
            .collect();
        let mut all = RowBuilder::default();
        for block in blocks? {
            all.append(&block);
        }
        Ok(all)
    }

    /// The tiles that a point sees, in ascending order. No wall at the point itself is left out.
    pub fn seen_from(&self, point: DVec3) -> Vec<u32> {
        let mut room = Room::default();
        let from = Viewpoint {
            at: point,
            plane: None,
            tile: u32::MAX,
        };
        self.see(&from, &mut room);
        room.seen
    }

    fn look_from(&self, tile: usize, room: &mut Room) {
        let of = &self.tiles.all()[tile];
        let from = Viewpoint {
            at: of.middle,
            plane: Some(self.scene.plane_of(of.face)),
            tile: u32::try_from(tile).expect("fewer than 2^32 tiles"),
        };
        self.see(&from, room);
    }

    /// The tiles that are seen, in ascending order, into `room.seen`.
    fn see(&self, from: &Viewpoint, room: &mut Room) {
        room.seen.clear();
        room.shadows.clear();
        room.stack.clear();
        room.wanted.clear();
        if !self.groups.nodes.is_empty() {
            room.stack.push(0);
        }
        while let Some(index) = room.stack.pop() {
            let node = self.groups.nodes[index as usize];
            if self.is_hidden(from, index as usize, room) {
                continue;
            }
            if let Some(first) = node.parts {
                room.stack.extend([first + 1, first]);
            } else {
                for target in &self.groups.targets[node.start as usize..node.end as usize] {
                    // A shadow that does not hide the whole group hides some of it more often than not.
                    let mut shadows = room.shadows.iter().take(FEW_SHADOWS);
                    if !shadows.any(|shadow| shadow.hides(target.middle, DVec3::ZERO)) {
                        room.wanted.push(*target);
                    }
                }
            }
            if room.wanted.len() >= RAYS_AT_ONCE {
                self.ask(from, room);
            }
        }
        self.ask(from, room);
        room.seen.sort_unstable();
    }

    /// Whether one wall hides all of a group.
    fn is_hidden(&self, from: &Viewpoint, index: usize, room: &mut Room) -> bool {
        let Node {
            centre,
            half,
            start,
            end,
            ..
        } = self.groups.nodes[index];
        if let Some(plane) = from.plane {
            // What lies in its own plane is not seen.
            let plane = self.scene.plane(plane);
            let reach = plane.normal.abs().dot(half);
            if reach + plane.distance(centre).abs() < SAME_PLANE {
                return true;
            }
        }
        if let Some(k) = room.shadows.iter().position(|s| s.hides(centre, half)) {
            // The last that hid something is the first to be asked.
            room.shadows[..=k].rotate_right(1);
            return true;
        }
        // What hid it from the tile before, which is a neighbour most of the time.
        let known = room.hidden_by.get(index).copied().flatten();
        let known =
            known.and_then(|piece| self.occluders.shadow(piece.get() as usize - 1, from.at));
        if let Some(shadow) = known
            && shadow.hides(centre, half)
        {
            room.keep(shadow);
            return true;
        }
        if end - start < LEAST_GROUP {
            return false;
        }
        let ray = Ray::between(self.local(from.at), self.local(centre))
            .skipping([from.group(), Ray::NO_GROUP]);
        let Some(hit) = self.scene.index().closest_hit(&ray) else {
            return false;
        };
        let Some(shadow) = self.occluders.shadow(hit.triangle as usize, from.at) else {
            return false;
        };
        // Even if it does not hide all of this group, it may hide its parts.
        room.keep(shadow);
        let is_hidden = shadow.hides(centre, half);
        if is_hidden {
            room.hidden_by.resize(self.groups.nodes.len(), None);
            room.hidden_by[index] = NonZeroU32::new(hit.triangle + 1);
        }
        is_hidden
    }

    /// Asks for the rays to all wanted tiles.
    fn ask(&self, from: &Viewpoint, room: &mut Room) {
        room.rays.clear();
        let is_beside = |plane: &Plane, at: DVec3| plane.distance(at).abs() < SAME_PLANE;
        let own = from.plane.map(|plane| *self.scene.plane(plane));
        let group = from.group();
        let from_local = self.local(from.at);
        room.wanted.retain(|target| {
            if is_beside(&target.plane, from.at)
                || own.is_some_and(|own| is_beside(&own, target.middle))
            {
                return false;
            }
            let to = self.local(target.middle);
            room.rays.push(if target.tile < from.tile {
                Ray::between(to, from_local).skipping([target.group, group])
            } else {
                Ray::between(from_local, to).skipping([group, target.group])
            });
            true
        });
        room.free.clear();
        room.free.resize(room.rays.len(), false);
        self.scene.index().are_free(&room.rays, &mut room.free);
        let seen = room.wanted.drain(..).zip(&room.free);
        room.seen.extend(
            seen.filter(|(_, is_free)| **is_free)
                .map(|(target, _)| target.tile),
        );
    }

    fn local(&self, point: DVec3) -> glam::Vec3 {
        (point - self.scene.origin()).as_vec3()
    }
}

/// Rays that are asked for together.
const RAYS_AT_ONCE: usize = 512;

/// What is no farther from a plane lies in it, metres.
const SAME_PLANE: f64 = 1e-4;

/// From where tiles are looked at.
#[derive(Debug, Clone, Copy)]
struct Viewpoint {
    at: DVec3,
    /// Does not hide anything.
    plane: Option<PlaneId>,
    /// Its number; larger than all of tiles if it is none.
    tile: u32,
}

impl Viewpoint {
    fn group(&self) -> u32 {
        self.plane.map_or(Ray::NO_GROUP, group)
    }
}

fn group(plane: PlaneId) -> u32 {
    u32::try_from(plane.index()).expect("planes fit in 32 bits")
}

/// Room to work in, reused.
#[derive(Debug, Default)]
struct Room {
    seen: Vec<u32>,
    wanted: Vec<Target>,
    stack: Vec<u32>,
    shadows: Vec<Shadow>,
    /// The piece of wall, and one more, that last hid each group.
    hidden_by: Vec<Option<NonZeroU32>>,
    rays: Vec<Ray>,
    free: Vec<bool>,
}

impl Room {
    /// The next that are asked try this shadow first.
    fn keep(&mut self, shadow: Shadow) {
        self.shadows.truncate(MOST_SHADOWS - 1);
        self.shadows.insert(0, shadow);
    }
}
