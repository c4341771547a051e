//! Tubes, recorded for replay with any antenna: a power matrix for each, and the cells that it reaches.
//!
//! Cost: 8 bytes for each cell of every tube, and 32 for every tube.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use glam::{DVec3, Vec3};
use num_complex::{Complex32, Complex64};

use super::accumulator::GainAccumulator;
use crate::Direction;
use crate::antenna::Antenna;
use crate::field::PowerMatrix;

/// A page is full when its tubes reach this many cells.
const PAGE: usize = 1 << 17;

/// What a tube contributes to its cells for any antenna.
#[derive(Debug, Clone, Copy)]
struct RecordedTube {
    /// The unit vector in which it leaves the Tx.
    departure: Vec3,
    /// The [`PowerMatrix`] for unit fields, spreading left out.
    diagonal: [f32; 2],
    cross: Complex32,
    /// The end of its cells in the list of the page.
    end: u32,
}

/// A cell that a tube reaches.
#[derive(Debug, Clone, Copy)]
struct Reached {
    /// Its number within the range of recorded cells.
    cell: u32,
    /// The part of the power that remains after spreading and clutter.
    spreading: f32,
}

/// Tubes and their cells, in the same order.
#[derive(Debug, Default)]
pub(super) struct Page {
    tubes: Vec<RecordedTube>,
    cells: Vec<Reached>,
}

/// The tubes of a bundle while they are recorded.
#[derive(Debug)]
pub(super) struct TubeBatch<'a> {
    cells: &'a Range<usize>,
    /// Each tube, with the power to which the gains of its cells refer.
    tubes: Vec<(RecordedTube, f64)>,
    reached: Vec<(u32, Reached)>,
}

impl<'a> TubeBatch<'a> {
    /// Records what reaches these cells.
    pub(super) fn new(cells: &'a Range<usize>) -> Self {
        Self {
            cells,
            tubes: Vec::new(),
            reached: Vec::new(),
        }
    }

    /// Adds a tube that leaves the Tx along a unit vector; returns its number.
    pub(super) fn begin(&mut self, departure: DVec3, matrix: &PowerMatrix, power: f64) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "seven digits are enough")]
        let tube = RecordedTube {
            departure: departure.as_vec3(),
            diagonal: matrix.diagonal.map(|power| power as f32),
            cross: Complex32::new(matrix.cross.re as f32, matrix.cross.im as f32),
            end: 0,
        };
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

    /// Adds the batch to a page.
    pub(super) fn put_on(mut self, page: &mut Page) {
        // Cells that were verified come after those of later tubes.
        self.reached.sort_by_key(|(tube, _)| *tube);
        for of_tube in self.reached.chunk_by(|(a, _), (b, _)| a == b) {
            page.cells.extend(of_tube.iter().map(|(_, cell)| *cell));
            let (tube, _) = self.tubes[of_tube[0].0 as usize];
            page.tubes.push(RecordedTube {
                end: u32::try_from(page.cells.len()).unwrap_or(u32::MAX),
                ..tube
            });
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.reached.is_empty()
    }
}

/// Receives batches of recorded tubes from all threads.
pub(super) trait TubeSink: Sync {
    /// The range of cells that are recorded.
    fn cells(&self) -> &Range<usize>;

    fn take(&self, haul: TubeBatch<'_>);
}

/// Keeps all tubes.
#[derive(Debug)]
pub(super) struct RecordingSink {
    cells: Range<usize>,
    /// Only the last one is not full.
    pages: Mutex<Vec<Page>>,
}

impl RecordingSink {
    /// # Panics
    /// If there are more than 2^32 cells.
    pub(super) fn new(cells: Range<usize>) -> Self {
        check_count(&cells);
        Self {
            cells,
            pages: Mutex::default(),
        }
    }

    /// The range of cells and the recorded tubes.
    pub(super) fn into_pages(self) -> (Range<usize>, Vec<Page>) {
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

    fn take(&self, haul: TubeBatch<'_>) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.last().is_none_or(|page| page.cells.len() >= PAGE) {
            if let Some(last) = pages.last_mut() {
                last.shrink();
            }
            pages.push(Page::default());
        }
        if let Some(page) = pages.last_mut() {
            haul.put_on(page);
        }
    }
}

/// Replays tubes at once for several antennas, and keeps none.
pub(super) struct ReplaySink<'a> {
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
    pub(super) fn new(
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
    pub(super) fn into_sums(self) -> impl Iterator<Item = GainAccumulator> {
        self.antennas.into_iter().map(|(_, sums)| sums)
    }
}

impl TubeSink for ReplaySink<'_> {
    fn cells(&self) -> &Range<usize> {
        &self.cells
    }

    fn take(&self, haul: TubeBatch<'_>) {
        let mut page = Page::default();
        haul.put_on(&mut page);
        for (antenna, sums) in &self.antennas {
            page.replay(antenna, self.min_gain, sums);
        }
    }
}

impl Page {
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

fn check_count(cells: &Range<usize>) {
    assert!(
        u32::try_from(cells.len()).is_ok(),
        "{} cells are too many for one recording",
        cells.len()
    );
}
