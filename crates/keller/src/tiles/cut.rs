//! Cuts one face into cells: their size, the part of the face in each cell, and the centre of that part.

use glam::{DVec2, DVec3};
use rustc_hash::FxHashMap;

use super::rectangle::{Rectangle, smallest_around};
use super::tiling::{Frame, Tiling};
use crate::geometry::polygon::{area_and_centre, clip};
use crate::scene::{FaceId, Scene};

/// A piece of a face that covers a smaller share of its cell is dropped, unless the face has no other tile.
const MIN_SHARE: f64 = 1e-3;

/// Faces within this height of the lowest ground under them lie on the ground, metres.
const ON_GROUND: f64 = 0.5;

/// A face is level if the cosine between its normal and the vertical is at least this.
const LEVEL: f64 = 0.7;

/// The part of a face that lies in one cell of its rectangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct FaceCell {
    pub(super) at: [u32; 2],
    pub(super) centre: DVec3,
    pub(super) area: f64,
}

/// The cells that hold a part of a face, row by row.
pub(super) fn cut_face(
    scene: &Scene,
    id: FaceId,
    tiling: &Tiling,
) -> Option<(Frame, Vec<FaceCell>)> {
    let face = scene.face(id);
    if face.area < tiling.min_face_area {
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
                let (area, centre) = area_and_centre(&part);
                let (whole, moment) = held.entry([x, y]).or_default();
                *whole += area;
                *moment += area * centre;
            }
        }
    }
    let mut cells: Vec<FaceCell> = Vec::with_capacity(held.len());
    let mut order: Vec<[u32; 2]> = held.keys().copied().collect();
    order.sort_unstable_by_key(|[x, y]| (*y, *x));
    let most = held.values().map(|(area, _)| *area).fold(0.0, f64::max);
    let min_area = (MIN_SHARE * frame.cell.element_product()).min(most);
    for at in order {
        let (area, moment) = held[&at];
        if area >= min_area && area > 0.0 {
            let low = frame.cell * DVec2::from(at.map(f64::from));
            let to_space = |p: DVec2| frame.corner + p.x * frame.axes[0] + p.y * frame.axes[1];
            let is_on = |p: DVec2| scene.is_on_face(id, to_space(p));
            let centre = centre_on([low, low + frame.cell], moment / area, is_on);
            cells.push(FaceCell {
                at,
                centre: to_space(centre),
                area,
            });
        }
    }
    Some((frame, cells))
}

/// The centre of a tile: the centroid of its area, or, if that is not on the face, the nearest point on the face of a
/// grid over the cell.
fn centre_on([low, high]: [DVec2; 2], wanted: DVec2, is_on: impl Fn(DVec2) -> bool) -> DVec2 {
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

/// The number of equal parts of a length whose size is as near to `wanted` as possible (equations (1) to (3)).
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
