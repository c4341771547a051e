//! Faces cut into tiles.
//!
//! The smallest rectangle around a face is cut into equal cells, whose sides are close to the wanted length (Lu et al.
//! 2019, equations (1) to (3)). The part of the face in one cell is one tile. The centre of a tile is the centroid of
//! its area, or, if that is not on the face, a point of the face near it.
//!
//! So walls get nearly square tiles, and roofs and gables are covered completely. Lu et al. drop tiles whose centres are
//! not on the roof, and faces smaller than a tile.
//!
//! Terrain of many facets is cut by one horizontal grid instead ([`super::terrain`]): a tile has a part of each facet
//! in its cell. The ground under buildings has no tiles ([`super::outside`]). Near the points of [`Finer`], cells are
//! divided ([`super::cells`]).

use std::f64::consts::PI;
use std::sync::Arc;

use glam::{DVec2, DVec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::cells::{CellId, Divisions};
use super::cut::{FaceCut, cut_face};
use super::terrain::{TerrainCut, TerrainTile, cut_terrain};
use super::tiling::{Finer, Frame, Part, Tiling};
use crate::scene::{FaceId, Scene};
use crate::{Error, parallel};

/// A part of a face, or the part of terrain in a cell of a grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tile {
    /// The face on which the centre lies.
    pub face: FaceId,
    /// A point on the face, metres. Tiles that see this point see the tile.
    pub centre: DVec3,
    /// Area of the face, or of all facets of the terrain, in this cell, m².
    pub area: f64,
    /// Lowest corner of its cell in the [`Frame`] of its face, metres.
    pub low: DVec2,
    /// Highest corner of its cell, metres.
    pub high: DVec2,
}

/// All tiles of a scene: face by face, then those of terrain. Clones share them.
#[derive(Debug, Clone)]
pub struct Tiles(Arc<Cut>);

#[derive(Debug)]
struct Cut {
    tiling: Tiling,
    all: Vec<Tile>,
    /// The frame of each face; `None` for faces without tiles.
    frames: Vec<Option<Frame>>,
    /// The number of the grid that cuts each face, which facets of one terrain share.
    grids: Vec<u32>,
    /// The divided cells of each grid; grids of whole cells are not listed.
    divisions: FxHashMap<u32, Divisions>,
    /// Tiles by grid and cell.
    by_cell: FxHashMap<(u32, CellId), u32>,
    parts: Vec<Part>,
    /// First part of each tile, and the end of the last.
    part_starts: Vec<u32>,
    of_faces: Vec<u32>,
    /// First of the tiles of each face in `of_faces`, and the end of the last.
    face_starts: Vec<u32>,
}

/// The largest number of tiles: more fit neither their 32-bit numbers nor memory.
const MAX_TILES: f64 = 1e8;

impl Tiles {
    /// Cuts a scene into tiles. Apart from rounding, they do not depend on how faces are cut into triangles.
    ///
    /// # Errors
    /// [`Error::Tiles`] for sides that are not positive and finite, and for more than 10⁸ tiles.
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
        if expected > MAX_TILES {
            return Err(Error::Tiles(format!(
                "sides of {side} m would give about {expected:.1e} tiles, at most {MAX_TILES:.0e} are accepted; use sides about {:.1} times as long",
                (expected / MAX_TILES).sqrt()
            )));
        }
        for finer in &tiling.finer {
            let expected: f64 = faces()
                .map(|face| num_near(scene, face, finer, &tiling))
                .sum();
            if expected > MAX_TILES {
                return Err(Error::Tiles(format!(
                    "finer sides of {} m within {} m would give about {expected:.1e} tiles, at most {MAX_TILES:.0e} are accepted; use sides about {:.1} times as long",
                    finer.side,
                    finer.radius,
                    (expected / MAX_TILES).sqrt()
                )));
            }
        }
        let faces: Vec<FaceId> = faces().collect();
        let is_in_grid = |face: &FaceId| tiling.terrain_grid && scene.terrain_of(*face).is_some();
        let mut terrains: Vec<Vec<FaceId>> = Vec::new();
        if tiling.terrain_grid {
            terrains.resize(scene.num_terrains(), Vec::new());
            for face in &faces {
                if let Some(terrain) = scene.terrain_of(*face) {
                    terrains[terrain].push(*face);
                }
            }
        }
        let cut: Vec<Option<FaceCut>> = parallel::map_slice(&faces, |face| {
            (!is_in_grid(face)).then(|| cut_face(scene, *face, &tiling))?
        });
        let mut found = Cut {
            tiling,
            all: Vec::new(),
            frames: vec![None; faces.len()],
            grids: (0..faces.len()).map(count).collect(),
            divisions: FxHashMap::default(),
            by_cell: FxHashMap::default(),
            parts: Vec::new(),
            part_starts: vec![0],
            of_faces: Vec::new(),
            face_starts: Vec::new(),
        };
        for (face, cut) in faces.iter().zip(cut) {
            let Some(FaceCut {
                frame,
                divisions,
                cells,
            }) = cut
            else {
                continue;
            };
            for cell in cells {
                let [low, high] = divisions.bounds(&frame, cell.at);
                let face = *face;
                let part = Part { face, low, high };
                let tile = Tile {
                    face,
                    centre: cell.centre,
                    area: cell.area,
                    low,
                    high,
                };
                found.add(cell.at, tile, &[part]);
            }
            found.divide(count(face.index()), divisions);
            found.frames[face.index()] = Some(frame);
        }
        for (number, facets) in terrains.iter().enumerate() {
            if let Some(cut) = cut_terrain(scene, facets, &found.tiling) {
                found.add_terrain(count(faces.len() + number), cut);
            }
        }
        found.list_by_face();
        Ok(Self(Arc::new(found)))
    }

    /// The tiling that cut them.
    pub fn tiling(&self) -> &Tiling {
        &self.0.tiling
    }

    /// All tiles.
    pub fn all(&self) -> &[Tile] {
        &self.0.all
    }

    /// The number of tiles.
    pub fn len(&self) -> usize {
        self.0.all.len()
    }

    /// Whether there are no tiles.
    pub fn is_empty(&self) -> bool {
        self.0.all.is_empty()
    }

    /// The numbers of the tiles that have a part of a face, in order.
    pub fn of_face(&self, face: FaceId) -> impl ExactSizeIterator<Item = usize> + Clone + '_ {
        let [from, to] = [0, 1].map(|k| self.0.face_starts[face.index() + k] as usize);
        self.0.of_faces[from..to].iter().map(|tile| *tile as usize)
    }

    /// The parts of faces of which a tile consists, in the order of faces: several facets of terrain, otherwise one
    /// face.
    pub fn parts(&self, tile: usize) -> &[Part] {
        let [from, to] = [0, 1].map(|k| self.0.part_starts[tile + k] as usize);
        &self.0.parts[from..to]
    }

    /// The corners of the rectangles around the parts of a tile.
    pub(crate) fn corners(&self, tile: usize) -> impl Iterator<Item = DVec3> + '_ {
        self.parts(tile)
            .iter()
            .flat_map(|Part { face, low, high }| {
                let frame = self.frame(*face).expect("it has a tile");
                [*low, low.with_x(high.x), *high, high.with_x(low.x)].map(|at| frame.in_space(at))
            })
    }

    /// The box around these corners.
    pub(crate) fn bounds(&self, tile: usize) -> [DVec3; 2] {
        let nothing = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        self.corners(tile).fold(nothing, |[low, high], corner| {
            [low.min(corner), high.max(corner)]
        })
    }

    /// The coordinates in the plane of a face; `None` if it has no tiles.
    pub fn frame(&self, face: FaceId) -> Option<&Frame> {
        self.0.frames[face.index()].as_ref()
    }

    /// The tile of a face in whose cell a point of its plane lies. For a point outside the rectangle, the nearest cell
    /// counts.
    pub fn at(&self, face: FaceId, point: DVec3) -> Option<usize> {
        let frame = self.frame(face)?;
        let grid = self.0.grids[face.index()];
        let local = frame.local(point);
        let cell = match self.divisions(face) {
            Some(divisions) => divisions.at(frame, local),
            None => Divisions::default().at(frame, local),
        };
        self.0.by_cell.get(&(grid, cell)).map(|tile| *tile as usize)
    }

    /// The cells of a face that are divided; `None` if all are whole.
    pub(super) fn divisions(&self, face: FaceId) -> Option<&Divisions> {
        self.0.divisions.get(&self.0.grids[face.index()])
    }
}

/// The approximate number of cells of a face that are divided near a point, times the parts of each.
fn num_near(scene: &Scene, face: FaceId, finer: &Finer, tiling: &Tiling) -> f64 {
    let triangles = scene.face(face).triangles.clone();
    let corners = triangles.flat_map(|triangle| scene.corners(triangle));
    let [low, high] = corners.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], p| {
        [low.min(p), high.max(p)]
    });
    let at = finer.at.extend(finer.z.unwrap_or(low.z));
    let cell = tiling.side.max(tiling.ground_side.unwrap_or(0.0));
    let reach = finer.radius + 2.0 * cell;
    if at.distance(at.clamp(low, high)) > reach {
        return 0.0;
    }
    scene.face(face).area.min(PI * reach * reach) / (finer.side * finer.side)
}

impl Cut {
    /// Adds a tile in a cell of the grid of its face.
    fn add(&mut self, at: CellId, tile: Tile, parts: &[Part]) {
        let grid = self.grids[tile.face.index()];
        self.by_cell.insert((grid, at), count(self.all.len()));
        self.all.push(tile);
        self.parts.extend_from_slice(parts);
        self.part_starts.push(count(self.parts.len()));
    }

    /// Notes which cells of a grid are divided.
    fn divide(&mut self, grid: u32, divisions: Divisions) {
        if !divisions.is_empty() {
            self.divisions.insert(grid, divisions);
        }
    }

    /// Adds the tiles of a terrain, and the frames of its facets.
    fn add_terrain(&mut self, grid: u32, cut: TerrainCut) {
        for (face, frame) in cut.frames {
            self.frames[face.index()] = Some(frame);
            self.grids[face.index()] = grid;
        }
        for TerrainTile {
            at,
            face,
            centre,
            area,
            parts,
        } in cut.tiles
        {
            let frame = self.frames[face.index()].as_ref();
            let frame = frame.expect("the facet has its frame");
            let [low, high] = cut.divisions.bounds(frame, at);
            let tile = Tile {
                face,
                centre,
                area,
                low,
                high,
            };
            self.add(at, tile, &parts);
        }
        self.divide(grid, cut.divisions);
    }

    /// Lists the tiles of each face.
    fn list_by_face(&mut self) {
        let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(self.parts.len());
        for (tile, ends) in self.part_starts.windows(2).enumerate() {
            let parts = &self.parts[ends[0] as usize..ends[1] as usize];
            pairs.extend(
                parts
                    .iter()
                    .map(|part| (count(part.face.index()), count(tile))),
            );
        }
        pairs.par_sort_unstable();
        let start = |face: usize| pairs.partition_point(|(of, _)| (*of as usize) < face);
        self.face_starts = (0..=self.frames.len()).map(|f| count(start(f))).collect();
        self.of_faces = pairs.into_iter().map(|(_, tile)| tile).collect();
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).expect("fewer than 2^32 tiles")
}
