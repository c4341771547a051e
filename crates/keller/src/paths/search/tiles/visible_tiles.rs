//! The tiles visible from tiles and from segments, as blocks of sixteen. They are unpacked on first use and kept while
//! there is room.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::lanes::Some16;
use super::places::Places;
use crate::tiles::{Segment, Segments, VisibilityRows, row_ids};

/// Largest size of the unpacked rows that are kept, bytes.
const MAX_KEPT: usize = 512 << 20;

type Row = Box<[Some16]>;

#[derive(Debug)]
pub(super) struct VisibleTiles {
    rows: Arc<dyn VisibilityRows>,
    pub(super) segments: Segments,
    of_tiles: Vec<OnceLock<Row>>,
    of_segments: Vec<OnceLock<Row>>,
    kept: AtomicUsize,
}

impl VisibleTiles {
    pub(super) fn new(rows: Arc<dyn VisibilityRows>, segments: Segments, num_tiles: usize) -> Self {
        let empty = |num: usize| std::iter::repeat_with(OnceLock::new).take(num).collect();
        Self {
            of_tiles: empty(num_tiles),
            of_segments: empty(segments.all().len()),
            rows,
            segments,
            kept: AtomicUsize::new(0),
        }
    }

    /// The tiles visible from each tile.
    pub(super) fn rows(&self) -> &Arc<dyn VisibilityRows> {
        &self.rows
    }

    /// Calls `then` with the tiles visible from a tile.
    pub(super) fn of_tile<T>(
        &self,
        tile: u32,
        places: &Places,
        then: impl FnOnce(&[Some16]) -> T,
    ) -> T {
        let row = || {
            let tiles = row_ids(self.rows.row(tile as usize)).flatten();
            blocks(places.of(tiles).into_iter())
        };
        self.keep(&self.of_tiles[tile as usize], row, then)
    }

    /// Calls `then` with the tiles visible from the tiles on both sides of a segment.
    pub(super) fn of_segment<T>(
        &self,
        number: u32,
        places: &Places,
        then: impl FnOnce(&[Some16]) -> T,
    ) -> T {
        let segment: &Segment = &self.segments.all()[number as usize];
        let row = || {
            let parents = segment.parents.into_iter().flatten();
            let mut rows = parents.map(|tile| self.of_tile(tile, places, <[Some16]>::to_vec));
            let first = rows.next().unwrap_or_default();
            let both = rows.fold(first, |all, row| union(&all, &row));
            both.into_boxed_slice()
        };
        self.keep(&self.of_segments[number as usize], row, then)
    }

    fn keep<T>(
        &self,
        place: &OnceLock<Row>,
        row: impl FnOnce() -> Row,
        then: impl FnOnce(&[Some16]) -> T,
    ) -> T {
        if let Some(row) = place.get() {
            return then(row);
        }
        let row = row();
        let size = size_of_val(&*row);
        if self.kept.fetch_add(size, Ordering::Relaxed) + size <= MAX_KEPT {
            then(place.get_or_init(|| row))
        } else {
            then(&row)
        }
    }
}

/// Numbers in ascending order, as blocks of sixteen.
pub(super) fn blocks(ids: impl Iterator<Item = u32>) -> Row {
    let mut row = Vec::new();
    ids.for_each(|id| Some16::add(&mut row, id));
    row.into_boxed_slice()
}

/// The numbers in either of two rows.
pub(super) fn union(a: &[Some16], b: &[Some16]) -> Vec<Some16> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) if x.block == y.block => {
                let both = Some16 {
                    mask: x.mask | y.mask,
                    ..**x
                };
                a.next();
                b.next();
                both
            }
            (Some(x), Some(y)) if x.block > y.block => {
                let y = **y;
                b.next();
                y
            }
            (Some(x), _) => {
                let x = **x;
                a.next();
                x
            }
            (None, Some(y)) => {
                let y = **y;
                b.next();
                y
            }
            (None, None) => return all,
        };
        all.push(next);
    }
}

/// The numbers in `all` that are not in `without`.
pub(super) fn difference(all: &[Some16], without: &[Some16]) -> Vec<Some16> {
    let mut without = without.iter().peekable();
    let left = all.iter().filter_map(|some| {
        while without.next_if(|other| other.block < some.block).is_some() {}
        let other = without.peek().filter(|other| other.block == some.block);
        let mask = some.mask & !other.map_or(0, |other| other.mask);
        (mask != 0).then_some(Some16 { mask, ..*some })
    });
    left.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_has_what_only_the_first_has() {
        let a = [0, 3, 17, 40, 41, 100];
        let b = [3, 5, 16, 40, 41, 64, 101];
        let left = difference(&blocks(a.into_iter()), &blocks(b.into_iter()));
        let ids: Vec<u32> = left.iter().flat_map(|some| some.ids()).collect();
        assert_eq!(ids, [0, 17, 100]);
    }

    #[test]
    fn a_union_has_all_numbers_once() {
        let a = [0, 3, 17, 40, 41, 100];
        let b = [3, 5, 16, 64, 100, 101];
        let all = union(&blocks(a.into_iter()), &blocks(b.into_iter()));
        let ids: Vec<u32> = all.iter().flat_map(|some| some.ids()).collect();
        assert_eq!(ids, [0, 3, 5, 16, 17, 40, 41, 64, 100, 101]);
    }
}
