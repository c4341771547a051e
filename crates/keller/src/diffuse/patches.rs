//! Patches: tiles, cut where walls stand on them, with two sides each.

use glam::{DVec2, DVec3};
use rayon::prelude::*;

use super::cuts::{Line, lines_across};
use crate::em::WallPower;
use crate::geometry::polygon::{area_and_centre, split};
use crate::geometry::sampling::Points;
use crate::materials::Lobe;
use crate::parallel;
use crate::power::sides::{Side, WallPowers};
use crate::scene::{FaceId, MaterialId, Scene};
use crate::tiles::{Tile, Tiles};
use crate::{Control, Error, World};

/// All patches of a scene. The sides of patch `p` are `2 p` (front) and `2 p + 1` (back).
#[derive(Debug)]
pub(super) struct Patches {
    pub(super) tiles: Tiles,
    pub(super) list: Vec<Patch>,
    /// First patch of each tile, and the end of the last.
    starts: Vec<u32>,
    /// The lines that cut each tile.
    lines: Vec<Vec<Line>>,
    walls: WallPowers,
    /// For each plane, whether faces of it may overlap.
    overlaps: Vec<bool>,
}

/// A part of a tile on one side of every wall that meets the tile.
#[derive(Debug)]
pub(super) struct Patch {
    pub(super) face: FaceId,
    /// Area that no other face of its plane covers, m².
    pub(super) area: f64,
    /// Whether another face of its plane covers all of it.
    pub(super) is_covered: bool,
    /// Unit normal of the front.
    pub(super) normal: DVec3,
    material: MaterialId,
    /// The side of each line on which it lies, a bit for each.
    code: u32,
    /// Triangles that cover it, with the area up to the end of each.
    triangles: Vec<([DVec3; 3], f64)>,
}

/// The share of their tile below which pieces have no patch. Rays that hit them count for another piece.
const MIN_SHARE: f64 = 1e-6;

/// A ray that ends within this distance of a wall on its tile ends on the side of the wall from which it came,
/// metres. It covers the rounding of single precision.
const BACK: f64 = 1e-4;

/// Points keep this share of their distance from the centre of their triangle, so that rounding does not put them
/// behind a wall at the border.
const INSIDE: f64 = 1.0 - 1e-4;

impl Patches {
    pub(super) fn new(world: &World, tiles: &Tiles, control: &Control) -> Result<Self, Error> {
        let scene = world.scene();
        let cut: Vec<(Vec<Line>, Vec<Patch>)> = parallel::try_map(tiles.len(), |number| {
            control.check()?;
            Ok::<_, Error>(cut(scene, tiles, number))
        })?;
        let (mut list, mut starts, mut lines) = (Vec::new(), vec![0], Vec::new());
        for (of_tile, patches) in cut {
            lines.push(of_tile);
            list.extend(patches);
            starts.push(u32::try_from(list.len()).expect("fewer than 2^32 patches"));
        }
        let overlaps = overlaps(scene);
        list.par_iter_mut().enumerate().for_each(|(number, patch)| {
            if overlaps[scene.plane_of(patch.face).index()] {
                uncover(scene, number, patch);
            }
        });
        Ok(Self {
            tiles: tiles.clone(),
            list,
            starts,
            lines,
            walls: WallPowers::new(world),
            overlaps,
        })
    }

    /// Number of sides: two for each patch.
    pub(super) fn num_sides(&self) -> usize {
        2 * self.list.len()
    }

    /// The numbers of the patches of a tile.
    pub(super) fn of_tile(&self, tile: usize) -> std::ops::Range<usize> {
        self.starts[tile] as usize..self.starts[tile + 1] as usize
    }

    /// The patch of a side.
    pub(super) fn of_side(&self, side: Side) -> &Patch {
        &self.list[side.tile()]
    }

    /// Unit normal that points away from a side.
    pub(super) fn normal(&self, side: Side) -> DVec3 {
        side.outwards(self.of_side(side).normal)
    }

    /// The effects of the wall on power that falls on a side.
    pub(super) fn power(&self, side: Side) -> &WallPower {
        self.walls
            .power(self.of_side(side).material, side.is_back())
    }

    /// The lobe in which the wall of a side scatters.
    pub(super) fn lobe(&self, side: Side) -> Lobe {
        let lobe = self.walls.lobe(self.of_side(side).material);
        lobe.unwrap_or(Lobe::Lambertian)
    }

    /// Whether no other face of its plane covers a patch at one of its points.
    pub(super) fn is_shown(&self, scene: &Scene, patch: &Patch, point: DVec3) -> bool {
        let plane = scene.plane_of(patch.face);
        !self.overlaps[plane.index()] || is_upper(scene, patch, point)
    }

    /// The patch at the point of `face` where a ray along the unit vector `direction` ends. If several faces overlap
    /// there, that of the visible one. `None` if the face has no tiles there, as under buildings.
    pub(super) fn at(
        &self,
        scene: &Scene,
        face: FaceId,
        point: DVec3,
        direction: DVec3,
    ) -> Option<usize> {
        let plane = scene.plane_of(face);
        let face = if self.overlaps[plane.index()] {
            scene.face_at(plane, point).unwrap_or(face)
        } else {
            face
        };
        if self.is_left_out(scene, face, point) {
            return None;
        }
        let tile = self.tiles.at(face, point).or_else(|| {
            let distance = |tile: &usize| self.tiles.all()[*tile].centre.distance_squared(point);
            let all = self.tiles.of_face(face);
            all.min_by(|a, b| distance(a).total_cmp(&distance(b)))
        })?;
        let patches = self.of_tile(tile);
        if patches.len() == 1 {
            return Some(patches.start);
        }
        let local = self.tiles.frame(face)?.local(point - BACK * direction);
        let code = code_of(&self.lines[tile], local);
        let exact = patches.clone().find(|p| self.list[*p].code == code);
        exact.or_else(|| patches.max_by(|a, b| self.list[*a].area.total_cmp(&self.list[*b].area)))
    }

    /// Whether a point of a face has no tile because it is under a building.
    fn is_left_out(&self, scene: &Scene, face: FaceId, point: DVec3) -> bool {
        if self.tiles.tiling().under_buildings || !scene.is_ground(face) {
            return false;
        }
        let is_whole = self.tiles.at(face, point).is_some_and(|tile| {
            let tile = &self.tiles.all()[tile];
            // Facets are at least as large as their plan.
            tile.area >= (1.0 - WHOLE) * (tile.high - tile.low).element_product()
        });
        !is_whole && scene.is_under_building(point)
    }
}

/// A tile that lacks less than this part of its cell is whole.
const WHOLE: f64 = 1e-9;

impl Patch {
    /// A point of the patch, with an even density, from two numbers in `[0, 1)`.
    pub(super) fn point(&self, [u, v]: [f64; 2]) -> DVec3 {
        let (_, whole) = self.triangles[self.triangles.len() - 1];
        let wanted = u * whole;
        let k = self.triangles.partition_point(|(_, end)| *end <= wanted);
        let k = k.min(self.triangles.len() - 1);
        let ([a, b, c], end) = self.triangles[k];
        let start = if k == 0 { 0.0 } else { self.triangles[k - 1].1 };
        let u = ((wanted - start) / (end - start)).clamp(0.0, 1.0).sqrt();
        let point = (1.0 - u) * a + u * (1.0 - v) * b + u * v * c;
        let centre = (a + b + c) / 3.0;
        centre.lerp(point, INSIDE)
    }
}

/// Whether the patch's face is the visible one of its plane at a point.
fn is_upper(scene: &Scene, patch: &Patch, point: DVec3) -> bool {
    let upper = scene.face_at(scene.plane_of(patch.face), point);
    upper.is_none_or(|face| face == patch.face)
}

/// Takes off the area of a patch that other faces of its plane cover.
fn uncover(scene: &Scene, number: usize, patch: &mut Patch) {
    /// Points by which the area is estimated.
    const POINTS: u32 = 256;
    let points = Points::new(number as u64);
    let shown = (0..POINTS).filter(|k| {
        let [u, v, ..] = points.at(*k);
        is_upper(scene, patch, patch.point([u, v]))
    });
    let share = shown.count() as f64 / f64::from(POINTS);
    patch.is_covered = share == 0.0;
    if !patch.is_covered {
        patch.area *= share;
    }
}

/// A bit for each line on whose positive side the point lies.
fn code_of(lines: &[Line], point: DVec2) -> u32 {
    let bit = |(k, line): (usize, &Line)| u32::from(line.distance(point) > 0.0) << k;
    lines.iter().enumerate().map(bit).sum()
}

/// A piece of a tile, in the coordinates of its frame.
struct Piece {
    /// The side of each line on which it lies, as in [`Patch::code`].
    code: u32,
    face: FaceId,
    polygon: Vec<DVec2>,
}

/// The lines across a tile and its patches.
fn cut(scene: &Scene, tiles: &Tiles, number: usize) -> (Vec<Line>, Vec<Patch>) {
    let tile = &tiles.all()[number];
    let frame = tiles.frame(tile.face).expect("the face has this tile");
    let lines = lines_across(scene, tile, frame, tiles.tiling().terrain_grid);
    let piece = |(face, polygon): (FaceId, Vec<DVec3>)| Piece {
        code: 0,
        face,
        polygon: polygon.into_iter().map(|p| frame.local(p)).collect(),
    };
    let pieces = tiles.pieces(scene, number).into_iter();
    let mut pieces: Vec<Piece> = pieces.map(piece).collect();
    for (k, line) in lines.iter().enumerate() {
        let divide = |piece: Piece| {
            let [above, below] = split(&piece.polygon, |p| line.distance(p));
            [(below, 0), (above, 1 << k)].map(|(polygon, bit)| Piece {
                code: piece.code | bit,
                polygon,
                ..piece
            })
        };
        pieces = pieces.into_iter().flat_map(divide).collect();
    }
    pieces.retain(|piece| area_and_centre(&piece.polygon).0 > 0.0);
    pieces.sort_by_key(|piece| piece.code);
    let mut patches: Vec<Patch> = pieces
        .chunk_by(|a, b| a.code == b.code)
        .map(|pieces| patch(scene, tiles, tile, pieces))
        .collect();
    let whole: f64 = patches.iter().map(|patch| patch.area).sum();
    patches.retain(|patch| patch.area > MIN_SHARE * whole);
    (lines, patches)
}

/// The patch that consists of these convex pieces. Its normal is that of the face on which the tile's centre lies.
fn patch(scene: &Scene, tiles: &Tiles, tile: &Tile, pieces: &[Piece]) -> Patch {
    let mut triangles = Vec::new();
    let mut area = 0.0;
    for Piece { face, polygon, .. } in pieces {
        let frame = tiles.frame(*face).expect("the face has this tile");
        let stretch = frame.stretch();
        for k in 1..polygon.len() - 1 {
            let corners = [polygon[0], polygon[k], polygon[k + 1]];
            let (more, _) = area_and_centre(&corners);
            if more > 0.0 {
                area += stretch * more;
                triangles.push((corners.map(|p| frame.in_space(p)), area));
            }
        }
    }
    Patch {
        face: tile.face,
        area,
        is_covered: false,
        normal: scene.face_normal(tile.face),
        material: scene.face(tile.face).material,
        code: pieces[0].code,
        triangles,
    }
}

/// For each plane, whether the boxes of two of its faces overlap.
fn overlaps(scene: &Scene) -> Vec<bool> {
    let mut boxes: Vec<Vec<[DVec3; 2]>> = vec![Vec::new(); scene.planes().len()];
    for face in scene.faces() {
        let corners = face.triangles.clone().flat_map(|t| scene.corners(t));
        let empty = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let around = corners.fold(empty, |[low, high], v| [low.min(v), high.max(v)]);
        boxes[face.plane.index()].push(around);
    }
    let overlap = |a: &[DVec3; 2], b: &[DVec3; 2]| {
        let shared = a[1].min(b[1]) - a[0].max(b[0]);
        // Walls in one plane that meet at an upright line share a box without area.
        let wide = shared.to_array().iter().filter(|s| **s > 1e-6).count();
        shared.min_element() > -1e-6 && wide >= 2
    };
    boxes
        .iter_mut()
        .map(|boxes| {
            boxes.sort_by(|a, b| a[0].x.total_cmp(&b[0].x));
            boxes.iter().enumerate().any(|(k, a)| {
                let rest = boxes[k + 1..].iter();
                rest.take_while(|b| b[0].x <= a[1].x).any(|b| overlap(a, b))
            })
        })
        .collect()
}
