//! Faces cut into tiles.
//!
//! Over every face lies the smallest rectangle around it, whose sides are cut in equal parts as near to the wanted length as can be
//! (Lu et al. 2019, equations (1) to (3)). What of the face lies in one cell is one tile. The centre of a tile is where
//! its area's centre is, or if that lies beside the face a point of the face near it.
//!
//! So walls get nearly square tiles, and roofs, gables and terrain are covered to the last piece. Lu et al. drop tiles whose
//! centres lie beside the roof, and faces smaller than a tile.

use std::sync::Arc;

use glam::{DVec2, DVec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::cut::{FaceCell, cut_face};
use super::tiling::{Frame, Tiling};
use crate::Error;
use crate::scene::{FaceId, Scene};

/// A part of a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tile {
    /// The face that it is a part of.
    pub face: FaceId,
    /// A point of the face: what sees it sees the tile, metres.
    pub centre: DVec3,
    /// Of the face in its cell, m².
    pub area: f64,
    /// Its cell's lowest corner in the [`Frame`] of its face, metres.
    pub low: DVec2,
    /// Its cell's highest corner, metres.
    pub high: DVec2,
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
const MAX_TILES: f64 = 1e8;

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
        if expected > MAX_TILES {
            return Err(Error::Tiles(format!(
                "tiles with sides of {side} m would be some {expected:.1e}; at most {MAX_TILES:.0e} are accepted: take sides {:.1} times as long",
                (expected / MAX_TILES).sqrt()
            )));
        }
        let faces: Vec<FaceId> = faces().collect();
        let cut: Vec<Option<(Frame, Vec<FaceCell>)>> = faces
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
                    centre: cell.centre,
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
