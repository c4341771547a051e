//! Tubes as they are kept to be replayed: what they leave of any field, and which cells they reach.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use glam::{DVec3, Vec3};
use num_complex::{Complex32, Complex64};

use super::sums::Sums;
use crate::Direction;
use crate::antenna::Antenna;
use crate::field::PowerMatrix;

/// Tubes of several bundles are kept together up to so many cells.
const PAGE: usize = 1 << 17;

/// All that tubes with one way out of the transmitter bring to cells, but for the antenna.
#[derive(Debug, Clone, Copy)]
struct Tube {
    /// In which direction it leaves the transmitter, a unit vector.
    departure: Vec3,
    /// [`PowerMatrix`], spreading left out.
    diagonal: [f32; 2],
    cross: Complex32,
    /// Up to which of the cells it has them.
    end: u32,
}

/// A cell that a tube reaches.
#[derive(Debug, Clone, Copy)]
struct Reached {
    /// From the first of the cells asked for.
    cell: u32,
    /// How much of the power is left by the distance and by clutter.
    spreading: f32,
}

/// Tubes, and the cells of one after those of the other.
#[derive(Debug, Default)]
pub(super) struct Page {
    tubes: Vec<Tube>,
    cells: Vec<Reached>,
}

/// What is found of the tubes of a bundle.
#[derive(Debug)]
pub(super) struct Haul<'a> {
    cells: &'a Range<usize>,
    /// Each with the power by which its gains are told.
    tubes: Vec<(Tube, f64)>,
    reached: Vec<(u32, Reached)>,
}

impl<'a> Haul<'a> {
    /// Of what reaches these cells.
    pub(super) fn new(cells: &'a Range<usize>) -> Self {
        Self {
            cells,
            tubes: Vec::new(),
            reached: Vec::new(),
        }
    }

    /// One more tube, which leaves in a unit vector; returns its number.
    pub(super) fn begin(&mut self, departure: DVec3, matrix: &PowerMatrix, power: f64) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "seven digits are enough")]
        let tube = Tube {
            departure: departure.as_vec3(),
            diagonal: matrix.diagonal.map(|power| power as f32),
            cross: Complex32::new(matrix.cross.re as f32, matrix.cross.im as f32),
            end: 0,
        };
        self.tubes.push((tube, power));
        u32::try_from(self.tubes.len() - 1).unwrap_or(u32::MAX)
    }

    /// A cell that a tube reaches, if it is asked for, with the gain that goes with the tube's power.
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

    /// Adds it to a page.
    pub(super) fn put_on(mut self, page: &mut Page) {
        // Doubtful cells come after those of later tubes.
        self.reached.sort_by_key(|(tube, _)| *tube);
        for of_tube in self.reached.chunk_by(|(a, _), (b, _)| a == b) {
            page.cells.extend(of_tube.iter().map(|(_, cell)| *cell));
            let (tube, _) = self.tubes[of_tube[0].0 as usize];
            page.tubes.push(Tube {
                end: u32::try_from(page.cells.len()).unwrap_or(u32::MAX),
                ..tube
            });
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.reached.is_empty()
    }
}

/// Who takes what is found, from all threads.
pub(super) trait Taker: Sync {
    /// Of which cells.
    fn cells(&self) -> &Range<usize>;

    fn take(&self, haul: Haul<'_>);
}

/// Keeps all of it.
#[derive(Debug)]
pub(super) struct Keeper {
    pub(super) cells: Range<usize>,
    /// The last of them is not full.
    pub(super) pages: Mutex<Vec<Page>>,
}

impl Taker for Keeper {
    fn cells(&self) -> &Range<usize> {
        &self.cells
    }

    fn take(&self, haul: Haul<'_>) {
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

/// Replays it at once for several antennas.
pub(super) struct Players<'a> {
    pub(super) cells: Range<usize>,
    /// The gain below which a path does not count, linear.
    pub(super) least_gain: f64,
    pub(super) antennas: Vec<(&'a Antenna, Sums)>,
}

impl Taker for Players<'_> {
    fn cells(&self) -> &Range<usize> {
        &self.cells
    }

    fn take(&self, haul: Haul<'_>) {
        let mut page = Page::default();
        haul.put_on(&mut page);
        for (antenna, sums) in &self.antennas {
            page.replay(antenna, self.least_gain, sums);
        }
    }
}

impl Page {
    /// Adds up what an antenna brings to the cells.
    pub(super) fn replay(&self, antenna: &Antenna, least_gain: f64, sums: &Sums) {
        let mut from = 0;
        let mut known = Vec3::NAN;
        let mut fields = Vec::with_capacity(2);
        for tube in &self.tubes {
            // Tubes of single cells follow each other in one direction.
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
                if gain >= least_gain {
                    sums.add_gain(reached.cell as usize, gain);
                }
            }
            from = to;
        }
    }

    /// Bytes of memory.
    pub(super) fn num_bytes(&self) -> usize {
        self.tubes.capacity() * size_of::<Tube>() + self.cells.capacity() * size_of::<Reached>()
    }

    /// How many tubes, and how many cells they reach together.
    pub(super) fn counts(&self) -> [usize; 2] {
        [self.tubes.len(), self.cells.len()]
    }

    /// Gives back memory that it does not need.
    pub(super) fn shrink(&mut self) {
        self.tubes.shrink_to_fit();
        self.cells.shrink_to_fit();
    }
}
