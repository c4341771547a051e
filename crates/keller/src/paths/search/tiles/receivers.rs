//! Receivers, and which of them are visible from tiles and segments.

use glam::DVec3;

use super::lanes::{Blocks, Some16};
use super::visible_tiles::{blocks, union};
use crate::scene::Scene;
use crate::tiles::{Segment, VisibilityQuery};
use crate::{Control, Error};

#[derive(Debug)]
pub(super) struct Receivers {
    /// Their positions, metres.
    at: Vec<DVec3>,
    pub(super) blocks: Blocks,
    /// The index in `rows` at which the row of each tile begins, and the end of the last.
    starts: Vec<usize>,
    rows: Vec<Some16>,
}

impl Receivers {
    /// `reach` is how far from the line through a tile's centre a receiver may be, metres.
    pub(super) fn new(
        scene: &Scene,
        num_tiles: usize,
        visibility: &VisibilityQuery,
        rx: &[DVec3],
        reach: f64,
        control: &Control,
    ) -> Result<Self, Error> {
        let seen = visibility.seen_from_all(rx, control)?;
        let mut of_tiles = vec![Vec::new(); num_tiles];
        for (r, tiles) in seen.into_iter().enumerate() {
            let r = u32::try_from(r).expect("fewer than 2^32 receivers");
            for tile in tiles {
                of_tiles[tile as usize].push(r);
            }
        }
        let mut starts = vec![0];
        let mut rows = Vec::new();
        for of_tile in of_tiles {
            rows.extend_from_slice(&blocks(of_tile.into_iter()));
            starts.push(rows.len());
        }
        Ok(Self {
            at: rx.to_vec(),
            blocks: Blocks::new(scene.origin(), rx.iter().map(|rx| (*rx, reach))),
            starts,
            rows,
        })
    }

    /// Whether these are the receivers at `rx`.
    pub(super) fn are_at(&self, rx: &[DVec3]) -> bool {
        self.at == rx
    }

    pub(super) fn of_tile(&self, tile: u32) -> &[Some16] {
        &self.rows[self.starts[tile as usize]..self.starts[tile as usize + 1]]
    }

    /// The receivers visible from at least one of the tiles on its sides.
    pub(super) fn of_segment(&self, segment: &Segment) -> Vec<Some16> {
        let [a, b] = segment
            .parents
            .map(|tile| tile.map_or(&[][..], |tile| self.of_tile(tile)));
        union(a, b)
    }
}
