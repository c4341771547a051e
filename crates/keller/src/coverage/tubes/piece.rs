//! What borders leave of a cell of directions: a convex piece of it.
//!
//! Where the rays of a cell disagree it is mostly one straight edge that parts what they see. Cut along it, both pieces are clear, and
//! the cell need not be split down to the edge. Both sides of a cut are told apart by the same numbers, so every direction stays in
//! exactly one piece.

use glam::{DVec2, DVec3};

use super::cells::{Cell, OnCube, clip_above};

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

    /// Whether a direction in it lies on one of its borders but for the rounding of these.
    pub(super) fn has_on_border(&self, direction: OnCube) -> bool {
        /// The lines of cuts are f32.
        const ON_BORDER: f64 = 3e-7;
        let [low, high] = self.cell.borders();
        let at = direction.at();
        let inside = (at - low).min(high - at).min_element();
        let sides = self.cuts().iter().map(|cut| cut.side(at));
        sides.fold(inside, f64::min) <= ON_BORDER
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

#[cfg(test)]
mod tests {
    use super::super::cells::on_cube;
    use super::*;

    struct Random(u64);

    impl Random {
        /// Between -1 and 1.
        fn next(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            f64::from(u32::try_from(self.0 >> 33).unwrap()) / f64::from(1_u32 << 30) - 1.0
        }

        fn direction(&mut self) -> DVec3 {
            DVec3::new(self.next(), self.next(), self.next())
        }
    }

    /// A plane through the source that comes near to the middle of a cell.
    fn plane_near(cell: Cell, random: &mut Random) -> DVec3 {
        let middle = Piece::from(cell).middle();
        let through = middle + 0.3 * cell.width() * random.direction();
        through.cross(random.direction())
    }

    /// Cuts and quarters a cell at random.
    fn pieces_of(cell: Cell, random: &mut Random) -> Vec<Piece> {
        let mut pieces = vec![Piece::from(cell)];
        for _ in 0..5 {
            let normal = plane_near(cell, random);
            let cut = |piece: Piece| match Cut::new(cell, normal).and_then(|cut| piece.cut(cut)) {
                Some(both) => both.to_vec(),
                None => vec![piece],
            };
            pieces = pieces.into_iter().flat_map(cut).collect();
            if random.next() > 0.0 {
                pieces = pieces.iter().flat_map(Piece::quarters).collect();
            }
        }
        pieces
    }

    #[test]
    fn every_direction_has_one_piece_however_its_cell_is_cut_and_split() {
        let mut random = Random(7);
        let mut num_cut = 0;
        for level in [0, 1, 4, 9] {
            for cell in Cell::all(level).into_iter().take(400).step_by(7) {
                let pieces = pieces_of(cell, &mut random);
                num_cut += pieces.iter().filter(|piece| !piece.is_whole()).count();
                let [low, high] = cell.borders();
                for k in 0..40 {
                    let share = 0.5 + 0.5 * DVec2::new(random.next(), random.next());
                    // On lines of cells and on corners of outlines too.
                    let at = match k % 4 {
                        0 => low + (share * 8.0).floor() / 8.0 * (high - low),
                        1 => pieces[k % pieces.len()].outline().points()[0],
                        _ => low + share * (high - low),
                    };
                    let on = on_cube(cell.direction(at));
                    let owners = pieces.iter().filter(|piece| piece.contains(on)).count();
                    assert_eq!(
                        owners,
                        usize::from(cell.contains(on)),
                        "{at}, level {level}"
                    );
                }
            }
        }
        assert!(num_cut > 1000, "{num_cut}");
    }

    #[test]
    fn the_outline_holds_what_the_piece_contains() {
        let mut random = Random(3);
        for cell in Cell::all(3).into_iter().step_by(5) {
            let pieces = pieces_of(cell, &mut random);
            let area: f64 = pieces.iter().map(|piece| piece.outline().area()).sum();
            let whole = cell.width() * cell.width();
            assert!((area / whole - 1.0).abs() < 1e-6, "{area}, not {whole}");
            for piece in pieces {
                for at in piece.outline().samples() {
                    assert!(piece.contains(on_cube(piece.cell.direction(at))), "{at}");
                }
            }
        }
    }

    #[test]
    fn quarters_are_joined_to_what_they_were_split_from_and_nothing_else_is() {
        let mut random = Random(11);
        let mut num_joined = 0;
        for cell in Cell::all(3).into_iter().step_by(3) {
            let normal = plane_near(cell, &mut random);
            let cut = Cut::new(cell, normal).and_then(|cut| Piece::from(cell).cut(cut));
            let Some(both) = cut else { continue };
            for piece in both.into_iter().chain([Piece::from(cell)]) {
                let quarters: Vec<Piece> = piece.quarters().collect();
                assert_eq!(Piece::whole(&quarters), Some(piece));
                num_joined += 1;
                if quarters.len() > 1 {
                    assert_eq!(Piece::whole(&quarters[1..]), None);
                }
            }
        }
        assert!(num_joined > 100, "{num_joined}");
    }

    #[test]
    fn a_line_of_directions_lies_in_a_piece_where_its_points_do() {
        let mut random = Random(5);
        for cell in Cell::all(2).into_iter().step_by(3) {
            for piece in pieces_of(cell, &mut random) {
                let from = cell.direction(cell.borders()[0]) + 0.1 * random.direction();
                let along = cell.direction(cell.borders()[1]) - from;
                let range = piece.clip(from, along, [0.0, 1.0]);
                for k in 0..50 {
                    let s = (f64::from(k) + 0.5) / 50.0;
                    let is_inside = piece.contains(on_cube(from + s * along));
                    let is_clipped = range.is_some_and(|[a, b]| a <= s && s <= b);
                    let is_near =
                        range.is_some_and(|[a, b]| (s - a).abs().min((s - b).abs()) < 1e-4);
                    assert!(is_inside == is_clipped || is_near, "{s} of {range:?}");
                }
            }
        }
    }
}
