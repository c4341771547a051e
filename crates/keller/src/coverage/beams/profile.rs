//! The tops of walls along lines of one sector, and the string pulled taut over them.

use glam::DVec2;

/// A wall, seen from the transmitter.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Line {
    start: DVec2,
    along: DVec2,
    /// `start.perp_dot(along)`
    pub(super) moment: f64,
    height: f64,
    /// The least distance, squared, m².
    pub(super) nearest: f64,
}

impl Line {
    /// Between two ends, metres.
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

    /// Between which distances lines of a sector cross the wall, and whether all of them do.
    fn extent(&self, bounds: [DVec2; 2]) -> Extent {
        let end = self.start + self.along;
        // Of each bound: whether it passes between the ends, and how far away.
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

/// Of distances that decide which walls are left out.
const ROUNDING: f64 = 1e-12;

/// Where lines of a sector cross a wall, metres.
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
    line: u32,
    height: f64,
    extent: Extent,
}

/// The walls of a sector for cells that come from near to far.
#[derive(Debug)]
pub(super) struct Profile {
    bounds: [DVec2; 2],
    height: f64,
    /// Walls before this are known.
    next: usize,
    /// Those that lie before every cell to come, without those below the others, from near to far.
    settled: Vec<Candidate>,
    /// Those between which the cells lie.
    around: Vec<Candidate>,
    tops: Vec<DVec2>,
}

impl Profile {
    /// Of the lines between two bounds, from a transmitter at `height`, metres.
    pub(super) fn new(lines: &[Line], bounds: [DVec2; 2], height: f64) -> Self {
        Self {
            bounds,
            height,
            next: 0,
            settled: Vec::with_capacity(lines.len().min(64)),
            around: Vec::new(),
            tops: Vec::new(),
        }
    }

    /// The tops that may touch the string to a cell at height `plane`: distance and height, metres. `lines` are the
    /// sector's, the nearest first, and no cell is nearer than the one before.
    pub(super) fn tops(&mut self, lines: &[Line], away: DVec2, plane: f64) -> &[DVec2] {
        let square = away.length_squared();
        let distance = square.sqrt();
        while let Some(line) = lines.get(self.next).filter(|line| line.nearest <= square) {
            self.around.push(Candidate {
                line: u32::try_from(self.next).expect("no more than walls"),
                height: line.height,
                extent: line.extent(self.bounds),
            });
            self.next += 1;
        }
        let mut k = 0;
        while k < self.around.len() {
            // Cells are ordered in single precision.
            if self.around[k].extent.far < distance * (1.0 - 1e-6) {
                let candidate = self.around.remove(k);
                self.settle(candidate);
            } else {
                k += 1;
            }
        }
        self.tops.clear();
        let slope = (plane - self.height) / distance;
        for candidate in self.settled.iter().chain(&self.around) {
            let line = &lines[candidate.line as usize];
            // Both ends of the wall lie on different sides of the line, and the cell lies behind it.
            let first = away.perp_dot(line.start);
            let turned = away.perp_dot(line.along);
            if (first < 0.0) == (first + turned < 0.0) || (line.moment - turned) * turned >= 0.0 {
                continue;
            }
            let at = line.moment / turned * distance;
            if at > 0.0 && line.height > self.height + slope * at {
                self.tops.push(DVec2::new(at, line.height));
            }
        }
        &self.tops
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
            [first.extent.near, first.extent.far, first.height]
        });
        let [near, far, height] = of_first;
        let share = if last.height >= height {
            (low.extent.near - far) / (last.extent.far - far)
        } else {
            (low.extent.far - near) / (last.extent.near - near)
        };
        low.height < height + (last.height - height) * share
    }
}

/// The sides of a string pulled taut over points, from one end to the other.
#[derive(Debug)]
pub(super) struct Taut<'a> {
    here: DVec2,
    end: DVec2,
    tops: &'a [DVec2],
}

impl<'a> Taut<'a> {
    pub(super) fn new(start: DVec2, end: DVec2, tops: &'a [DVec2]) -> Self {
        Self {
            here: start,
            end,
            tops,
        }
    }
}

impl Iterator for Taut<'_> {
    type Item = DVec2;

    fn next(&mut self) -> Option<DVec2> {
        /// Points nearer than this in distance are one above the other, metres.
        const SAME: f64 = 1e-6;
        if self.here.x >= self.end.x {
            return None;
        }
        // The steepest way on; of two, the farther.
        let (mut best, mut step) = (self.end, self.end - self.here);
        for top in self.tops {
            let away = *top - self.here;
            let (a, b) = (away.y * step.x, step.y * away.x);
            if away.x > SAME && (a > b || (a == b && away.x > step.x)) {
                (best, step) = (*top, away);
            }
        }
        self.here = best;
        Some(step)
    }
}
