//! A set of points in blocks of sixteen, to which searches add from many gates.

use super::lanes::Some16;

/// Numbers in blocks of sixteen, collected in any order.
#[derive(Debug, Default)]
pub(super) struct Marks {
    masks: Vec<u16>,
    touched: Vec<u32>,
}

impl Marks {
    pub(super) fn add(&mut self, all: &[Some16]) {
        for some in all {
            let block = some.block as usize;
            if block >= self.masks.len() {
                self.masks.resize(block + 1, 0);
            }
            if self.masks[block] == 0 {
                self.touched.push(some.block);
            }
            self.masks[block] |= some.mask;
        }
    }

    /// Returns the collected numbers in order, and empties the collection.
    pub(super) fn take(&mut self) -> Vec<Some16> {
        self.touched.sort_unstable();
        let masks = &mut self.masks;
        self.touched
            .drain(..)
            .map(|block| Some16 {
                block,
                mask: std::mem::take(&mut masks[block as usize]),
            })
            .collect()
    }
}
