//! The division of walls into patches: squares on their planes, quartered as needed.
//!
//! Cells belong to planes, not to faces or triangles, so patches do not depend on how a wall was cut. A patch is the
//! part of a face in a cell, or the illuminated part of that. It has an area and a centre of gravity.

use glam::{DVec2, DVec3};

use super::outline::Outline;
use super::shade::Walls;
use crate::geometry::polygon::{area_and_centre, clip};
use crate::paths::PatchArea;
use crate::scene::{FaceId, PlaneId, Scene};

/// Side of the coarse cells, for which searches record illumination, metres.
pub(in crate::paths) const COARSE_SIDE: f64 = 16.0;

/// Largest number of halvings of a coarse cell. They lead to a side of 0.06 mm, the smallest distance of a device from
/// a wall.
const MAX_HALVINGS: u32 = 18;

/// A square on a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::paths) struct PatchSquare {
    pub(in crate::paths) plane: PlaneId,
    /// The side is [`COARSE_SIDE`] divided by 2 to this power.
    halvings: u32,
    /// Position along the plane's axes, in units of the side.
    at: [i32; 2],
}

impl PatchSquare {
    /// The coarse cell that contains a point of a plane.
    pub(in crate::paths) fn around(scene: &Scene, plane: PlaneId, point: DVec3) -> Self {
        let (u, v) = scene.plane(plane).axes();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "coordinates are bounded, and a cast of floats saturates"
        )]
        let index = |axis: DVec3| (axis.dot(point) / COARSE_SIDE).floor() as i32;
        Self {
            plane,
            halvings: 0,
            at: [index(u), index(v)],
        }
    }

    pub(super) fn side(&self) -> f64 {
        COARSE_SIDE / f64::from(1 << self.halvings)
    }

    /// The distance from its centre within which all of it lies, and a little more, metres.
    pub(super) fn reach(&self) -> f64 {
        0.75 * self.side()
    }

    /// The centre of the square, in the plane.
    pub(super) fn centre(&self, scene: &Scene) -> DVec3 {
        let plane = scene.plane(self.plane);
        let (u, v) = plane.axes();
        let centre = self.low() + 0.5 * self.side();
        u * centre.x + v * centre.y + plane.normal * plane.offset
    }

    /// Its lowest and highest corner, in the plane's coordinates.
    pub(super) fn range(&self) -> [DVec2; 2] {
        [self.low(), self.low() + self.side()]
    }

    /// The parts of the cell covered by convex pieces of faces in its plane, at least `min_area` m² each, with their
    /// faces.
    pub(super) fn outlines(&self, walls: &Walls, min_area: f64) -> Vec<(FaceId, Outline)> {
        let (low, side) = (self.low(), self.side());
        let (u, v) = walls.scene.plane(self.plane).axes();
        let (mut numbers, mut polygon) = (Vec::new(), Vec::new());
        self.visit(walls.scene, |triangle| numbers.push(triangle));
        walls.pieces_of(&mut numbers);
        let mut found = Vec::new();
        for number in numbers {
            let piece = &walls.pieces[number as usize];
            polygon.clear();
            polygon.extend(
                piece
                    .polygon
                    .iter()
                    .map(|&c| DVec2::new(u.dot(c), v.dot(c))),
            );
            clip(&mut polygon, low, low + side);
            let outline = Outline::new(polygon.iter().copied(), min_area);
            found.extend(outline.map(|outline| (piece.face, outline)));
        }
        found
    }

    fn low(&self) -> DVec2 {
        DVec2::new(f64::from(self.at[0]), f64::from(self.at[1])) * self.side()
    }

    /// Its four quarters; `None` if it has the smallest size.
    pub(super) fn quarters(&self) -> Option<[Self; 4]> {
        let [i, j] = [self.at[0].checked_mul(2)?, self.at[1].checked_mul(2)?];
        (self.halvings < MAX_HALVINGS).then(|| {
            [[i, j], [i + 1, j], [i, j + 1], [i + 1, j + 1]].map(|at| Self {
                plane: self.plane,
                halvings: self.halvings + 1,
                at,
            })
        })
    }
}

impl PatchSquare {
    /// Calls `each` with the part of every triangle of its plane that lies in the cell, and the triangle's face.
    fn triangles(&self, scene: &Scene, mut each: impl FnMut(FaceId, &[DVec2])) {
        let (u, v) = scene.plane(self.plane).axes();
        let (low, side) = (self.low(), self.side());
        let mut polygon = Vec::new();
        self.visit(scene, |triangle| {
            polygon.clear();
            polygon.extend(
                scene
                    .corners(triangle as usize)
                    .map(|c| DVec2::new(u.dot(c), v.dot(c))),
            );
            clip(&mut polygon, low, low + side);
            each(scene.triangle_faces()[triangle as usize], &polygon);
        });
    }

    /// Visits every triangle of its plane that may touch it.
    fn visit(&self, scene: &Scene, mut each: impl FnMut(u32)) {
        let centre = (self.centre(scene) - scene.origin()).as_vec3();
        #[expect(clippy::cast_possible_truncation, reason = "a margin is on top")]
        let reach = self.side() as f32 + 1e-2;
        scene.index().visit(
            |min, max| (min - reach).cmple(centre).all() && (max + reach).cmpge(centre).all(),
            |triangle| {
                if scene.plane_of(scene.triangle_faces()[triangle as usize]) == self.plane {
                    each(triangle);
                }
            },
        );
    }
}

/// The part of one face in a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::paths) struct Patch {
    pub(in crate::paths) face: FaceId,
    pub(in crate::paths) area: PatchArea,
    pub(in crate::paths) centre: DVec3,
}

/// The number of times that a cell is quartered if the centre of a face's share lies off the face: in a hole, or under
/// another face.
const TRIES: u32 = 2;

/// The patches of a cell, one for each face.
pub(super) fn patches(scene: &Scene, cell: &PatchSquare) -> Vec<Patch> {
    let mut found = Vec::new();
    for share in shares(scene, cell) {
        add_patches(scene, cell, share, TRIES, &mut found);
    }
    found
}

/// Adds the patch of a face's share of a cell, or of the cell's quarters if the share's centre is not on the face.
fn add_patches(
    scene: &Scene,
    cell: &PatchSquare,
    share: Share,
    tries: u32,
    found: &mut Vec<Patch>,
) {
    let plane = scene.plane(cell.plane);
    let (u, v) = plane.axes();
    let centre = u * share.centre.x + v * share.centre.y + plane.normal * plane.offset;
    if scene.face_at(cell.plane, centre) == Some(share.face) {
        found.push(Patch {
            face: share.face,
            area: PatchArea::from_square_metres(share.area),
            centre,
        });
    } else if tries > 0 {
        for quarter in cell.quarters().iter().flatten() {
            for part in shares(scene, quarter) {
                if part.face == share.face {
                    add_patches(scene, quarter, part, tries - 1, found);
                }
            }
        }
    }
}

/// A face's share of a cell.
#[derive(Debug, Clone, Copy)]
struct Share {
    face: FaceId,
    area: f64,
    /// Centre of gravity, in the plane's coordinates.
    centre: DVec2,
}

fn shares(scene: &Scene, cell: &PatchSquare) -> Vec<Share> {
    let mut found: Vec<(FaceId, f64, DVec2)> = Vec::new();
    cell.triangles(scene, |face, polygon| {
        let (area, centre) = area_and_centre(polygon);
        if area <= 0.0 {
            return;
        }
        match found.iter_mut().find(|f| f.0 == face) {
            Some((_, total, moment)) => {
                *total += area;
                *moment += area * centre;
            }
            None => found.push((face, area, area * centre)),
        }
    });
    found.sort_by_key(|f| f.0);
    let share = |(face, area, moment): (FaceId, f64, DVec2)| Share {
        face,
        area,
        centre: moment / area,
    };
    found.into_iter().map(share).collect()
}

/// Every coarse cell that one of `faces` touches.
pub(super) fn coarse_cells(scene: &Scene, faces: impl Iterator<Item = FaceId>) -> Vec<PatchSquare> {
    let mut cells = Vec::new();
    for face in faces {
        let plane = scene.plane_of(face);
        for triangle in scene.face(face).triangles.clone() {
            let corners = scene
                .corners(triangle)
                .map(|c| PatchSquare::around(scene, plane, c).at);
            let range = |k: usize| {
                let along = corners.map(|at| at[k]);
                let low = along.into_iter().min().unwrap_or(0);
                low..=along.into_iter().max().unwrap_or(0)
            };
            for i in range(0) {
                cells.extend(range(1).map(|j| PatchSquare {
                    plane,
                    halvings: 0,
                    at: [i, j],
                }));
            }
        }
    }
    cells.sort_unstable();
    cells.dedup();
    cells
}
