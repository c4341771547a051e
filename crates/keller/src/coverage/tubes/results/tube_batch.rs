//! The tubes of a bundle while they are recorded, with the cells that they reach.

use std::ops::Range;

/// A cell that a tube reaches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reached {
    /// Its number within the range of recorded cells.
    pub(in crate::coverage::tubes) cell: u32,
    /// The part of the power that remains after spreading and clutter.
    pub(in crate::coverage::tubes) spreading: f32,
}

/// The tubes of a bundle, or of a part of it, while they are recorded. `T` is the record of a tube.
#[derive(Debug)]
pub(in crate::coverage::tubes) struct TubeBatch<'a, T> {
    cells: &'a Range<usize>,
    /// Each tube, with the power to which the gains of its cells refer.
    tubes: Vec<(T, f64)>,
    reached: Vec<(u32, Reached)>,
}

impl<'a, T: Copy> TubeBatch<'a, T> {
    /// Records the tubes that reach these cells.
    pub(super) fn new(cells: &'a Range<usize>) -> Self {
        Self {
            cells,
            tubes: Vec::new(),
            reached: Vec::new(),
        }
    }

    /// Adds a tube; returns its number.
    pub(super) fn begin(&mut self, tube: T, power: f64) -> u32 {
        self.tubes.push((tube, power));
        u32::try_from(self.tubes.len() - 1).unwrap_or(u32::MAX)
    }

    /// Adds a cell that a tube reaches, if it is in the range. The gain refers to the power of the tube.
    pub(super) fn reach(&mut self, tube: u32, cell: usize, gain: f64) {
        if !self.cells.contains(&cell) {
            return;
        }
        let (_, power) = self.tubes[tube as usize];
        #[expect(clippy::cast_possible_truncation, reason = "seven digits are enough")]
        let spreading = (gain / power) as f32;
        let cell = u32::try_from(cell - self.cells.start).unwrap_or(u32::MAX);
        self.reached.push((tube, Reached { cell, spreading }));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.reached.is_empty()
    }

    /// Passes on each tube that reaches any cell, with these cells.
    pub(super) fn for_each(mut self, mut take: impl FnMut(T, &[(u32, Reached)])) {
        // Cells that were verified come after those of later tubes.
        self.reached.sort_by_key(|(tube, _)| *tube);
        for of_tube in self.reached.chunk_by(|(a, _), (b, _)| a == b) {
            let (tube, _) = self.tubes[of_tube[0].0 as usize];
            take(tube, of_tube);
        }
    }
}
