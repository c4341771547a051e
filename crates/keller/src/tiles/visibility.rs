//! Which tiles see which: middles, neither in the plane of the other tile, with nothing but these planes between them.
//!
//! A tile looks at all groups of tiles ([`super::groups`]): what a wall hides of them as a whole is left out, and rays are asked for
//! the rest. Two tiles agree about seeing each other, because they ask for the same ray, from the smaller number to the larger.
//!
//! **Cost.** About three rays a pair that is seen, so it follows what is visible and not the square of the tiles.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;
use rayon::prelude::*;

use super::groups::{Groups, Occluders, Shadow};
use super::rows::RowBuilder;
use super::tiling::Tiles;
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
        groups: Groups::new(tiles),
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
const MOST_SHADOWS: usize = 8;

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
            if self.is_hidden(from, node.centre, node.half, node.end - node.start, room) {
                continue;
            }
            if let Some(first) = node.parts {
                room.stack.extend([first + 1, first]);
            } else {
                let tiles = &self.groups.order[node.start as usize..node.end as usize];
                room.wanted.extend_from_slice(tiles);
            }
            if room.wanted.len() >= RAYS_AT_ONCE {
                self.ask(from, room);
            }
        }
        self.ask(from, room);
        room.seen.sort_unstable();
    }

    /// Whether one wall hides all of a box.
    fn is_hidden(
        &self,
        from: &Viewpoint,
        centre: DVec3,
        half: DVec3,
        num_tiles: u32,
        room: &mut Room,
    ) -> bool {
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
        if num_tiles < LEAST_GROUP {
            return false;
        }
        let ray = Ray::between(self.local(from.at), self.local(centre))
            .skipping([from.group(), Ray::NO_GROUP]);
        let hit = self.scene.index().closest_hit(&ray);
        let shadow = hit.and_then(|hit| self.occluders.shadow(hit.triangle as usize, from.at));
        match shadow {
            Some(shadow) if shadow.hides(centre, half) => {
                room.shadows.truncate(MOST_SHADOWS - 1);
                room.shadows.insert(0, shadow);
                true
            }
            _ => false,
        }
    }

    /// Asks for the rays to all wanted tiles.
    fn ask(&self, from: &Viewpoint, room: &mut Room) {
        room.rays.clear();
        let all = self.tiles.all();
        room.wanted.retain(|tile| {
            let of = &all[*tile as usize];
            let plane = self.scene.plane_of(of.face);
            let is_beside =
                |plane: PlaneId, at: DVec3| self.scene.plane(plane).distance(at).abs() < SAME_PLANE;
            if is_beside(plane, from.at) || from.plane.is_some_and(|own| is_beside(own, of.middle))
            {
                return false;
            }
            let [a, b] = if *tile < from.tile {
                [of.middle, from.at]
            } else {
                [from.at, of.middle]
            };
            let skip = [from.group(), group(plane)];
            let skip = if *tile < from.tile {
                [skip[1], skip[0]]
            } else {
                skip
            };
            room.rays
                .push(Ray::between(self.local(a), self.local(b)).skipping(skip));
            true
        });
        room.free.clear();
        room.free.resize(room.rays.len(), false);
        self.scene.index().are_free(&room.rays, &mut room.free);
        let seen = room.wanted.drain(..).zip(&room.free);
        room.seen
            .extend(seen.filter(|(_, is_free)| **is_free).map(|(tile, _)| tile));
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
    wanted: Vec<u32>,
    stack: Vec<u32>,
    shadows: Vec<Shadow>,
    rays: Vec<Ray>,
    free: Vec<bool>,
}
