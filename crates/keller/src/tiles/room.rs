//! Buffers that a walk keeps for the next one, and the walls that lately hid something.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

use super::eight::NUM_CELLS;
use super::occluders::PieceId;
use super::screens::{EYES, Screen, Some8};
use crate::geometry::bvh::Ray;

/// Walls that lately hid something in a direction.
pub(super) const MOST_WALLS: usize = 12;

/// Room to work in, reused.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// What each of the eight sees.
    pub(super) seen: [Vec<u32>; EYES],
    /// Smaller tiles are not asked for.
    pub(super) first: u32,
    /// Groups, and who still looks at them.
    pub(super) stack: Vec<(u32, Some8)>,
    /// Tiles of a group, and who wants to know.
    pub(super) wanted: Vec<(u32, Some8)>,
    /// The number of these eight.
    pub(super) eight: u32,
    /// As these eight see them.
    pub(super) screens: Vec<Screen>,
    /// By piece of wall, whose screen it is and where.
    pub(super) screen_of: Vec<(u32, u32)>,
    /// By direction, what lately hid something.
    pub(super) walls: Vec<[Option<PieceId>; MOST_WALLS]>,
    /// By tile, what lately hid it.
    pub(super) blocker: Vec<Option<PieceId>>,
    /// Targets and eyes.
    pub(super) asked: Vec<(u32, u32)>,
    /// Of the rays, the triangles that they hit.
    pub(super) blockers: Vec<Option<u32>>,
    pub(super) rays: Vec<Ray>,
}

impl Room {
    /// For the next eight, which ask for the tiles from `first` on.
    pub(super) fn begin(&mut self, num_pieces: usize, num_tiles: usize, first: u32) {
        self.first = first;
        self.screen_of.resize(num_pieces, (0, 0));
        self.blocker.resize(num_tiles, None);
        self.seen.iter_mut().for_each(Vec::clear);
        self.stack.clear();
        self.screens.clear();
        self.wanted.clear();
        self.eight = self.eight.wrapping_add(1);
        if self.eight == 0 {
            self.screen_of.fill((0, 0));
            self.eight = 1;
        }
        // What hid something from their neighbours may hide it from them.
        self.walls.resize(NUM_CELLS, [None; MOST_WALLS]);
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
