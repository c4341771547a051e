//! Cuts one face into cells: their size, the part of the face in each cell, and the centre of that part.

use glam::{DVec2, DVec3};
use rustc_hash::FxHashMap;

use super::cells::{CellId, Divisions};
use super::outside::outside;
use super::rectangle::{Rectangle, smallest_around};
use super::tiling::{Frame, Tiling};
use crate::geometry::polygon::{area_and_centre, clip};
use crate::geometry::tolerance::TIE_DISTANCE;
use crate::scene::{FaceId, Scene};

/// A piece of a face that covers a smaller share of its cell is dropped, unless the face has no other tile.
const MIN_SHARE: f64 = 1e-3;

/// Faces within this height of the lowest ground under them lie on the ground, metres.
const ON_GROUND: f64 = 0.5;

/// A face is level if the cosine between its normal and the vertical is at least this.
const LEVEL: f64 = 0.7;

/// One face, cut into cells.
#[derive(Debug)]
pub(super) struct FaceCut {
    pub(super) frame: Frame,
    pub(super) divisions: Divisions,
    /// The cells that hold a part of the face, row by row.
    pub(super) cells: Vec<FaceCell>,
}

/// The part of a face that lies in one cell of its rectangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct FaceCell {
    pub(super) at: CellId,
    pub(super) centre: DVec3,
    pub(super) area: f64,
}

/// The part of a face that a cell holds, in the coordinates of the face's frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    /// The area in the plane of the face, m².
    pub(super) area: f64,
    /// The sum of areas times their centres.
    pub(super) moment: DVec2,
    /// Area and centre of the largest piece. The centre surely lies on the face.
    pub(super) largest: (f64, DVec2),
    /// The box around all pieces.
    pub(super) bounds: [DVec2; 2],
}

impl Held {
    pub(super) const NOTHING: Self = Self {
        area: 0.0,
        moment: DVec2::ZERO,
        largest: (0.0, DVec2::ZERO),
        bounds: [DVec2::INFINITY, DVec2::NEG_INFINITY],
    };

    /// Adds a convex piece, whose area is `stretch` times that of its coordinates.
    fn add(&mut self, piece: &[DVec2], stretch: f64) {
        let (area, centre) = area_and_centre(piece);
        if area <= 0.0 {
            return;
        }
        let area = stretch * area;
        self.area += area;
        self.moment += area * centre;
        if area > self.largest.0 {
            self.largest = (area, centre);
        }
        let [low, high] = &mut self.bounds;
        for p in piece {
            (*low, *high) = (low.min(*p), high.max(*p));
        }
    }
}

/// Cuts a face. `None` if it is too small for tiles or under a building.
pub(super) fn cut_face(scene: &Scene, id: FaceId, tiling: &Tiling) -> Option<FaceCut> {
    let face = scene.face(id);
    if face.area < tiling.min_face_area || (!tiling.under_buildings && scene.is_buried(id)) {
        return None;
    }
    let plane = scene.plane(face.plane);
    let (u, v) = plane.axes();
    let flat = |p: DVec3| DVec2::new(u.dot(p), v.dot(p));
    let in_space = |p: DVec2| p.x * u + p.y * v + plane.offset * plane.normal;
    let corners = face.triangles.clone().flat_map(|t| scene.corners(t));
    let points: Vec<DVec2> = corners.map(flat).collect();
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
    let axes = [along, along.perp()].map(|axis| axis.x * u + axis.y * v);
    let frame = Frame {
        corner: in_space(corner),
        axes,
        steps: axes,
        cell: sides / DVec2::from(num_cells.map(f64::from)),
        num_cells,
    };
    let mut divisions = Divisions::default();
    divisions.add(&frame, [DVec2::ZERO, sides], &tiling.finer);
    let is_cut = leaves_out(scene, id, tiling);
    let held = held(scene, id, &frame, &divisions, is_cut);
    let mut cells: Vec<FaceCell> = Vec::with_capacity(held.len());
    let mut order: Vec<CellId> = held.keys().copied().collect();
    order.sort_unstable_by_key(|at| at.row_by_row());
    let max_area = held.values().map(|held| held.area).fold(0.0, f64::max);
    for at in order {
        let Held {
            area,
            moment,
            largest,
            ..
        } = held[&at];
        let bounds = divisions.bounds(&frame, at);
        if area >= min_area(bounds, max_area) && area > 0.0 {
            let is_on = |p: DVec2| {
                let point = frame.in_space(p);
                scene.is_on_face(id, point) && !(is_cut && scene.is_under_building(point))
            };
            let centre = centre_on(bounds, moment / area, is_on);
            cells.push(FaceCell {
                at,
                centre: frame.in_space(centre.unwrap_or(largest.1)),
                area,
            });
        }
    }
    Some(FaceCut {
        frame,
        divisions,
        cells,
    })
}

/// Whether a part of a face may be left out because it is under buildings.
pub(super) fn leaves_out(scene: &Scene, face: FaceId, tiling: &Tiling) -> bool {
    !tiling.under_buildings && scene.is_ground(face)
}

/// The area below which a cell with these corners is dropped, unless `max_area` is the largest area that any holds.
pub(super) fn min_area([low, high]: [DVec2; 2], max_area: f64) -> f64 {
    (MIN_SHARE * (high - low).element_product()).min(max_area)
}

/// The parts of a face that the cells of a frame hold, without those under buildings if `is_cut`.
pub(super) fn held(
    scene: &Scene,
    id: FaceId,
    frame: &Frame,
    divisions: &Divisions,
    is_cut: bool,
) -> FxHashMap<CellId, Held> {
    let mut held: FxHashMap<CellId, Held> = FxHashMap::default();
    let stretch = frame.stretch();
    let mut part = Vec::new();
    for triangle in scene.face(id).triangles.clone() {
        let local = scene.corners(triangle).map(|p| frame.local(p));
        let box_around = [
            local[0].min(local[1]).min(local[2]),
            local[0].max(local[1]).max(local[2]),
        ];
        let [first, last] = box_around.map(|corner| frame.cell_of(corner));
        for y in first[1]..=last[1] {
            for x in first[0]..=last[0] {
                divisions.each_in(frame, [x, y], box_around, |at| {
                    let [low, high] = divisions.bounds(frame, at);
                    part.clear();
                    part.extend(local);
                    clip(&mut part, low, high);
                    let held = held.entry(at).or_insert(Held::NOTHING);
                    if is_cut {
                        for piece in outside(scene, id, frame, std::mem::take(&mut part)) {
                            held.add(&piece, stretch);
                        }
                    } else {
                        held.add(&part, stretch);
                    }
                });
            }
        }
    }
    held
}

/// The centre of a tile: the centroid of its area, or, if that is not on the face, the nearest point on the face of a
/// grid over the cell. `None` if no such point is on the face.
pub(super) fn centre_on(
    [low, high]: [DVec2; 2],
    wanted: DVec2,
    is_on: impl Fn(DVec2) -> bool,
) -> Option<DVec2> {
    /// Points along each side of the cell.
    const GRID: u32 = 8;
    if is_on(wanted) {
        return Some(wanted);
    }
    let grid = (0..GRID * GRID).map(|k| {
        let share = DVec2::new(f64::from(k % GRID), f64::from(k / GRID)) + 0.5;
        low + share / f64::from(GRID) * (high - low)
    });
    let mut on_face: Vec<(f64, DVec2)> = grid
        .filter(|p| is_on(*p))
        .map(|p| (p.distance(wanted), p))
        .collect();
    // The first of several equally near ones counts: rounding does not decide.
    let nearest = on_face.iter().map(|(distance, _)| *distance);
    let limit = nearest.fold(f64::INFINITY, f64::min) + TIE_DISTANCE;
    on_face.retain(|(distance, _)| *distance <= limit);
    on_face.first().map(|(_, p)| *p)
}

/// The number of equal parts of a length whose size is close to `wanted`: how many of that size go into the length, and
/// one more if over half a part is left (Lu et al. 2019, equations (1) to (3)). At least one.
pub(super) fn parts(length: f64, wanted: f64) -> u32 {
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

/// Whether a face is level and has nothing under it.
fn is_ground(scene: &Scene, id: FaceId) -> bool {
    if scene.face_normal(id).z.abs() < LEVEL {
        return false;
    }
    let first = scene.face(id).triangles.start;
    let centre = scene.corners(first).iter().sum::<DVec3>() / 3.0;
    scene
        .ground(centre.truncate())
        .is_none_or(|ground| centre.z <= ground + ON_GROUND)
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
