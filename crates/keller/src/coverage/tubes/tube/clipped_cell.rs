//! A cell of directions, clipped along straight lines to a convex polygon.
//!
//! Where the rays of a tube disagree, a straight edge mostly separates the faces that they meet. Seen from the source
//! the edge is a straight line on a face of the cube. Clipped along it, both sides are clear, and the cell need not be
//! split down to the edge. Both sides compare the same number with zero, so every direction lies in exactly one of
//! them.

use glam::{DVec2, DVec3};

use super::direction_cells::{CubePoint, DirectionCell, clip_above};
use crate::geometry::polygon::{area, walk};

/// A cell takes this many cuts at most.
const MAX_CUTS: usize = 6;

/// Parts smaller than this share of a cell's area are not cut off.
const SLIVER: f64 = 1e-4;

/// The rays of a clipped cell run this far inside its corners, as a share of the way to its centre, so that they miss
/// its borders.
const INSIDE: f64 = 0.03;

/// One side of a straight line across a face of the cube.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(in crate::coverage::tubes) struct Cut {
    /// The coefficients of `a x + b y + c`, which is not negative on this side.
    line: [f32; 3],
    /// Whether the line itself belongs to the other side.
    is_open: bool,
}

/// The rest of a cell of directions after cuts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::coverage::tubes) struct ClippedCell {
    pub(in crate::coverage::tubes) cell: DirectionCell,
    cuts: [Cut; MAX_CUTS],
    num_cuts: u8,
}

/// The corners of a clipped cell on its face of the cube, in order.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct Outline {
    points: [DVec2; 4 + MAX_CUTS],
    num: usize,
}

impl Cut {
    /// Separates the directions on both sides of the plane through the source with this normal. `None` if the plane
    /// misses the face of `cell`.
    pub(in crate::coverage::tubes) fn new(cell: DirectionCell, normal: DVec3) -> Option<Self> {
        let [a, b, c] = cell.line_of(normal);
        let scale = a.abs().max(b.abs());
        (scale > 0.1 * c.abs()).then(|| Self {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "both sides have the same line"
            )]
            line: [a, b, c].map(|coefficient| (coefficient / scale) as f32),
            is_open: false,
        })
    }

    /// Positive at coordinates on this side.
    pub(in crate::coverage::tubes) fn side(&self, at: DVec2) -> f64 {
        let [a, b, c] = self.line.map(f64::from);
        a * at.x + b * at.y + c
    }

    /// [`Self::side`] for a direction of any length, times its component out of the face.
    fn side_of(&self, cell: DirectionCell, direction: DVec3) -> f64 {
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

impl From<DirectionCell> for ClippedCell {
    fn from(cell: DirectionCell) -> Self {
        Self {
            cell,
            cuts: [Cut::default(); MAX_CUTS],
            num_cuts: 0,
        }
    }
}

impl ClippedCell {
    pub(in crate::coverage::tubes) fn is_whole(&self) -> bool {
        self.num_cuts == 0
    }

    fn cuts(&self) -> &[Cut] {
        &self.cuts[..usize::from(self.num_cuts)]
    }

    pub(in crate::coverage::tubes) fn contains(&self, direction: CubePoint) -> bool {
        let is_cut_off = |cut: &Cut| !cut.contains(direction.at());
        self.cell.contains(direction) && !self.cuts().iter().any(is_cut_off)
    }

    /// Whether a direction lies on one of its borders, inside or outside, but for rounding.
    pub(in crate::coverage::tubes) fn has_on_border(&self, direction: CubePoint) -> bool {
        /// The distance from a border, in coordinates of the face, within which a direction counts as on it; the lines
        /// of cuts are rounded to f32.
        const ON_BORDER: f64 = 3e-7;
        let Some(at) = direction.on_face_of(self.cell) else {
            return false;
        };
        let [low, high] = self.cell.borders();
        let inside = (at - low).min(high - at).min_element();
        if inside < -ON_BORDER {
            return false;
        }
        let sides = self.cuts().iter().map(|cut| cut.side(at));
        sides.fold(inside, f64::min).abs() <= ON_BORDER
    }

    /// The direction of its centre, as a point of the cube.
    pub(in crate::coverage::tubes) fn centre(&self) -> DVec3 {
        if self.is_whole() {
            return self.cell.corners()[0].direction();
        }
        self.cell.direction(self.outline().centre())
    }

    pub(in crate::coverage::tubes) fn outline(&self) -> Outline {
        let mut outline = Outline::of(self.cell);
        for cut in self.cuts() {
            outline.clip(cut);
        }
        outline
    }

    /// Both sides of a cut; none if one side would be a sliver or had too many cuts.
    pub(in crate::coverage::tubes) fn cut(&self, cut: Cut) -> Option<[Self; 2]> {
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

    /// Adds those cuts that touch the outline. `None` if there are too many.
    fn with(mut self, cuts: impl Iterator<Item = Cut>, outline: &Outline) -> Option<Self> {
        let margin = 1e-9 * self.cell.width();
        let cuts = cuts.filter(|cut| outline.points().iter().any(|at| cut.side(*at) <= margin));
        for cut in cuts {
            *self.cuts.get_mut(usize::from(self.num_cuts))? = cut;
            self.num_cuts += 1;
        }
        Some(self)
    }

    /// The quarters of the cell, each clipped in the same way, without empty ones.
    pub(in crate::coverage::tubes) fn quarters(&self) -> impl Iterator<Item = Self> {
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

    /// The clipped cell of which these are all quarters, if there is one.
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

    /// The range of `s`, within a given one, in which the direction `from + s along` lies in it or on its border.
    pub(in crate::coverage::tubes) fn clip(
        &self,
        from: DVec3,
        along: DVec3,
        range: [f64; 2],
    ) -> Option<[f64; 2]> {
        /// The distance beyond a cut within which a direction still counts as on it, since cuts are rounded.
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
    fn of(cell: DirectionCell) -> Self {
        let [low, high] = cell.borders();
        let mut points = [DVec2::ZERO; 4 + MAX_CUTS];
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
        self.num = 0;
        walk(
            old.points(),
            |at| cut.side(at),
            |at, side| {
                if side >= 0.0 {
                    self.push(at);
                }
            },
        );
    }

    fn push(&mut self, at: DVec2) {
        // Rounding may make an outline concave, and then a line crosses it more than twice.
        if let Some(next) = self.points.get_mut(self.num) {
            *next = at;
            self.num += 1;
        }
    }

    pub(in crate::coverage::tubes) fn points(&self) -> &[DVec2] {
        &self.points[..self.num]
    }

    /// An approximation of the solid angle, steradians.
    pub(in crate::coverage::tubes) fn area(&self) -> f64 {
        area(self.points())
    }

    fn centre(&self) -> DVec2 {
        self.points().iter().sum::<DVec2>() / self.num as f64
    }

    /// Its centre, and a point just inside each corner.
    pub(in crate::coverage::tubes) fn samples(self) -> impl Iterator<Item = DVec2> {
        let centre = self.centre();
        let corner = move |k: usize| self.points[k].lerp(centre, INSIDE);
        [centre].into_iter().chain((0..self.num).map(corner))
    }

    /// The lower and upper corner of the smallest rectangle around it.
    pub(in crate::coverage::tubes) fn frame(&self) -> [DVec2; 2] {
        let start = [DVec2::INFINITY, DVec2::NEG_INFINITY];
        self.points()
            .iter()
            .fold(start, |[low, high], at| [low.min(*at), high.max(*at)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::tubes::tube::direction_cells::cube_point;
    use crate::random::Random;

    fn direction(random: &mut Random) -> DVec3 {
        random.point(DVec3::NEG_ONE, DVec3::ONE)
    }

    /// A plane through the source that comes near to the centre of a cell.
    fn plane_near(cell: DirectionCell, random: &mut Random) -> DVec3 {
        let centre = ClippedCell::from(cell).centre();
        let through = centre + 0.3 * cell.width() * direction(random);
        through.cross(direction(random))
    }

    /// Cuts and quarters a cell at random.
    fn pieces_of(cell: DirectionCell, random: &mut Random) -> Vec<ClippedCell> {
        let mut pieces = vec![ClippedCell::from(cell)];
        for _ in 0..5 {
            let normal = plane_near(cell, random);
            let cut =
                |piece: ClippedCell| match Cut::new(cell, normal).and_then(|cut| piece.cut(cut)) {
                    Some(both) => both.to_vec(),
                    None => vec![piece],
                };
            pieces = pieces.into_iter().flat_map(cut).collect();
            if random.range(-1.0, 1.0) > 0.0 {
                pieces = pieces.iter().flat_map(ClippedCell::quarters).collect();
            }
        }
        pieces
    }

    #[test]
    fn every_direction_has_one_piece_however_its_cell_is_cut_and_split() {
        let mut random = Random(7);
        let mut num_cut = 0;
        for level in [0, 1, 4, 9] {
            for cell in DirectionCell::all(level).into_iter().take(400).step_by(7) {
                let pieces = pieces_of(cell, &mut random);
                num_cut += pieces.iter().filter(|piece| !piece.is_whole()).count();
                let [low, high] = cell.borders();
                for k in 0..40 {
                    let share =
                        0.5 + 0.5 * DVec2::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0));
                    // Some directions are on lines of cells and on corners of outlines.
                    let at = match k % 4 {
                        0 => low + (share * 8.0).floor() / 8.0 * (high - low),
                        1 => pieces[k % pieces.len()].outline().points()[0],
                        _ => low + share * (high - low),
                    };
                    let on = cube_point(cell.direction(at));
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
        for cell in DirectionCell::all(3).into_iter().step_by(5) {
            let pieces = pieces_of(cell, &mut random);
            let area: f64 = pieces.iter().map(|piece| piece.outline().area()).sum();
            let whole = cell.width() * cell.width();
            assert!((area / whole - 1.0).abs() < 1e-6, "{area}, not {whole}");
            for piece in pieces {
                for at in piece.outline().samples() {
                    assert!(piece.contains(cube_point(piece.cell.direction(at))), "{at}");
                }
            }
        }
    }

    #[test]
    fn quarters_are_joined_to_what_they_were_split_from_and_nothing_else_is() {
        let mut random = Random(11);
        let mut num_joined = 0;
        for cell in DirectionCell::all(3).into_iter().step_by(3) {
            let normal = plane_near(cell, &mut random);
            let cut = Cut::new(cell, normal).and_then(|cut| ClippedCell::from(cell).cut(cut));
            let Some(both) = cut else { continue };
            for piece in both.into_iter().chain([ClippedCell::from(cell)]) {
                let quarters: Vec<ClippedCell> = piece.quarters().collect();
                assert_eq!(ClippedCell::whole(&quarters), Some(piece));
                num_joined += 1;
                if quarters.len() > 1 {
                    assert_eq!(ClippedCell::whole(&quarters[1..]), None);
                }
            }
        }
        assert!(num_joined > 100, "{num_joined}");
    }

    #[test]
    fn a_line_of_directions_lies_in_a_piece_where_its_points_do() {
        let mut random = Random(5);
        for cell in DirectionCell::all(2).into_iter().step_by(3) {
            for piece in pieces_of(cell, &mut random) {
                let from = cell.direction(cell.borders()[0]) + 0.1 * direction(&mut random);
                let along = cell.direction(cell.borders()[1]) - from;
                let range = piece.clip(from, along, [0.0, 1.0]);
                for k in 0..50 {
                    let s = (f64::from(k) + 0.5) / 50.0;
                    let is_inside = piece.contains(cube_point(from + s * along));
                    let is_clipped = range.is_some_and(|[a, b]| a <= s && s <= b);
                    let is_near =
                        range.is_some_and(|[a, b]| (s - a).abs().min((s - b).abs()) < 1e-4);
                    assert!(is_inside == is_clipped || is_near, "{s} of {range:?}");
                }
            }
        }
    }
}
