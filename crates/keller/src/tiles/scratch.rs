//! Buffers that a walk keeps for the next one, and the walls that lately hid something.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

use super::occluders::PieceId;
use super::screens::{EYES, LaneMask, Screen};
use super::viewpoint_packet::NUM_CELLS;
use crate::geometry::bvh::Ray;

/// Walls that lately hid something in a direction.
pub(super) const MAX_WALLS: usize = 12;

/// Buffers that are reused.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// What each viewpoint of the packet sees.
    pub(super) seen: [Vec<u32>; EYES],
    /// Smaller tiles are not asked for.
    pub(super) first: u32,
    /// Groups, and the viewpoints that may still see some of them.
    pub(super) stack: Vec<(u32, LaneMask)>,
    /// Tiles of a group, and the viewpoints that still need an answer.
    pub(super) wanted: Vec<(u32, LaneMask)>,
    /// The number of this packet.
    pub(super) packet: u32,
    /// As this packet sees them.
    pub(super) screens: Vec<Screen>,
    /// By piece of wall, whose screen it is and where.
    pub(super) screen_of: Vec<(u32, u32)>,
    /// By direction, what lately hid something.
    pub(super) walls: Vec<[Option<PieceId>; MAX_WALLS]>,
    /// By tile, what lately hid it.
    pub(super) blocker: Vec<Option<PieceId>>,
    /// Targets and eyes.
    pub(super) asked: Vec<(u32, u32)>,
    /// Of the rays, the triangles that they hit.
    pub(super) blockers: Vec<Option<u32>>,
    pub(super) rays: Vec<Ray>,
}

impl Scratch {
    /// For the next packet, which asks for the tiles from `first` on.
    pub(super) fn begin(&mut self, num_pieces: usize, num_tiles: usize, first: u32) {
        self.first = first;
        self.screen_of.resize(num_pieces, (0, 0));
        self.blocker.resize(num_tiles, None);
        self.seen.iter_mut().for_each(Vec::clear);
        self.stack.clear();
        self.screens.clear();
        self.wanted.clear();
        self.packet = self.packet.wrapping_add(1);
        if self.packet == 0 {
            self.screen_of.fill((0, 0));
            self.packet = 1;
        }
        // What hid something from their neighbours may hide it from them.
        self.walls.resize(NUM_CELLS, [None; MAX_WALLS]);
    }

    /// Puts a wall before the others that lately hid something in a direction.
    #[inline(always)]
    pub(super) fn keep(&mut self, cell: usize, piece: PieceId) {
        put_first(&mut self.walls[cell], piece);
    }
}

/// Puts a piece before others, of which the last may go.
#[inline(always)]
fn put_first(pieces: &mut [Option<PieceId>], piece: PieceId) {
    let known = pieces.iter().position(|known| *known == Some(piece));
    let last = known.unwrap_or(pieces.len() - 1);
    pieces[..=last].rotate_right(1);
    pieces[0] = Some(piece);
}
