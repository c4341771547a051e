//! Strings pulled taut over the walls on the way to several cells at a time.
//!
//! Each lane of a vector is a cell. The code is compiled once for each set of vector instructions; the operations on a
//! lane and their order are the same in each, so the results are the same to the last bit.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

use glam::DVec2;
use pulp::Simd;

use super::loss::Bends;
use super::profile::Line;

/// The most cells of a group.
pub(super) const MAX_LANES: usize = 8;

/// Points nearer than this in distance are one above the other, metres.
const SAME: f64 = 1e-6;

/// A way over the roofs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Way {
    /// The length of the way, metres.
    pub(super) length: f64,
    pub(super) bends: Bends,
    /// The vector of its first part, in plan, metres.
    pub(super) departure: DVec2,
    /// The rise of its first part, metres.
    pub(super) rise: f64,
}

/// The ends of strings over the ground, metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heights {
    pub(super) source: f64,
    pub(super) plane: f64,
}

/// The top of a wall under the lines to a group of cells.
#[derive(Debug, Clone, Copy)]
struct Top<S: Simd> {
    /// The distance from the transmitter at which each line crosses the wall, metres; 0 if it does not, or if the top
    /// lies below the straight line.
    at: S::f64s,
    height: f64,
}

/// The sums of the strings to a group of cells, as in [`Way`].
#[derive(Debug, Clone, Copy)]
struct Totals<S: Simd> {
    length: S::f64s,
    count: S::f64s,
    angle: S::f64s,
    square: S::f64s,
}

/// Cells, seen from a transmitter.
#[derive(Debug, Clone, Default)]
pub(super) struct Cells {
    numbers: Vec<u32>,
    /// The positions relative to the transmitter, metres; the last is repeated until the last group is whole.
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Cells {
    /// The cells with these numbers and positions relative to the transmitter, metres.
    pub(super) fn new(cells: impl Iterator<Item = (u32, DVec2)>) -> Self {
        let mut all = Self::default();
        for (number, away) in cells {
            all.numbers.push(number);
            all.x.push(away.x);
            all.y.push(away.y);
        }
        for away in [&mut all.x, &mut all.y] {
            if let Some(last) = away.last().copied() {
                away.resize(away.len() + MAX_LANES, last);
            }
        }
        all
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Groups of so many cells: their numbers and where they lie.
    pub(super) fn groups(&self, lanes: usize) -> impl Iterator<Item = (&[u32], [&[f64]; 2])> {
        let groups = self.numbers.chunks(lanes).enumerate();
        groups.map(move |(k, numbers)| {
            let first = k * lanes;
            (numbers, [&self.x[first..], &self.y[first..]])
        })
    }
}

/// A group of cells, seen from a transmitter, and the strings to them.
#[derive(Debug)]
pub(super) struct Strings<S: Simd> {
    simd: S,
    heights: Heights,
    /// The vectors to the cells, in plan, metres.
    away: [S::f64s; 2],
    distance: S::f64s,
    tops: Vec<Top<S>>,
}

impl<S: Simd> Strings<S> {
    /// Strings over nothing yet.
    #[inline(always)]
    pub(super) fn new(simd: S, heights: Heights) -> Self {
        let zero = simd.splat_f64s(0.0);
        Self {
            simd,
            heights,
            away: [zero; 2],
            distance: zero,
            tops: Vec::new(),
        }
    }

    /// Turns to other cells in these directions, one for each lane, and says how far away the nearest and the farthest is,
    /// metres.
    #[inline(always)]
    pub(super) fn aim(&mut self, [x, y]: [&[f64]; 2]) -> [f64; 2] {
        let simd = self.simd;
        let [x, y] = [x, y].map(|away| simd.partial_load_f64s(&away[..S::F64_LANES]));
        let square = simd.add_f64s(simd.mul_f64s(x, x), simd.mul_f64s(y, y));
        self.away = [x, y];
        // Nor may it be zero, under the transmitter itself.
        self.distance = simd.max_f64s(simd.sqrt_f64s(square), simd.splat_f64s(SAME));
        [
            simd.reduce_min_f64s(self.distance),
            simd.reduce_max_f64s(self.distance),
        ]
    }

    /// The strings over those of the `walls` that lie between, lane by lane.
    #[inline(always)]
    pub(super) fn pull<'w>(&mut self, walls: impl Iterator<Item = &'w Line>) -> [Way; MAX_LANES] {
        self.find_tops(walls);
        self.ways()
    }

    #[inline(always)]
    fn find_tops<'w>(&mut self, walls: impl Iterator<Item = &'w Line>) {
        let (simd, distance) = (self.simd, self.distance);
        let zero = simd.splat_f64s(0.0);
        let source = simd.splat_f64s(self.heights.source);
        let fall = simd.splat_f64s(self.heights.plane - self.heights.source);
        let slope = simd.div_f64s(fall, distance);
        self.tops.clear();
        for line in walls {
            // Both ends of the wall lie on different sides of the line, and the cell lies behind it.
            let (first, turned) = (self.turn(line.start), self.turn(line.along));
            let last = simd.add_f64s(first, turned);
            let moment = simd.splat_f64s(line.moment);
            let behind = simd.mul_f64s(simd.sub_f64s(moment, turned), turned);
            let is_between = simd.and_m64s(
                simd.xor_m64s(
                    simd.less_than_f64s(first, zero),
                    simd.less_than_f64s(last, zero),
                ),
                simd.less_than_f64s(behind, zero),
            );
            if !self.any(is_between) {
                continue;
            }
            let at = simd.mul_f64s(simd.div_f64s(moment, turned), distance);
            let straight = simd.add_f64s(source, simd.mul_f64s(slope, at));
            let is_over = simd.less_than_f64s(straight, simd.splat_f64s(line.height));
            let is_ahead = simd.less_than_f64s(zero, at);
            let counts = simd.and_m64s(is_between, simd.and_m64s(is_over, is_ahead));
            if self.any(counts) {
                self.tops.push(Top {
                    at: simd.select_f64s(counts, at, zero),
                    height: line.height,
                });
            }
        }
    }

    /// The `perp_dot` of the directions to the cells with another.
    #[inline(always)]
    fn turn(&self, other: DVec2) -> S::f64s {
        let (simd, [x, y]) = (self.simd, self.away);
        let a = simd.mul_f64s(x, simd.splat_f64s(other.y));
        simd.sub_f64s(a, simd.mul_f64s(y, simd.splat_f64s(other.x)))
    }

    #[inline(always)]
    fn any(&self, mask: S::m64s) -> bool {
        self.simd.first_true_m64s(mask) < S::F64_LANES
    }

    #[inline(always)]
    fn ways(&self) -> [Way; MAX_LANES] {
        let simd = self.simd;
        let zero = simd.splat_f64s(0.0);
        let (mut here, mut height) = (zero, simd.splat_f64s(self.heights.source));
        let (next, first) = self.steepest(here, height, 0);
        let mut before = first;
        let mut before_length = self.length(first);
        let mut total = Totals {
            length: before_length,
            count: zero,
            angle: zero,
            square: zero,
        };
        [here, height] = next;
        let mut passed = 0;
        loop {
            let is_open = simd.less_than_f64s(here, self.distance);
            if !self.any(is_open) {
                break;
            }
            // Tops come about from near to far: the first lie behind all strings.
            while let Some(top) = self.tops.get(passed)
                && !self.any(simd.less_than_f64s(here, top.at))
            {
                passed += 1;
            }
            let (next, step) = self.steepest(here, height, passed);
            let length = self.length(step);
            let angle = self.angle_down([before, step], [before_length, length]);
            let angle = simd.select_f64s(is_open, angle, zero);
            let one = simd.select_f64s(is_open, simd.splat_f64s(1.0), zero);
            total.length = simd.add_f64s(total.length, simd.select_f64s(is_open, length, zero));
            total.count = simd.add_f64s(total.count, one);
            total.angle = simd.add_f64s(total.angle, angle);
            total.square = simd.add_f64s(total.square, simd.mul_f64s(angle, angle));
            (before, before_length, [here, height]) = (step, length, next);
        }
        self.stored_ways(&total, first)
    }

    #[inline(always)]
    fn stored_ways(&self, total: &Totals<S>, first: [S::f64s; 2]) -> [Way; MAX_LANES] {
        let share = self.simd.div_f64s(first[0], self.distance);
        let x = self.stored(self.simd.mul_f64s(self.away[0], share));
        let y = self.stored(self.simd.mul_f64s(self.away[1], share));
        let rise = self.stored(first[1]);
        let length = self.stored(total.length);
        let (angle, square) = (self.stored(total.angle), self.stored(total.square));
        let count = self.stored(total.count);
        let mut ways = [Way::default(); MAX_LANES];
        for (k, way) in ways.iter_mut().enumerate() {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a small number"
            )]
            let bends = Bends {
                count: count[k] as u32,
                angle: angle[k],
                square: square[k],
            };
            *way = Way {
                length: length[k],
                bends,
                departure: DVec2::new(x[k], y[k]),
                rise: rise[k],
            };
        }
        ways
    }

    #[inline(always)]
    fn length(&self, step: [S::f64s; 2]) -> S::f64s {
        let simd = self.simd;
        let squares = simd.add_f64s(
            simd.mul_f64s(step[0], step[0]),
            simd.mul_f64s(step[1], step[1]),
        );
        simd.sqrt_f64s(squares)
    }

    /// The angle by which a string turns down between two steps of these lengths, radians, to 1e-7.
    ///
    /// # Source
    /// M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 1964, equation 4.4.49.
    #[inline(always)]
    fn angle_down(&self, [a, b]: [[S::f64s; 2]; 2], lengths: [S::f64s; 2]) -> S::f64s {
        let simd = self.simd;
        let one = simd.splat_f64s(1.0);
        let dot = simd.add_f64s(simd.mul_f64s(a[0], b[0]), simd.mul_f64s(a[1], b[1]));
        let perp = simd.sub_f64s(simd.mul_f64s(a[1], b[0]), simd.mul_f64s(a[0], b[1]));
        let product = simd.mul_f64s(lengths[0], lengths[1]);
        // The tangent of a half of it, and of a quarter, which is at most one.
        let half = simd.div_f64s(perp, simd.add_f64s(product, dot));
        let secant = simd.sqrt_f64s(simd.add_f64s(one, simd.mul_f64s(half, half)));
        let tangent = simd.div_f64s(half, simd.add_f64s(one, secant));
        // Two terms at a time, so that one need not wait for the other.
        let square = simd.mul_f64s(tangent, tangent);
        let fourth = simd.mul_f64s(square, square);
        let eighth = simd.mul_f64s(fourth, fourth);
        let of_two = |low: f64, high: f64| {
            let high = simd.mul_f64s(simd.splat_f64s(high), square);
            simd.add_f64s(simd.splat_f64s(low), high)
        };
        let and = |low, power, high| simd.add_f64s(low, simd.mul_f64s(power, high));
        let low = and(
            of_two(1.0, -0.333_331_452_8),
            fourth,
            of_two(0.199_935_508_5, -0.142_088_994_4),
        );
        let high = and(
            of_two(0.106_562_639_3, -0.075_289_640_0),
            fourth,
            of_two(0.042_909_613_8, -0.016_165_736_7),
        );
        let high = and(high, eighth, simd.splat_f64s(0.002_866_225_7));
        let sum = and(low, eighth, high);
        simd.mul_f64s(simd.splat_f64s(4.0), simd.mul_f64s(tangent, sum))
    }

    /// The end of the steepest way on from points of the strings: distance and height; and that way. The farther of two
    /// counts. The first tops, `passed` of them, lie behind.
    #[inline(always)]
    fn steepest(
        &self,
        here: S::f64s,
        height: S::f64s,
        passed: usize,
    ) -> ([S::f64s; 2], [S::f64s; 2]) {
        let simd = self.simd;
        let same = simd.splat_f64s(SAME);
        let mut next = [self.distance, simd.splat_f64s(self.heights.plane)];
        let mut best = [simd.sub_f64s(next[0], here), simd.sub_f64s(next[1], height)];
        for top in &self.tops[passed..] {
            let top_height = simd.splat_f64s(top.height);
            let along = simd.sub_f64s(top.at, here);
            let up = simd.sub_f64s(top_height, height);
            let (a, b) = (simd.mul_f64s(up, best[0]), simd.mul_f64s(best[1], along));
            let is_farther =
                simd.and_m64s(simd.equal_f64s(a, b), simd.less_than_f64s(best[0], along));
            let is_steeper = simd.or_m64s(simd.less_than_f64s(b, a), is_farther);
            let is_better = simd.and_m64s(is_steeper, simd.less_than_f64s(same, along));
            best = [
                simd.select_f64s(is_better, along, best[0]),
                simd.select_f64s(is_better, up, best[1]),
            ];
            next = [
                simd.select_f64s(is_better, top.at, next[0]),
                simd.select_f64s(is_better, top_height, next[1]),
            ];
        }
        (next, best)
    }

    #[inline(always)]
    fn stored(&self, lanes: S::f64s) -> [f64; MAX_LANES] {
        let mut stored = [0.0; MAX_LANES];
        self.simd
            .partial_store_f64s(&mut stored[..S::F64_LANES], lanes);
        stored
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::{Arch, Scalar, WithSimd};

    /// Walls in all directions, and cells behind them, one of them under the transmitter.
    fn town() -> (Vec<Line>, Vec<(u32, DVec2)>) {
        let mut state = 7_u64;
        let mut draw = |low: f64, high: f64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            low + (high - low) * (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let wall = |_| {
            let at = DVec2::from_angle(draw(-0.1, 0.1)) * draw(20.0, 900.0);
            let half = DVec2::from_angle(draw(0.0, 6.3)) * draw(1.0, 60.0);
            Line::new([at - half, at + half], draw(2.0, 40.0))
        };
        let walls: Vec<Line> = (0..60).map(wall).collect();
        let cell = |k: u32| (k, DVec2::from_angle(draw(-0.1, 0.1)) * draw(1.0, 1000.0));
        let cells = (1..83).map(cell).chain([(0, DVec2::ZERO)]);
        (walls, cells.collect())
    }

    struct All<'a>(&'a [Line], &'a [(u32, DVec2)]);

    impl WithSimd for All<'_> {
        type Output = Vec<Way>;

        fn with_simd<S: Simd>(self, simd: S) -> Vec<Way> {
            let heights = Heights {
                source: 13.0,
                plane: 1.5,
            };
            let mut strings = Strings::new(simd, heights);
            let mut ways = Vec::new();
            let cells = Cells::new(self.1.iter().copied());
            for (numbers, away) in cells.groups(S::F64_LANES) {
                strings.aim(away);
                ways.extend_from_slice(&strings.pull(self.0.iter())[..numbers.len()]);
            }
            ways
        }
    }

    #[test]
    fn all_instructions_give_the_same_bits() {
        let (walls, cells) = town();
        let of_one = Scalar::new().vectorize(All(&walls, &cells));
        assert_eq!(of_one.len(), cells.len());
        assert!(of_one.iter().any(|way| way.bends.count > 3));
        assert!(of_one.iter().all(|way| way.length.is_finite()));
        assert_eq!(Arch::new().dispatch(All(&walls, &cells)), of_one);
        #[cfg(target_arch = "x86_64")]
        if let Some(v3) = pulp::x86::V3::try_new() {
            assert_eq!(v3.vectorize(|| All(&walls, &cells).with_simd(v3)), of_one);
        }
    }

    #[test]
    fn a_string_over_one_wall_is_two_straight_lines() {
        let cells = [(0, DVec2::new(100.0, 0.0))];
        for (at, height) in [(50.0, 30.0), (99.9, 300.0), (1.0, 13.5), (50.0, 8.0)] {
            let walls = [Line::new(
                [DVec2::new(at, -5.0), DVec2::new(at, 7.0)],
                height,
            )];
            let [way] = Arch::new().dispatch(All(&walls, &cells))[..] else {
                panic!("one cell")
            };
            let (up, down) = (height - 13.0, height - 1.5);
            let angle_down = up.atan2(at) + down.atan2(100.0 - at);
            assert_eq!(way.bends.count, 1);
            assert!((way.bends.angle - angle_down).abs() < 1e-7, "{at} {height}");
            assert!((way.bends.square - angle_down * angle_down).abs() < 4e-7);
            assert!((way.length - up.hypot(at) - down.hypot(100.0 - at)).abs() < 1e-9);
            assert!((way.departure.x - at).abs() < 1e-12 && (way.rise - up).abs() < 1e-12);
        }
    }
}
