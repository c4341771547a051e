//! One walk of eight viewpoints through all groups of tiles. It finds the tiles that each viewpoint sees.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::groups::{Groups, Node};
use super::occluders::{Occluders, PieceId};
use super::packet_sides::PacketSides;
use super::scratch::{MAX_WALLS, Scratch};
use super::screens::{LaneMask, Screen};
use super::sides::TileSides;
use super::viewpoint_packet::{ViewpointPacket, eyes};
#[cfg(target_arch = "x86_64")]
use crate::geometry::bvh::simd::{Avx2, Avx512, Portable, Simd};
use crate::geometry::bvh::{Dispatch, Ray};
use crate::geometry::tolerance::IN_PLANE_DISTANCE;
use crate::scene::Scene;

/// Rounds in which one of the eight viewpoints sends a ray to each tile.
const ROUNDS: usize = 3;

/// Number of targets for which rays are cast together.
const WANTED_AT_ONCE: usize = 128;

/// The scene, tiles and walls through which a packet of viewpoints walks.
#[derive(Debug)]
pub(super) struct Walk {
    pub(super) scene: Arc<Scene>,
    pub(super) groups: Groups,
    pub(super) occluders: Occluders,
    /// The sides of tiles on which the insides of buildings are.
    pub(super) sides: TileSides,
    /// The distance from a border within which segments that pass it are not certainly hidden, metres.
    pub(super) margin: f32,
}

impl Walk {
    /// Finds the tiles from `first` on that each viewpoint of the packet sees, into `scratch.seen`.
    #[allow(unsafe_code, reason = "vector instructions")]
    pub(super) fn see(&self, packet: &ViewpointPacket, first: u32, scratch: &mut Scratch) {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        fn avx2(walk: &Walk, packet: &ViewpointPacket, scratch: &mut Scratch) {
            // SAFETY: this function is compiled for these instructions.
            unsafe { walk.through::<Avx2>(packet, scratch) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl")]
        fn avx512(walk: &Walk, packet: &ViewpointPacket, scratch: &mut Scratch) {
            // SAFETY: this function is compiled for these instructions.
            unsafe { walk.through::<Avx512>(packet, scratch) }
        }
        scratch.begin(self.occluders.len(), self.groups.targets.len(), first);
        match self.scene.index().dispatch() {
            // SAFETY: an index has a dispatch only if the machine has its instructions.
            #[cfg(target_arch = "x86_64")]
            Dispatch::Avx512 => unsafe { avx512(self, packet, scratch) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Dispatch::Avx2 => unsafe { avx2(self, packet, scratch) },
            // SAFETY: plain arrays need no instructions.
            _ => unsafe { self.through::<Portable>(packet, scratch) },
        }
    }

    /// # Safety
    /// The same as for [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    unsafe fn through<S: Simd>(&self, packet: &ViewpointPacket, scratch: &mut Scratch) {
        let sides = PacketSides::new(packet, &self.sides, self.margin);
        if !self.groups.nodes.is_empty() {
            scratch.stack.push((0, packet.all));
        }
        while let Some((index, active)) = scratch.stack.pop() {
            let node = &self.groups.nodes[index as usize];
            if node.last < scratch.first {
                continue;
            }
            let may_mention = |solid| self.sides.may_mention(index, solid);
            // SAFETY: the caller guarantees it.
            let active = active & !unsafe { sides.hide_box::<S>(packet, node, may_mention) };
            if active == 0 {
                continue;
            }
            // SAFETY: the caller guarantees it.
            let active = unsafe { self.not_hidden::<S>(packet, node, active, scratch) };
            if active == 0 {
                continue;
            }
            if let Some(first) = node.parts {
                scratch.stack.push((first + 1, active));
                scratch.stack.push((first, active));
            } else {
                // SAFETY: the caller guarantees it.
                unsafe { self.test_each::<S>(packet, &sides, node, active, scratch) };
            }
        }
        // SAFETY: the caller guarantees it.
        unsafe { self.settle::<S>(packet, scratch) };
    }

    /// The active viewpoints from which no single wall is found to hide all of a group.
    ///
    /// # Safety
    /// The same as for [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    unsafe fn not_hidden<S: Simd>(
        &self,
        packet: &ViewpointPacket,
        node: &Node,
        active: LaneMask,
        scratch: &mut Scratch,
    ) -> LaneMask {
        let Node { centre, half, .. } = *node;
        if let Some(plane) = &packet.plane
            && plane.normal.abs().dot(half) + plane.distance(centre).abs() < IN_PLANE_DISTANCE
        {
            // Tiles in the viewpoints' own plane are not seen.
            return 0;
        }
        let mut active = active;
        // SAFETY: the caller guarantees it.
        let seen = unsafe { packet.eyes.seen_at::<S>(centre) };
        let cell = packet.cell(centre);
        for k in 0..MAX_WALLS {
            let Some(piece) = scratch.walls[cell][k] else {
                break;
            };
            let wall = self.screen(packet, piece, scratch);
            // SAFETY: the caller guarantees it.
            active &=
                !unsafe { scratch.screens[wall].hides_box([centre, half], &seen, self.margin) };
            if active == 0 {
                // The wall that hid something last is tried first next time.
                scratch.walls[cell][..=k].rotate_right(1);
                return 0;
            }
        }
        if node.parts.is_none() {
            // The tiles of this group are tested one by one.
            return active;
        }
        let eye = active.trailing_zeros() as usize;
        let ray = Ray::between(self.local(packet.from[eye].at), self.local(centre))
            .skipping([packet.groups[eye], Ray::NO_GROUP]);
        if let Some(hit) = self.scene.index().closest_hit(&ray) {
            // A wall that does not hide all of this group may still hide its parts.
            let piece = self.occluders.around(hit.triangle);
            scratch.keep(cell, piece);
            let wall = self.screen(packet, piece, scratch);
            let wall = &scratch.screens[wall];
            // SAFETY: the caller guarantees it.
            active &= !unsafe { wall.hides_box([centre, half], &seen, self.margin) };
        }
        active
    }

    /// Puts the tiles of a group that no known wall hides from the active viewpoints into `scratch.wanted`.
    ///
    /// # Safety
    /// The same as for [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    unsafe fn test_each<S: Simd>(
        &self,
        packet: &ViewpointPacket,
        sides: &PacketSides,
        node: &Node,
        active: LaneMask,
        scratch: &mut Scratch,
    ) {
        for at in node.start..node.end {
            let target = &self.groups.targets[at as usize];
            if target.tile < scratch.first {
                continue;
            }
            // SAFETY: the caller guarantees it.
            let seen = unsafe { packet.eyes.seen_at::<S>(target.centre) };
            // SAFETY: the caller guarantees it.
            let mut wanted = active & unsafe { packet.not_in_plane::<S>(target, &seen, active) };
            if wanted == 0 {
                continue;
            }
            // SAFETY: the caller guarantees it.
            wanted &= !unsafe { sides.hide::<S>(packet, target, self.sides.of_target(at), &seen) };
            if wanted == 0 {
                continue;
            }
            if let Some(piece) = scratch.blocker[at as usize] {
                let screen = self.screen(packet, piece, scratch);
                // SAFETY: the caller guarantees it.
                wanted &=
                    !unsafe { scratch.screens[screen].hides(target.centre, &seen, self.margin) };
            }
            let cell = packet.cell(target.centre);
            for k in 0..MAX_WALLS {
                let Some(piece) = scratch.walls[cell][k] else {
                    break;
                };
                if wanted == 0 {
                    break;
                }
                let wall = self.screen(packet, piece, scratch);
                // SAFETY: the caller guarantees it.
                wanted &=
                    !unsafe { scratch.screens[wall].hides(target.centre, &seen, self.margin) };
                if wanted == 0 {
                    scratch.walls[cell][..=k].rotate_right(1);
                }
            }
            if wanted != 0 {
                scratch.wanted.push((at, wanted));
            }
        }
        if scratch.wanted.len() >= WANTED_AT_ONCE {
            // SAFETY: the caller guarantees it.
            unsafe { self.settle::<S>(packet, scratch) };
        }
    }

    /// Casts rays to all wanted tiles, first from one of the eight viewpoints to each. A wall that blocks such a ray
    /// often hides the tile from other viewpoints too.
    ///
    /// # Safety
    /// The same as for [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    unsafe fn settle<S: Simd>(&self, packet: &ViewpointPacket, scratch: &mut Scratch) {
        let mut wanted = std::mem::take(&mut scratch.wanted);
        for _ in 0..ROUNDS {
            scratch.asked.clear();
            let first = |(at, wanted): &(u32, LaneMask)| (*at, wanted.trailing_zeros());
            scratch.asked.extend(wanted.iter().map(first));
            self.ask(packet, scratch);
            for (k, (at, wanted)) in wanted.iter_mut().enumerate() {
                *wanted &= *wanted - 1;
                if let Some(triangle) = scratch.blockers[k] {
                    let target = &self.groups.targets[*at as usize];
                    let piece = self.occluders.around(triangle);
                    scratch.keep(packet.cell(target.centre), piece);
                    let screen = self.screen(packet, piece, scratch);
                    // SAFETY: the caller guarantees it.
                    *wanted &= !unsafe {
                        let seen = packet.eyes.seen_at::<S>(target.centre);
                        scratch.screens[screen].hides(target.centre, &seen, self.margin)
                    };
                }
            }
            wanted.retain(|(_, wanted)| *wanted != 0);
        }
        scratch.asked.clear();
        for (at, wanted) in &wanted {
            scratch.asked.extend(eyes(*wanted).map(|eye| (*at, eye)));
        }
        self.ask(packet, scratch);
        wanted.clear();
        scratch.wanted = wanted;
    }

    /// Casts the rays of `scratch.asked`.
    fn ask(&self, packet: &ViewpointPacket, scratch: &mut Scratch) {
        scratch.rays.clear();
        for (at, eye) in &scratch.asked {
            let target = &self.groups.targets[*at as usize];
            scratch
                .rays
                .push(self.ray(&packet.from[*eye as usize], target));
        }
        scratch.blockers.clear();
        scratch.blockers.resize(scratch.rays.len(), None);
        self.scene
            .index()
            .blockers(&scratch.rays, &mut scratch.blockers);
        for ((at, eye), blocker) in scratch.asked.iter().zip(&scratch.blockers) {
            if let Some(triangle) = blocker {
                scratch.blocker[*at as usize] = Some(self.occluders.around(*triangle));
            } else {
                let tile = self.groups.targets[*at as usize].tile;
                scratch.seen[*eye as usize].push(tile);
            }
        }
    }

    /// The index of a piece of wall in `scratch.screens`.
    #[inline(always)]
    fn screen(&self, packet: &ViewpointPacket, piece: PieceId, scratch: &mut Scratch) -> usize {
        let (number, screen) = scratch.screen_of[piece.index()];
        if number == scratch.packet {
            return screen as usize;
        }
        let (corners, plane) = self.occluders.piece(&self.scene, piece);
        let screen = scratch.screens.len();
        scratch.screens.push(Screen::new(
            corners,
            *self.scene.plane(plane),
            &packet.eyes,
            packet.in_plane(plane),
        ));
        scratch.screen_of[piece.index()] = (
            scratch.packet,
            u32::try_from(screen).expect("fewer than pieces"),
        );
        screen
    }

    pub(super) fn local(&self, point: DVec3) -> Vec3 {
        (point - self.scene.origin()).as_vec3()
    }
}
