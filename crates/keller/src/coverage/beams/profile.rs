//! The walls of a sector that a string may touch, for cells that come from near to far.
//!
//! A wall is left out for all cells behind it once it lies below the line between two others that all lines of the sector
//! cross.

use glam::DVec2;

/// A wall, seen from the transmitter.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Line {
    pub(super) start: DVec2,
    pub(super) along: DVec2,
    /// `start.perp_dot(along)`
    pub(super) moment: f64,
    /// The height over the ground, metres.
    pub(super) height: f64,
    /// The least distance, squared, m².
    pub(super) nearest: f64,
}

impl Line {
    /// The line between two ends, metres.
    pub(super) fn new([a, b]: [DVec2; 2], height: f64) -> Self {
        let along = b - a;
        let share = (-a.dot(along) / along.length_squared()).clamp(0.0, 1.0);
        Self {
            start: a,
            along,
            moment: a.perp_dot(along),
            height,
            nearest: (a + share * along).length_squared(),
        }
    }

    /// The distances between which lines of a sector cross the wall, and whether all of them do.
    fn extent(&self, bounds: [DVec2; 2]) -> Extent {
        let end = self.start + self.along;
        // Whether each bound passes between the ends, and the distance there.
        let crossed = bounds.map(|bound| {
            let (first, last) = (bound.perp_dot(self.start), bound.perp_dot(end));
            let share = self.moment / bound.perp_dot(self.along);
            ((first < 0.0) != (last < 0.0) && share > 0.0).then(|| share * bound.length())
        });
        let near = self.nearest.sqrt() * (1.0 - ROUNDING);
        match crossed {
            [Some(a), Some(b)] => Extent {
                near,
                far: a.max(b) * (1.0 + ROUNDING),
                is_whole: true,
            },
            _ => Extent {
                near,
                far: self.start.length().max(end.length()) * (1.0 + ROUNDING),
                is_whole: false,
            },
        }
    }
}

/// The relative rounding of distances that decide which walls are left out.
const ROUNDING: f64 = 1e-12;

/// The distances at which lines of a sector cross a wall, metres.
#[derive(Debug, Clone, Copy)]
struct Extent {
    near: f64,
    far: f64,
    /// Whether every line does.
    is_whole: bool,
}

/// A wall that may touch a string.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    line: Line,
    extent: Extent,
}

/// The walls of a sector for cells that come from near to far.
#[derive(Debug)]
pub(super) struct Profile<'l> {
    lines: &'l [Line],
    /// The numbers of the walls of the sector, the nearest first.
    numbers: &'l [u32],
    bounds: [DVec2; 2],
    height: f64,
    /// Walls before this are known.
    next: usize,
    /// The walls that lie before every cell to come, without those below the others, from near to far.
    settled: Vec<Candidate>,
    /// The walls between which the cells lie.
    around: Vec<Candidate>,
}

impl<'l> Profile<'l> {
    /// The profile of the lines with these numbers between two bounds, the nearest first, from a transmitter at
    /// `height`, metres.
    pub(super) fn new(
        lines: &'l [Line],
        numbers: &'l [u32],
        bounds: [DVec2; 2],
        height: f64,
    ) -> Self {
        Self {
            lines,
            numbers,
            bounds,
            height,
            next: 0,
            settled: Vec::with_capacity(numbers.len().min(64)),
            around: Vec::new(),
        }
    }

    /// The walls that may touch the strings to cells between two distances, metres. No cell is nearer than those before.
    pub(super) fn walls(&mut self, [near, far]: [f64; 2]) -> impl Iterator<Item = &Line> {
        let reach = far * far * (1.0 + ROUNDING);
        while let Some(number) = self.numbers.get(self.next) {
            let line = self.lines[*number as usize];
            if line.nearest > reach {
                break;
            }
            let extent = line.extent(self.bounds);
            self.around.push(Candidate { line, extent });
            self.next += 1;
        }
        // The candidates keep the order in which they came.
        let mut kept = 0;
        for k in 0..self.around.len() {
            let candidate = self.around[k];
            if candidate.extent.far < near {
                self.settle(candidate);
            } else {
                self.around[kept] = candidate;
                kept += 1;
            }
        }
        self.around.truncate(kept);
        let candidates = self.settled.iter().chain(&self.around);
        candidates.map(|candidate| &candidate.line)
    }

    /// Puts down a wall behind which all cells to come lie, and leaves out those that it puts below a line.
    fn settle(&mut self, new: Candidate) {
        if new.extent.is_whole {
            let mut k = self.settled.len();
            while k > 0 {
                k -= 1;
                let low = self.settled[k];
                let before = self.settled[..k].iter().rev();
                let before = before
                    .copied()
                    .find(|known| known.extent.is_whole && known.extent.far <= low.extent.near);
                if new.extent.near >= low.extent.far && self.is_below(before, low, new) {
                    self.settled.remove(k);
                } else if low.extent.is_whole {
                    break;
                }
            }
        }
        self.settled.push(new);
    }

    /// Whether a wall lies below the line between the tops of two others, wherever in their extents they are crossed. The
    /// first is the transmitter if there is none.
    fn is_below(&self, first: Option<Candidate>, low: Candidate, last: Candidate) -> bool {
        let of_first = first.map_or([0.0, 0.0, self.height], |first| {
            [first.extent.near, first.extent.far, first.line.height]
        });
        let [near, far, height] = of_first;
        let share = if last.line.height >= height {
            (low.extent.near - far) / (last.extent.far - far)
        } else {
            (low.extent.far - near) / (last.extent.near - near)
        };
        low.line.height < height + (last.line.height - height) * share
    }
}
