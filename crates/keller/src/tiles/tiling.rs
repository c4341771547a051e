//! Faces cut into tiles.
//!
//! Over every face lies the smallest rectangle around it, whose sides are cut in equal parts as near to the wanted length as can be
//! (Lu et al. 2019, equations (1) to (3)). What of the face lies in one cell is one tile. The middle of a tile is where its area's
//! middle is, or if that lies beside the face a point of the face near it.
//!
//! So walls get nearly square tiles, and roofs, gables and terrain are covered to the last piece, where the paper drops tiles whose
//! middles lie beside the roof, and faces smaller than a tile.

use std::sync::Arc;

use glam::{DVec2, DVec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::rectangle::{Rectangle, smallest_around};
use crate::Error;
use crate::geometry::polygon::{area_and_center, clip};
use crate::scene::{FaceId, Scene};

/// How faces are cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tiling {
    /// Wanted length of a tile's side, metres; the square root of its area.
    pub side: f64,
    /// The same for faces that look up or down and lie on the ground, metres; as `side` if absent.
    pub ground_side: Option<f64>,
    /// Faces of less area get no tiles, m².
    pub least_face_area: f64,
}

impl Tiling {
    /// Tiles about so long, on all faces; metres.
    pub fn of_side(side: f64) -> Self {
        Self {
            side,
            ground_side: None,
            least_face_area: 0.0,
        }
    }

    /// Tiles of 10 m, as Lu et al. take for cities; in smaller places, where most tiles see each other, about 3 000 of them.
    pub fn of_scene(scene: &Scene) -> Self {
        let area: f64 = scene.faces().iter().map(|face| face.area).sum();
        let side = (area / FEW_TILES).sqrt().min(OUTDOOR_SIDE);
        // Whole centimetres are told and typed.
        Self::of_side((side * 100.0).floor().max(1.0) / 100.0)
    }

    fn check(&self) -> Result<(), Error> {
        for side in [Some(self.side), self.ground_side].into_iter().flatten() {
            if !(side.is_finite() && side > 0.0) {
                return Err(Error::Tiles(format!(
                    "a tile's side must be a positive number of metres, not {side}"
                )));
            }
        }
        Ok(())
    }
}

/// Of tiles where nothing is said, metres (Lu et al. 2019, section IV: 100 m²).
const OUTDOOR_SIDE: f64 = 10.0;

/// Of so many all may see each other.
const FEW_TILES: f64 = 3000.0;

/// A part of a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tile {
    /// The face that it is a part of.
    pub face: FaceId,
    /// A point of the face: what sees it sees the tile, metres.
    pub middle: DVec3,
    /// Of the face in its cell, m².
    pub area: f64,
    /// Its cell's lowest corner in the [`Frame`] of its face, metres.
    pub low: DVec2,
    /// Its cell's highest corner, metres.
    pub high: DVec2,
}

/// The rectangle around a face, in space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Its first corner, metres.
    pub corner: DVec3,
    /// Unit vectors along its sides.
    pub axes: [DVec3; 2],
    /// Sizes of a cell along both, metres.
    pub cell: DVec2,
    /// How many cells lie along both.
    pub num_cells: [u32; 2],
}

impl Frame {
    /// Coordinates of a point along the axes, metres.
    pub fn local(&self, point: DVec3) -> DVec2 {
        let from = point - self.corner;
        DVec2::new(self.axes[0].dot(from), self.axes[1].dot(from))
    }

    /// The cell of a point, or the next one.
    fn cell_of(&self, local: DVec2) -> [u32; 2] {
        [0, 1].map(|k| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a cast of floats saturates"
            )]
            let cell = (local[k] / self.cell[k]).floor().max(0.0) as u32;
            cell.min(self.num_cells[k] - 1)
        })
    }
}

/// All tiles of a scene, those of one face in a row, face by face. Copies share them.
#[derive(Debug, Clone)]
pub struct Tiles(Arc<Cut>);

#[derive(Debug)]
struct Cut {
    tiling: Tiling,
    all: Vec<Tile>,
    /// By face; none of those without tiles.
    frames: Vec<Option<Frame>>,
    /// First tile of each face, and one more.
    starts: Vec<u32>,
    /// Tiles by face and cell.
    by_cell: FxHashMap<(u32, [u32; 2]), u32>,
}

/// More would not fit their numbers, nor memory.
const MOST_TILES: f64 = 1e8;

/// A piece of a face that is a smaller part of its cell is dropped, unless the face has no other tile.
const LEAST_SHARE: f64 = 1e-3;

/// Faces within this of the lowest ground under them lie on it, metres.
const ON_GROUND: f64 = 0.5;

/// A face looks up or down if its normal does to this cosine.
const LEVEL: f64 = 0.7;

impl Tiles {
    /// The tiles of a scene. They do not depend on how faces are cut into triangles, but for rounding.
    ///
    /// # Errors
    /// [`Error::Tiles`] for sides that are no lengths, and for more than 10⁸ tiles.
    ///
    /// # Panics
    /// If there are 2^32 faces.
    pub fn new(scene: &Scene, tiling: Tiling) -> Result<Self, Error> {
        tiling.check()?;
        let faces = || (0..scene.faces().len()).map(FaceId::from_index);
        let side = tiling.side.min(tiling.ground_side.unwrap_or(f64::INFINITY));
        let expected: f64 = faces()
            .map(|face| 1.0 + scene.face(face).area / (side * side))
            .sum();
        if expected > MOST_TILES {
            return Err(Error::Tiles(format!(
                "tiles with sides of {side} m would be some {expected:.1e}; at most {MOST_TILES:.0e} are accepted: take sides {:.1} times as long",
                (expected / MOST_TILES).sqrt()
            )));
        }
        let faces: Vec<FaceId> = faces().collect();
        let cut: Vec<Option<(Frame, Vec<Cell>)>> = faces
            .par_iter()
            .map(|face| cut_face(scene, *face, &tiling))
            .collect();
        let mut found = Cut {
            tiling,
            all: Vec::new(),
            frames: Vec::with_capacity(faces.len()),
            starts: Vec::with_capacity(faces.len() + 1),
            by_cell: FxHashMap::default(),
        };
        let count = |n: usize| u32::try_from(n).expect("fewer than 2^32 tiles");
        for (face, cut) in faces.into_iter().zip(cut) {
            found.starts.push(count(found.all.len()));
            let Some((frame, cells)) = cut else {
                found.frames.push(None);
                continue;
            };
            for cell in cells {
                let number = count(found.all.len());
                found.by_cell.insert((count(face.index()), cell.at), number);
                let low = frame.cell * DVec2::from(cell.at.map(f64::from));
                found.all.push(Tile {
                    face,
                    middle: cell.middle,
                    area: cell.area,
                    low,
                    high: low + frame.cell,
                });
            }
            found.frames.push(Some(frame));
        }
        found.starts.push(count(found.all.len()));
        Ok(Self(Arc::new(found)))
    }

    /// How they were cut.
    pub fn tiling(&self) -> &Tiling {
        &self.0.tiling
    }

    /// All of them.
    pub fn all(&self) -> &[Tile] {
        &self.0.all
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.all.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.all.is_empty()
    }

    /// The numbers of the tiles of a face.
    pub fn of_face(&self, face: FaceId) -> std::ops::Range<usize> {
        self.0.starts[face.index()] as usize..self.0.starts[face.index() + 1] as usize
    }

    /// The rectangle around a face; `None` if it has no tiles.
    pub fn frame(&self, face: FaceId) -> Option<&Frame> {
        self.0.frames[face.index()].as_ref()
    }

    /// The tile of a face in whose cell a point of its plane lies, or of the next cell.
    pub fn at(&self, face: FaceId, point: DVec3) -> Option<usize> {
        let frame = self.frame(face)?;
        let index = u32::try_from(face.index()).ok()?;
        let cell = frame.cell_of(frame.local(point));
        self.0
            .by_cell
            .get(&(index, cell))
            .map(|tile| *tile as usize)
    }
}

/// What of a face lies in a cell of its rectangle.
#[derive(Debug, Clone, Copy)]
struct Cell {
    at: [u32; 2],
    middle: DVec3,
    area: f64,
}

/// The cells of a face that hold some of it, row by row.
fn cut_face(scene: &Scene, id: FaceId, tiling: &Tiling) -> Option<(Frame, Vec<Cell>)> {
    let face = scene.face(id);
    if face.area < tiling.least_face_area {
        return None;
    }
    let plane = scene.plane(face.plane);
    let (u, v) = plane.axes();
    let flat = |p: DVec3| DVec2::new(u.dot(p), v.dot(p));
    let in_space = |p: DVec2| p.x * u + p.y * v + plane.offset * plane.normal;
    let triangles: Vec<[DVec2; 3]> = face
        .triangles
        .clone()
        .map(|triangle| scene.corners(triangle).map(flat))
        .collect();
    let points: Vec<DVec2> = triangles.iter().flatten().copied().collect();
    let Rectangle {
        corner,
        along,
        sides,
    } = smallest_around(&points)?;
    let side = tiling
        .ground_side
        .filter(|_| is_ground(scene, id))
        .unwrap_or(tiling.side);
    let num_cells = [sides.x, sides.y].map(|length| parts(length, side));
    let frame = Frame {
        corner: in_space(corner),
        axes: [along, along.perp()].map(|axis| axis.x * u + axis.y * v),
        cell: sides / DVec2::from(num_cells.map(f64::from)),
        num_cells,
    };
    let mut held: FxHashMap<[u32; 2], (f64, DVec2)> = FxHashMap::default();
    let mut part = Vec::new();
    for triangle in &triangles {
        let local = triangle.map(|p| frame.local(in_space(p)));
        let first = frame.cell_of(local[0].min(local[1]).min(local[2]));
        let last = frame.cell_of(local[0].max(local[1]).max(local[2]));
        for y in first[1]..=last[1] {
            for x in first[0]..=last[0] {
                let low = frame.cell * DVec2::from([x, y].map(f64::from));
                part.clear();
                part.extend(local);
                clip(&mut part, low, low + frame.cell);
                let (area, middle) = area_and_center(&part);
                let (whole, moment) = held.entry([x, y]).or_default();
                *whole += area;
                *moment += area * middle;
            }
        }
    }
    let mut cells: Vec<Cell> = Vec::with_capacity(held.len());
    let mut order: Vec<[u32; 2]> = held.keys().copied().collect();
    order.sort_unstable_by_key(|[x, y]| (*y, *x));
    let most = held.values().map(|(area, _)| *area).fold(0.0, f64::max);
    let least = (LEAST_SHARE * frame.cell.element_product()).min(most);
    for at in order {
        let (area, moment) = held[&at];
        if area >= least && area > 0.0 {
            let low = frame.cell * DVec2::from(at.map(f64::from));
            let to_space = |p: DVec2| frame.corner + p.x * frame.axes[0] + p.y * frame.axes[1];
            let is_on = |p: DVec2| scene.is_on_face(id, to_space(p));
            let middle = middle_on([low, low + frame.cell], moment / area, is_on);
            cells.push(Cell {
                at,
                middle: to_space(middle),
                area,
            });
        }
    }
    Some((frame, cells))
}

/// The middle of a tile whose area's middle is given: that, or of a grid over the cell the nearest point of the face.
fn middle_on([low, high]: [DVec2; 2], wanted: DVec2, is_on: impl Fn(DVec2) -> bool) -> DVec2 {
    /// Points along each side of the cell.
    const GRID: u32 = 8;
    if is_on(wanted) {
        return wanted;
    }
    let grid = (0..GRID * GRID).map(|k| {
        let share = DVec2::new(f64::from(k % GRID), f64::from(k / GRID)) + 0.5;
        low + share / f64::from(GRID) * (high - low)
    });
    grid.filter(|p| is_on(*p))
        .min_by(|a, b| {
            let [a, b] = [a, b].map(|p| p.distance_squared(wanted));
            a.total_cmp(&b)
        })
        .unwrap_or(wanted)
}

/// In how many parts a length is cut so that each is as near as can be to `wanted` (equations (1) to (3)).
fn parts(length: f64, wanted: f64) -> u32 {
    let whole = (length / wanted).floor();
    let rest = length - whole * wanted;
    let parts = if rest <= 0.5 * wanted {
        whole
    } else {
        whole + 1.0
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast of floats saturates"
    )]
    let parts = parts as u32;
    parts.max(1)
}

/// Whether a face is level and nothing lies under it.
fn is_ground(scene: &Scene, id: FaceId) -> bool {
    if scene.face_normal(id).z.abs() < LEVEL {
        return false;
    }
    let first = scene.face(id).triangles.start;
    let middle = scene.corners(first).iter().sum::<DVec3>() / 3.0;
    scene
        .ground(middle.truncate())
        .is_none_or(|ground| middle.z <= ground + ON_GROUND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_as_near_as_can_be() {
        assert_eq!(parts(10.0, 10.0), 1);
        assert_eq!(parts(14.9, 10.0), 1);
        assert_eq!(parts(15.1, 10.0), 2);
        assert_eq!(parts(0.3, 10.0), 1);
        assert_eq!(parts(47.0, 10.0), 5);
    }
}
