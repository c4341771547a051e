//! One walk of eight viewpoints through all groups of tiles: what each of them sees.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::eight::{Eight, SAME_PLANE, eyes};
use super::groups::{Groups, Node};
use super::occluders::{Occluders, PieceId};
use super::room::{MOST_WALLS, Room};
use super::screens::{Screen, Some8};
#[cfg(target_arch = "x86_64")]
use crate::geometry::bvh::simd::{Avx2, Avx512};
use crate::geometry::bvh::simd::{Portable, Simd};
use crate::geometry::bvh::{Dispatch, Ray};
use crate::scene::Scene;

/// So often one of the eight asks for each.
const ROUNDS: usize = 3;

/// Targets that are asked for together.
const WANTED_AT_ONCE: usize = 128;

/// Where eyes walk.
#[derive(Debug)]
pub(super) struct Walk {
    pub(super) scene: Arc<Scene>,
    pub(super) groups: Groups,
    pub(super) occluders: Occluders,
    /// Who passes a border by less is in doubt, metres.
    pub(super) margin: f32,
}

impl Walk {
    /// What the eight see of the tiles from `first` on, into `room.seen`.
    #[allow(unsafe_code, reason = "vector instructions")]
    pub(super) fn see(&self, eight: &Eight, first: u32, room: &mut Room) {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        fn avx2(walk: &Walk, eight: &Eight, room: &mut Room) {
            // SAFETY: this function has the instructions.
            unsafe { walk.through::<Avx2>(eight, room) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl")]
        fn avx512(walk: &Walk, eight: &Eight, room: &mut Room) {
            // SAFETY: this function has the instructions.
            unsafe { walk.through::<Avx512>(eight, room) }
        }
        room.begin(self.occluders.len(), self.groups.targets.len(), first);
        match self.scene.index().dispatch() {
            // SAFETY: an index has a dispatch only if the machine has its instructions.
            #[cfg(target_arch = "x86_64")]
            Dispatch::Avx512 => unsafe { avx512(self, eight, room) },
            // SAFETY: the same.
            #[cfg(target_arch = "x86_64")]
            Dispatch::Avx2 => unsafe { avx2(self, eight, room) },
            // SAFETY: plain arrays need no instructions.
            _ => unsafe { self.through::<Portable>(eight, room) },
        }
    }

    /// # Safety
    /// As [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    unsafe fn through<S: Simd>(&self, eight: &Eight, room: &mut Room) {
        if !self.groups.nodes.is_empty() {
            room.stack.push((0, eight.all));
        }
        while let Some((index, looking)) = room.stack.pop() {
            let node = &self.groups.nodes[index as usize];
            if node.last < room.first {
                continue;
            }
            // SAFETY: the caller's.
            let looking = unsafe { self.not_hidden::<S>(eight, node, looking, room) };
            if looking == 0 {
                continue;
            }
            if let Some(first) = node.parts {
                room.stack.push((first + 1, looking));
                room.stack.push((first, looking));
            } else {
                // SAFETY: the caller's.
                unsafe { self.look_at_each::<S>(eight, node, looking, room) };
            }
        }
        // SAFETY: the caller's.
        unsafe { self.settle::<S>(eight, room) };
    }

    /// Those of the eight from which no one wall hides all of a group.
    ///
    /// # Safety
    /// As [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    unsafe fn not_hidden<S: Simd>(
        &self,
        eight: &Eight,
        node: &Node,
        looking: Some8,
        room: &mut Room,
    ) -> Some8 {
        let Node { centre, half, .. } = *node;
        if let Some(plane) = &eight.plane
            && plane.normal.abs().dot(half) + plane.distance(centre).abs() < SAME_PLANE
        {
            // What lies in their own plane is not seen.
            return 0;
        }
        let mut looking = looking;
        // SAFETY: the caller's.
        let seen = unsafe { eight.eyes.look_at::<S>(centre) };
        let cell = eight.cell(centre);
        for k in 0..MOST_WALLS {
            let Some(piece) = room.walls[cell][k] else {
                break;
            };
            let wall = self.screen(eight, piece, room);
            // SAFETY: the caller's.
            looking &= !unsafe { room.screens[wall].hides_box([centre, half], &seen, self.margin) };
            if looking == 0 {
                // The last that hid something is the first to be asked.
                room.walls[cell][..=k].rotate_right(1);
                return 0;
            }
        }
        if node.parts.is_none() {
            // Its tiles are asked for one by one.
            return looking;
        }
        let eye = looking.trailing_zeros() as usize;
        let ray = Ray::between(self.local(eight.from[eye].at), self.local(centre))
            .skipping([eight.groups[eye], Ray::NO_GROUP]);
        if let Some(hit) = self.scene.index().closest_hit(&ray) {
            // Even if it does not hide all of this group, it may hide its parts.
            let piece = self.occluders.around(hit.triangle);
            room.keep(cell, piece);
            let wall = self.screen(eight, piece, room);
            let wall = &room.screens[wall];
            // SAFETY: the caller's.
            looking &= !unsafe { wall.hides_box([centre, half], &seen, self.margin) };
        }
        looking
    }

    /// Those tiles of a group that nothing known hides from those that look, into `room.wanted`.
    ///
    /// # Safety
    /// As [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    unsafe fn look_at_each<S: Simd>(
        &self,
        eight: &Eight,
        node: &Node,
        looking: Some8,
        room: &mut Room,
    ) {
        for at in node.start..node.end {
            let target = &self.groups.targets[at as usize];
            if target.tile < room.first {
                continue;
            }
            // SAFETY: the caller's.
            let seen = unsafe { eight.eyes.look_at::<S>(target.middle) };
            // SAFETY: the caller's.
            let mut wanted = looking & unsafe { eight.not_in_plane::<S>(target, &seen, looking) };
            if wanted == 0 {
                continue;
            }
            if let Some(piece) = room.blocker[target.tile as usize] {
                let screen = self.screen(eight, piece, room);
                // SAFETY: the caller's.
                wanted &= !unsafe { room.screens[screen].hides(target.middle, &seen, self.margin) };
            }
            let cell = eight.cell(target.middle);
            for k in 0..MOST_WALLS {
                let Some(piece) = room.walls[cell][k] else {
                    break;
                };
                if wanted == 0 {
                    break;
                }
                let wall = self.screen(eight, piece, room);
                // SAFETY: the caller's.
                wanted &= !unsafe { room.screens[wall].hides(target.middle, &seen, self.margin) };
                if wanted == 0 {
                    room.walls[cell][..=k].rotate_right(1);
                }
            }
            if wanted != 0 {
                room.wanted.push((at, wanted));
            }
        }
        if room.wanted.len() >= WANTED_AT_ONCE {
            // SAFETY: the caller's.
            unsafe { self.settle::<S>(eight, room) };
        }
    }

    /// Asks for rays to all that are wanted: first from one of the eight each. What blocks it hides the tile from others too, more often than not.
    ///
    /// # Safety
    /// As [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    unsafe fn settle<S: Simd>(&self, eight: &Eight, room: &mut Room) {
        let mut wanted = std::mem::take(&mut room.wanted);
        for _ in 0..ROUNDS {
            room.asked.clear();
            let first = |(at, wanted): &(u32, Some8)| (*at, wanted.trailing_zeros());
            room.asked.extend(wanted.iter().map(first));
            self.ask(eight, room);
            for (k, (at, wanted)) in wanted.iter_mut().enumerate() {
                *wanted &= *wanted - 1;
                if let Some(triangle) = room.blockers[k] {
                    let target = &self.groups.targets[*at as usize];
                    let piece = self.occluders.around(triangle);
                    room.keep(eight.cell(target.middle), piece);
                    let screen = self.screen(eight, piece, room);
                    // SAFETY: the caller's.
                    *wanted &= !unsafe {
                        let seen = eight.eyes.look_at::<S>(target.middle);
                        room.screens[screen].hides(target.middle, &seen, self.margin)
                    };
                }
            }
            wanted.retain(|(_, wanted)| *wanted != 0);
        }
        room.asked.clear();
        for (at, wanted) in &wanted {
            room.asked.extend(eyes(*wanted).map(|eye| (*at, eye)));
        }
        self.ask(eight, room);
        wanted.clear();
        room.wanted = wanted;
    }

    /// Asks for the rays in `room.asked`.
    fn ask(&self, eight: &Eight, room: &mut Room) {
        room.rays.clear();
        for (at, eye) in &room.asked {
            let target = &self.groups.targets[*at as usize];
            let from = &eight.from[*eye as usize];
            let group = eight.groups[*eye as usize];
            let [here, there] = [from.at, target.middle].map(|p| self.local(p));
            room.rays.push(if target.tile < from.tile {
                Ray::between(there, here).skipping([target.group, group])
            } else {
                Ray::between(here, there).skipping([group, target.group])
            });
        }
        room.blockers.clear();
        room.blockers.resize(room.rays.len(), None);
        self.scene.index().blockers(&room.rays, &mut room.blockers);
        for ((at, eye), blocker) in room.asked.iter().zip(&room.blockers) {
            let tile = self.groups.targets[*at as usize].tile;
            if let Some(triangle) = blocker {
                room.blocker[tile as usize] = Some(self.occluders.around(*triangle));
            } else {
                room.seen[*eye as usize].push(tile);
            }
        }
    }

    /// Where in `room.screens` a piece of wall is.
    #[inline(always)]
    fn screen(&self, eight: &Eight, piece: PieceId, room: &mut Room) -> usize {
        let (eight_number, screen) = room.screen_of[piece.index()];
        if eight_number == room.eight {
            return screen as usize;
        }
        let (corners, plane) = self.occluders.piece(&self.scene, piece);
        let screen = room.screens.len();
        room.screens.push(Screen::new(
            corners,
            *self.scene.plane(plane),
            &eight.eyes,
            eight.in_plane(plane),
        ));
        room.screen_of[piece.index()] = (
            room.eight,
            u32::try_from(screen).expect("fewer than pieces"),
        );
        screen
    }

    fn local(&self, point: DVec3) -> Vec3 {
        (point - self.scene.origin()).as_vec3()
    }
}
