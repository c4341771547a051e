//! Cells of directions: a quadtree on the six faces of a cube around the Tx.
//!
//! Every direction lies in exactly one cell of each level, because all cells compare the same numbers with half-open
//! borders. Borders and corners are dyadic fractions, so they are exact.

use glam::{DVec2, DVec3};

/// The deepest level: cells of 2e-6 rad.
pub(in crate::coverage::tubes) const DEEPEST: u32 = 20;

/// The corners and centres of all cells lie on the lattice of this level.
const LATTICE: u32 = DEEPEST + 1;

/// A square of directions on one face of a cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::coverage::tubes) struct DirectionCell {
    /// Twice the number of the axis (x, y, z), plus one on its negative side.
    face: u8,
    level: u32,
    at: [u32; 2],
}

/// A corner or the centre of a cell. Cells of one face of the cube that touch there share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::coverage::tubes) struct DirectionCorner(u64);

/// A direction on the cube.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::coverage::tubes) struct CubePoint {
    face: u8,
    at: DVec2,
}

impl CubePoint {
    /// The point of the first face with these coordinates, -1 to 1; beyond that, a point in no cell.
    pub(super) fn on_first(at: [f64; 2]) -> Self {
        let is_within = at.iter().all(|at| (-1.0..=1.0).contains(at));
        Self {
            face: if is_within { 0 } else { u8::MAX },
            at: DVec2::from(at),
        }
    }

    /// Its coordinates on its face, -1 to 1.
    pub(super) fn at(self) -> DVec2 {
        self.at
    }

    /// Its coordinates on the face of a cell; `None` if it lies behind that face.
    pub(super) fn on_face_of(self, cell: DirectionCell) -> Option<DVec2> {
        if self.face == cell.face {
            return Some(self.at);
        }
        if self.face == u8::MAX {
            return None;
        }
        let (main, at) = cell.on_face(self.cell(0).direction(self.at));
        (main > 0.0).then(|| at / main)
    }

    /// Its cell of a level.
    pub(in crate::coverage::tubes) fn cell(self, level: u32) -> DirectionCell {
        let count = f64::from(1_u32 << level);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a cell of the face"
        )]
        let at = self
            .at
            .to_array()
            .map(|at| (0.5 * (at + 1.0) * count).clamp(0.0, count - 1.0) as u32);
        DirectionCell {
            face: self.face,
            level,
            at,
        }
    }

    /// The number of its cell among all cells of a level, counted face by face and row by row.
    pub(in crate::coverage::tubes) fn index(self, level: u32) -> usize {
        let count = 1_usize << level;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a cell of the face"
        )]
        let [x, y] = self
            .at
            .to_array()
            .map(|at| ((0.5 * (at + 1.0) * count as f64) as usize).min(count - 1));
        (usize::from(self.face) * count + y) * count + x
    }
}

/// The point at which a direction (of any length but zero) meets the cube.
pub(in crate::coverage::tubes) fn cube_point(direction: DVec3) -> CubePoint {
    let a = direction.abs();
    // The first axis counts on the edges of the cube.
    let axis = if a.x >= a.y && a.x >= a.z {
        0
    } else if a.y >= a.z {
        1
    } else {
        2
    };
    let main = direction[axis];
    let at = DVec2::new(direction[(axis + 1) % 3], direction[(axis + 2) % 3]) / main.abs();
    let side = u8::from(main < 0.0);
    CubePoint {
        face: 2 * u8::try_from(axis).unwrap_or_default() + side,
        at,
    }
}

impl DirectionCell {
    /// The cell of the first face, cut into `4^level` cells, with these numbers along the axes of the face.
    pub(in crate::coverage::tubes) fn of_first(level: u32, at: [u32; 2]) -> Self {
        Self { face: 0, level, at }
    }

    /// The six faces, cut into `4^level` cells each, in the order of [`Self::place`].
    pub(in crate::coverage::tubes) fn all(level: u32) -> Vec<Self> {
        let faces = (0..6).map(|face| Self {
            face,
            level: 0,
            at: [0; 2],
        });
        faces.flat_map(|face| face.split_to(level)).collect()
    }

    /// Its parts of a level, in the order of [`Self::place`].
    pub(in crate::coverage::tubes) fn split_to(self, level: u32) -> Vec<Self> {
        (self.level..level).fold(vec![self], |cells, _| {
            cells.into_iter().flat_map(Self::children).collect()
        })
    }

    pub(in crate::coverage::tubes) fn level(self) -> u32 {
        self.level
    }

    /// Its quarters.
    pub(super) fn children(self) -> [Self; 4] {
        [0, 1, 2, 3].map(|k| Self {
            level: self.level + 1,
            at: [2 * self.at[0] + k % 2, 2 * self.at[1] + k / 2],
            ..self
        })
    }

    /// The cell that it is a quarter of.
    pub(super) fn parent(self) -> Option<Self> {
        (self.level > 0).then(|| Self {
            level: self.level - 1,
            at: self.at.map(|at| at / 2),
            ..self
        })
    }

    /// Whether it is this cell or a part of it.
    pub(super) fn is_within(self, cell: Self) -> bool {
        let deeper = self.level.checked_sub(cell.level);
        deeper.is_some_and(|deeper| {
            self.face == cell.face && self.at.map(|at| at >> deeper) == cell.at
        })
    }

    /// Its rank in the order of the quadtree (Morton order), in which the quarters of a cell follow each other.
    pub(in crate::coverage::tubes) fn place(self) -> u64 {
        let [x, y] = self.at.map(|at| spread(at << (DEEPEST - self.level)));
        u64::from(self.face) << (2 * DEEPEST) | y << 1 | x
    }

    /// Its lower and upper borders along both axes of the face.
    pub(super) fn borders(self) -> [DVec2; 2] {
        let step = 2.0 / f64::from(1_u32 << self.level);
        let low = DVec2::new(f64::from(self.at[0]), f64::from(self.at[1])) * step - 1.0;
        [low, low + step]
    }

    /// Whether a direction lies in it.
    pub(super) fn contains(self, direction: CubePoint) -> bool {
        let [low, high] = self.borders();
        // The cube's own edges belong to the cells at them.
        let below = |v: f64, high: f64| v < high || high >= 1.0;
        self.face == direction.face
            && direction.at.cmpge(low).all()
            && below(direction.at.x, high.x)
            && below(direction.at.y, high.y)
    }

    /// Whether a direction of any length lies in it, and not on its border.
    pub(in crate::coverage::tubes) fn has_inside(self, direction: DVec3) -> bool {
        /// The distance from a border, in coordinates of the face, within which a direction does not count as inside;
        /// it is larger than the rounding of cuts.
        const ON_BORDER: f64 = 1e-5;
        let (main, at) = self.on_face(direction);
        let [low, high] = self.borders();
        let inside = (at - low * main).min(high * main - at).min_element();
        main > 0.0 && inside > ON_BORDER * main
    }

    /// The range of `s`, within a given one, in which the direction `from + s along` lies in this cell.
    pub(super) fn clip(self, from: DVec3, along: DVec3, range: [f64; 2]) -> Option<[f64; 2]> {
        let [low, high] = self.borders();
        let ((a, at), (da, slope)) = (self.on_face(from), self.on_face(along));
        // Each is not negative inside.
        let inside = [
            (a, da),
            (at.x - low.x * a, slope.x - low.x * da),
            (high.x * a - at.x, high.x * da - slope.x),
            (at.y - low.y * a, slope.y - low.y * da),
            (high.y * a - at.y, high.y * da - slope.y),
        ];
        let mut within = Some(range);
        for (at, slope) in inside {
            within = clip_above(at, slope, within?);
        }
        within
    }

    /// The component of a vector out of this cell's face of the cube, and those along the axes of the face.
    pub(in crate::coverage::tubes) fn on_face(self, v: DVec3) -> (f64, DVec2) {
        let axis = usize::from(self.face / 2);
        let at = DVec2::new(v[(axis + 1) % 3], v[(axis + 2) % 3]);
        (self.side() * v[axis], at)
    }

    /// The direction with these coordinates on its face, as a point of the cube.
    pub(in crate::coverage::tubes) fn direction(self, at: DVec2) -> DVec3 {
        let axis = usize::from(self.face / 2);
        let mut direction = DVec3::ZERO;
        direction[axis] = self.side();
        direction[(axis + 1) % 3] = at.x;
        direction[(axis + 2) % 3] = at.y;
        direction
    }

    /// The coefficients of the line `a x + b y + c = 0` in which the plane through the Tx with this normal cuts the
    /// face.
    pub(super) fn line_of(self, normal: DVec3) -> [f64; 3] {
        let (c, at) = self.on_face(normal);
        [at.x, at.y, c]
    }

    fn side(self) -> f64 {
        if self.face.is_multiple_of(2) {
            1.0
        } else {
            -1.0
        }
    }

    /// Its centre and its corners.
    pub(in crate::coverage::tubes) fn corners(self) -> [DirectionCorner; 5] {
        let step = 1 << (LATTICE - self.level);
        let [x, y] = self.at.map(|at| u64::from(at) * step);
        [
            [x + step / 2, y + step / 2],
            [x, y],
            [x + step, y],
            [x + step, y + step],
            [x, y + step],
        ]
        .map(|[x, y]| DirectionCorner(u64::from(self.face) << 44 | y << 22 | x))
    }

    /// The approximate width, radians: that of a cell in the centre of the face, where cells are widest.
    pub(in crate::coverage::tubes) fn width(self) -> f64 {
        2.0 / f64::from(1_u32 << self.level)
    }
}

impl DirectionCorner {
    /// Its direction, as a point of the cube.
    pub(in crate::coverage::tubes) fn direction(self) -> DVec3 {
        let Self(code) = self;
        let [x, y] = self.at();
        let face = (code >> 44) as usize;
        let mut direction = DVec3::ZERO;
        direction[face / 2] = if face.is_multiple_of(2) { 1.0 } else { -1.0 };
        direction[(face / 2 + 1) % 3] = x;
        direction[(face / 2 + 2) % 3] = y;
        direction
    }

    /// Its coordinates on its face, -1 to 1.
    pub(in crate::coverage::tubes) fn at(self) -> [f64; 2] {
        let scale = 2.0 / f64::from(1_u32 << LATTICE);
        [0, 22].map(|shift| ((self.0 >> shift) & 0x3f_ffff) as f64 * scale - 1.0)
    }
}

/// Moves every bit to twice its place, as a Morton code needs it.
fn spread(bits: u32) -> u64 {
    let mut v = u64::from(bits);
    for (shift, mask) in [
        (16, 0x0000_ffff_0000_ffff),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        v = (v | v << shift) & mask;
    }
    v
}

/// The range of `s`, within a given one, in which `at + s slope` is not negative.
pub(in crate::coverage::tubes) fn clip_above(
    at: f64,
    slope: f64,
    [mut first, mut last]: [f64; 2],
) -> Option<[f64; 2]> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_direction_has_one_cell_of_each_level() {
        let mut state = 1_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            f64::from(u32::try_from(state >> 33).unwrap()) / f64::from(1_u32 << 30) - 1.0
        };
        let special = [-1.0, -0.5, 0.0, 0.25, 1.0];
        let mut directions = Vec::new();
        for x in special {
            for y in special {
                directions.extend(special.map(|z| DVec3::new(x, y, z)));
            }
        }
        directions.retain(|d| *d != DVec3::ZERO);
        directions.extend((0..200).map(|_| DVec3::new(random(), random(), random())));
        for level in 0..4 {
            let cells = DirectionCell::all(level);
            for &direction in &directions {
                let on = cube_point(direction);
                let owners = cells.iter().filter(|cell| cell.contains(on));
                assert_eq!(owners.count(), 1, "{direction}, level {level}");
            }
        }
    }

    #[test]
    fn quarters_tile_their_cell_and_corners_are_its_own() {
        for cell in DirectionCell::all(1) {
            let [centre, corner, ..] = cell.corners().map(DirectionCorner::direction);
            assert!(cell.contains(cube_point(centre)));
            let owners = cell.children().map(|c| c.contains(cube_point(centre)));
            assert_eq!(owners.iter().filter(|is| **is).count(), 1);
            for child in cell.children() {
                assert_eq!(child.parent(), Some(cell));
                assert!(cell.contains(cube_point(child.corners()[0].direction())));
            }
            let is_inside = corner
                .abs()
                .to_array()
                .iter()
                .filter(|c| **c == 1.0)
                .count()
                == 1;
            assert!(
                !is_inside || cell.contains(cube_point(corner)),
                "the lowest corner is its own"
            );
            assert_eq!(cell.children()[0].corners()[3], cell.corners()[0]);
        }
    }

    #[test]
    fn places_follow_the_quarters() {
        for level in 0..4 {
            let places: Vec<u64> = DirectionCell::all(level)
                .into_iter()
                .map(DirectionCell::place)
                .collect();
            assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
        }
    }
}
