//! Faces cut into tiles.
//!
//! The smallest rectangle around a face is cut into equal cells, whose sides are as near to the wanted length as
//! possible (Lu et al. 2019, equations (1) to (3)). The part of the face in one cell is one tile. The centre of a tile
//! is the centroid of its area, or, if that is not on the face, a point of the face near it.
//!
//! So walls get nearly square tiles, and roofs, gables and terrain are covered completely. Lu et al. drop tiles whose
//! centres are not on the roof, and faces smaller than a tile.

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
    /// The face.
    pub face: FaceId,
    /// A point on the face, metres. What sees this point sees the tile.
    pub centre: DVec3,
    /// Area of the face in this cell, m².
    pub area: f64,
    /// Lowest corner of its cell in the [`Frame`] of its face, metres.
    pub low: DVec2,
    /// Highest corner of its cell, metres.
    pub high: DVec2,
}

/// All tiles of a scene, face by face. Clones share them.
#[derive(Debug, Clone)]
pub struct Tiles(Arc<Cut>);

#[derive(Debug)]
struct Cut {
    tiling: Tiling,
    all: Vec<Tile>,
    /// By face; `None` for faces without tiles.
    frames: Vec<Option<Frame>>,
    /// First tile of each face, and the end of the last.
    starts: Vec<u32>,
    /// Tiles by face and cell.
    by_cell: FxHashMap<(u32, [u32; 2]), u32>,
}

/// More tiles fit neither their 32-bit numbers nor memory.
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

    /// The numbers of the tiles of a face.
    pub fn of_face(&self, face: FaceId) -> std::ops::Range<usize> {
        self.0.starts[face.index()] as usize..self.0.starts[face.index() + 1] as usize
    }

    /// The rectangle around a face; `None` if it has no tiles.
    pub fn frame(&self, face: FaceId) -> Option<&Frame> {
        self.0.frames[face.index()].as_ref()
    }

    /// The tile of a face in whose cell a point of its plane lies. For a point outside the rectangle, the nearest cell
    /// counts.
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
