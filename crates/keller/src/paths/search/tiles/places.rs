//! An order of tiles that keeps neighbours together. Sixteen consecutive tiles are near each other and mostly visible
//! together.

use crate::tiles::Tiles;

use super::lanes::{LANES, Some16};

/// The position of each tile in this order, its place.
#[derive(Debug)]
pub(super) struct Places {
    /// The tile at each place.
    pub(super) tiles: Vec<u32>,
    /// The place of each tile.
    of_tiles: Vec<u32>,
}

impl Places {
    pub(super) fn new(tiles: &Tiles) -> Self {
        let count = |n: usize| u32::try_from(n).expect("fewer than 2^32 tiles");
        let at: Vec<[f64; 3]> = tiles.all().iter().map(|t| t.centre.to_array()).collect();
        let mut order: Vec<u32> = (0..count(tiles.len())).collect();
        split(&mut order, &at);
        let mut of_tiles = vec![0; order.len()];
        for (place, tile) in order.iter().enumerate() {
            of_tiles[*tile as usize] = count(place);
        }
        Self {
            tiles: order,
            of_tiles,
        }
    }

    /// The place of a tile.
    pub(super) fn place(&self, tile: u32) -> u32 {
        self.of_tiles[tile as usize]
    }

    /// The places of tiles, in ascending order.
    pub(super) fn of(&self, tiles: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut places: Vec<u32> = tiles.map(|tile| self.of_tiles[tile as usize]).collect();
        places.sort_unstable();
        places
    }

    /// The tiles at some places, in the order of the places.
    pub(super) fn tiles_at(&self, some: &[Some16]) -> impl Iterator<Item = u32> {
        let places = some.iter().flat_map(|some| some.ids());
        places.map(|place| self.tiles[place as usize])
    }
}

/// Halves a set larger than a block across its widest extent, at a multiple of the block size.
fn split(order: &mut [u32], at: &[[f64; 3]]) {
    if order.len() <= LANES {
        return;
    }
    let extent = |axis: usize| {
        let along = || order.iter().map(|tile| at[*tile as usize][axis]);
        along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
    };
    let extents: [f64; 3] = std::array::from_fn(extent);
    let widest = (0..3).max_by(|a, b| extents[*a].total_cmp(&extents[*b]));
    let widest = widest.unwrap_or(0);
    let half = order.len().div_ceil(2).next_multiple_of(LANES);
    let half = half.min(order.len() - 1);
    order.select_nth_unstable_by(half, |a, b| {
        let [x, y] = [a, b].map(|tile| at[*tile as usize][widest]);
        x.total_cmp(&y).then(a.cmp(b))
    });
    let (first, second) = order.split_at_mut(half);
    split(first, at);
    split(second, at);
}
