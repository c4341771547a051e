//! Tubes, recorded for replay with any antenna: a power matrix for each, and the cells that it reaches.
//!
//! Cost: 8 bytes for each cell of every tube, and 32 for every tube; where the cells of a tube differ in more than their
//! distance, each counts as a tube.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use glam::{DVec3, Vec3};
use num_complex::{Complex32, Complex64};

use super::accumulator::GainAccumulator;
use super::tube_batch::{Reached, TubeBatch};
use crate::Direction;
use crate::antenna::Antenna;
use crate::field::PowerMatrix;

/// A page is full when its tubes reach this many cells.
const PAGE: usize = 1 << 17;

/// The contribution of a tube to its cells for any antenna.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct RecordedTube {
    /// The unit vector in which it leaves the Tx.
    departure: Vec3,
    /// The [`PowerMatrix`] for unit fields, spreading left out.
    diagonal: [f32; 2],
    cross: Complex32,
    /// The end of its cells in the list of the page.
    end: u32,
}

/// Tubes and their cells, in the same order.
#[derive(Debug, Default)]
pub(in crate::coverage::tubes) struct Page {
    tubes: Vec<RecordedTube>,
    cells: Vec<Reached>,
}

impl RecordedTube {
    /// A tube that leaves the Tx along a unit vector.
    pub(super) fn new(departure: DVec3, matrix: &PowerMatrix) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "seven digits are enough")]
        Self {
            departure: departure.as_vec3(),
            diagonal: matrix.diagonal.map(|power| power as f32),
            cross: Complex32::new(matrix.cross.re as f32, matrix.cross.im as f32),
            end: 0,
        }
    }
}

/// Receives batches of recorded tubes from all threads.
pub(in crate::coverage::tubes) trait TubeSink: Sync {
    /// The range of cells that are recorded.
    fn cells(&self) -> &Range<usize>;

    fn take(&self, haul: TubeBatch<'_, RecordedTube>);
}

/// Keeps all tubes.
#[derive(Debug)]
pub(in crate::coverage::tubes) struct RecordingSink {
    cells: Range<usize>,
    /// The pages; only the last one is not full.
    pages: Mutex<Vec<Page>>,
}

impl RecordingSink {
    /// # Panics
    /// If there are more than 2^32 cells.
    pub(in crate::coverage::tubes) fn new(cells: Range<usize>) -> Self {
        check_count(&cells);
        Self {
            cells,
            pages: Mutex::default(),
        }
    }

    /// The range of cells and the recorded tubes.
    pub(in crate::coverage::tubes) fn into_pages(self) -> (Range<usize>, Vec<Page>) {
        let pages = self.pages.into_inner();
        let mut pages = pages.unwrap_or_else(PoisonError::into_inner);
        pages.iter_mut().for_each(Page::shrink);
        (self.cells, pages)
    }
}

impl TubeSink for RecordingSink {
    fn cells(&self) -> &Range<usize> {
        &self.cells
    }

    fn take(&self, haul: TubeBatch<'_, RecordedTube>) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.last().is_none_or(|page| page.cells.len() >= PAGE) {
            if let Some(last) = pages.last_mut() {
                last.shrink();
            }
            pages.push(Page::default());
        }
        if let Some(page) = pages.last_mut() {
            page.put(haul);
        }
    }
}

/// Replays tubes at once for several antennas, and keeps none.
pub(in crate::coverage::tubes) struct ReplaySink<'a> {
    cells: Range<usize>,
    /// Paths of less gain do not count, linear.
    min_gain: f64,
    antennas: Vec<(&'a Antenna, GainAccumulator)>,
}

impl<'a> ReplaySink<'a> {
    /// A sink for these cells. `least` is the smallest gain that counts as more than zero.
    ///
    /// # Panics
    /// If there are more than 2^32 cells.
    pub(in crate::coverage::tubes) fn new(
        antennas: &'a [Antenna],
        cells: Range<usize>,
        min_gain: f64,
        min_sum: f64,
    ) -> Self {
        check_count(&cells);
        let sums = || GainAccumulator::new(0..cells.len(), min_sum);
        Self {
            antennas: antennas.iter().map(|antenna| (antenna, sums())).collect(),
            cells,
            min_gain,
        }
    }

    /// The sums of each antenna.
    pub(in crate::coverage::tubes) fn into_sums(self) -> impl Iterator<Item = GainAccumulator> {
        self.antennas.into_iter().map(|(_, sums)| sums)
    }
}

impl TubeSink for ReplaySink<'_> {
    fn cells(&self) -> &Range<usize> {
        &self.cells
    }

    fn take(&self, haul: TubeBatch<'_, RecordedTube>) {
        let mut page = Page::default();
        page.put(haul);
        for (antenna, sums) in &self.antennas {
            page.replay(antenna, self.min_gain, sums);
        }
    }
}

impl Page {
    /// Adds a batch.
    fn put(&mut self, batch: TubeBatch<'_, RecordedTube>) {
        batch.for_each(|tube, cells| self.push(tube, cells.iter().map(|(_, cell)| *cell)));
    }

    /// Adds a tube with its cells.
    pub(super) fn push(&mut self, tube: RecordedTube, cells: impl Iterator<Item = Reached>) {
        self.cells.extend(cells);
        self.tubes.push(RecordedTube {
            end: u32::try_from(self.cells.len()).unwrap_or(u32::MAX),
            ..tube
        });
    }

    /// Adds the gains of an antenna to the cells.
    pub(super) fn replay(&self, antenna: &Antenna, min_gain: f64, sums: &GainAccumulator) {
        let mut from = 0;
        let mut known = Vec3::NAN;
        let mut fields = Vec::with_capacity(2);
        for tube in &self.tubes {
            // Consecutive tubes with one cell each often have the same direction.
            if tube.departure != known {
                known = tube.departure;
                fields.clear();
                fields.extend(antenna.fields(Direction::from_vector(known.as_dvec3())));
            }
            let matrix = PowerMatrix {
                diagonal: tube.diagonal.map(f64::from),
                cross: Complex64::new(tube.cross.re.into(), tube.cross.im.into()),
            };
            let powers = fields.iter().map(|field| matrix.power_of(*field));
            let power = powers.sum::<f64>() / fields.len() as f64;
            let to = tube.end as usize;
            for reached in &self.cells[from..to] {
                let gain = power * f64::from(reached.spreading);
                if gain >= min_gain {
                    sums.add_gain(reached.cell as usize, gain);
                }
            }
            from = to;
        }
    }

    /// Bytes of memory that the recording takes.
    pub(super) fn num_bytes(&self) -> usize {
        self.tubes.capacity() * size_of::<RecordedTube>()
            + self.cells.capacity() * size_of::<Reached>()
    }

    /// The number of tubes, and of the cells that they reach together.
    pub(super) fn counts(&self) -> [usize; 2] {
        [self.tubes.len(), self.cells.len()]
    }

    /// Frees memory that it does not need.
    pub(super) fn shrink(&mut self) {
        self.tubes.shrink_to_fit();
        self.cells.shrink_to_fit();
    }
}

/// # Panics
/// If there are more than 2^32 cells.
pub(super) fn check_count(cells: &Range<usize>) {
    assert!(
        u32::try_from(cells.len()).is_ok(),
        "{} cells are too many for one recording",
        cells.len()
    );
}
