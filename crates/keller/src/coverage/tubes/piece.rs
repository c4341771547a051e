//! What borders leave of a cell of directions: a convex piece of it.
//!
//! Where the rays of a cell disagree it is mostly one straight edge that parts what they see. Cut along it, both pieces are clear, and
//! the cell need not be split down to the edge. Both sides of a cut are told apart by the same numbers, so every direction stays in
//! exactly one piece.

use glam::{DVec2, DVec3};

use super::cells::{Cell, OnCube};

/// More cuts a piece does not take.
const MOST_CUTS: usize = 6;

/// Pieces of less than this part of a cell are not cut off.
const SLIVER: f64 = 1e-4;

/// How far inside its corners the rays of a cut piece run, in parts of the way to its middle, so that they miss the borders.
const INSIDE: f64 = 0.03;

/// A straight line across one face of the cube, and a side of it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Cut {
    /// `a x + b y + c` is not negative on its side.
    line: [f32; 3],
    /// Whether the line itself lies on the other side.
    is_open: bool,
}

/// A piece of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Piece {
    pub(super) cell: Cell,
    cuts: [Cut; MOST_CUTS],
    num_cuts: u8,
}

/// The corners of a piece on its face of the cube.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outline {
    points: [DVec2; 4 + MOST_CUTS],
    num: usize,
}

impl Cut {
    /// Between the directions on both sides of a plane through the source with this normal, on the cube's face of a cell.
    pub(super) fn new(cell: Cell, normal: DVec3) -> Option<Self> {
        let [a, b, c] = cell.line_of(normal);
        let scale = a.abs().max(b.abs());
        // Else it does not cross the face.
        (scale > 0.1 * c.abs()).then(|| Self {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "both sides have the same line"
            )]
            line: [a, b, c].map(|coefficient| (coefficient / scale) as f32),
            is_open: false,
        })
    }

    /// Positive on its side.
    pub(super) fn side(&self, at: DVec2) -> f64 {
        let [a, b, c] = self.line.map(f64::from);
        a * at.x + b * at.y + c
    }

    /// That of a direction of any length, the same but for its length.
    fn side_of(&self, cell: Cell, direction: DVec3) -> f64 {
        let (main, at) = cell.on_face(direction);
        let [a, b, c] = self.line.map(f64::from);
        a * at.x + b * at.y + c * main
    }

    fn contains(&self, at: DVec2) -> bool {
        let side = self.side(at);
        side > 0.0 || (side == 0.0 && !self.is_open)
    }

    fn other_side(self) -> Self {
        Self {
            line: self.line.map(|coefficient| -coefficient),
            is_open: !self.is_open,
        }
    }
}

impl From<Cell> for Piece {
    fn from(cell: Cell) -> Self {
        Self {
            cell,
            cuts: [Cut::default(); MOST_CUTS],
            num_cuts: 0,
        }
    }
}

impl Piece {
    pub(super) fn is_whole(&self) -> bool {
        self.num_cuts == 0
    }

    fn cuts(&self) -> &[Cut] {
        &self.cuts[..usize::from(self.num_cuts)]
    }

    pub(super) fn contains(&self, direction: OnCube) -> bool {
        let is_cut_off = |cut: &Cut| !cut.contains(direction.at());
        self.cell.contains(direction) && !self.cuts().iter().any(is_cut_off)
    }

    /// The direction of its middle, on the cube.
    pub(super) fn middle(&self) -> DVec3 {
        if self.is_whole() {
            return self.cell.corners()[0].direction();
        }
        self.cell.direction(self.outline().middle())
    }

    pub(super) fn outline(&self) -> Outline {
        let mut outline = Outline::of(self.cell);
        for cut in self.cuts() {
            outline.clip(cut);
        }
        outline
    }

    /// Both sides of a cut; none if it leaves next to nothing on one side, or if there are too many cuts.
    pub(super) fn cut(&self, cut: Cut) -> Option<[Self; 2]> {
        let outline = self.outline();
        let sliver = SLIVER * self.cell.width() * self.cell.width();
        let side = |cut: Cut| {
            let mut outline = outline;
            outline.clip(&cut);
            if outline.area() < sliver {
                return None;
            }
            let cuts = self.cuts().iter().copied().chain([cut]);
            Self::from(self.cell).with(cuts, &outline)
        };
        Some([side(cut)?, side(cut.other_side())?])
    }

    /// With those of the cuts that touch its outline; none if they are too many.
    fn with(mut self, cuts: impl Iterator<Item = Cut>, outline: &Outline) -> Option<Self> {
        let margin = 1e-9 * self.cell.width();
        let cuts = cuts.filter(|cut| outline.points().iter().any(|at| cut.side(*at) <= margin));
        for cut in cuts {
            *self.cuts.get_mut(usize::from(self.num_cuts))? = cut;
            self.num_cuts += 1;
        }
        Some(self)
    }

    /// What it has of the quarters of its cell.
    pub(super) fn quarters(&self) -> impl Iterator<Item = Self> {
        let piece = *self;
        self.cell.children().into_iter().filter_map(move |cell| {
            if piece.is_whole() {
                return Some(Self::from(cell));
            }
            let mut outline = Outline::of(cell);
            for cut in piece.cuts() {
                outline.clip(cut);
            }
            if outline.num < 3 {
                return None;
            }
            Self::from(cell).with(piece.cuts().iter().copied(), &outline)
        })
    }

    /// The piece that these are all quarters of, if there is one.
    pub(super) fn whole(quarters: &[Self]) -> Option<Self> {
        let mut whole = Self::from(quarters.first()?.cell.parent()?);
        for cut in quarters.iter().flat_map(Self::cuts) {
            if !whole.cuts().contains(cut) {
                *whole.cuts.get_mut(usize::from(whole.num_cuts))? = *cut;
                whole.num_cuts += 1;
            }
        }
        let are_all = if whole.is_whole() {
            whole.quarters().eq(quarters.iter().copied())
        } else {
            let same = |(a, b): (Self, &Self)| {
                let has = |cut: &Cut| b.cuts().contains(cut);
                a.cell == b.cell && a.num_cuts == b.num_cuts && a.cuts().iter().all(has)
            };
            let expected = whole.quarters();
            expected.count() == quarters.len() && whole.quarters().zip(quarters).all(same)
        };
        are_all.then_some(whole)
    }

    /// Which part of a line of directions `from + s along`, with `s` in a range, lies in it or on its border.
    pub(super) fn clip(&self, from: DVec3, along: DVec3, range: [f64; 2]) -> Option<[f64; 2]> {
        /// On the border, in directions: that of a cut is rounded.
        const ON_CUT: f64 = 1e-6;
        let mut range = self.cell.clip(from, along, range)?;
        for cut in self.cuts() {
            let at = cut.side_of(self.cell, from) + ON_CUT * from.abs().max_element();
            range = clip_above(at, cut.side_of(self.cell, along), range)?;
        }
        Some(range)
    }
}

/// Where `at + s slope` is not negative, with `s` in a range.
pub(super) fn clip_above(at: f64, slope: f64, [mut first, mut last]: [f64; 2]) -> Option<[f64; 2]> {
    let zero = -at / slope;
    if slope > 0.0 {
        first = first.max(zero);
    } else if slope < 0.0 {
        last = last.min(zero);
    } else if at < 0.0 {
        return None;
    }
    (first < last).then_some([first, last])
}

impl Outline {
    fn of(cell: Cell) -> Self {
        let [low, high] = cell.borders();
        let mut points = [DVec2::ZERO; 4 + MOST_CUTS];
        points[..4].copy_from_slice(&[
            low,
            DVec2::new(high.x, low.y),
            high,
            DVec2::new(low.x, high.y),
        ]);
        Self { points, num: 4 }
    }

    fn clip(&mut self, cut: &Cut) {
        let old = *self;
        let points = old.points();
        self.num = 0;
        for (k, &a) in points.iter().enumerate() {
            let b = points[(k + 1) % points.len()];
            let [side_a, side_b] = [a, b].map(|at| cut.side(at));
            if side_a >= 0.0 {
                self.push(a);
            }
            if side_a * side_b < 0.0 {
                self.push(a + side_a / (side_a - side_b) * (b - a));
            }
        }
    }

    fn push(&mut self, at: DVec2) {
        // Rounding may bend an outline inwards, and then a line crosses it more than twice.
        if let Some(next) = self.points.get_mut(self.num) {
            *next = at;
            self.num += 1;
        }
    }

    pub(super) fn points(&self) -> &[DVec2] {
        &self.points[..self.num]
    }

    /// About in square radians.
    pub(super) fn area(&self) -> f64 {
        let points = self.points();
        let Some(first) = points.first() else {
            return 0.0;
        };
        let twice = points
            .windows(2)
            .map(|pair| (pair[0] - first).perp_dot(pair[1] - first));
        0.5 * twice.sum::<f64>()
    }

    fn middle(&self) -> DVec2 {
        self.points().iter().sum::<DVec2>() / self.num as f64
    }

    /// Its middle, and places just inside of its corners.
    pub(super) fn samples(self) -> impl Iterator<Item = DVec2> {
        let middle = self.middle();
        let corner = move |k: usize| self.points[k].lerp(middle, INSIDE);
        [middle].into_iter().chain((0..self.num).map(corner))
    }

    /// The least rectangle around it.
    pub(super) fn frame(&self) -> [DVec2; 2] {
        let start = [DVec2::INFINITY, DVec2::NEG_INFINITY];
        self.points()
            .iter()
            .fold(start, |[low, high], at| [low.min(*at), high.max(*at)])
    }
}
