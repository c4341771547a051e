//! Buffers that a walk leaves to the next one, and the walls that recently hid something.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

use super::occluders::PieceId;
use super::screens::{EYES, LaneMask, Screen};
use super::viewpoint_packet::NUM_CELLS;
use crate::geometry::bvh::Ray;

/// The number of walls that recently hid something and are kept for each direction.
pub(super) const MAX_WALLS: usize = 12;

/// Buffers that are reused.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The tiles that each viewpoint of the packet sees.
    pub(super) seen: [Vec<u32>; EYES],
    /// Tiles with smaller numbers are not tested.
    pub(super) first: u32,
    /// Groups still to be visited, and the viewpoints that may see some of their tiles.
    pub(super) stack: Vec<(u32, LaneMask)>,
    /// Tiles whose visibility is open, and the viewpoints for which it is.
    pub(super) wanted: Vec<(u32, LaneMask)>,
    /// The number of the current packet.
    pub(super) packet: u32,
    /// Pieces of wall as the current packet sees them.
    pub(super) screens: Vec<Screen>,
    /// The packet for which the screen of each piece of wall was made, and the index in `screens`.
    pub(super) screen_of: Vec<(u32, u32)>,
    /// The walls that recently hid something, for each direction.
    pub(super) walls: Vec<[Option<PieceId>; MAX_WALLS]>,
    /// The wall that recently hid each target.
    pub(super) blocker: Vec<Option<PieceId>>,
    /// Targets and viewpoints of the current rays.
    pub(super) asked: Vec<(u32, u32)>,
    /// The triangles that the current rays hit.
    pub(super) blockers: Vec<Option<u32>>,
    pub(super) rays: Vec<Ray>,
}

impl Scratch {
    /// Prepares for the next packet, which tests the tiles from `first` on.
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
        // The walls stay: a wall that hid something from neighbouring viewpoints may hide it from these.
        self.walls.resize(NUM_CELLS, [None; MAX_WALLS]);
    }

    /// Moves a wall to the front of those that recently hid something in a direction.
    #[inline(always)]
    pub(super) fn keep(&mut self, cell: usize, piece: PieceId) {
        put_first(&mut self.walls[cell], piece);
    }
}

/// Moves a piece to the front of others; the last may drop out.
#[inline(always)]
fn put_first(pieces: &mut [Option<PieceId>], piece: PieceId) {
    let known = pieces.iter().position(|known| *known == Some(piece));
    let last = known.unwrap_or(pieces.len() - 1);
    pieces[..=last].rotate_right(1);
    pieces[0] = Some(piece);
}
